package lab

import (
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

const hazelClean = "hazel/clean-spec"

// hazelHeader break the rules of header data.
func hazelHeader() []Mutant {
	return append([]Mutant{
		{Rule: "HZ-HDR-EMPTY", Name: "sends nothing", On: hazelClean, Tamper: hazelExtra(0, 9)},
		{Rule: "HZ-HDR-EMPTY", Name: "sends a type alone", Near: true, On: hazelClean, Tamper: hazelExtra(0, 9, 0)},
		{Rule: "HZ-HDR-RESERVED-HI", Name: "sets a reserved bit", On: hazelClean, Tamper: hazelExtra(0, 9, 0x81, 0, 5, 'x')},
		{Rule: "HZ-HDR-RESERVED-HI", Name: "sets one of a packet it counts", On: hazelClean,
			Tamper: hazelNth(0, 5, isReliable, func(p []byte) []sim.Tampered {
				p[0] |= 0x40
				return []sim.Tampered{{Payload: p, Fault: true}}
			})},
		{Rule: "HZ-HDR-RESERVED-HI", Name: "begins its data with such a byte", Near: true, On: hazelClean, Tamper: hazelExtra(0, 9, 0, 0x81, 0, 5)},
		{Rule: "HZ-HDR-RESERVED-4", Name: "sets the bit behind Control", On: hazelClean, Tamper: hazelExtra(0, 9, 5, 0, 7, 'x')},
		{Rule: "HZ-HDR-RESERVED-4", Name: "sets both flags below it", Near: true, On: hazelClean, Tamper: hazelExtra(0, 9, 2, 'x', 'y')},
		{Rule: "HZ-HDR-CODE", Name: "has code 7", On: hazelClean, Tamper: hazelExtra(1, 9, 0x0F, 0, 7)},
		{Rule: "HZ-HDR-CODE", Name: "has code 4 on the page", On: hazelClean, Also: []string{"HZ-HDR-RELID"}, Tamper: hazelExtra(0, 9, 0x0C)},
		{Rule: "HZ-HDR-CODE", Name: "has code 5 outside the fork", On: "hazel/clean-current", Tamper: hazelExtra(0, 9, 0x0D, 0, 1)},
		{Rule: "HZ-HDR-CODE", Name: "tests the MTU in the fork", Near: true, On: "hazel/fragments-fork36"},
		{Rule: "HZ-HDR-CODE", Name: "sends Pings in a dialect that has them", Near: true, On: "hazel/pings-ack3"},
		{Rule: "HZ-HDR-RELID", Name: "has half an ID", On: hazelClean, Tamper: hazelExtra(0, 9, 1, 0)},
		{Rule: "HZ-HDR-RELID", Name: "sends a Hello without one", On: hazelClean, Tamper: hazelExtra(0, 9, 8)},
		{Rule: "HZ-HDR-RELID", Name: "has an ID and no data", Near: true, On: hazelClean,
			Tamper: hazelNth(0, 5, isReliable, func(p []byte) []sim.Tampered { return []sim.Tampered{{Payload: p[:3], Fault: true}} })},
		{Rule: "HZ-HDR-BIGENDIAN", Name: "counts from the other end", As: "hazel:spec", Steps: littleEndian(), Also: []string{"HZ-REL-ID-FIRST"}},
		{Rule: "HZ-HDR-BIGENDIAN", Name: "comes to ID 256", Near: true, As: "hazel:spec", Steps: past255()},
		{Rule: "HZ-HDR-FRAGREL", Name: "sets both flags where nobody does", On: "hazel/clean-current", Tamper: hazelExtra(0, 9, 3, 0, 5, 'x')},
		{Rule: "HZ-HDR-FRAGREL", Name: "sends lone fragments", Near: true, On: "hazel/clean-0.1"},
		{Rule: "HZ-HDR-ACKLEN", Name: "acknowledges in 5 bytes", On: hazelClean, Tamper: hazelExtra(1, 9, 0x0A, 0, 1, 0xff, 0xff)},
		{Rule: "HZ-HDR-ACKLEN", Name: "acknowledges in 2 bytes", On: "hazel/clean-current", Tamper: hazelExtra(1, 9, 0x0A, 0)},
		{Rule: "HZ-HDR-ACKLEN", Name: "adds a history the page does not have", On: hazelClean, Tamper: hazelExtra(0, 19, 0x0A, 0, 1, 0xff)},
		{Rule: "HZ-HDR-ACKLEN", Name: "has a partner of another dialect", Near: true, On: "hazel/mixed-ack3-current"},
		{Rule: "HZ-HDR-HELLOLEN", Name: "leaves the version out", On: "hazel/clean-current",
			Tamper: hazelNth(0, 20, isReliable, func(p []byte) []sim.Tampered {
				p[0] = 8
				return []sim.Tampered{{Payload: p[:3], Fault: true}}
			})},
		{Rule: "HZ-HDR-HELLOLEN", Name: "begins without the version", On: "hazel/clean-current",
			Tamper: hazelNth(0, 0, func(p []byte) bool { return p[0] == 8 }, func(p []byte) []sim.Tampered {
				return []sim.Tampered{{Payload: p[:3], Fault: true}}
			})},
		{Rule: "HZ-HDR-HELLOLEN", Name: "keeps alive as in 2016", Near: true, On: "hazel/keepalives-spec"},
		{Rule: "HZ-HDR-PINGLEN", Name: "pads its Ping", On: "hazel/keepalives-current",
			Tamper: hazelNth(0, 2, func(p []byte) bool { return p[0] == 12 }, func(p []byte) []sim.Tampered {
				return []sim.Tampered{{Payload: append(p, 0), Fault: true}}
			})},
		{Rule: "HZ-HDR-PINGLEN", Name: "pings", Near: true, On: "hazel/keepalives-current"},
		{Rule: "HZ-HDR-UNREL-EMPTY", Name: "sends no data", On: hazelClean, Tamper: hazelExtra(0, 9, 0)},
		{Rule: "HZ-HDR-UNREL-EMPTY", Name: "sends one byte", Near: true, On: hazelClean, Tamper: hazelExtra(0, 9, 0, 0)},
		{Rule: "HZ-HDR-MSGWRAP", Name: "sends something else once", Steps: talkHazel(hazel.Current).chat(25).raw(0, hazelPace, 0, 9, 0, 5, 'x').fault().chat(20).bye()},
		{Rule: "HZ-HDR-MSGWRAP", Name: "never uses messages", Near: true, Steps: mixedPayloads()},
	}, hazelFragments()...)
}

// littleEndian numbers from the wrong end.
func littleEndian() []Step {
	t := &hazelTalk{d: hazel.Spec}
	for i := range uint16(14) {
		f := &hazel.Frame{Type: hazel.Reliable, ID: (i + 1) << 8, Data: []byte("x")}
		if i == 0 {
			f = &hazel.Frame{Type: hazel.Hello, ID: 1 << 8}
		}
		t.send(0, hazelPace, f)
		if i > 7 {
			t.fault()
		}
		t.ack(1, (i+1)<<8)
	}
	return t.bye()
}

func past255() []Step {
	t := talkHazel(hazel.Spec)
	for range 260 {
		t.says(0)
	}
	return t.bye()
}

// mixedPayloads are messages of the library in part only.
func mixedPayloads() []Step {
	t := talkHazel(hazel.Current)
	for range 30 {
		t.says(0).raw(0, hazelPace, 0, 9, 0, 5, 'x')
	}
	return t.bye()
}

// hazelFragments break the rules of fragments.
func hazelFragments() []Mutant {
	start := func(t *hazelTalk, count uint16) *hazelTalk {
		t.next[0]++
		t.send(0, hazelPace, &hazel.Frame{Type: hazel.FragmentStart, ID: t.next[0] - 1, MessageID: 1, Count: count, Data: []byte("part")})
		return t
	}
	bare := func(t *hazelTalk) *hazelTalk {
		t.next[0]++
		id := t.next[0] - 1
		return t.raw(0, hazelPace, 2, 0, 1, 0, 1, byte(id>>8), byte(id)).ack(1, id)
	}
	next := func(t *hazelTalk, index uint16) *hazelTalk {
		t.next[0]++
		t.send(0, hazelPace, &hazel.Frame{Type: hazel.Fragment, ID: t.next[0] - 1, MessageID: 1, Index: index, Data: []byte("part")})
		return t
	}
	acked := func(t *hazelTalk) *hazelTalk { return t.ack(1, t.next[0]-1) }
	talk := func() *hazelTalk { return talkHazel(hazel.V01).chat(5) }
	on := "hazel:0.1"
	return []Mutant{
		{Rule: "HZ-HDR-FRAGLAYOUT", Name: "cuts the header", As: on, Steps: talk().raw(0, hazelPace, 2, 0, 1, 0).fault().chat(5).bye()},
		{Rule: "HZ-HDR-FRAGLAYOUT", Name: "sends a header without data", Near: true, As: on, Steps: bare(talk()).chat(5).bye()},
		{Rule: "HZ-HDR-FRAG-COUNT", Name: "numbers beyond the count", As: on, Steps: acked(next(acked(start(talk(), 4)), 9).fault()).chat(5).bye()},
		{Rule: "HZ-HDR-FRAG-COUNT", Name: "counts none", As: on, Steps: acked(start(talk(), 0).fault()).chat(5).bye()},
		{Rule: "HZ-HDR-FRAG-COUNT", Name: "sends a lone part", Near: true, As: on, Steps: acked(start(talk(), 1)).chat(5).bye()},
		{Rule: "HZ-HDR-FRAG-COMPLETE", Name: "leaves a message unfinished", As: on, Steps: acked(start(talk(), 3).fault()).chat(300).bye()},
		{Rule: "HZ-HDR-FRAG-COMPLETE", Name: "finishes", Near: true, As: on, Steps: acked(next(acked(start(talk(), 2)), 1)).chat(300).bye()},
	}
}
