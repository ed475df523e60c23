package knet

// A Dialect is one of the two layouts of a datagram.
type Dialect uint8

const (
	DialectUnknown Dialect = iota
	Reference              // the C++ library, juj/kNet 715850d
	Spec                   // the page "kNet Transport over UDP"
)

var dialectNames = [...]string{"", "reference", "spec"}

func (d Dialect) String() string { return dialectNames[d] }

// ParseDialect is the dialect of a name, DialectUnknown when there is none.
func ParseDialect(name string) Dialect {
	for d, s := range dialectNames {
		if s == name {
			return Dialect(d)
		}
	}
	return DialectUnknown
}

// An IDMap says which ids the four lowest control messages have: 0–3 on the page
// and in the library before 2011-02, 1–4 in later texts and since (AMB-KN-03).
type IDMap uint8

const (
	IDsUnknown  IDMap = iota // told by the size of each message
	IDsFromZero              // PingRequest 0, PingReply 1, FlowControlRequest 2, PacketAck 3
	IDsFromOne               // 1, 2, 3, 4
)

// Params are what the wire alone cannot tell of a datagram.
type Params struct {
	Dialect   Dialect // DialectUnknown is read as Reference
	IDs       IDMap
	WordFirst bool // Spec: the bits of a PacketAck begin in its u32 (AMB-KN-06)
}

// Sizes of counters.
const (
	PacketIDBits = 22
	PacketIDMask = 1<<PacketIDBits - 1
	NumberBits   = 31 // reliable message numbers of reference
	numberMask   = 1<<NumberBits - 1
)

// Flags of a datagram as they stand in their byte: the third of spec, the first
// of reference.
const (
	flagInOrder  = 0x80
	FlagReliable = 0x40
)

// Bits of a message header. Bits 13–11 hold the InOrder code of spec.
const (
	FragmentStart   = 1 << 15
	Fragment        = 1 << 14
	MessageInOrder  = 1 << 13 // reference
	MessageReliable = 1 << 12 // reference
	MessageUnused   = 1 << 11 // reference
	codeShift       = 11
	lengthMask      = 1<<11 - 1
)

// MaxContent is the largest content of a message, the id included.
const MaxContent = lengthMask
