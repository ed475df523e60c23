package lab

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/pairs"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A PairRun is one session that is captured at two points under the conditions of a scene.
type PairRun struct {
	Proto, Scene string
	Seed         uint64
	Live         *tracegen.WireLog // of a real session, whose name is in the place of the protocol; nil for generated ones
}

// Name names the run: ParsePairRun finds it again.
func (r PairRun) Name() string { return fmt.Sprintf("%s/%s/%d", r.Proto, r.Scene, r.Seed) }

// Run finds the run of a name: protocol or real session, scene, seed.
func (o PairOptions) Run(name string) (PairRun, error) {
	f := strings.Split(name, "/")
	seed, err := strconv.ParseUint(f[len(f)-1], 10, 64)
	if err == nil {
		o.Seeds, o.First = 1, seed
		for _, r := range o.runs() {
			if r.Name() == name {
				return r, nil
			}
		}
	}
	return PairRun{}, fmt.Errorf("no run %q: want one like hazel/router/7, with a condition of %v", name, PairScenes())
}

// A scene is what two captures of a session have gone through.
type scene struct {
	name, what string
	set        func(x *staging)
}

// A staging is what a scene chooses.
type staging struct {
	dice    *rand.Rand
	net     tracegen.Conditions
	way     tracegen.Way
	plan    pairs.Plan
	long    bool // a talk of half a minute over a way that jitters little, else any session
	players int
	mtu     int
}

func pairScene(name string) *scene {
	for i := range pairScenes {
		if pairScenes[i].name == name {
			return &pairScenes[i]
		}
	}
	return nil
}

// PairScenes are the names of all scenes.
func PairScenes() (names []string) {
	for _, s := range pairScenes {
		names = append(names, s.name)
	}
	return names
}

var pairScenes = []scene{
	{"plain", "captured at both machines", func(*staging) {}},
	{"rough", "8% lost, 4% doubled, 10% overtaken", func(x *staging) {
		x.net.Loss, x.net.Dup, x.net.Late = 0.08, 0.04, 0.1
	}},
	{"fragments", "an MTU of 576 bytes", func(x *staging) { x.mtu = 576 }},
	{"router", "a router gives the client another address", func(x *staging) { x.plan.NAT = pairs.Router }},
	{"rebinding", "… and another port in the middle", func(x *staging) {
		x.long, x.plan.NAT, x.plan.Rebind = true, pairs.Router, 12*time.Second
	}},
	{"proxy", "a proxy gives both other addresses", func(x *staging) { x.plan.NAT = pairs.Proxy }},
	{"crowd", "6 players of one router who say the same, moments apart", func(x *staging) {
		x.players, x.plan.NAT = 6, pairs.Router
	}},
	{"halfway", "one capture point half way", func(x *staging) {
		x.plan.At = [][2]sim.Place{{0, 2}, {2, 1}}[x.dice.IntN(2)]
	}},
	{"swapped", "the server's capture first", func(x *staging) { x.plan.At = [2]sim.Place{1, 0} }},
	{"two-taps", "both captures at the client, 2% of the packets not captured", func(x *staging) {
		missing(0.02, 1)(x)
		x.plan.At, x.plan.Hops = [2]sim.Place{0, 0}, 0
	}},
	{"no-ttl", "TTLs are the same at both points", func(x *staging) { x.plan.Hops = 0 }},
	{"snaplen", "64 bytes of each packet kept", func(x *staging) {
		x.plan.Points[x.dice.IntN(2)].Snaplen = 64
		x.plan.Points[1].Snaplen = 64
	}},
	{"misses-0.1", "0.1% of the packets not captured", missing(0.001, 1)},
	{"misses-2", "2%", missing(0.02, 1)},
	{"misses-20", "20%", missing(0.2, 1)},
	{"bursts-0.1", "0.1%, 12 in a row in the mean", missing(0.001, 12)},
	{"bursts-2", "2%, 12 in a row", missing(0.02, 12)},
	{"bursts-20", "20%, 12 in a row", missing(0.2, 12)},
	{"overlap", "captures that overlap in part", func(x *staging) {
		x.long = true
		x.plan.Points[0].From, x.plan.Points[1].To = 0.1+0.3*x.dice.Float64(), 0.6+0.3*x.dice.Float64()
	}},
	{"altered", "2% of the datagrams changed on the way", func(x *staging) { x.way.Damage = 0.02 }},
	{"queue", "queues of up to 200 ms", func(x *staging) { x.long, x.way.Queue = true, 200*time.Millisecond }},
	{"slower", "the client's direction takes 30 ms longer", func(x *staging) { x.long, x.way.Slower = true, 30*time.Millisecond }},
	{"drift", "a clock that is too fast by up to 100 ppm", func(x *staging) {
		x.long = true
		x.plan.Points[x.dice.IntN(2)].Clock.PPM = []float64{50, -50, 100, -8}[x.dice.IntN(4)]
	}},
	{"step", "a clock that is set by -40 ms to 1.5 s", func(x *staging) { x.step(between(x.dice, 8*time.Second, 18*time.Second)) }},
	{"step-in-pause", "… while nobody speaks for 9 s", func(x *staging) {
		x.way.Quiet = tracegen.Pause{From: 9 * time.Second, To: 18 * time.Second}
		x.step(between(x.dice, 10*time.Second, 17*time.Second))
	}},
	{"steps", "both clocks are set, and one drifts", func(x *staging) {
		x.step(between(x.dice, 7*time.Second, 9*time.Second))
		x.step(between(x.dice, 14*time.Second, 17*time.Second))
		x.plan.Points[0].Clock.PPM = 50
	}},
	{"everything", "router, misses, drift, queue, changed bytes", func(x *staging) {
		missing(0.02, 1+x.dice.IntN(12))(x)
		x.long, x.plan.NAT, x.way.Queue, x.way.Damage = true, pairs.Router, 100*time.Millisecond, 0.005
		x.plan.Points[0].Clock.PPM = 50
	}},
}

// missing lets one capture or both miss packets.
func missing(share float64, burst int) func(*staging) {
	return func(x *staging) {
		which := x.dice.IntN(3)
		for i := range x.plan.Points {
			if which != i {
				x.plan.Points[i].Miss, x.plan.Points[i].Burst = share, burst
			}
		}
	}
}

// step sets one of the clocks at a time.
func (x *staging) step(at time.Duration) {
	x.long = true
	by := []time.Duration{-40, 40, -300, 80, 500, 1500}[x.dice.IntN(6)] * time.Millisecond
	c := &x.plan.Points[x.dice.IntN(2)].Clock
	c.Steps = append(c.Steps, pairs.Step{At: at, By: by})
}

func between(r *rand.Rand, lo, hi time.Duration) time.Duration {
	return lo + time.Duration(r.Int64N(int64(hi-lo)+1))
}

// staging is what the run chooses.
func (r PairRun) staging() *staging {
	x := &staging{dice: rand.New(rand.NewPCG(r.Seed, hashed(r.Name())))}
	x.net = tracegen.Conditions{Place: 0.5, Loss: 0.02, Dup: 0.005, Late: 0.01, LateBy: 25 * time.Millisecond}
	x.plan = pairs.Plan{At: [2]sim.Place{0, 1}, Hops: uint8(3 + x.dice.IntN(6)), NewIDs: r.Seed%2 == 0}
	x.players = 1
	for i := range x.plan.Points {
		p := &x.plan.Points[i]
		p.PcapNG, p.Raw = x.dice.IntN(2) == 0, x.dice.IntN(3) == 0
	}
	x.plan.Points[1].Clock.Offset = []time.Duration{0, 3 * time.Millisecond, -7 * time.Second, 49 * time.Hour, 310 * time.Millisecond}[x.dice.IntN(5)]
	pairScene(r.Scene).set(x)
	return x
}

// Take plays the run and captures it.
func (r PairRun) Take() (*pairs.Pair, error) {
	x := r.staging()
	log, err := r.wires(x)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Name(), err)
	}
	return pairs.Take(log, x.plan, r.Seed), nil
}

func (r PairRun) wires(x *staging) (*tracegen.WireLog, error) {
	log, err := r.play(x)
	if err != nil || x.players < 2 {
		return log, err
	}
	logs, shifts := []*tracegen.WireLog{}, []int64{}
	for k := range x.players {
		logs = append(logs, log)
		shifts = append(shifts, int64(k)*int64(310*time.Millisecond))
	}
	return pairs.Crowd(logs, shifts), nil
}

// play plays any session of the protocol, or a long one; or it reads a real one.
func (r PairRun) play(x *staging) (*tracegen.WireLog, error) {
	if r.Live != nil {
		return r.Live, nil
	}
	if !x.long {
		s, ok := tracegen.WildUnder(r.Proto, r.Seed, x.net)
		if !ok {
			return nil, fmt.Errorf("no traces of %s", r.Proto)
		}
		if x.mtu > 0 {
			s.Setup.MTU, s.Setup.ZeroID, s.Setup.IPv6 = x.mtu, false, false
		}
		return s.Wires(x.way)
	}
	all := slices.DeleteFunc(tracegen.EndCases(), func(c tracegen.EndCase) bool {
		return c.Event != "open" || protoOf(c.Kind) != r.Proto
	})
	if len(all) == 0 {
		return nil, fmt.Errorf("no sessions of %s", r.Proto)
	}
	c := all[r.Seed%uint64(len(all))]
	c.Later = 20 * time.Second
	x.way.IPv6 = x.dice.IntN(5) == 0
	x.way.Worse = func(s *sim.Segment) {
		s.Jitter = s.Delay / 60
		s.Loss, s.Dup, s.Late, s.LateBy = x.net.Loss/4, x.net.Dup/2, x.net.Late/2, x.net.LateBy
	}
	log, _, err := c.Wires(r.Seed, x.way)
	return log, err
}

// PairOptions says which pairs are compared.
type PairOptions struct {
	Seeds   int
	First   uint64 // seed
	Only    string // only runs whose name begins with that, or of that scene
	Program string // dpdissect
	Live    []*LiveSession
	Sample  int // of the sessions whose end is known, every so many; 0: all
}

func (o PairOptions) runs() (all []PairRun) {
	if o.Live != nil {
		return o.liveRuns()
	}
	for _, s := range pairScenes {
		for _, p := range speakers {
			for seed := range uint64(o.Seeds) {
				r := PairRun{Proto: p.Name, Scene: s.name, Seed: max(o.First, 1) + seed}
				if strings.HasPrefix(r.Name(), o.Only) || o.Only == s.name {
					all = append(all, r)
				}
			}
		}
	}
	return all
}
