package hazel

import (
	"github.com/dpdissect/dpdissect/dissect"
)

// Hazel describes the protocol to tables, filters and tests.
var Hazel = &dissect.Protocol{
	Name:     "hazel",
	Title:    "Hazel UDP-RUDP",
	Texts:    []string{"Hazel documentation, UDP-RUDP", "Hazel-Networking 2016-05 to 2025-11"},
	Dialects: DialectNames[1:],
	Types:    typeNames[1:],
	Client:   "client",
	// IncorrectVersion, and what a server says in its own words.
	WrongVersion: "version",
	Ports:        []uint16{22023, 22123, 22223, 22323, 22423, 22523, 22623, 22723, 22823, 22923, 22024, 22025, 22026},
	Fields:       dissect.Refs(Fields[:]),
	Numbered:     numbered(Reliable, Hello, Ping, Fragment, FragmentStart),
	Decode: func(t *dissect.Tree) (string, *dissect.Error) {
		var f Frame
		err := f.Decode(t.Data, AnyDialect, t)
		return f.Type.String(), err
	},
	Reencode: func(payload []byte) ([]byte, bool) {
		var f Frame
		if f.Decode(payload, AnyDialect, nil) != nil {
			return nil, false
		}
		return f.Append(nil), true
	},
	Samples: Samples,
}

// numbered are types of frames with an id of their own, not that of another frame.
func numbered(types ...Type) map[string]*dissect.Field {
	fields := map[string]*dissect.Field{}
	for _, t := range types {
		fields[t.String()] = &Fields[fID]
	}
	return fields
}
