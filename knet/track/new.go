// Package track follows the connections of kNet over UDP and judges what their sides
// send.
package track

import (
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/session"
)

// New gives the protocol to a tracker.
func New() *session.Protocol {
	return &session.Protocol{
		Rules:    Rules,
		RuleSets: ruleSets(),
		Protocol: knet.KNet,
		NewProbe: func() session.Probe { return newProbe() },
		Follows:  follows,
		NewSession: func(f *session.Flow, p session.Probe) session.Session {
			learned, _ := p.(*probe)
			return newPair(f, learned)
		},
	}
}
