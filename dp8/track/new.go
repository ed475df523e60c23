// Package track follows the connections of DirectPlay 8: what their sides send, acknowledge
// and sign (MC-DPL8R 3.1). It judges nothing; a Judge may look on. What receivers ignore and
// what is not believed, with the place of each in the code, is the table of the protocol in
// docs/architecture.md, "What gates".
package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
)

// Options are what a user may supply for DirectPlay 8.
type Options struct {
	Secrets []dp8.SuppliedSecrets
	Keys    KeyWatch // is told of the secrets of fully signed connections, nil for nobody

	long bool // nothing takes the short way (conn.usual), for tests that compare
}

// New gives the protocol to a tracker. judge makes what looks at a connection, nil for
// nothing.
func New(opts Options, judge func() Judge) *session.Protocol {
	o := &opts
	return &session.Protocol{
		Protocol: dp8.DP8,
		NewProbe: func() session.Probe { return &probe{} },
		Follows:  follows,
		NewSession: func(f *session.Flow, p session.Probe) session.Session {
			learned, _ := p.(*probe)
			return newPair(f, learned, o, judge)
		},
		Neighbours:       []*dissect.Protocol{dp8.DPLHP, dp8.DPLNAT},
		NeighbourLead:    []byte{0},
		Neighbour:        neighbour,
		NeighbourSummary: dp8.AppendNeighbourSummary,
		Types:            []any{&probe{}, &pair{}, &conn{}, &room{}},
		Fixed:            []any{o, judge},
	}
}
