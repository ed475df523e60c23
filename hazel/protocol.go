package hazel

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
)

// Hazel describes the protocol to tables, filters and tests.
var Hazel = &dissect.Protocol{
	Name:     "hazel",
	Title:    "Hazel UDP-RUDP",
	Texts:    []string{"Hazel documentation, UDP-RUDP", "Hazel-Networking 2016-05 to 2025-11"},
	Dialects: dialectNames[1:],
	Types:    typeNames[1:],
	Ports:    []uint16{22023, 22123, 22223, 22323, 22423, 22523, 22623, 22723, 22823, 22923, 22024, 22025, 22026},
	Fields:   dissect.Refs(Fields[:]),
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

// New gives the protocol to a tracker.
func New() *session.Protocol {
	return &session.Protocol{
		Rules:    Rules,
		RuleSets: ruleSets,
		Protocol: Hazel,
		NewProbe: func() session.Probe { return newProbe() },
		Follows:  follows,
		NewSession: func(f *session.Flow, p session.Probe) session.Session {
			learned, _ := p.(*probe)
			return newPair(f, learned)
		},
		Neighbours:       []*dissect.Protocol{LAN, DTLS},
		NeighbourLead:    []byte{lanHead[0], recordChangeCipherSpec, recordAlert, recordHandshake, recordApplicationData},
		Neighbour:        neighbour,
		NeighbourSummary: appendNeighbourSummary,
	}
}

// neighbour implements session.Protocol.Neighbour. DTLS is one where it was not
// recognised as Hazel's: probes must see its records first.
func neighbour(d *dissect.Datagram, s session.Standing) *dissect.Protocol {
	switch {
	case len(d.Payload) == 0:
	case d.Payload[0] == lanHead[0]:
		if announcement(d) {
			return LAN
		}
	case s == session.Stranger && foreignDTLS(d):
		return DTLS
	}
	return nil
}

func appendNeighbourSummary(dst, payload []byte) []byte {
	if len(payload) > 0 && payload[0] == lanHead[0] {
		return appendLANSummary(dst, payload)
	}
	return appendDTLSSummary(dst, payload)
}
