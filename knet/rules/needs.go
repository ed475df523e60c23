package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/knet"
	"github.com/dpdissect/dpdissect/knet/track"
	"github.com/dpdissect/dpdissect/session/seq"
)

// recently is how old a datagram may be that another depends on, in ns: an older one
// may be of another series.
const recently = 60e9

// judgeNeeds judges what the messages of a datagram of Spec depend on (kNet page,
// InOrder Datagrams and Messages).
func (c numberJudge) judgeNeeds(dir dissect.Dir, num seq.Num) {
	if !c.Datagram.InOrder || c.Frame.Cut() {
		return
	}
	rules, s := &c.c.Rules, &c.side[dir]
	for i := range c.Datagram.Depends {
		x := &c.Datagram.Dependencies[i]
		target := num - seq.Num(x.Delta) - 1
		if h := &c.handshake; h.greeted[dir] && c.known() {
			if !rules.Check(rIoPast, target >= h.lowest[dir]) {
				rules.Broken(rIoPast, fmt.Sprintf("a message depends on PacketID %d, which is %d before the first of the connection, %d",
					target&knet.PacketIDMask, h.lowest[dir]-target, h.lowest[dir]))
				c.frames().quarantine()
				return
			}
		}
		y := s.datagrams.at(target)
		if !y.isKnown() || y.suspect || y.tainted || c.WasCut(dir, target) || c.Frame.Time-y.Time() > recently || num < s.datagrams.top-track.NearIDs {
			continue
		}
		c.judgeNeed(x, target, y)
	}
}

// judgeNeed judges a dependency on a datagram that was captured.
func (c numberJudge) judgeNeed(x *knet.Dependency, target seq.Num, y sentDatagram) {
	rules := &c.c.Rules
	if !rules.Check(rIoRelOnUnrel, !c.Datagram.Reliable || y.isReliable()) {
		rules.Broken(rIoRelOnUnrel, fmt.Sprintf("the datagram is reliable, but depends on PacketID %d, which is not", target&knet.PacketIDMask), y.Frame())
		c.frames().quarantine()
	}
	if !rules.Check(rIoIndex, int(x.Index) < int(y.messages) || y.messages == 255) {
		rules.Broken(rIoIndex, fmt.Sprintf("the message index is %d, but PacketID %d has %d messages", x.Index, target&knet.PacketIDMask, y.messages), y.Frame())
		c.frames().quarantine()
	}
}
