package dp4

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
)

// DP4 describes the protocol to tables, filters and tests.
var DP4 = &dissect.Protocol{
	Name:   "dp4",
	Title:  "DirectPlay 4 Reliable",
	Texts:  []string{"MC-DPL4R v12.0", "MC-DPL4R v15.0"},
	Types:  []string{"DATA", "ACK", "NACK"},
	Ports:  []uint16{2300, 2350, 2400},
	Fields: dissect.Refs(Fields[:]),
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

// New gives the protocol to a tracker.
func New() *session.Protocol {
	return &session.Protocol{
		Rules:    Rules,
		RuleSets: ruleSets,
		Protocol: DP4,
		NewProbe: func() session.Probe { return &probe{} },
		Follows:  follows,
		NewSession: func(f *session.Flow, _ session.Probe) session.Session {
			return newPair(f)
		},
		Neighbours:       []*dissect.Protocol{DPL4CS},
		NeighbourLead:    anyByte(),
		Neighbour:        neighbour,
		NeighbourSummary: AppendCoreSummary,
	}
}

// anyByte are the first bytes of core messages: the low byte of their size.
func anyByte() []byte {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	return all
}

// neighbour implements session.Protocol.Neighbour.
func neighbour(d *dissect.Datagram, _ session.Standing) *dissect.Protocol {
	if IsCoreDatagram(d) {
		return DPL4CS
	}
	return nil
}
