package track_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session/seq"
)

// talk plays packets of player 1 with serial 0, each acknowledged.
func (s *scene) talk(from, to uint8) {
	for n := from; n < to; n++ {
		s.Now += 50e6 + 7
		s.send(0, data(n, n, 0, fmt.Sprint(n)))
		s.send(1, ack(n, n, 0))
	}
}

// tells is what was counted of player 1.
func (s *scene) tells() string {
	d := &s.One().Dir[0]
	return fmt.Sprintf("%d retries, %d late, %d missing, %d messages", d.Retries, d.OutOfOrder, d.Missing(), d.Messages)
}

// TestMC_DPL4R_Gates_RanAhead: a packet that ran ahead of all others is compared with no more once
// the numbers go on below it (gate 9).
func TestMC_DPL4R_Gates_RanAhead(t *testing.T) {
	const parts = dp4.RLY
	for _, c := range []struct {
		name string
		play func(s *scene)
		want string
	}{
		{"its messageid comes again, with another number", func(s *scene) { s.send(0, data(32, 33, 0, "ahead")); s.Wait(800); s.talk(31, 45) }, "0 retries, 2 late, 0 missing, 44 messages"},
		{"it ran far", func(s *scene) { s.send(0, data(36, 50, 0, "ahead")); s.Wait(800); s.talk(31, 45) }, "0 retries, 14 late, 5 missing, 45 messages"},
		{"two follow each other: it is the later one that is out of place", func(s *scene) {
			s.send(0, data(35, 35, 0, "on"))
			s.send(0, data(36, 36, 0, "on"))
			s.Wait(800)
			s.send(0, data(31, 31, 0, "late"))
		}, "0 retries, 0 late, 4 missing, 32 messages"},
		{"its message leaves no room for the one under way", func(s *scene) {
			s.send(0, dataAs(parts|dp4.STA, 31, 31, 0, "a"))
			s.send(0, data(34, 34, 0, "ahead"))
			s.send(0, dataAs(parts, 31, 32, 0, "b"))
			s.send(0, dataAs(parts|dp4.EOM, 31, 33, 0, "c"))
			for n := range uint8(5) {
				s.send(0, data(32+n, 34+n, 0, "x"))
			}
		}, "0 retries, 2 late, 0 missing, 36 messages"},
	} {
		s := scenes(t)
		s.talk(1, 31)
		c.play(s)
		if got := s.tells(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestMC_DPL4R_Gates_GoesOnBelow: once a packet ran ahead, sequences and messageids go on from those of the one
// that it overtook, which is the highest then. Only what begins a message tells that one ran ahead (gate 9).
func TestMC_DPL4R_Gates_GoesOnBelow(t *testing.T) {
	const inc, parts = "DP4-2.2.2-SEQ-INC", dp4.RLY
	for _, c := range []struct {
		name  string
		next  uint8 // after what was said
		play  func(s *scene)
		want  string
		rules []string // of sequences, that are broken
	}{
		{"the highest: another one runs ahead of the next", 31, func(s *scene) {
			s.overtake(31, 36, 100)
			s.overtake(32, 33, 800)
		}, "0 retries, 3 late, 2 missing, 34 messages", []string{inc, inc}},
		{"the sequence: the first one is not far enough below to begin again", 20, func(s *scene) {
			s.overtake(20, 60, 800)
			s.send(0, data(1, 1, 0, "begins again"))
		}, "0 retries, 1 late, 39 missing, 21 messages", []string{inc}},
		{"the messageid: a later one is that of a new packet", 31, func(s *scene) {
			s.overtake(31, 36, 800)
			s.send(0, data(33, 30, 0, "new"))
		}, "0 retries, 1 late, 4 missing, 32 messages", []string{inc, inc}},
		{"what continues a message may be late", 31, func(s *scene) {
			s.send(0, dataAs(parts|dp4.STA, 31, 31, 0, "a"))
			s.send(0, data(32, 34, 0, "x"))
			s.Wait(800)
			s.send(0, dataAs(parts, 31, 32, 0, "b"))
			s.send(0, dataAs(parts|dp4.EOM, 31, 33, 0, "c"))
		}, "0 retries, 2 late, 0 missing, 32 messages", nil},
	} {
		s := scenes(t)
		s.talk(1, c.next)
		c.play(s)
		got := s.tells()
		var rules []string
		for _, f := range s.Accusations() {
			if strings.HasPrefix(f.Rule.ID, "DP4-2.2.2-SEQ-") {
				rules = append(rules, f.Rule.ID)
			}
		}
		if got != c.want || !slices.Equal(rules, c.rules) {
			t.Errorf("%s: %s, %v, want %s, %v", c.name, got, rules, c.want, c.rules)
		}
	}
}

// overtake plays a packet of player 1 so many milliseconds after one with a higher number.
func (s *scene) overtake(num, by uint8, ms int64) {
	s.send(0, data(by, by, 0, "ahead"))
	s.Wait(ms)
	s.send(0, data(num, num, 0, "x"))
}

// TestMC_DPL4R_Gates_KeptAside: a packet that was kept aside, and is older than its side's latest, is
// compared with none, and what was known before it counts no more (gate 11).
func TestMC_DPL4R_Gates_KeptAside(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(s *scene)
		want string
	}{
		{"its messageid skips more than there are packets", func(s *scene) {
			s.send(0, data(200, 95, 0, "far"))
			s.send(0, data(31, 31, 0, "x"))
			s.send(1, ack(200, 95, 0))
			s.send(0, data(96, 96, 0, "x"))
		}, "0 retries, 0 late, 63 missing, 33 messages"},
		{"the next one's does, after a while", func(s *scene) {
			s.send(0, data(95, 95, 0, "far"))
			s.Wait(40)
			s.send(0, data(33, 33, 0, "x"))
			s.send(1, ack(95, 95, 0))
			s.send(0, data(200, 97, 0, "x"))
		}, "0 retries, 0 late, 64 missing, 33 messages"},
		{"the next one's does, right behind", func(s *scene) {
			s.send(0, data(95, 95, 0, "far"))
			s.send(0, data(33, 33, 0, "x"))
			s.send(1, ack(95, 95, 0))
			s.send(0, data(200, 97, 0, "x"))
		}, "0 retries, 0 late, 63 missing, 32 messages"},
		{"it lies below the others", func(s *scene) {
			s.talk(32, 110)
			s.send(0, data(31, 31, 0, "late"))
			s.send(1, ack(31, 31, 0))
			s.send(0, data(200, 110, 0, "x"))
		}, "0 retries, 1 late, 0 missing, 110 messages"},
	} {
		s := scenes(t)
		s.talk(1, 31)
		c.play(s)
		if got := s.tells(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestMC_DPL4R_Gates_NACK: a NACK denies its own number and those of its mask, but where it was overtaken
// (gates 13 and 15).
func TestMC_DPL4R_Gates_NACK(t *testing.T) {
	for _, c := range []struct {
		name string
		num  uint8
		mask uint32
		back bool // its tick is older than the latest
		lost uint64
	}{
		{"its own number", 30, 0, false, 1},
		{"… and in its mask", 28, 1 << 1, false, 2},
		{"it was overtaken", 30, 0, true, 0},
		{"it was overtaken, with a mask", 28, 1 << 1, true, 0},
	} {
		s := scenes(t)
		answer := func(f dp4.Frame, tick int64) {
			f.Tick = uint32(tick / 1e6)
			s.send(1, f)
		}
		for n := uint8(1); n < 33; n++ {
			s.send(0, data(n, n, 0, "x"))
			if n < c.num {
				answer(ack(n, n, 0), s.Now)
			}
		}
		s.Wait(300)
		at := s.Now
		if c.back {
			answer(ack(c.num-1, c.num-1, 0), s.Now+50e6)
		}
		answer(nack(c.num, c.num, c.mask, 1), at)
		s.Wait(300)
		for n := c.num; n <= 30; n += 2 {
			s.send(0, data(n, n, 1, "x"))
		}
		answer(ack(32, 32, 0), s.Now+100e6)
		s.talk(33, 60)
		if got := s.One().Dir[0].Lost().AfterCapture; got != c.lost {
			t.Errorf("%s: %d lost, want %d", c.name, got, c.lost)
		}
	}
}

// TestMC_DPL4R_Gates_NACKPassesOver: what the mask of a NACK does not name need not have come: what is
// not sent reliably is not reported missing. It tells nothing of what the capture lacks (gate 15).
func TestMC_DPL4R_Gates_NACKPassesOver(t *testing.T) {
	for mask := range uint32(4) {
		s := scenes(t)
		s.talk(1, 28)
		s.send(0, data(31, 31, 0, "x")) // 28 to 30 were not captured
		s.send(0, data(32, 32, 0, "x"))
		s.Wait(60)
		s.send(1, nack(28, 28, mask, 1))
		s.Wait(300)
		s.send(0, data(28, 28, 1, "x"))
		s.send(0, data(30, 30, 1, "x"))
		s.Wait(60)
		s.send(1, ack(32, 32, 0))
		s.talk(33, 60)
		if got := s.One().Dir[0].Lost().NotCaptured; got != 0 {
			t.Errorf("mask %b: %d were not captured, want none", mask, got)
		}
	}
}

// TestMC_DPL4R_Gates_DeniedFromBefore: what is reported missing, and was not captured, may have been sent before
// the capture began, unless it follows one that shows itself to be sent for the first time since. What was captured
// was not (gate 16).
func TestMC_DPL4R_Gates_DeniedFromBefore(t *testing.T) {
	const part = dp4.RLY
	for _, c := range []struct {
		name          string
		first, second dp4.Frame
		denied        uint8
		message       uint8 // of 53
		want          seq.Lost
	}{
		{"the one before is a first transmission", data(50, 50, 0, "a"), data(51, 51, 0, "b"), 52, 53, seq.Lost{BeforeCapture: 1}},
		{"the one before may be a retry", dataAs(part|dp4.STA, 50, 50, 0, "a"), dataAs(part, 50, 51, 1, "b"), 52, 52, seq.Lost{}},
		{"it was captured", data(50, 50, 0, "a"), data(51, 51, 0, "b"), 51, 53, seq.Lost{AfterCapture: 1}},
	} {
		s := scenes(t)
		bytes, tick := uint32(0), uint32(1000)
		say := func(f dp4.Frame) {
			s.send(0, f)
			bytes += 5
			s.Wait(60)
		}
		answer := func(f dp4.Frame) {
			tick += 60
			f.BytesReceived, f.Tick = bytes, tick
			s.send(1, f)
		}
		say(c.first)
		answer(ack(50, 50, 0))
		s.Wait(140)
		say(c.second)
		say(data(c.message, 53, 0, "d"))
		s.Wait(200)
		answer(nack(c.denied, c.denied, 0, 1))
		if c.denied == 51 {
			say(data(51, 51, 1, "b"))
		}
		for n := range uint8(36) {
			say(data(c.message+1+n, 54+n, 0, "x"))
			answer(ack(c.message+1+n, 54+n, 0))
		}
		if got := s.One().Dir[0].Lost(); got != c.want {
			t.Errorf("%s: lost %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestMC_DPL4R_Gates_AcknowledgedAhead: an acknowledgement that names what was not captured yet tells of no message
// that its peer does without those before (gate 16).
func TestMC_DPL4R_Gates_AcknowledgedAhead(t *testing.T) {
	for num, want := range map[uint8]int{33: 31, 35: 30} {
		s := scenes(t)
		s.talk(1, 31)
		s.send(0, data(32, 32, 0, "waits for 31"))
		s.send(0, dataAs(dp4.RLY|dp4.STA, 33, 33, 0, "a"))
		s.send(1, ack(33, num, 0))
		if got := len(s.Messages); got != want {
			t.Errorf("an ACK of %d: %d messages came, want %d", num, got, want)
		}
	}
}
