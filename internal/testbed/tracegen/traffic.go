package tracegen

import (
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// Traffic is what an application sends: bursts of messages at random times.
type Traffic struct {
	N          int           // messages
	Every      time.Duration // mean time between bursts
	Burst      int           // messages in one, up to
	Together   float64       // share of bursts handed over at once
	Min, Max   int           // bytes
	Reliable   float64       // share of reliable messages
	Sequential float64       // share of messages that ask for their order
	User       float64       // share of messages on another channel than 0
	Large      []int         // sizes of large reliable messages, spread over the trace
	Until      time.Duration // since the start: nothing is said from then on; 0: never
	Pauses     []Pause       // nothing is said meanwhile
}

// A Pause is a time since the start.
type Pause struct{ From, To time.Duration }

// pause is how long a pause takes from now on, 0 when there is none.
func (plan *Traffic) pause(now time.Duration) time.Duration {
	for _, p := range plan.Pauses {
		if now >= p.From && now < p.To {
			return p.To - now
		}
	}
	return 0
}

// game is the traffic of a game: small messages, most of them sequential.
func game(n int) Traffic {
	return Traffic{N: n, Every: 30 * time.Millisecond, Burst: 3, Together: 0.4, Min: 6, Max: 48, Reliable: 0.7, Sequential: 0.9, User: 0.1}
}

// chatter is many small messages, each in a frame of its own.
func chatter(n int) Traffic {
	return Traffic{N: n, Every: 12 * time.Millisecond, Burst: 2, Min: 6, Max: 16, Reliable: 0.8, Sequential: 1}
}

// A Voice is one end of a connection as its application sees it.
type Voice interface {
	// Say hands one message over. A protocol without order or channels ignores
	// them; channels are 0 to 3.
	Say(data []byte, reliable, ordered bool, channel int) *note.Message
	// Together hands over at once what f says, so that it can share a datagram.
	Together(f func())
	Open() bool    // established, and nobody wants to end
	Ended() bool   // over
	Drained() bool // all that was said was sent and, where that is promised, acknowledged
	Queued() int   // datagrams' worth of messages not yet sent
}

// A speaker is an application at work.
type speaker struct {
	t    *Trace
	p    Voice
	plan Traffic
	said int
	done func()
}

// speak lets an application send; done is called when all is acknowledged.
func (t *Trace) speak(p Voice, plan Traffic, done func()) {
	s := &speaker{t: t, p: p, plan: plan, done: done}
	t.Net.Clock.Do(sim.Wait(t.Rand, plan.Every), s.burst)
}

func (s *speaker) burst() {
	if !s.p.Open() {
		return
	}
	if s.said >= s.plan.N || s.plan.Until > 0 && s.t.Net.Clock.Now() >= s.plan.Until {
		s.settle()
		return
	}
	if wait := s.plan.pause(s.t.Net.Clock.Now()); wait > 0 {
		s.t.Net.Clock.Do(wait, s.burst)
		return
	}
	// An application does not outrun its connection for long.
	if s.p.Queued() < 400 {
		talk := func() {
			for n := 1 + s.t.Rand.IntN(max(s.plan.Burst, 1)); n > 0 && s.said < s.plan.N; n-- {
				s.say()
			}
		}
		if s.plan.Together > 0 && s.t.Rand.Float64() < s.plan.Together {
			s.p.Together(talk)
		} else {
			talk()
		}
	}
	s.t.Net.Clock.Do(sim.Wait(s.t.Rand, s.plan.Every), s.burst)
}

// settle waits until everything is acknowledged.
func (s *speaker) settle() {
	switch {
	case !s.p.Drained():
		if !s.p.Ended() {
			s.t.Net.Clock.Do(20*time.Millisecond, s.settle)
		}
	case s.done != nil:
		s.done()
	}
}

func (s *speaker) say() {
	r, plan := s.t.Rand, &s.plan
	size := plan.Min + r.IntN(plan.Max-plan.Min+1)
	reliable := r.Float64() < plan.Reliable
	sequential := r.Float64() < plan.Sequential
	channel := 0
	if r.Float64() < plan.User {
		channel = 1 + r.IntN(3)
	}
	s.said++
	// Large message k of n comes when its share of the others is said.
	if n := len(plan.Large); n > 0 && s.said*(n+1)/plan.N > (s.said-1)*(n+1)/plan.N {
		if k := s.said*(n+1)/plan.N - 1; k < n {
			size, reliable, sequential = plan.Large[k], true, true
		}
	}
	text := s.t.text(size)
	if s.t.Frame != nil {
		text = s.t.Frame(text)
	}
	s.t.say(s.p, text, reliable, sequential, channel)
}

// say hands one message over and remembers it until it is delivered.
func (t *Trace) say(p Voice, data []byte, reliable, sequential bool, channel int) {
	m := p.Say(data, reliable, sequential, channel)
	if !t.Compact {
		key := string(data)
		t.sent[key] = append(t.sent[key], m)
	}
}

// text makes a message. DirectPlay 8's USER_1 payloads of a real session would
// begin with a message type below 0x100; these begin with 'G', which is none.
func (t *Trace) text(size int) []byte {
	b := make([]byte, size)
	for i := 0; i < size; i += 8 {
		x := t.Rand.Uint64()
		for k := i; k < min(i+8, size); k++ {
			b[k] = byte(x)
			x >>= 8
		}
	}
	if size > 0 {
		b[0] = 'G'
	}
	return b
}
