package sim

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"
)

// diary notes what an Observer is told.
type diary []string

func (d *diary) Captured(x *Datagram) {
	*d = append(*d, fmt.Sprintf("%s captured %d", x.Payload, x.LastFrame))
}
func (d *diary) Delivered(x *Datagram, frame int) {
	*d = append(*d, fmt.Sprintf("%s delivered %d", x.Payload, frame))
}
func (d *diary) Settled(x *Datagram) { *d = append(*d, fmt.Sprintf("%s settled", x.Payload)) }

// TestCarry takes datagrams over all stretches by hand: each is told of where it is,
// and settled once, arrived or lost.
func TestCarry(t *testing.T) {
	for _, c := range []struct {
		loses Stretch // the stretch that loses; beyond Enter: none
		want  diary
	}{
		{Leave, diary{"x settled"}},
		{Pass, diary{"x captured 1", "x settled"}},
		{Enter, diary{"x captured 1", "x settled"}},
		{Enter + 1, diary{"x captured 1", "x delivered 1", "x settled"}},
	} {
		var got diary
		n := NewNetwork(&Clock{}, rand.New(rand.NewPCG(1, 1)), [2]Path{{Near: Segment{Delay: 1}, Far: Segment{Delay: 1}}})
		n.Observer, n.Sink = &got, func(Packet) {}
		n.Carry = func(d *Datagram, s Stretch, done func(bool)) {
			n.Clock.Do(time.Millisecond, func() { done(s != c.loses) })
		}
		a, b := &Host{Addr: netip.MustParseAddrPort("192.0.2.1:1")}, &Host{Addr: netip.MustParseAddrPort("192.0.2.2:2"), Side: 1}
		n.Send(&Datagram{From: a, To: b, Payload: []byte("x")})
		n.Clock.Advance(time.Second)
		if !slices.Equal(got, c.want) {
			t.Errorf("lost on stretch %d: %q, want %q", c.loses, got, c.want)
		}
	}
}

// TestThrow shows that the fate of what one side sends does not depend on the other.
func TestThrow(t *testing.T) {
	fates := func(others int) (arrived []int) {
		s := Segment{Loss: 0.3, Dup: 0.2, Delay: 1}
		n := NewNetwork(&Clock{}, rand.New(rand.NewPCG(1, 1)), [2]Path{{Near: s, Far: s}, {Near: s, Far: s}})
		n.Observer, n.Sink = new(diary), func(Packet) {}
		n.Carry = func(_ *Datagram, _ Stretch, done func(bool)) { done(true) }
		n.Throw(7)
		a, b := &Host{Addr: netip.MustParseAddrPort("192.0.2.1:1")}, &Host{Addr: netip.MustParseAddrPort("192.0.2.2:2"), Side: 1}
		var sent []*Datagram
		for range 40 {
			sent = append(sent, &Datagram{From: a, To: b})
			n.Send(sent[len(sent)-1])
			for range others {
				n.Send(&Datagram{From: b, To: a})
			}
			n.Clock.Advance(n.Clock.Now() + time.Second)
		}
		for _, d := range sent {
			arrived = append(arrived, d.Arrived)
		}
		return arrived
	}
	alone := fates(0)
	if !slices.Equal(alone, fates(3)) {
		t.Error("the other side's datagrams change the fate of these")
	}
	if slices.Max(alone) < 2 || slices.Min(alone) > 0 {
		t.Errorf("nothing is lost or nothing doubled: %v", alone)
	}
}
