package whole

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A watched is what a run said, frame by frame.
type watched struct {
	frames   map[uint64]dissect.Frame
	of       map[uint64]*session.Conn
	ackedIn  map[uint64]uint64
	settled  map[uint64]bool
	messages []session.Message
	findings []session.Finding
	doubts   []string
}

func newWatched() *watched {
	return &watched{frames: map[uint64]dissect.Frame{}, of: map[uint64]*session.Conn{}, ackedIn: map[uint64]uint64{}, settled: map[uint64]bool{}}
}

func (w *watched) Frame(fr *dissect.Frame, conn *session.Conn) {
	c := *fr
	c.Acks = slices.Clone(fr.Acks)
	slices.Sort(c.Acks)
	c.Datagram, c.Notes, c.Summary = nil, nil, nil
	if _, twice := w.frames[fr.Frame]; twice {
		w.doubts = append(w.doubts, fmt.Sprintf("frame %d was shown twice", fr.Frame))
	}
	w.frames[fr.Frame], w.of[fr.Frame] = c, conn
}

func (w *watched) Acked(at seq.Position, by uint64) {
	frame := at.Frame
	if w.settled[frame] {
		w.doubts = append(w.doubts, fmt.Sprintf("frame %d was settled twice", frame))
	}
	w.settled[frame] = true
	if fr, shown := w.frames[frame]; shown && by != 0 && !fr.Awaits {
		w.doubts = append(w.doubts, fmt.Sprintf("frame %d awaited nothing and is acknowledged by %d", frame, by))
	}
	if by != 0 {
		w.ackedIn[frame] = by
	}
}

func (w *watched) Message(m *session.Message) {
	c := *m
	c.Payload = slices.Clone(m.Payload)
	w.messages = append(w.messages, c)
}

func (w *watched) Finding(f *session.Finding) { w.findings = append(w.findings, *f) }

// track runs datagrams through the tracker.
func track(all []dissect.Datagram, cfg session.Config) (*watched, []*session.Conn) {
	w := newWatched()
	cfg.Links, cfg.Messages, cfg.Incomplete, cfg.Sink = true, session.CollectPayload, true, w
	tab := session.NewTable(cfg)
	end := int64(0)
	for i := range all {
		tab.Add(&all[i])
		end = max(end, all[i].Time)
	}
	tab.Close(end)
	conns := tab.Conns()
	session.Number(conns)
	return w, conns
}

// differ lists where tracker and oracle differ on a connection.
func differ(w *watched, c *session.Conn, o *opinion, tell told) (out []string) {
	note := func(what string, got, want any) {
		if g, m := fmt.Sprint(got), fmt.Sprint(want); g != m {
			out = append(out, fmt.Sprintf("%s: tracker %s, oracle %s", what, g, m))
		}
	}
	note("a", c.A, o.a)
	note("complete", c.Complete, o.complete)
	for dir, key := range []string{"a ", "b "} {
		d, v := &c.Dir[dir], &o.dirs[dir]
		note(key+"frames", d.Frames, v.frames)
		note(key+"bytes", d.Bytes, v.bytes)
		note(key+"data_frames", d.DataFrames, v.dataFrames)
		note(key+"acks", d.Acks, v.acks)
		note(key+"keepalives", d.KeepAlives, v.keepAlives)
		note(key+"retries", d.Retries, v.retries)
		note(key+"unneeded_retries", d.UnneededRetries, v.unneeded)
		note(key+"duplicates", d.Duplicates, v.duplicates)
		note(key+"out_of_order", d.OutOfOrder, v.outOfOrder)
		note(key+"gaps", d.Gaps, v.gaps)
		note(key+"missing", d.Missing(), v.missing)
		out = append(out, differRTT(key, d.RTT(), v.rtt)...)
		s := d.Signatures
		note(key+"signed frames", s.Valid+s.Invalid+s.Unverifiable, v.signed+v.forged)
		note(key+"invalid signatures", s.Invalid, v.forged)
		if o.late {
			// Frames before the handshake's secrets are not looked at again.
		} else if o.secrets && tell.signing == "fast" {
			note(key+"valid signatures", s.Valid, v.signed)
		}
		out = append(out, differMessages(key, w, c, dissect.Dir(dir), v.messages)...)
	}
	for _, s := range o.all {
		fr, ok := w.frames[s.d.Frame]
		if !ok {
			out = append(out, fmt.Sprintf("frame %d was not shown", s.d.Frame))
			continue
		}
		at := fmt.Sprintf("frame %d ", s.d.Frame)
		note(at+"words", wordsOf(fr.Words&judged), wordsOf(s.words))
		note(at+"retry_of", fr.RetryOf, s.retryOf)
		note(at+"acked_in", w.ackedIn[s.d.Frame], s.ackedIn)
		slices.Sort(s.acks)
		note(at+"acks", fr.Acks, s.acks)
		if fr.Awaits && !w.settled[s.d.Frame] {
			out = append(out, at+"awaits an acknowledgement for ever")
		}
	}
	return out
}

func wordsOf(w dissect.Words) (out []string) {
	for i, name := range dissect.WordNames {
		if w>>i&1 != 0 {
			out = append(out, name)
		}
	}
	return out
}

func differRTT(key string, got seq.RTT, want []int64) (out []string) {
	if int(got.Samples) != len(want) {
		return []string{fmt.Sprintf("%srtt samples: tracker %d, oracle %d", key, got.Samples, len(want))}
	}
	if len(want) == 0 {
		return nil
	}
	few := len(want) <= 512 && want[len(want)-1] < 1<<32
	at := func(percent int) int64 { return want[max(1, (len(want)*percent+99)/100)-1] }
	for _, p := range []struct {
		name      string
		got, want int64
		exact     bool
	}{
		{"min", got.Min, want[0], true}, {"p50", got.P50, at(50), few},
		{"p95", got.P95, at(95), few}, {"max", got.Max, want[len(want)-1], true},
	} {
		off := max(p.got-p.want, p.want-p.got)
		if p.exact && off != 0 || off > p.want/256+1 {
			out = append(out, fmt.Sprintf("%srtt %s: tracker %d, oracle %d", key, p.name, p.got, p.want))
		}
	}
	return out
}

func differMessages(key string, w *watched, c *session.Conn, dir dissect.Dir, want []letter) (out []string) {
	var got []letter
	var whole, octets, parts uint64
	last, count := uint64(0), uint64(0)
	for _, m := range w.messages {
		if m.Conn != c || m.Dir != dir {
			continue
		}
		if m.Index != count || m.At < last {
			out = append(out, fmt.Sprintf("%smessage %d at frame %d stands behind %d at frame %d", key, m.Index, m.At, count-1, last))
		}
		last = m.At
		sum := sha256.Sum256(m.Payload)
		if sum != m.SHA256 || len(m.Payload) != m.Size {
			out = append(out, fmt.Sprintf("%smessage %d: payload, digest and size do not agree", key, m.Index))
		}
		if count++; !m.Complete {
			continue // how much of it was kept is not said
		}
		got = append(got, letter{m.Number, m.FirstFrame, m.LastFrame, m.Time, m.Frames, m.Size, m.Reliable, m.Ordered, m.Complete, m.SHA256})
	}
	for _, m := range want {
		if m.complete {
			whole++
			octets += uint64(m.size)
		} else {
			parts++
		}
	}
	want = slices.DeleteFunc(slices.Clone(want), func(m letter) bool { return !m.complete })
	d := &c.Dir[dir]
	// Whether two parts that come long after their turn belong to one message is
	// more than the tracker remembers.
	uneven := d.IncompleteMessages+1 < parts || d.IncompleteMessages > parts+1
	if d.Messages != whole || d.MessageBytes != octets || uneven {
		out = append(out, fmt.Sprintf("%smessages: tracker %d of %d bytes and %d incomplete, oracle %d of %d bytes and %d incomplete",
			key, d.Messages, d.MessageBytes, d.IncompleteMessages, whole, octets, parts))
	}
	byPlace := func(x, y letter) int {
		return cmp.Or(cmp.Compare(x.number, y.number), cmp.Compare(x.first, y.first), bytes.Compare(x.sum[:], y.sum[:]),
			cmp.Compare(fmt.Sprint(x.reliable, x.ordered), fmt.Sprint(y.reliable, y.ordered)))
	}
	slices.SortFunc(got, byPlace)
	slices.SortFunc(want, byPlace)
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			var g, m letter
			if i < len(got) {
				g = got[i]
			}
			if i < len(want) {
				m = want[i]
			}
			return append(out, fmt.Sprintf("%smessages differ from the %d-th on:\n tracker %+v\n oracle  %+v", key, i, g, m))
		}
	}
	return out
}
