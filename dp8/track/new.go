// Package track follows the connections of DirectPlay 8 and judges what their sides
// send (MC-DPL8R 3.1).
package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
)

// Options are what a user may supply for DirectPlay 8.
type Options struct {
	Secrets []dp8.SuppliedSecrets
}

// New gives the protocol to a tracker.
func New(opts Options) *session.Protocol {
	p := protocol(opts, true)
	p.Rules, p.RuleSets = Rules, ruleSets
	return p
}

// Follow gives the protocol without its rules: connections are followed and nothing is judged.
func Follow(opts Options) *session.Protocol { return protocol(opts, false) }

func protocol(opts Options, judged bool) *session.Protocol {
	o := &opts
	return &session.Protocol{
		Protocol: dp8.DP8,
		NewProbe: func() session.Probe { return &probe{} },
		Follows:  follows,
		NewSession: func(f *session.Flow, p session.Probe) session.Session {
			learned, _ := p.(*probe)
			return newPair(f, learned, o, judged)
		},
		Neighbours:       []*dissect.Protocol{dp8.DPLHP, dp8.DPLNAT},
		NeighbourLead:    []byte{0},
		Neighbour:        neighbour,
		NeighbourSummary: dp8.AppendNeighbourSummary,
	}
}
