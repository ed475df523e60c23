package dp4

import (
	"github.com/dpdissect/dpdissect/dissect"
)

// DP4 describes the protocol to tables, filters and tests.
var DP4 = &dissect.Protocol{
	Name:     "dp4",
	Title:    "DirectPlay 4 Reliable",
	Texts:    []string{"MC-DPL4R v12.0", "MC-DPL4R v15.0"},
	Types:    []string{"DATA", "ACK", "NACK"},
	Ports:    []uint16{2300, 2350, 2400},
	Fields:   dissect.Refs(Fields[:]),
	Numbered: map[string]*dissect.Field{"DATA": &Fields[fSeq]},
	Decode: func(t *dissect.Tree) (string, *dissect.Error) {
		var f Frame
		err := f.Decode(t.Data, Params{}, t)
		return f.Type.String(), err
	},
	Reencode: func(payload []byte) ([]byte, bool) {
		var f Frame
		if f.Decode(payload, Params{}, nil) != nil {
			return nil, false
		}
		return f.Append(nil), true
	},
	Samples: Samples,
}
