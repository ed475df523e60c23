// Package track follows the connections of DirectPlay 4: what their sides send and
// acknowledge (MC-DPL4R 3.1). It judges nothing; a Judge may look on. What receivers ignore and
// what is not believed, with the place of each in the code, is the table of the protocol in
// docs/architecture.md, "What gates".
package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session"
)

// New gives the protocol to a tracker. judge makes what looks at a connection, nil for
// nothing.
func New(judge func() Judge) *session.Protocol {
	return &session.Protocol{
		Protocol: dp4.DP4,
		NewProbe: func() session.Probe { return &probe{} },
		Follows:  follows,
		NewSession: func(f *session.Flow, _ session.Probe) session.Session {
			return newPair(f, judge)
		},
		Neighbours:       []*dissect.Protocol{dp4.DPL4CS},
		NeighbourLead:    anyByte(),
		Neighbour:        neighbour,
		NeighbourSummary: dp4.AppendCoreSummary,
		Types:            []any{&probe{}, &pair{}, &conn{}, &room{}},
		Fixed:            []any{judge},
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
	if dp4.IsCoreDatagram(d) {
		return dp4.DPL4CS
	}
	return nil
}
