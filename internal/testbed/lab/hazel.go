package lab

import (
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A hazelTalk is a connection in Hazel made by hand: side 0 is the client, the
// round trip between the capture point and either side is 20 ms.
type hazelTalk struct {
	steps  []Step
	d      hazel.Dialect
	next   [2]uint16 // ids
	recent uint8     // history of acknowledgements, where the dialect has it
	wait   time.Duration
}

const (
	hazelPace  = 30*time.Millisecond + 37*time.Microsecond
	hazelReply = 20*time.Millisecond + 19*time.Microsecond
)

// talkHazel begins with a Hello and its acknowledgement.
func talkHazel(d hazel.Dialect) *hazelTalk {
	t := &hazelTalk{d: d, recent: 0xff, next: [2]uint16{1, 1}}
	if d == hazel.Current {
		t.next = [2]uint16{}
	}
	t.hello()
	return t.ack(1, t.next[0]-1)
}

func (t *hazelTalk) hello() *hazelTalk {
	t.next[0]++
	return t.send(0, hazelPace, &hazel.Frame{Type: hazel.Hello, ID: t.next[0] - 1, HasVersion: t.d != hazel.Spec})
}

func (t *hazelTalk) send(from dissect.Dir, after time.Duration, f *hazel.Frame) *hazelTalk {
	f.Dialect = t.d
	return t.raw(from, after, f.Append(nil)...)
}

func (t *hazelTalk) raw(from dissect.Dir, after time.Duration, p ...byte) *hazelTalk {
	t.steps = append(t.steps, Step{From: from, After: after + t.wait, Payload: p})
	t.wait = 0
	return t
}

// fault marks the last datagram.
func (t *hazelTalk) fault() *hazelTalk {
	t.steps[len(t.steps)-1].Fault = true
	return t
}

func (t *hazelTalk) pause(d time.Duration) *hazelTalk {
	t.wait += d
	return t
}

func (t *hazelTalk) ack(from dissect.Dir, id uint16) *hazelTalk {
	return t.send(from, hazelReply, &hazel.Frame{Type: hazel.Acknowledgement, ID: id, HasRecent: t.d >= hazel.Current, Recent: t.recent})
}

// reliable sends a packet with an id.
func (t *hazelTalk) reliable(from dissect.Dir, id uint16, text string) *hazelTalk {
	return t.send(from, hazelPace, &hazel.Frame{Type: hazel.Reliable, ID: id, Data: t.data(text)})
}

// data is a payload as the dialect's applications send it.
func (t *hazelTalk) data(text string) []byte {
	if t.d >= hazel.Ack3 {
		return hazel.AppendMessage(nil, 5, []byte(text))
	}
	return []byte(text)
}

// says sends the next packet, which is acknowledged.
func (t *hazelTalk) says(from dissect.Dir) *hazelTalk {
	id := t.next[from]
	t.next[from]++
	return t.reliable(from, id, "chatter").ack(from.Other(), id)
}

// chat lets both sides say something n times each.
func (t *hazelTalk) chat(n int) *hazelTalk {
	for range n {
		t.says(0).says(1)
	}
	return t
}

// unanswered sends the next packet without an acknowledgement.
func (t *hazelTalk) unanswered(from dissect.Dir) *hazelTalk {
	t.next[from]++
	return t.reliable(from, t.next[from]-1, "chatter")
}

func (t *hazelTalk) ping(from dissect.Dir) *hazelTalk {
	t.next[from]++
	return t.send(from, hazelPace, &hazel.Frame{Type: hazel.Ping, ID: t.next[from] - 1})
}

// bye ends the connection.
func (t *hazelTalk) bye() []Step {
	return t.raw(0, hazelPace, 9).raw(1, hazelReply, 9).steps
}

// hazelExtra has a side send something more after its nth datagram.
func hazelExtra(side, nth int, p ...byte) func() func(*sim.Datagram) []sim.Tampered {
	return hazelNth(side, nth, func([]byte) bool { return true }, func(own []byte) []sim.Tampered {
		return []sim.Tampered{{Payload: own}, {Payload: p, After: time.Millisecond, Fault: true}}
	})
}

// hazelNth changes the nth datagram of a side, from 0, of those that are wanted.
func hazelNth(side, nth int, want func(p []byte) bool, change func(p []byte) []sim.Tampered) func() func(*sim.Datagram) []sim.Tampered {
	return func() func(*sim.Datagram) []sim.Tampered {
		n := 0
		return func(d *sim.Datagram) []sim.Tampered {
			if d.From.Side == side && want(d.Payload) {
				if n++; n == nth+1 {
					return change(append([]byte(nil), d.Payload...))
				}
			}
			return sim.Untouched(d)
		}
	}
}

func isReliable(p []byte) bool { return len(p) > 3 && p[0] == 1 }
