package dp8

import (
	"github.com/dpdissect/dpdissect/dissect"
)

// DP8 describes the protocol to tables, filters and tests.
var DP8 = &dissect.Protocol{
	Name:     "dp8",
	Title:    "DirectPlay 8 Reliable",
	Texts:    []string{"MC-DPL8R v20140124", "MC-DPL8R v18.0"},
	Types:    []string{"CONNECT", "CONNECTED", "CONNECTED_SIGNED", "HARD_DISCONNECT", "SACK", "DFRAME"},
	Client:   "connector",
	Ports:    []uint16{EnumerationPort, 2302},
	Fields:   dissect.Refs(Fields[:]),
	Numbered: map[string]*dissect.Field{"DFRAME": &Fields[fSeq]},
	Window:   WindowSize, // MC-DPL8R 3.1.4.4
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
