package tracegen

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// EndPlaces are the capture points of sessions whose end is known: at side 0, half way,
// at side 1.
var EndPlaces = []string{"a", "middle", "b"}

var endShares = map[string]float64{"a": 0.02, "middle": 0.5, "b": 0.98}

// An EndCase is a session of two endpoints of a dialect with which something known happens.
type EndCase struct {
	Kind  string        // dialect, as in a Talk
	Event string        // what happens
	Brief bool          // it happens soon, and little is said
	Later time.Duration // by which it happens later
	event *ending
	kind  *endKind
}

// Name names the case.
func (e *EndCase) Name() string { return e.Kind + "/" + e.Event }

// EndCases are all events with all dialects in which they make sense.
func EndCases() (all []EndCase) {
	for i := range allEndings {
		for k := range endKinds {
			if e, kind := &allEndings[i], &endKinds[k]; e.of(kind) {
				all = append(all, EndCase{Kind: kind.name, Event: e.name, event: e, kind: kind})
			}
		}
	}
	return all
}

// of reports whether the event makes sense with a dialect: kinds lists dialects, or
// protocols for all of their dialects.
func (e *ending) of(kind *endKind) bool {
	proto, _, _ := strings.Cut(kind.name, "-")
	list := strings.Fields(e.kinds)
	if slices.Contains(list, "!"+kind.name) {
		return false
	}
	return slices.ContainsFunc(list, func(k string) bool {
		return k == kind.name || !kind.hidden && (k == "all" || k == proto+"*")
	})
}

// An EndVerdict is a cause of an end and the sides that may be named with it, "" for none.
type EndVerdict struct {
	Cause string   `json:"cause"`
	Sides []string `json:"sides"`
}

// An EndTruth is what really happened, and what an honest observer at the capture point may
// say of it. It is known from what was played, never from what was captured.
type EndTruth struct {
	Name  string `json:"name"`
	What  string `json:"what"`
	A     string `json:"a"` // addresses of the sides 0 and 1
	B     string `json:"b"`
	Cause string `json:"true_cause"`
	Side  string `json:"true_side,omitempty"`
	// Accept holds first what a capture here shows, then what else is not wrong.
	Accept []EndVerdict `json:"accept"`
	// Others is what may be said of further connections of the two sides; empty: anything.
	Others  []EndVerdict `json:"others,omitempty"`
	Must    []string     `json:"contributing,omitempty"`   // to be named
	MustNot []string     `json:"must_not_claim,omitempty"` // contributing causes that are false
	// Decidable says that the capture holds a frame that tells, where the end needs one.
	Decidable bool `json:"decidable"`
}

// An EndSession is a case that was played, as captured without loss.
type EndSession struct {
	Truth   EndTruth
	Packets []capture.Record
	key     []bool // of each packet: it tells the end
	needed  bool   // one of them is
	missed  []EndVerdict

	Fates  []EndFate // of all datagrams of the two sides, in the order of their transmission
	When   int64     // what is told of happens, ns since 1970
	Trip   int64     // round trip of the way while nothing is wrong, ns
	Missed int       // packets that passed and that the capture missed
}

// errEnded is that of a session that was to go on and ended: by chance, all transmissions of one
// unit were lost.
var errEnded = errors.New("a side gave up")

// Play plays the case, captured at a place. A session that was to go on and did not is played
// again with other dice.
func (e *EndCase) Play(place string, seed uint64) (s *EndSession, err error) {
	for range 4 {
		if s, err = e.play(place, seed); !errors.Is(err, errEnded) {
			return s, err
		}
		seed += 1 << 32
	}
	return nil, err
}

func (e *EndCase) play(place string, seed uint64) (*EndSession, error) {
	r := rand.New(rand.NewPCG(seed, endSeed(e.Name())))
	share, ok := endShares[place]
	if !ok {
		return nil, fmt.Errorf("no capture point %q: want one of %v", place, EndPlaces)
	}
	if place == "middle" {
		share += float64(r.IntN(5)-2) / 20
	}
	c, delay := e.stage(r, share, seed, false)
	out := &EndSession{needed: e.event.key != nil, missed: endVerdicts(e.event.missed)}
	keep := &endWatch{truthWatch: c.truthWatch, out: out, cast: c, tells: e.event.key}
	c.Net.Observer, c.Net.Sink = keep, keep.packet
	e.kind.set(c, e.event.name)
	e.event.play(c)
	keep.fates = newEndFates(c)
	if err := e.run(c); err != nil {
		return nil, err
	}
	keep.sort()
	out.Fates, out.When, out.Trip = keep.fates.tell(), epoch+int64(c.when), int64(2*delay)
	out.Truth = e.truth(place, c.spot)
	out.Truth.A, out.Truth.B = c.Hosts[0].Addr.String(), c.Hosts[1].Addr.String()
	return out, nil
}

// stage is the cast of a session before anything happens, captured at a share of the way,
// and how long the way takes.
func (e *EndCase) stage(r *rand.Rand, share float64, seed uint64, ipv6 bool) (c *cast, delay time.Duration) {
	delay = between(r, 12*time.Millisecond, 60*time.Millisecond)
	segment := func(share float64) sim.Segment {
		d := time.Duration(float64(delay) * share)
		return sim.Segment{Delay: d, Jitter: d / 20}
	}
	near, far := segment(share), segment(1-share)
	s := Setup{Compact: true, Port: e.kind.port, IPv6: ipv6, Paths: [2]sim.Path{{Near: near, Far: far}, {Near: far, Far: near}}}
	t := newTrace(s, seed^endSeed(e.Name()))
	c = &cast{kind: e.kind, Trace: t, road: newRoad(t, share), spot: []float64{0.25, 0.75}[r.IntN(2)],
		when: between(r, 5*time.Second, 7*time.Second)}
	if e.Brief {
		c.when = 4 * time.Second
	}
	c.when += e.Later
	c.end = c.when + e.kind.giveUp + 8*time.Second
	if e.event.open > 0 {
		c.end = c.when + e.event.open
	}
	for i := range c.plans {
		c.plans[i] = e.kind.traffic(r)
		if e.Brief {
			c.plans[i].Every *= 3
		}
	}
	return c, delay
}

// run lets the session take place.
func (e *EndCase) run(c *cast) error {
	for _, before := range []time.Duration{time.Second, 600 * time.Millisecond, 100 * time.Millisecond} {
		c.passer(c.end - before)
	}
	c.connect()
	c.Net.Clock.Run(c.end, nil)
	return e.lives(c)
}

// lives reports a session that ended though nothing was meant to end it.
func (e *EndCase) lives(c *cast) error {
	for side, v := range c.voices {
		if e.event.open > 0 && (v == nil || v.Ended()) {
			return fmt.Errorf("%s: side %d: %w", e.Name(), side, errEnded)
		}
	}
	return nil
}

// traffic is what the applications of a dialect say.
func (k *endKind) traffic(r *rand.Rand) Traffic {
	plan := Traffic{N: 1 << 40, Every: between(r, 70*time.Millisecond, 150*time.Millisecond), Burst: 2, Together: 0.3, Min: 8, Max: 60, Reliable: 0.6, Sequential: 0.6, User: 0.1}
	if k.slow {
		plan.Every = 300 * time.Millisecond
	}
	return plan
}

func endSeed(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// endWatch keeps what is captured, and which packets tell the end.
type endWatch struct {
	*truthWatch
	out   *EndSession
	cast  *cast
	fates *endFates
	tells func(*sim.Datagram) bool
}

func (w *endWatch) packet(p sim.Packet) {
	w.truthWatch.packet()
	w.out.Packets = append(w.out.Packets, capture.Record{Data: p.Data, WireLen: len(p.Data), Time: epoch + int64(p.Time), HasTime: true})
	w.out.key = append(w.out.key, false)
}

// Captured implements sim.Observer.
func (w *endWatch) Captured(d *sim.Datagram) {
	w.truthWatch.Captured(d)
	w.fates.captured(d)
	last := len(w.out.Packets) - 1
	w.out.key[last] = w.tells != nil && w.cast.ours(d) && w.tells(d)
	if d.From.Side == 1 {
		w.out.Packets[last].Time += int64(w.cast.skew)
	}
}

// sort puts packets into the order of their times, which clocks that differ have changed.
func (w *endWatch) sort() {
	if w.cast.skew != 0 {
		slices.SortStableFunc(w.out.Packets, func(a, b capture.Record) int { return cmp.Compare(a.Time, b.Time) })
	}
}

// Truth is what may be said of the case at a place, without addresses.
func (e *EndCase) Truth(place string) EndTruth { return e.truth(place, 0.25) }

// truth is what may be said at a place when the road breaks at a spot.
func (e *EndCase) truth(place string, spot float64) EndTruth {
	x := e.event
	t := EndTruth{Name: e.Name() + "/" + place, What: x.what, Cause: x.cause, Side: x.side,
		Must: strings.Fields(x.must), MustNot: strings.Fields(x.mustNot), Decidable: true}
	if x.spot > 0 {
		spot = x.spot
	}
	said := x.seen
	if endShares[place] > spot {
		said = cmp.Or(x.beyond, x.seen)
		t.Must = strings.Fields(x.mustBeyond)
	}
	if x.middle != "" && place == "middle" {
		said = x.middle
	}
	t.Others = endVerdicts(x.others)
	t.Accept = endVerdicts(cmp.Or(said, x.cause+":"+cmp.Or(x.side, "-")))
	return t
}

// endVerdicts reads "cause:side,side cause:side"; the side "-" is none.
func endVerdicts(s string) (all []EndVerdict) {
	for _, f := range strings.Fields(s) {
		cause, sides, _ := strings.Cut(f, ":")
		v := EndVerdict{Cause: cause}
		for _, x := range strings.Split(sides, ",") {
			v.Sides = append(v.Sides, strings.TrimPrefix(x, "-"))
		}
		all = append(all, v)
	}
	return all
}

// Missing is the session as a capture shows it that misses a share of the packets.
func (s *EndSession) Missing(loss float64, seed uint64) *EndSession {
	out := &EndSession{Truth: s.Truth, needed: s.needed, Fates: s.Fates, When: s.When, Trip: s.Trip}
	r := rand.New(rand.NewPCG(seed, endSeed(s.Truth.Name)))
	found := false
	for i := range s.Packets {
		if loss > 0 && r.Float64() < loss {
			out.Missed++
			continue
		}
		out.Packets = append(out.Packets, s.Packets[i])
		out.key = append(out.key, s.key[i])
		found = found || s.key[i]
	}
	if out.Truth.Decidable = !s.needed || found; !out.Truth.Decidable {
		out.Truth.Accept = slices.Concat(s.Truth.Accept, s.missed)
	}
	return out
}

// Write writes the capture file.
func (s *EndSession) Write(w io.Writer) error {
	out, err := newMany(w)
	if err != nil {
		return err
	}
	for i := range s.Packets {
		if err := out.Write(&s.Packets[i]); err != nil {
			return err
		}
	}
	return out.Flush()
}

// closingOf tells frames of a side that close a connection.
func closingOf(side int) func(*sim.Datagram) bool {
	return func(d *sim.Datagram) bool {
		return d.Proto != sim.ProtoICMP && d.From.Side == side && d.Note.(note.Remark).Neutral().Close != note.Open
	}
}

// notice tells ICMP.
func notice(d *sim.Datagram) bool { return d.Proto == sim.ProtoICMP }
