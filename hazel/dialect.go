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
	switch {
	case !e.in.Has(d):
		return Unknown, AnyDialect
	case b == 0x02 && d == Spec:
		return Fragment, Spec
	case d == AnyDialect || d == AnyPage || e.home == Fork36 && d == Current:
		return e.Type, e.home
	}
	return e.Type, d
}

// A wireType is what a first byte means.
type wireType struct {
	Type Type
	in   DialectSet // dialects that have it, AnyDialect and AnyPage among them
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

// orAny adds, to the dialects that have a type, those that stand for any.
func orAny(s DialectSet) DialectSet {
	if s |= 1 << AnyDialect; s&PageTypes != 0 {
		s |= 1 << AnyPage
	}
	return s
}

// WireTypes is the table of first bytes. Ping stands in V01, too, which took it
// before it sent it (Hazel ef160cc). The page names no control codes but those of
// Hello, Disconnect and Acknowledgement. What a Fork36 sends is decoded in Current,
// which it is but for that.
var WireTypes = [256]wireType{
	0x00: {None, orAny(AllDialects), Current},
	0x01: {Reliable, orAny(PageTypes | SetOf(May14)), Current},
	0x02: {FragmentStart, orAny(SetOf(V01, Spec)), V01},
	0x03: {Fragment, orAny(SetOf(Spec)), Spec},
	0x08: {Hello, orAny(PageTypes), Current},
	0x09: {Disconnect, orAny(PageTypes), Current},
	0x0A: {Acknowledgement, orAny(PageTypes), Current},
	0x0B: {Fragment, orAny(SetOf(V01, Current, Fork36)), V01},
	0x0C: {Ping, orAny(SetOf(V01, Ack3, Current, Fork36)), Current},
	0x0D: {MTUTest, orAny(SetOf(Current, Fork36)), Fork36},

	0xFD: {Hello, orAny(SetOf(May14)), May14},
	0xFE: {Disconnect, orAny(SetOf(May14)), May14},
	0xFF: {Acknowledgement, orAny(SetOf(May14)), May14},

	0x10: {Reliable, orAny(SetOf(May30)), May30},
	0x20: {Fragment, orAny(SetOf(May30)), May30},
	0x30: {Fragment, orAny(SetOf(May30)), May30},
	0x80: {Hello, orAny(SetOf(May30)), May30},
	0x81: {Disconnect, orAny(SetOf(May30)), May30},
	0x82: {Acknowledgement, orAny(SetOf(May30)), May30},

	RecordChangeCipherSpec: {ChangeCipherSpec, orAny(SetOf(OverDTLS)), OverDTLS},
	RecordAlert:            {Alert, orAny(SetOf(OverDTLS)), OverDTLS},
	RecordHandshake:        {Handshake, orAny(SetOf(OverDTLS)), OverDTLS},
	RecordApplicationData:  {ApplicationData, orAny(SetOf(OverDTLS)), OverDTLS},
}

// codeOf is the first byte of a type in a dialect.
func codeOf(t Type, d Dialect) byte {
	if d == AnyDialect {
		d = Current
	}
	for b := range WireTypes {
		if e := &WireTypes[b]; e.Type == t && e.in.Has(d) {
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
