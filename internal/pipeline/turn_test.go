package pipeline

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// indices prints frames by number and messages by direction and index.
type indices struct{}

func (indices) Prepare(int, *Slot, *dissect.Frame) {}
func (indices) PrepareMessage(_ int, m *session.Message) (head, tail []byte) {
	return fmt.Append(nil, "ab"[m.Dir:m.Dir+1], m.Index), nil
}
func (indices) Print(dst []byte, s *Slot) []byte {
	return fmt.Appendf(dst, " %d", s.Datagram.Frame)
}
func (indices) PrintMessage(dst, head, _ []byte, _ int) []byte {
	return append(append(dst, ' '), head...)
}

// A desk is a queue whose tracker is the test.
type desk struct {
	q    *Queue
	out  bytes.Buffer
	run  Run
	conn *session.Conn
	next [2]uint64 // index of a direction's next message
	wake time.Time
}

func newDesk(live bool) *desk {
	d := &desk{conn: &session.Conn{ID: -1}}
	d.q = NewQueue(&d.out, indices{})
	d.q.Attach(&d.run)
	if live {
		d.run.Source = new(capture.Source)
		d.q.PrintWithin(&d.run, time.Second)
		d.q.deadline.source, d.q.endless = d, true
	}
	return d
}

// MaxWait and WakeAt are those of a source.
func (d *desk) MaxWait(wish time.Duration) time.Duration { return wish }
func (d *desk) WakeAt(at time.Time)                      { d.wake = at }

// packet begins to track a packet that was read so long ago.
func (d *desk) packet(frame uint64, age time.Duration) {
	p := &capture.Packet{Class: capture.UDP}
	p.Frame = frame
	d.run.reserve(p)
	d.q.at(d.q.last.Load()).slot.came -= age
	d.run.Begin(0, frame)
}

// known says what a frame is.
func (d *desk) known(frame uint64) {
	d.run.Sink(0).Frame(&dissect.Frame{Datagram: &dissect.Datagram{Frame: frame}, Protocol: "udp", Connection: -1}, nil)
}

// message delivers the next message of a side during a frame.
func (d *desk) message(dir dissect.Dir, at uint64) {
	d.run.Sink(0).Message(&session.Message{Conn: d.conn, Dir: dir, Index: d.next[dir], At: at})
	d.next[dir]++
}

func (d *desk) finish(t *testing.T) string {
	t.Helper()
	if err := d.q.Finish(); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(d.out.String())
}

// Frames of a pair are held until it is recognised. Live, the first of them are
// printed by then: their messages come with the packet at hand, and so do those of
// the frames after them.
func TestMessagesOfHeldFrames(t *testing.T) {
	d := newDesk(true)
	for frame, age := range []time.Duration{3 * time.Second, 2 * time.Second, 0, 0} {
		d.packet(uint64(frame+1), age)
		if err := d.run.After(uint64(frame + 1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.run.Idle(); err != nil { // prints frames 1 and 2
		t.Fatal(err)
	}
	d.packet(5, 0)
	for frame := uint64(1); frame <= 5; frame++ {
		d.message(dissect.Dir(frame%2), frame)
		d.known(frame)
	}
	d.packet(6, 0)
	d.message(0, 6)
	d.known(6)
	d.run.After(6)
	if got, want := d.finish(t), "1 2 3 4 5 b0 a0 b1 a1 b2 6 a2"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Frames are printed when they waited long enough, and the source is told when that is.
func TestPrintWithin(t *testing.T) {
	d := newDesk(true)
	begin := time.Now()
	d.packet(1, time.Hour)
	d.packet(2, 0)
	d.run.After(2)
	if err := d.run.Idle(); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.TrimSpace(d.out.String()), "1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if in := d.wake.Sub(begin); in < time.Second || in > time.Second+time.Since(begin) {
		t.Errorf("the next look is in %v, want in a second", in)
	}
	d.q.deadline.source = slow{d}
	d.q.at(2).slot.came -= time.Hour
	d.run.Idle()
	if got, want := strings.TrimSpace(d.out.String()), "1"; got != want {
		t.Errorf("%s, want %s: what comes as from a file is not hurried", got, want)
	}
}

// slow is a source of packets that come as from a file.
type slow struct{ *desk }

func (slow) MaxWait(time.Duration) time.Duration { return 1 << 62 }

// Messages that are told while time passes, and all packets are printed, come at once.
func TestMessagesWithoutPackets(t *testing.T) {
	d := newDesk(true)
	d.packet(1, 0)
	d.known(1)
	d.run.After(1)
	d.message(0, 1)
	d.run.Idle()
	if got, want := strings.TrimSpace(d.out.String()), "1 a0"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// In files, what was held for longer than frames may wait to be printed does not come
// after what was held after it.
func TestMessagesHeldForLong(t *testing.T) {
	d := newDesk(false)
	const n = HoldFrames + 10
	for frame := uint64(1); frame <= n; frame++ {
		d.packet(frame, 0)
		if frame%1000 > 1 && frame < n { // others are of the pair
			d.known(frame)
		}
		if frame < n {
			d.run.After(frame)
		}
	}
	for frame := uint64(1); frame <= n; frame++ {
		if frame%1000 <= 1 || frame == n {
			d.message(0, frame)
			d.known(frame)
		}
	}
	d.run.After(n)
	last := -1
	for _, word := range strings.Fields(d.finish(t)) {
		var index int
		if k, _ := fmt.Sscanf(word, "a%d", &index); k == 0 {
			continue
		}
		if index != last+1 {
			t.Fatalf("message %d stands behind %d", index, last)
		}
		last = index
	}
	if last != int(d.next[0])-1 {
		t.Errorf("the last message is %d of %d", last, d.next[0])
	}
}

// What is told of a frame that waits for nothing changes it no more, whether it is printed
// already, as by one worker, or not yet, as by several.
func TestSettledFramesStay(t *testing.T) {
	for _, late := range []bool{false, true} {
		d := newDesk(false)
		d.packet(1, 0)
		d.known(1)
		if !late {
			d.run.After(1)
		}
		d.packet(2, 0)
		sink := d.run.Sink(0)
		sink.Acked(seq.Position{Frame: 1}, 2)
		sink.Finding(&session.Finding{Rule: &conform.Rule{ID: "X"}, Frame: 1})
		d.message(0, 1)
		d.known(2)
		slot := d.q.at(1).slot
		if late && (slot.Frame.AckedIn != 0 || len(slot.Frame.Notes) > 0) {
			t.Errorf("acknowledged in %d, notes %v", slot.Frame.AckedIn, slot.Frame.Notes)
		}
		d.run.After(2)
		if got, want := d.finish(t), "1 2 a0"; got != want {
			t.Errorf("after it is printed %v: %s, want %s", !late, got, want)
		}
	}
}

// What waits for its acknowledgement, or for findings, does change.
func TestWaitingFramesChange(t *testing.T) {
	d := newDesk(false)
	d.packet(1, 0)
	sink := d.run.Sink(0)
	sink.Frame(&dissect.Frame{Datagram: &dissect.Datagram{Frame: 1}, Protocol: "udp", Connection: -1, Awaits: true}, nil)
	d.packet(2, 0)
	d.known(2)
	d.run.After(2)
	d.packet(3, 0)
	sink.Acked(seq.Position{Frame: 1}, 3)
	sink.Acked(seq.Position{Frame: 2}, 3)
	d.q.Notes = true
	sink.Finding(&session.Finding{Rule: &conform.Rule{ID: "X"}, Frame: 2})
	if a, b := d.q.at(1).slot, d.q.at(2).slot; a.Frame.AckedIn != 3 || b.Frame.AckedIn != 0 || len(b.Frame.Notes) != 1 {
		t.Errorf("acknowledged in %d and %d, notes %v", a.Frame.AckedIn, b.Frame.AckedIn, b.Frame.Notes)
	}
}

// TestFramesWaitNoLonger: what is known of a frame NoteFrames packets later is no note of it,
// HoldFrames packets later it is printed, and an acknowledgement that comes then is no link.
func TestFramesWaitNoLonger(t *testing.T) {
	for _, c := range []struct {
		distance, printed uint64
		notes             int
		acked             uint64
	}{
		{NoteFrames - 1, 0, 1, NoteFrames},
		{NoteFrames, 0, 0, NoteFrames + 1},
		{HoldFrames - 1, 0, 0, HoldFrames},
		{HoldFrames, 1, 0, 0},
	} {
		d := newDesk(false)
		d.q.Notes = true
		d.packet(1, 0)
		sink, first := d.run.Sink(0), d.q.at(1).slot
		sink.Frame(&dissect.Frame{Datagram: &dissect.Datagram{Frame: 1}, Protocol: "udp", Connection: -1, Awaits: true}, nil)
		d.run.After(1)
		for frame := uint64(2); frame <= 1+c.distance; frame++ {
			d.packet(frame, 0)
			d.known(frame)
			if frame <= c.distance {
				d.run.After(frame)
			}
		}
		sink.Finding(&session.Finding{Rule: &conform.Rule{ID: "X"}, Frame: 1})
		notes, acked := len(first.Frame.Notes), uint64(0)
		sink.Acked(seq.Position{Frame: 1}, 1+c.distance)
		if d.q.at(1).slot == first {
			acked = first.Frame.AckedIn
		}
		d.q.Notes = false
		if d.q.flush(1 + c.distance); c.printed == 1 && d.q.head <= 1 {
			t.Errorf("%d packets later it waits", c.distance)
		}
		if notes != c.notes || acked != c.acked {
			t.Errorf("%d packets later: %d notes, acknowledged in %d; want %d and %d", c.distance, notes, acked, c.notes, c.acked)
		}
	}
}

// Of sides whose messages moved no more is kept than of frames that wait.
func TestTurnsAreDropped(t *testing.T) {
	d := newDesk(false)
	d.packet(1, 0)
	d.known(1)
	d.run.After(1)
	for frame := uint64(2); frame < 1000; frame++ {
		d.packet(frame, 0)
		d.conn = &session.Conn{ID: -1}
		d.message(0, 1) // frame 1 is printed
		d.known(frame)
		d.run.After(frame)
	}
	k := &d.q.sinks[0]
	if n := len(k.turns.frames); n == 0 || n > leastTurns {
		t.Errorf("%d sides are remembered", n)
	}
	k.turns.frames[sender{d.conn, 1}] = 1
	d.q.Forget(map[*session.Conn]bool{d.conn: true})
	if _, ok := k.turns.frames[sender{d.conn, 1}]; ok {
		t.Error("a connection that is to be forgotten is remembered")
	}
}
