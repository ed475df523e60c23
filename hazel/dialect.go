package hazel

// A Dialect is a format that the library released, or a way to carry it.
type Dialect uint8

// Dialects, by the time of their release.
const (
	AnyDialect Dialect = iota // not known: taken from the bytes
	May14                     // 2016-05-14: types of their own (Hazel 55d0574)
	May30                     // 2016-05-30: types of their own (Hazel 544fedd)
	Spec                      // 2016-06 to 12: the page (Hazel 5acdf3f)
	V01                       // to 2018-12: fragments with a header of 7 bytes (Hazel v0.1.0)
	Ack3                      // to 2020-04: Ping, acknowledgements of 3 bytes (Hazel 439af6e)
	Current                   // acknowledgements with a byte of history (Hazel 2ceee1f)
	Fork36                    // 2021: Current with fragments of its own (Hazel pull request 36)
	OverDTLS                  // Current inside DTLS records (Hazel.Dtls)
	numDialects

	// AnyPage is AnyDialect among those with the types of the page.
	AnyPage = numDialects
)

var DialectNames = [numDialects]string{"", "2016-05-14", "2016-05-30", "spec", "0.1", "ack3", "current", "fork36", "dtls"}

// String is the name users see, "" for AnyDialect.
func (d Dialect) String() string { return DialectNames[d] }

// DialectNamed gives the dialect of a name, AnyDialect when there is none.
func DialectNamed(name string) Dialect {
	for d := AnyDialect + 1; d < numDialects; d++ {
		if DialectNames[d] == name {
			return d
		}
	}
	return AnyDialect
}

// Type is the type of a datagram. Its value on the wire depends on the dialect.
type Type uint8

const (
	Unknown Type = iota // not a type of the dialect
	None
	Reliable
	Hello
	Disconnect
	Acknowledgement
	Ping
	Fragment      // a further fragment; in Spec and May30 a payload sent with the Fragmented flag
	FragmentStart // the first fragment of V01
	MTUTest       // of Fork36
	ChangeCipherSpec
	Alert
	Handshake
	ApplicationData
	numTypes
)

var typeNames = [numTypes]string{
	"", "NONE", "RELIABLE", "HELLO", "DISCONNECT", "ACKNOWLEDGEMENT", "PING", "FRAGMENT", "FRAGMENT_START", "MTU_TEST",
	"DTLS ChangeCipherSpec", "DTLS Alert", "DTLS Handshake", "DTLS ApplicationData",
}

func (t Type) String() string { return typeNames[t] }

// Record reports a datagram of DTLS records.
func (t Type) Record() bool { return t >= ChangeCipherSpec }

// TypeOf gives the type of a first byte and the dialect whose layout follows.
// The values of the dialects do not overlap, so that AnyDialect takes all. In a
// dialect, the values of another one are unknown: receivers compare the whole
// byte.
func TypeOf(b byte, d Dialect) (Type, Dialect) {
	e := &WireTypes[b]
	if e.Type == Unknown || !e.within(d) {
		return Unknown, AnyDialect
	}
	if b == 0x02 && d == Spec {
		return Fragment, Spec
	}
	return e.Type, e.layout(d)
}

// A wireType is what a first byte means.
type wireType struct {
	Type Type
	in   DialectSet // dialects that have it
	home Dialect    // layout where the dialect is not known
}

// A DialectSet is a set of dialects.
type DialectSet uint16

func SetOf(ds ...Dialect) (s DialectSet) {
	for _, d := range ds {
		s |= 1 << d
	}
	return s
}

func (s DialectSet) Has(d Dialect) bool { return s>>d&1 != 0 }

// One gives the only member.
func (s DialectSet) One() (Dialect, bool) {
	if s == 0 || s&(s-1) != 0 {
		return AnyDialect, false
	}
	for d := AnyDialect; ; d++ {
		if s.Has(d) {
			return d, true
		}
	}
}

// Sets of dialects with something in common.
var (
	PageTypes   = SetOf(Spec, V01, Ack3, Current, Fork36) // types of the page
	WithPing    = SetOf(Ack3, Current, Fork36)
	ShortAcks   = SetOf(Spec, V01, Ack3) // acknowledgements of 3 bytes, types of the page
	AllDialects = PageTypes | SetOf(May14, May30)
)

func (e *wireType) within(d Dialect) bool {
	return d == AnyDialect || e.in.Has(d) || d == AnyPage && e.in&PageTypes != 0
}

// layout is the dialect whose layout the type has in dialect d.
func (e *wireType) layout(d Dialect) Dialect {
	if d == AnyDialect || d == AnyPage || e.home == Fork36 && d == Current {
		return e.home
	}
	return d
}

// WireTypes is the table of first bytes. Ping stands in V01, too, which took it
// before it sent it (Hazel ef160cc). The page names no control codes but those of
// Hello, Disconnect and Acknowledgement. What a Fork36 sends is decoded in Current,
// which it is but for that.
var WireTypes = [256]wireType{
	0x00: {None, AllDialects, Current},
	0x01: {Reliable, PageTypes | SetOf(May14), Current},
	0x02: {FragmentStart, SetOf(V01, Spec), V01},
	0x03: {Fragment, SetOf(Spec), Spec},
	0x08: {Hello, PageTypes, Current},
	0x09: {Disconnect, PageTypes, Current},
	0x0A: {Acknowledgement, PageTypes, Current},
	0x0B: {Fragment, SetOf(V01, Current, Fork36), V01},
	0x0C: {Ping, SetOf(V01, Ack3, Current, Fork36), Current},
	0x0D: {MTUTest, SetOf(Current, Fork36), Fork36},

	0xFD: {Hello, SetOf(May14), May14},
	0xFE: {Disconnect, SetOf(May14), May14},
	0xFF: {Acknowledgement, SetOf(May14), May14},

	0x10: {Reliable, SetOf(May30), May30},
	0x20: {Fragment, SetOf(May30), May30},
	0x30: {Fragment, SetOf(May30), May30},
	0x80: {Hello, SetOf(May30), May30},
	0x81: {Disconnect, SetOf(May30), May30},
	0x82: {Acknowledgement, SetOf(May30), May30},

	RecordChangeCipherSpec: {ChangeCipherSpec, SetOf(OverDTLS), OverDTLS},
	RecordAlert:            {Alert, SetOf(OverDTLS), OverDTLS},
	RecordHandshake:        {Handshake, SetOf(OverDTLS), OverDTLS},
	RecordApplicationData:  {ApplicationData, SetOf(OverDTLS), OverDTLS},
}

// codeOf is the first byte of a type in a dialect.
func codeOf(t Type, d Dialect) byte {
	for b := range WireTypes {
		if e := &WireTypes[b]; e.Type == t && (e.in.Has(d) || d == AnyDialect && e.in.Has(Current)) {
			return byte(b)
		}
	}
	return 0
}

// Names are those of the members, oldest first.
func (s DialectSet) Names() (names []string) {
	for d := AnyDialect + 1; d < numDialects; d++ {
		if s.Has(d) {
			names = append(names, d.String())
		}
	}
	return names
}

// Within reports that all dialects of a set are in another.
func (s DialectSet) Within(o DialectSet) bool { return s&^o == 0 }
