// Package track follows the connections of Hazel: what their sides send, acknowledge and
// know. It judges nothing; a Judge may look on. What receivers ignore and
// what is not believed, with the place of each in the code, is the table of the protocol in
// docs/architecture.md, "What gates".
package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session"
)

// New gives the protocol to a tracker. judge makes what looks at a connection, nil for
// nothing.
func New(judge func() Judge) *session.Protocol {
	return &session.Protocol{
		Protocol: hazel.Hazel,
		NewProbe: func() session.Probe { return newProbe() },
		Follows:  follows,
		NewSession: func(f *session.Flow, p session.Probe) session.Session {
			learned, _ := p.(*probe)
			return newPair(f, learned, judge)
		},
		Neighbours:       []*dissect.Protocol{hazel.LAN, hazel.DTLS},
		NeighbourLead:    hazel.NeighbourLead(),
		Neighbour:        neighbour,
		NeighbourSummary: hazel.AppendNeighbourSummary,
		Types:            []any{&probe{}, &pair{}, &conn{}, &room{}, doubtedStray{}},
		Fixed:            []any{judge},
	}
}

func neighbour(d *dissect.Datagram, s session.Standing) *dissect.Protocol {
	return hazel.Neighbour(d, s == session.Stranger)
}
