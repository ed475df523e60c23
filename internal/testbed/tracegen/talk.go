package tracegen

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/dp4peer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/dp8peer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/hazelpeer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/knetpeer"
)

// A Talk is a connection of two ends for traces that are played in real time: it
// is as long as one likes, not as long as what it proves.
type Talk struct {
	Kind    string     // what talks, one of TalkKinds
	Traffic [2]Traffic // of the side that connects and of the other
	// Until is how long after the beginning the applications speak; 0: until all of
	// Traffic is said.
	Until time.Duration
	// Vanish lets the side that connected fall silent without a word after Until,
	// in place of a graceful end.
	Vanish bool
}

// farewellPause lies between the last acknowledgement and the end, so that what is
// late and unreliable still arrives.
const farewellPause = 300 * time.Millisecond

// talkKinds are what Talk knows; the part of a name before "-" is the protocol.
var talkKinds = map[string]func(x *table){
	"dp8":          talkDP8(dp8peer.Unsigned, func(*dp8peer.Config) {}),
	"dp8-plain":    talkDP8(dp8peer.Unsigned, noCoalescing),
	"dp8-fast":     talkDP8(dp8peer.Fast, func(*dp8peer.Config) {}),
	"dp8-full":     talkDP8(dp8peer.Full, func(*dp8peer.Config) {}),
	"dp4":          talkDP4(dp4peer.Windows),
	"dp4-eager":    talkDP4(dp4peer.Eager),
	"knet":         talkKnet(knetpeer.Library),
	"knet-2010":    talkKnet(knetpeer.Library2010),
	"knet-spec":    talkKnet(knetpeer.Page),
	"hazel":        talkHazel(hazelpeer.Now),
	"hazel-2019":   talkHazel(hazelpeer.Ack3),
	"hazel-v01":    talkHazel(hazelpeer.V012),
	"hazel-fork36": talkHazel(hazelpeer.Fork),
}

// TalkKinds are the kinds of Talk.
func TalkKinds() []string { return slices.Sorted(maps.Keys(talkKinds)) }

// TalkProtocols are the kinds of Talk that are called as their protocol, one for each.
func TalkProtocols() []string {
	return slices.DeleteFunc(TalkKinds(), func(kind string) bool { return strings.Contains(kind, "-") })
}

// SmallTalk is traffic of one message at a time, so many a second in the mean,
// without end.
func SmallTalk(perSecond float64) Traffic {
	return Traffic{N: 1 << 40, Every: time.Duration(float64(time.Second) / perSecond), Burst: 1,
		Min: 12, Max: 90, Reliable: 0.6, Sequential: 0.7, User: 0.1}
}

// A table is a Talk at play. Side 0 connects.
type table struct {
	*Trace
	talk   Talk
	voices [2]Voice
	said   [2]bool   // and all that was promised is acknowledged
	kill   [2]func() // ends the process
	close  func()    // side 0 wants to end
	killed bool
}

// start lets the two sides speak.
func (k Talk) start(t *Trace) (*table, error) {
	play, ok := talkKinds[k.Kind]
	if !ok {
		return nil, fmt.Errorf("unknown kind %q: want one of %v", k.Kind, TalkKinds())
	}
	x := &table{Trace: t, talk: k}
	if k.Until > 0 {
		for i := range x.talk.Traffic {
			x.talk.Traffic[i].Until = t.Net.Clock.Now() + k.Until
		}
		if k.Vanish {
			x.talk.Traffic[1].Until += time.Second // it does not know yet
			t.pause(k.Until, func() { x.kill[0]() })
		}
	}
	play(x)
	return x, nil
}

// meet lets a side speak whose connection is established.
func (x *table) meet(side int, v Voice) {
	x.voices[side] = v
	x.speak(v, x.talk.Traffic[side], func() {
		if x.said[side] = true; x.said[1-side] && !x.talk.Vanish {
			x.pause(farewellPause, x.close)
		}
	})
}

// over reports that neither side has anything left to do.
func (x *table) over() bool {
	if x.killed {
		return true
	}
	for _, v := range x.voices {
		if v == nil || !v.Ended() {
			return false
		}
	}
	return true
}

// killAll ends both processes.
func (x *table) killAll() {
	x.killed = true
	for _, k := range x.kill {
		k()
	}
}

func talkDP8(mode uint32, change func(*dp8peer.Config)) func(x *table) {
	return func(x *table) {
		s := setup(mode, x.Paths).both(change)
		s.Setup = x.Setup
		d := dp8Stage(x.Trace, s)
		for i, n := range []*dp8peer.Node{d.A, d.B} {
			n.Established = func(p *dp8peer.Peer) { x.meet(i, p) }
			x.kill[i] = n.Kill
		}
		x.close = d.A.Connect(d.B).Close
	}
}

// talkDP4 knows no end: when all is said, both processes are.
func talkDP4(c func() dp4peer.Config) func(x *table) {
	return func(x *table) {
		d := dp4Stage(x.Trace, c(), c())
		for i, n := range []*dp4peer.Node{d.A, d.B} {
			x.kill[i] = n.Kill
		}
		x.close = x.killAll
		p, q := d.A.Join(d.B, 1, 2)
		x.Trace.say(p, x.text(12), true, true, 0)
		x.meet(0, p)
		x.meet(1, q)
	}
}

func talkKnet(c func() knetpeer.Config) func(x *table) {
	return func(x *table) {
		k := knetStage(x.Trace, c(), c())
		for i, n := range []*knetpeer.Node{k.A, k.B} {
			n.Gone = nil // the system's own business
			n.Established = func(p *knetpeer.Peer) { x.meet(i, p) }
			x.kill[i] = n.Kill
		}
		x.close = k.A.Connect(k.B).Close
	}
}

func talkHazel(c func() hazelpeer.Config) func(x *table) {
	return func(x *table) {
		h := hazelStage(x.Trace, c(), c())
		for i, n := range []*hazelpeer.Node{h.A, h.B} {
			n.Gone = nil // the system's own business
			n.Established = func(p *hazelpeer.Peer) { x.meet(i, p) }
			x.kill[i] = n.Kill
		}
		p := h.A.Connect(h.B)
		x.close = func() { p.Close(nil) }
	}
}
