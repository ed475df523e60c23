package lab

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A forgery makes a datagram that its receiver must ignore out of one that its sender
// sent; nil when it can't be made of that. rule is what it is found under, by place one of them.
type forgery struct {
	name, rule string
	on         []string // sessions
	forge      func(p []byte) []byte
}

var forgeries = []forgery{
	{"far ahead of the window", "DP8-3.1.5.2.1-RANGE", dp8Sessions, dp8Forged(func(p []byte) []byte { p[2] += 100; return p })},
	{"ahead of the window", "DP8-3.1.5.2.1-RANGE", dp8Sessions, dp8Forged(func(p []byte) []byte { p[2] += 70; return p })},
	{"dressed as a retry", "DP8-3.1.5.2.1-RANGE", dp8Sessions, dp8Forged(func(p []byte) []byte { p[2] += 70; p[1] |= 1; return p })},
	{"a KeepAlive of another session", "DP8-2.2.2-KA-SESSID", dp8Sessions, dp8Forged(func(p []byte) []byte { return []byte{0x3f, 2, p[2] + 1, p[3], 1, 2, 3, 4} })},
	{"malformed", "DP8-2.2.2-HDRLEN", dp8Sessions, dp8Forged(func(p []byte) []byte { return []byte{0x3f, 0x10, p[2] + 1, p[3], 1, 2} })},
	{"with a wrong signature", "DP8-SIG-FAST", []string{"dp8/fast-signed-lossy"}, dp8Forged(func(p []byte) []byte {
		if len(p) < 14 {
			return nil
		}
		p[2]++
		p[6] ^= 0x55
		return p
	})},
	{"behind END_STREAM", "DP8-3.1.4.3-LAST", dp8Sessions, dp8After(1)},
	{"two behind END_STREAM", "DP8-3.1.4.3-LAST", dp8Sessions, dp8After(2)},
	{"an id misread", "HZ-REL-ID-SEQ", []string{"hazel/clean-current"}, hazelForged(1, 35)},
	{"an id with a flipped bit", "HZ-REL-ID-SEQ", []string{"hazel/clean-current"}, hazelForged(2, 64)},
	{"sequence far ahead", "DP4-2.2.2-SEQ-INC", dp4Sessions, dp4Forged(100, 0)},
	{"messageid far ahead", "DP4-2.2.2-MSGID-SEQ DP4-2.2.2-SEQ-UNIQUE", dp4Sessions, dp4Forged(1, 100)},
	{"both far ahead", "DP4-2.2.2-SEQ-INC", dp4Sessions, dp4Forged(100, 100)},
	{"a PacketID with a flipped bit", "KN-DG-ID-INC", []string{"knet/clean-reference", "knet/clean-page"}, func(p []byte) []byte {
		if len(p) < 5 {
			return nil
		}
		p[1] ^= 0x40
		return p
	}},
}

// dp4Forged changes the numbers of a reliable data frame that is sent for the first time.
func dp4Forged(sequence, message uint8) func(p []byte) []byte {
	return func(p []byte) []byte {
		var f dp4.Frame
		if f.Decode(p, dp4.Params{Length: len(p)}, nil) != nil || f.Type != dp4.TypeData || f.Flags&dp4.WholeMessage != dp4.WholeMessage || f.Serial != 0 || f.Flags&dp4.RLY == 0 {
			return nil
		}
		f.Sequence += sequence
		f.MessageID += message
		return f.Append(nil)
	}
}

var dp4Sessions = []string{"dp4/windows-clean", "dp4/windows-lossy"}

var dp8Sessions = []string{"dp8/unsigned-clean", "dp8/unsigned-lossy"}

// dp8Forged changes a data frame that is sent for the first time.
func dp8Forged(change func(p []byte) []byte) func(p []byte) []byte {
	return func(p []byte) []byte {
		if len(p) < 4 || dp8.Command(p[0])&dp8.Data == 0 || p[1] != 0 {
			return nil
		}
		return change(p)
	}
}

// dp8After is a data frame so many numbers after an END_STREAM.
func dp8After(n byte) func(p []byte) []byte {
	return func(p []byte) []byte {
		if len(p) < 4 || dp8.Command(p[0])&dp8.Data == 0 || dp8.Control(p[1])&(dp8.CtlEndStream|dp8.CtlRetry) != dp8.CtlEndStream {
			return nil
		}
		return append([]byte{0x37, 0, p[2] + n, p[3]}, "hello"...)
	}
}

// hazelForged adds to a byte of the id of a reliable packet.
func hazelForged(at int, add byte) func(p []byte) []byte {
	return func(p []byte) []byte {
		if len(p) < 4 || p[0] != 1 {
			return nil
		}
		p[at] += add
		return p
	}
}

// TestIgnoredFramesMoveNothing: a frame that its receiver must ignore is found under its
// rule, at its frame, also twice in a row, and moves nothing but what counts captured
// frames: no other finding comes of it (contract: ignored frames).
func TestIgnoredFramesMoveNothing(t *testing.T) {
	for _, x := range forgeries {
		for _, name := range x.on {
			sub, err := Find(name)
			must(t, err)
			before := judged(sub.all, sub.cfg)
			for at := 20; at < len(sub.all)*5/6; at += max(1, len(sub.all)/7) { // what follows shows it
				for _, times := range []int{1, 2} {
					all, frames := sub.forged(&x, at, times)
					if frames != nil {
						x.check(t, fmt.Sprintf("%s, %s, %d at frame %d", name, x.name, times, frames[0]), &before, judged(all, sub.cfg), frames)
					}
				}
			}
		}
	}
}

// forged puts forgeries of one kind into a capture, after the first datagram from a place
// on of which they can be made, and gives their frames.
func (s *Subject) forged(x *forgery, at, times int) (all []dissect.Datagram, frames []uint64) {
	for ; at < len(s.all)-4; at++ {
		p := x.forge(slices.Clone(s.all[at].Payload))
		if p == nil {
			continue
		}
		all = slices.Clone(s.all)
		for i := range times {
			d := s.all[at]
			d.Payload, d.Length, d.IPID, d.Sum = slices.Clone(p), len(p), d.IPID+3000+uint16(i), 0
			d.Payload[len(p)-1] ^= byte(i) // no copy of the one before
			d.Time += int64(i+1) * 100e3
			all = append(all, d)
		}
		slices.SortStableFunc(all, func(a, b dissect.Datagram) int { return int(a.Time - b.Time) })
		for _, d := range renumber(all) {
			if !slices.ContainsFunc(s.all, func(o dissect.Datagram) bool { return unsafe.SliceData(o.Payload) == unsafe.SliceData(d.Payload) }) {
				frames = append(frames, d.Frame)
			}
		}
		return all, frames
	}
	return nil, nil
}

// under reports a rule that it is found under.
func (x *forgery) under(rule string) bool { return slices.Contains(strings.Fields(x.rule), rule) }

// check compares what is told with and without the forgeries.
func (x *forgery) check(t *testing.T, where string, before *opinion, after opinion, frames []uint64) {
	t.Helper()
	if len(after.conns) != len(before.conns) {
		t.Fatalf("%s: %d connections, want %d", where, len(after.conns), len(before.conns))
	}
	for i, c := range before.conns {
		for dir := range c.Dir {
			if m := moved(&c.Dir[dir], &after.conns[i].Dir[dir]); m != nil {
				t.Errorf("%s: %v", where, m)
			}
		}
	}
	for _, f := range after.found {
		switch known := func(y session.Finding) bool { return y.Rule == f.Rule }; {
		case x.under(f.Rule.ID) && len(frames) > 0 && f.Frame == frames[0]:
			frames = frames[1:]
		case x.under(f.Rule.ID) && slices.Contains(frames, f.Frame):
			frames = slices.DeleteFunc(frames, func(n uint64) bool { return n == f.Frame })
		case f.Failed() && !slices.ContainsFunc(before.found, known):
			t.Errorf("%s: found too: %s at %d: %s", where, f.Rule.ID, f.Frame, f.Message)
		}
	}
	if len(frames) > 0 {
		t.Errorf("%s: not found at %v", where, frames)
	}
}

// An opinion is what is told of a capture.
type opinion struct {
	conns []*session.Conn
	found []session.Finding
}

func judged(all []dissect.Datagram, cfg session.Config) opinion {
	var sink findings
	cfg.Sink = &sink
	table := session.NewTable(cfg)
	for i := range all {
		table.Add(&all[i])
	}
	table.Close(all[len(all)-1].Time)
	return opinion{table.Conns(), sink.list}
}

// moved names the numbers of a side that differ, but for those of captured frames.
func moved(a, b *seq.Direction) (list []string) {
	for _, x := range []struct {
		name string
		a, b uint64
	}{
		{"retries", a.Retries, b.Retries}, {"unneeded_retries", a.UnneededRetries, b.UnneededRetries}, {"duplicates", a.Duplicates, b.Duplicates},
		{"out_of_order", a.OutOfOrder, b.OutOfOrder}, {"gaps", a.Gaps, b.Gaps}, {"missing", a.Missing(), b.Missing()},
		{"messages", a.Messages, b.Messages}, {"message_bytes", a.MessageBytes, b.MessageBytes}, {"incomplete_messages", a.IncompleteMessages, b.IncompleteMessages},
		{"lost before", a.Lost().BeforeCapture, b.Lost().BeforeCapture}, {"lost behind", a.Lost().AfterCapture, b.Lost().AfterCapture},
		{"not captured", a.Lost().NotCaptured, b.Lost().NotCaptured},
	} {
		if x.a != x.b {
			list = append(list, fmt.Sprintf("%s %d, now %d", x.name, x.a, x.b))
		}
	}
	return list
}

// TestIgnoredFramesAreForgotten: what is out of place is told while the connection goes on,
// however many there are: nothing of it is kept until its end.
func TestIgnoredFramesAreForgotten(t *testing.T) {
	for _, i := range []int{0, slices.IndexFunc(forgeries, func(x forgery) bool { return x.name == "an id misread" }),
		slices.IndexFunc(forgeries, func(x forgery) bool { return x.name == "sequence far ahead" }), len(forgeries) - 1} {
		x := &forgeries[i]
		sub, err := Find(x.on[0])
		must(t, err)
		all, frames := sub.forged(x, 20, 20)
		table := session.NewTable(sub.cfg)
		for i := range all {
			table.Add(&all[i])
			for _, c := range table.Conns() {
				if frames[19] == all[i].Frame && (c.Dir[0].Provisionals().HasRefuted() || c.Dir[1].Provisionals().HasRefuted()) {
					t.Errorf("%s: what is out of place waits for the end", x.name)
				}
			}
		}
	}
}
