// Package protocols is the list of all protocols. A new protocol is one line
// here; commands, filters, tables, documents and tests iterate over the list.
package protocols

import (
	"github.com/dpdissect/dpdissect/dissect"
	dp4rules "github.com/dpdissect/dpdissect/dp4/rules"
	dp8rules "github.com/dpdissect/dpdissect/dp8/rules"
	dp8track "github.com/dpdissect/dpdissect/dp8/track"
	hazelrules "github.com/dpdissect/dpdissect/hazel/rules"
	knetrules "github.com/dpdissect/dpdissect/knet/rules"
	"github.com/dpdissect/dpdissect/session"
)

// Options are what a user may supply to the protocols.
type Options struct {
	DP8 dp8track.Options
}

// All gives the protocols to a tracker, in the order in which evidence of equal
// weight decides.
func All(o Options) []*session.Protocol {
	return []*session.Protocol{
		dp8rules.New(o.DP8),
		dp4rules.New(),
		knetrules.New(),
		hazelrules.New(),
	}
}

// Tables are the descriptions of all protocols, each followed by the neighbours
// on its ports.
func Tables() []*dissect.Protocol {
	var all []*dissect.Protocol
	for _, p := range All(Options{}) {
		all = append(append(all, p.Protocol), p.Neighbours...)
	}
	return all
}
