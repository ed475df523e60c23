package tracegen

import (
	"bytes"
	"cmp"
	"errors"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A WireLog is all that was on the wires of the two machines of a session, and half way
// between them: what captures at two of these places are made from.
type WireLog struct {
	Sent  []SentDatagram // in the order of their transmission
	Seen  []Sighting     // in the order of their times
	Hosts [2]netip.AddrPort
	// Alias is the address that a router gives side 0 later; invalid where it does not.
	Alias   netip.AddrPort
	Players int // put together
}

// A SentDatagram is one datagram that a machine sent. What the network doubles stays one.
type SentDatagram struct {
	From, To netip.AddrPort // as on the way
	Side     int            // of the sender
	Player   int            // of several that were put together, from 0
	UDP      bool           // else ICMP
	Injected bool           // half way, by a third party
	Changed  bool           // its bytes are others when they arrive
	Parts    int            // IP packets
	Payload  []byte         // as sent
	Number   int64          // -1 for none
	Other    bool           // of no connection
	Tells    bool           // of a session whose end is known: it tells the end
}

// A Sighting is one packet on the wire at a place.
type Sighting struct {
	Datagram int // its place in WireLog.Sent
	Part     int // of its IP packets, from 0
	At       sim.Place
	Time     int64 // ns since 1970
	IP       []byte
}

// logWires makes the log of a trace that is about to be played.
func logWires(t *Trace, tells func(*sim.Datagram) bool) *WireLog {
	log, index := &WireLog{Players: 1}, map[*sim.Datagram]int{}
	t.Net.Sees = func(d *sim.Datagram, part int, ip []byte, at sim.Place) {
		i, known := index[d]
		if !known {
			i = len(log.Sent)
			index[d] = i
			s := sentDatagram(d)
			s.Tells = tells(d)
			log.Sent = append(log.Sent, s)
		}
		log.Seen = append(log.Seen, Sighting{i, part, at, epoch + int64(t.Net.Clock.Now()), ip})
	}
	for i, h := range t.Hosts {
		log.Hosts[i] = h.Addr
	}
	t.Net.Sink = func(sim.Packet) {}
	return log
}

func sentDatagram(d *sim.Datagram) SentDatagram {
	s := SentDatagram{From: d.From.Addr, To: d.To.Addr, Side: d.From.Side, UDP: d.Proto != sim.ProtoICMP, Injected: d.Injected,
		Changed: d.Changed != nil, Parts: d.Parts, Payload: d.Payload, Number: -1, Other: true}
	if r, ok := d.Note.(note.Remark); ok {
		n := r.Neutral()
		s.Number, s.Other = n.Number, n.Conn == nil
	}
	return s
}

// A Way is what the way between two machines is like, besides what a Setup tells.
type Way struct {
	Worse  func(*sim.Segment) // changes each segment; nil for none
	Queue  time.Duration      // up to so long a queue stands before each direction at times
	Damage float64            // share of the datagrams whose bytes are changed after half of the way
	Slower time.Duration      // by which what side 0 sends takes longer

	// Of sessions whose end is known; others have their own.
	IPv6  bool
	Quiet Pause // nobody speaks
}

// pave makes the way of a trace.
func (w *Way) pave(t *Trace, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 79))
	if w.Damage > 0 {
		t.Net.Damage = func(d *sim.Datagram) ([]byte, bool) {
			if len(d.Payload) == 0 || !chance(r, w.Damage) {
				return nil, false
			}
			c := bytes.Clone(d.Payload)
			c[r.IntN(len(c))] ^= byte(1 + r.IntN(255))
			return c, chance(r, 0.5)
		}
	}
	if w.Queue == 0 && w.Slower == 0 {
		return
	}
	var queues [2]burstQueue
	gate := t.Net.Gate
	t.Net.Gate = func(d *sim.Datagram, half int) (wait time.Duration, lost bool) {
		if gate != nil {
			wait, lost = gate(d, half)
		}
		if half > 0 {
			return wait, lost
		}
		if w.Queue > 0 {
			wait += queues[d.From.Side].wait(r, t.Net.Clock.Now(), w.Queue)
		}
		if d.From.Side == 0 {
			wait += w.Slower
		}
		return wait, lost
	}
}

// A burstQueue is a queue that others fill at times, and that drains as time goes by.
type burstQueue struct {
	empty, next time.Duration // when it is empty again, and when it is filled next
}

func (q *burstQueue) wait(r *rand.Rand, now, most time.Duration) time.Duration {
	if now >= q.next {
		q.empty = now + between(r, most/4, most)
		q.next = now + between(r, 2*most, 4*time.Second)
	}
	return max(0, q.empty-now)
}

// Wires plays the scenario and logs its wires.
func (s *Scenario) Wires(w Way) (*WireLog, error) {
	t := newTrace(s.Setup, s.Seed)
	log := logWires(t, func(*sim.Datagram) bool { return false })
	w.pave(t, s.Seed)
	s.Play(t)
	t.Net.Clock.Run(limit, nil)
	return log, nil
}

// Wires plays the case and logs its wires. The truths hold what an honest observer may say
// who captures at the machine of side 0, at that of side 1, and at both; an end
// that a frame tells is decidable where one is captured.
func (e *EndCase) Wires(seed uint64, w Way) (log *WireLog, truths [3]EndTruth, err error) {
	for range 4 {
		if log, truths, err = e.wires(seed, w); !errors.Is(err, errEnded) {
			return log, truths, err
		}
		seed += 1 << 32
	}
	return log, truths, err
}

func (e *EndCase) wires(seed uint64, w Way) (*WireLog, [3]EndTruth, error) {
	r := rand.New(rand.NewPCG(seed, endSeed(e.Name())))
	c, _ := e.stage(r, 0.5, seed, w.IPv6)
	if w.Worse != nil {
		c.Paths = each(c.Paths, w.Worse)
		for side, p := range c.Paths {
			c.Net.SetPath(side, p)
		}
	}
	log := logWires(c.Trace, func(d *sim.Datagram) bool { return e.event.key != nil && c.ours(d) && e.event.key(d) })
	e.kind.set(c, e.event.name)
	e.event.play(c)
	if w.Quiet.To > 0 {
		c.quiet(w.Quiet)
	}
	w.pave(c.Trace, seed)
	err := e.run(c)
	if c.alias != nil {
		log.Alias = c.alias.Addr
	}
	truths := [3]EndTruth{e.truth("a", c.spot), e.truth("b", c.spot), e.bothTruth(c)}
	for i := range truths {
		truths[i].Decidable = e.event.key == nil
		truths[i].A, truths[i].B = c.Hosts[0].Addr.String(), c.Hosts[1].Addr.String()
	}
	return log, truths, err
}

// Missed is what may be said besides where nothing that tells the end was captured.
func (e *EndCase) Missed() []EndVerdict { return endVerdicts(e.event.missed) }

// bothTruth is what may be said by who sees both machines: what happened, and what the event
// says besides.
func (e *EndCase) bothTruth(c *cast) EndTruth {
	x := e.event
	t := e.truth("b", c.spot)
	for _, m := range strings.Fields(x.must) {
		if !slices.Contains(t.Must, m) {
			t.Must = append(t.Must, m)
		}
	}
	t.Name = e.Name() + "/both"
	t.Accept = endVerdicts(cmp.Or(x.both, x.cause+":"+cmp.Or(x.side, "-")))
	return t
}
