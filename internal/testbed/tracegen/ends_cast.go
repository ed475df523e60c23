package tracegen

import (
	"net/netip"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/dp4peer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/dp8peer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/hazelpeer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/knetpeer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A cast is two endpoints of a dialect and the road between them, of which something
// becomes at a time.
type cast struct {
	kind *endKind
	*Trace
	*road
	spot   float64       // where the road breaks
	when   time.Duration // what is told happens
	end    time.Duration // of the capture
	plans  [2]Traffic
	voices [2]Voice
	skew   time.Duration // by which the clock is ahead that stamped what side 1 sent

	connect func()
	kill    [2]func()            // ends the process without a word
	leave   [2]func()            // wants to end
	kick    func(reason []byte)  // side 1 ends it and says why; Hazel
	hard    [2]func()            // ends it at once; DirectPlay 8
	refuse  func(reason []byte)  // side 1 takes nobody
	restart func(side int)       // a new process takes the place of a dead one
	violate func(payload []byte) // side 0 breaks the protocol; kNet
}

// An endKind is a dialect as far as it matters for how connections end.
type endKind struct {
	name   string
	giveUp time.Duration // the most that it takes until both sides have given up
	slow   bool          // it sends a few datagrams a second alone
	hidden bool          // it is encrypted: only what shows all the same is played
	port   uint16
	set    func(c *cast, event string)
}

// dp8Port is the usual one of DirectPlay 8's games.
const dp8Port = 2302

// endKinds are the dialects whose ends are played.
var endKinds = []endKind{
	{"dp8", 90 * time.Second, false, false, dp8Port, castDP8(dp8peer.Unsigned)},
	{"dp8-fast", 90 * time.Second, false, false, dp8Port, castDP8(dp8peer.Fast)},
	{"dp8-full", 90 * time.Second, false, false, dp8Port, castDP8(dp8peer.Full)},
	{"dp4", 90 * time.Second, false, false, dp4Port, castDP4(dp4peer.Windows)},
	{"dp4-eager", 90 * time.Second, false, false, dp4Port, castDP4(dp4peer.Eager)},
	{"knet", 42 * time.Second, false, false, knetPort, castKnet(knetpeer.Library)},
	{"knet-2010", 42 * time.Second, false, false, knetPort, castKnet(knetpeer.Library2010)},
	{"knet-spec", 42 * time.Second, true, false, knetPort, castKnet(knetpeer.Page)},
	{"hazel", 14 * time.Second, false, false, hazelPort, castHazel(hazelpeer.Now)},
	{"hazel-2019", 14 * time.Second, false, false, hazelPort, castHazel(hazelpeer.Ack3)},
	{"hazel-v01", 14 * time.Second, false, false, hazelPort, castHazel(hazelpeer.V012)},
	{"hazel-fork36", 14 * time.Second, false, false, hazelPort, castHazel(hazelpeer.Fork)},
	{"hazel-dtls", 14 * time.Second, false, true, hazelPort, castHazel(hazelpeer.Secure)},
	{"hazel-spec", 14 * time.Second, false, false, hazelPort, castHazel(hazelpeer.PageLate)},
}

func addrPort(a netip.Addr, port uint16) netip.AddrPort { return netip.AddrPortFrom(a, port) }

// meets lets a side speak once its connection is established.
func (c *cast) meets(side int, v Voice) {
	c.voices[side] = v
	c.speak(v, c.plans[side], nil)
}

// silenced gives a kill that leaves a host that answers nothing.
func silenced(h *sim.Host, kill func()) func() {
	return func() {
		kill()
		h.Receive = nil
	}
}

func castDP8(mode uint32) func(*cast, string) {
	return func(c *cast, event string) {
		s := setup(mode, c.Paths)
		s.Setup = c.Setup
		s.A.OtherSecret = event == "secret"
		if event == "version-silent" {
			s.A.Version = 0x00010005
		}
		d := dp8Stage(c.Trace, s)
		for i, n := range []*dp8peer.Node{d.A, d.B} {
			n.Established = func(p *dp8peer.Peer) { c.meets(i, p) }
			c.kill[i] = n.Kill
			c.leave[i] = func() { c.voices[i].(*dp8peer.Peer).Close() }
			c.hard[i] = func() { c.voices[i].(*dp8peer.Peer).HardClose() }
		}
		c.connect = func() { d.A.Connect(d.B) }
	}
}

func castDP4(config func() dp4peer.Config) func(*cast, string) {
	return func(c *cast, event string) {
		b := config()
		if event == "late-acks" {
			b.AckDelay = 700 * time.Millisecond
		}
		d := dp4Stage(c.Trace, config(), b)
		for i, n := range []*dp4peer.Node{d.A, d.B} {
			c.kill[i] = silenced(n.Host, n.Kill)
		}
		c.connect = func() {
			p, q := d.A.Join(d.B, 1, 2)
			c.say(p, c.text(12), true, true, 0)
			c.meets(0, p)
			c.meets(1, q)
		}
	}
}

func castKnet(config func() knetpeer.Config) func(*cast, string) {
	return func(c *cast, event string) {
		k := knetStage(c.Trace, config(), config())
		k.B.Reopens = event == "leftover"
		nodes := [2]*knetpeer.Node{k.A, k.B}
		settle := func(i int, n *knetpeer.Node) {
			n.Gone = nil
			n.Established = func(p *knetpeer.Peer) { c.meets(i, p) }
		}
		for i := range nodes {
			settle(i, nodes[i])
			c.kill[i] = func() { silenced(nodes[i].Host, nodes[i].Kill)() }
			c.leave[i] = func() { c.voices[i].(*knetpeer.Peer).Close() }
		}
		c.connect = func() { k.A.Connect(k.B) }
		c.refuse = func([]byte) { k.B.Door = knetpeer.Responsive }
		c.restart = func(side int) {
			n := knetpeer.NewNode(k.World, nodes[side].Host, config())
			n.Listen = side == 1
			nodes[side] = n
			settle(side, n)
		}
		c.violate = func(payload []byte) {
			k.raw(0, payload, false, func(*note.Note) {})
			listen := c.Hosts[1].Receive
			c.Hosts[1].Receive = func(d *sim.Datagram) {
				if string(d.Payload) == string(payload) {
					nodes[1].Forget(d.From)
					return
				}
				listen(d)
			}
		}
	}
}

func castHazel(config func() hazelpeer.Config) func(*cast, string) {
	return func(c *cast, event string) {
		conf := config()
		if event == "idle-open" || event == "nat-expired" || event == "nat-resumed" {
			conf.Alive = hazelpeer.Silent
		}
		h := hazelStage(c.Trace, conf, conf)
		nodes := [2]*hazelpeer.Node{h.A, h.B}
		settle := func(i int, n *hazelpeer.Node) {
			n.Established = func(p *hazelpeer.Peer) { c.meets(i, p) }
		}
		for i := range nodes {
			settle(i, nodes[i])
			c.kill[i] = func() { silenced(nodes[i].Host, nodes[i].Kill)() }
			c.leave[i] = func() { c.voices[i].(*hazelpeer.Peer).Close(nil) }
		}
		c.connect = func() { h.A.Connect(h.B) }
		c.kick = func(reason []byte) { c.voices[1].(*hazelpeer.Peer).Close(reason) }
		c.refuse = func(reason []byte) { h.B.Refuse = reason }
		c.restart = func(side int) {
			n := hazelpeer.NewNode(h.World, nodes[side].Host, conf)
			nodes[side] = n
			settle(side, n)
			if n.Listen = side == 1; side == 0 {
				n.Connect(h.B)
			}
		}
	}
}
