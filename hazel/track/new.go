// Package track follows the connections of Hazel and judges what their sides send.
package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/session"
)

// New gives the protocol to a tracker.
func New() *session.Protocol {
	return &session.Protocol{
		Rules:    Rules,
		RuleSets: ruleSets,
		Protocol: hazel.Hazel,
		NewProbe: func() session.Probe { return newProbe() },
		Follows:  follows,
		NewSession: func(f *session.Flow, p session.Probe) session.Session {
			learned, _ := p.(*probe)
			return newPair(f, learned)
		},
		Neighbours:       []*dissect.Protocol{hazel.LAN, hazel.DTLS},
		NeighbourLead:    hazel.NeighbourLead(),
		Neighbour:        neighbour,
		NeighbourSummary: hazel.AppendNeighbourSummary,
	}
}

func neighbour(d *dissect.Datagram, s session.Standing) *dissect.Protocol {
	return hazel.Neighbour(d, s == session.Stranger)
}
