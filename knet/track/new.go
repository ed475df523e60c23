// Package track follows the connections of kNet over UDP: what their sides send, acknowledge
// and say. It judges nothing; a Judge may look on. What receivers ignore and
// what is not believed, with the place of each in the code, is the table of the protocol in
// docs/architecture.md, "What gates".
package track

import (
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
)

// New gives the protocol to a tracker. judge makes what looks at a connection, nil for
// nothing.
func New(judge func() Judge) *session.Protocol {
	return &session.Protocol{
		Protocol: knet.KNet,
		NewProbe: func() session.Probe { return newProbe() },
		Follows:  follows,
		NewSession: func(f *session.Flow, p session.Probe) session.Session {
			learned, _ := p.(*probe)
			return newPair(f, learned, judge)
		},
		Types: []any{&probe{}, &pair{}, &conn{}, &room{}},
		Fixed: []any{judge},
	}
}
