package dissect

import "strconv"

// A Layout is what a decoder knew of a datagram beyond its bytes: the zero value is nothing.
// With it, and the type of the frame, a decoder without memory reads the same fields.
type Layout struct {
	Version uint32 // DirectPlay 8: the lower of both sides' versions, major<<16 | minor
	Dialect string // kNet, Hazel: what the datagram was read as
	Signing Signing
	IDs     LowIDs
	AckBits AckBits
}

// Signing says whether 8 bytes of signature follow the header of DirectPlay 8.
type Signing uint8

const (
	SigningUnknown Signing = iota
	SigningNone
	SigningFast // also where frames are signed and it is not known how
	SigningFull
)

// LowIDs says which id kNet's PingRequest has, and so its next three control messages.
type LowIDs uint8

const (
	IDsUnknown LowIDs = iota
	IDsFromZero
	IDsFromOne
)

// AckBits says in which order the sequence bits of kNet's PacketAck stand (AMB-KN-06).
type AckBits uint8

const (
	AckBitsNone AckBits = iota
	ByteFirst           // they begin in the upper bits of the third byte
	WordFirst           // they begin in the 32-bit word
)

// A LayoutField is one of the things that a Layout says.
type LayoutField struct {
	Name   string
	Doc    string
	Append func(dst []byte, l *Layout) []byte // nothing for nothing
}

// LayoutFields are those of every frame, in the order of records and comments. Their values
// are printable ASCII without spaces.
var LayoutFields = [...]LayoutField{
	{"version", "version that DirectPlay 8 was read as, the lower of both sides", appendVersion},
	{"signing", "whether 8 bytes of signature follow the header: `none`, `fast` or `full`; `fast` also where it is not known how frames are signed",
		func(dst []byte, l *Layout) []byte {
			return append(dst, [...]string{"", "none", "fast", "full"}[l.Signing]...)
		}},
	{"dialect", "dialect that the datagram was read as", func(dst []byte, l *Layout) []byte { return append(dst, l.Dialect...) }},
	{"ids", "id of kNet's PingRequest, `0` or `1`", func(dst []byte, l *Layout) []byte { return append(dst, [...]string{"", "0", "1"}[l.IDs]...) }},
	{"ack_bits", "order of the bits in PacketAcks of kNet's page, `byte-first` or `word-first`",
		func(dst []byte, l *Layout) []byte {
			return append(dst, [...]string{"", "byte-first", "word-first"}[l.AckBits]...)
		}},
}

func appendVersion(dst []byte, l *Layout) []byte {
	if l.Version == 0 {
		return dst
	}
	dst = append(strconv.AppendUint(dst, uint64(l.Version>>16), 10), '.')
	return strconv.AppendUint(dst, uint64(l.Version&0xffff), 10)
}
