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

	// anyPage is AnyDialect among those with the types of the page.
	anyPage = numDialects
)

var dialectNames = [numDialects]string{"", "2016-05-14", "2016-05-30", "spec", "0.1", "ack3", "current", "fork36", "dtls"}

// String is the name users see, "" for AnyDialect.
func (d Dialect) String() string { return dialectNames[d] }

// DialectNamed gives the dialect of a name, AnyDialect when there is none.
func DialectNamed(name string) Dialect {
	for d := AnyDialect + 1; d < numDialects; d++ {
		if dialectNames[d] == name {
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

// typeOf gives the type of a first byte and the dialect whose layout follows.
// The values of the dialects do not overlap, so that AnyDialect takes all. In a
// dialect, the values of another one are unknown: receivers compare the whole
// byte.
func typeOf(b byte, d Dialect) (Type, Dialect) {
	e := &wireTypes[b]
	if e.typ == Unknown || !e.within(d) {
		return Unknown, AnyDialect
	}
	if b == 0x02 && d == Spec {
		return Fragment, Spec
	}
	return e.typ, e.layout(d)
}

// A wireType is what a first byte means.
type wireType struct {
	typ  Type
	in   dialectSet // dialects that have it
	home Dialect    // layout where the dialect is not known
}

// A dialectSet is a set of dialects.
type dialectSet uint16

func setOf(ds ...Dialect) (s dialectSet) {
	for _, d := range ds {
		s |= 1 << d
	}
	return s
}

func (s dialectSet) has(d Dialect) bool { return s>>d&1 != 0 }

// one gives the only member.
func (s dialectSet) one() (Dialect, bool) {
	if s == 0 || s&(s-1) != 0 {
		return AnyDialect, false
	}
	for d := AnyDialect; ; d++ {
		if s.has(d) {
			return d, true
		}
	}
}

// Sets of dialects with something in common.
var (
	pageTypes  = setOf(Spec, V01, Ack3, Current, Fork36) // types of the page
	withPing   = setOf(Ack3, Current, Fork36)
	shortAcks  = setOf(Spec, V01, Ack3) // acknowledgements of 3 bytes, types of the page
	everything = pageTypes | setOf(May14, May30)
)

func (e *wireType) within(d Dialect) bool {
	return d == AnyDialect || e.in.has(d) || d == anyPage && e.in&pageTypes != 0
}

// layout is the dialect whose layout the type has in dialect d.
func (e *wireType) layout(d Dialect) Dialect {
	if d == AnyDialect || d == anyPage || e.home == Fork36 && d == Current {
		return e.home
	}
	return d
}

// wireTypes is the table of first bytes. Ping stands in V01, too, which took it
// before it sent it (Hazel ef160cc), and in Spec, where the page's own flags
// read it as a control code. What a Fork36 sends is decoded in Current, which
// it is but for that.
var wireTypes = [256]wireType{
	0x00: {None, everything, Current},
	0x01: {Reliable, pageTypes | setOf(May14), Current},
	0x02: {FragmentStart, setOf(V01, Spec), V01},
	0x03: {Fragment, setOf(Spec), Spec},
	0x08: {Hello, pageTypes, Current},
	0x09: {Disconnect, pageTypes, Current},
	0x0A: {Acknowledgement, pageTypes, Current},
	0x0B: {Fragment, setOf(V01, Spec, Current, Fork36), V01},
	0x0C: {Ping, setOf(Spec, V01, Ack3, Current, Fork36), Current},
	0x0D: {MTUTest, setOf(Current, Fork36), Fork36},

	0xFD: {Hello, setOf(May14), May14},
	0xFE: {Disconnect, setOf(May14), May14},
	0xFF: {Acknowledgement, setOf(May14), May14},

	0x10: {Reliable, setOf(May30), May30},
	0x20: {Fragment, setOf(May30), May30},
	0x30: {Fragment, setOf(May30), May30},
	0x80: {Hello, setOf(May30), May30},
	0x81: {Disconnect, setOf(May30), May30},
	0x82: {Acknowledgement, setOf(May30), May30},

	recordChangeCipherSpec: {ChangeCipherSpec, setOf(OverDTLS), OverDTLS},
	recordAlert:            {Alert, setOf(OverDTLS), OverDTLS},
	recordHandshake:        {Handshake, setOf(OverDTLS), OverDTLS},
	recordApplicationData:  {ApplicationData, setOf(OverDTLS), OverDTLS},
}

// codeOf is the first byte of a type in a dialect.
func codeOf(t Type, d Dialect) byte {
	for b := range wireTypes {
		if e := &wireTypes[b]; e.typ == t && (e.in.has(d) || d == AnyDialect && e.in.has(Current)) {
			return byte(b)
		}
	}
	return 0
}
