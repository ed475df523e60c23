package dissect

// A Protocol describes one protocol to everything that is not its package:
// reference tables, filters, schemas and tests iterate over these.
type Protocol struct {
	Name     string   // "dp8"
	Title    string   // "DirectPlay 8 Reliable"
	Texts    []string // "MC-DPL8R v18.0"
	Dialects []string // names accepted after a colon in --decode-as
	Types    []string // values of a frame's type
	Fields   []*Field // the whole table, in the order of the reference page
	Ports    []uint16 // usual ports, hints only

	// Client is the role of the side that connects, in the word of the text; "" where sides
	// have no roles.
	Client string

	// WrongVersion is a word, in lower case, that the reason has with which a side declines
	// another version of the game; "" where reasons do not tell.
	WrongVersion string

	// Numbered gives, by the type of a frame, the field with its number in the series of
	// its side; types whose frames have none are left out.
	Numbered map[string]*Field

	// Window is how many of these numbers a side may have sent, counted from the first
	// that is not acknowledged; 0 where the text says nothing of the kind.
	Window int64

	// Decode reads one datagram without knowledge of its connection, into a
	// tree that was Reset with the payload. What the wire alone cannot tell is
	// guessed by length; trackers decode with what they learned instead.
	Decode func(t *Tree) (typ string, err *Error)
	// Reencode decodes and encodes a payload; it reports false when the
	// payload is not accepted. For what is accepted it gives the same bytes.
	Reencode func(payload []byte) ([]byte, bool)
	// Samples are valid datagrams: seeds for fuzzing and for tests that cut.
	Samples func() [][]byte
}
