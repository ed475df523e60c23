package pipeline

import (
	"cmp"
	"io"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/filter"
	"github.com/dpdissect/dpdissect/dissect/stable"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// HoldFrames is the number of packets that a frame may wait in the output for what later
// packets tell of it: its protocol, the frame that acknowledges it.
const HoldFrames = 32768

// NoteFrames is the number of packets that a frame waits for findings about it where they are
// printed: rules may hold a verdict until later frames can no longer explain it.
const NoteFrames = 4096

// ringSize leaves room for the batches in work.
const ringSize = 2 * HoldFrames

// The ring is made in blocks of blockSize places when they are needed: most captures are short.
const blockSize = 1024

// A placed is what the ring has at one place: the slot of a packet, and its number.
type placed struct {
	slot  *Slot
	frame uint64
	bytes uint64 // of all packets up to this one
}

// at is a place that was given away.
func (q *Queue) at(place uint64) *placed {
	i := place % ringSize
	return &q.blocks[i/blockSize][i%blockSize]
}

// make makes room for a place before it is given away.
func (q *Queue) make(place uint64) {
	if b := &q.blocks[place%ringSize/blockSize]; *b == nil {
		*b = new([blockSize]placed)
	}
}

// writeSize is how much is collected before it is written.
const writeSize = 64 << 10

// A Printer turns frames into output. Prepare and PrepareMessage are called by
// the worker of a shard as soon as a frame is known, the rest in the order of
// the capture by one goroutine.
type Printer interface {
	// Prepare encodes what can be encoded before the frame's turn comes.
	Prepare(shard int, s *Slot, fr *dissect.Frame)
	// PrepareMessage encodes an application message around its connection's id.
	PrepareMessage(shard int, m *session.Message) (head, tail []byte)
	// Print appends the slot's output; it is called for every packet, also for
	// those with nothing to print, and for each further datagram that a packet was
	// taken apart into (Datagram.Part).
	Print(dst []byte, s *Slot) []byte
	// PrintMessage appends one message.
	PrintMessage(dst []byte, head, tail []byte, connection int) []byte
}

// A Queue puts frames and messages in the order of the capture.
type Queue struct {
	Notes    bool      // frames wait for findings about them
	Room     uint64    // bytes of packets after which a frame waits no more; 0 for any number
	deadline *deadline // nil where frames wait for what is to be known of them
	endless  bool      // the run has no end
	notices  bool      // of ICMP are shown, too
	out      io.Writer
	printer  Printer
	buf      []byte
	blocks   [ringSize / blockSize]*[blockSize]placed // by place: frames are counted without those a capture filter leaves out
	head     uint64                                   // place that is printed next, from 1
	tracked  uint64                                   // latest place whose frame was tracked
	last     atomic.Uint64                            // latest place that was given away
	free     []*Slot
	clock    filter.Clock
	tree     dissect.Tree // of a frame of which nothing is known
	sinks    [Shards]shardSink
	nextID   int
	err      error
}

// NewQueue prints to out.
func NewQueue(out io.Writer, p Printer) *Queue {
	q := &Queue{out: out, printer: p, head: 1}
	q.make(0)
	for i := range q.sinks {
		q.sinks[i] = shardSink{q: q, shard: i}
	}
	return q
}

// Attach makes a run feed the queue.
func (q *Queue) Attach(r *Run) {
	q.notices = r.Config.Notices
	r.reserve = q.reserve
	if q.Room != 0 && r.Before == nil {
		r.Before = func(*capture.Packet) {} // reserve counts the bytes of each packet's record
	}
	r.After = q.flush
	r.Begin = func(shard int, frame uint64) { q.sinks[shard].begin(frame) }
	r.Sink = func(shard int) session.Sink { return &q.sinks[shard] }
}

// reserve makes the place of a packet.
func (q *Queue) reserve(p *capture.Packet) {
	var s *Slot
	if n := len(q.free); n > 0 {
		s, q.free = q.free[n-1], q.free[:n-1]
		s.reset()
	} else {
		s = new(Slot)
	}
	s.Datagram = p.Datagram
	s.Datagram.Payload, s.Assembly = nil, p.Assembly
	if q.deadline != nil {
		q.deadline.note(s, p)
	}
	s.isDatagram = p.Class == capture.UDP || q.notices && p.Class == capture.Unreachable
	s.decided = !s.isDatagram
	if p.HasTime {
		s.Times = q.clock.Next(p.Time)
	}
	place := q.last.Load() + 1
	q.make(place)
	*q.at(place) = placed{slot: s, frame: p.Frame}
	if q.Room != 0 {
		q.at(place).bytes = q.at(place-1).bytes + uint64(len(p.Record.Data)+len(p.Record.Before))
	}
	q.last.Store(place)
}

// place gives the place of a frame, 0 when it is printed already. Workers ask while
// places are given away to later frames.
func (q *Queue) place(frame uint64) uint64 {
	lo, hi := q.head, q.last.Load()
	if lo > hi || frame < q.at(lo).frame {
		return 0
	}
	hi = min(hi, lo+(frame-q.at(lo).frame)) // where it is when nothing was left out
	if q.at(hi).frame == frame {
		return hi
	}
	at := lo + uint64(sort.Search(int(hi-lo), func(i int) bool { return q.at(lo+uint64(i)).frame >= frame }))
	if q.at(at).frame != frame {
		return 0
	}
	return at
}

// full reports whether the packets after a place, up to another one, are so many bytes that
// its frame waits no more.
func (q *Queue) full(place, upTo uint64) bool {
	return q.Room != 0 && q.at(upTo).bytes-q.at(place).bytes >= q.Room
}

// flush prints what is known, up to the packet that was just tracked.
func (q *Queue) flush(tracked uint64) error {
	q.tracked = max(q.tracked, q.place(tracked))
	for ; q.head <= q.tracked; q.head++ {
		s := q.at(q.head).slot
		distance := q.tracked - q.head
		waits := (!s.decided || s.waits()) && distance < HoldFrames || q.Notes && distance < NoteFrames
		if waits && !q.full(q.head, q.tracked) {
			break
		}
		q.print(s)
	}
	return q.err
}

// print prints a slot and frees it.
func (q *Queue) print(s *Slot) {
	if !s.decided {
		// It waited too long: what it is may never be known.
		s.Frame.Datagram, s.Frame.Protocol, s.Frame.Connection = &s.Datagram, "udp", -1
		q.tree.Reset(s.Datagram.Payload)
		s.Frame.Tree = &q.tree
		q.printer.Prepare(0, s, &s.Frame)
	}
	if s.Frame.Datagram == nil {
		s.Frame.Datagram = &s.Datagram
	}
	q.printOne(s)
	for _, p := range s.parts {
		q.printOne(p)
	}
	s.parts = nil
	q.at(q.head).slot = nil
	q.free = append(q.free, s)
	if len(q.buf) >= writeSize {
		q.write()
	}
}

// printOne prints one datagram, and the messages delivered with it.
func (q *Queue) printOne(s *Slot) {
	s.Frame.Connection = q.id(s.Conn)
	q.buf = q.printer.Print(q.buf, s)
	for i := range s.Messages {
		q.printMessage(&s.Messages[i])
	}
	clear(s.Messages) // a free slot keeps no message alive
}

func (q *Queue) printMessage(m *message) {
	q.buf = q.printer.PrintMessage(q.buf, m.head, m.tail, q.id(m.conn))
}

// id gives a connection its number when its first frame is printed.
func (q *Queue) id(c *session.Conn) int {
	if c == nil {
		return -1
	}
	if c.ID < 0 {
		c.ID = q.nextID
		q.nextID++
	}
	return c.ID
}

func (q *Queue) write() {
	if q.err == nil && len(q.buf) > 0 {
		_, q.err = q.out.Write(q.buf)
	}
	q.buf = q.buf[:0]
}

// Forget drops the findings on connections: they would keep these in memory.
func (q *Queue) Forget(gone map[*session.Conn]bool) {
	for i := range q.sinks {
		q.sinks[i].forget(gone)
		q.sinks[i].turns.forget(gone)
	}
}

// Fresh are the findings of a live run since the call before.
func (q *Queue) Fresh() []session.Finding {
	return freshFindings(func(i int) *collected { return &q.sinks[i].collected })
}

// Flush writes what is printed so far.
func (q *Queue) Flush() error {
	q.write()
	return q.err
}

// Append adds to the output, around the frames.
func (q *Queue) Append(f func(dst []byte) []byte) { q.buf = f(q.buf) }

// Findings are those of all shards, by frame.
func (q *Queue) Findings() []session.Finding {
	return mergeFindings(func(i int) []session.Finding { return q.sinks[i].findings })
}

// Finish prints everything that is left, after the last packet.
func (q *Queue) Finish() error {
	for ; q.head <= q.last.Load(); q.head++ {
		q.print(q.at(q.head).slot)
	}
	var late []message
	for i := range q.sinks {
		late = append(late, q.sinks[i].late...)
	}
	stable.Sort(late, func(a, b message) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.conn.FirstFrame, b.conn.FirstFrame), cmp.Compare(a.dir, b.dir), cmp.Compare(a.index, b.index))
	})
	for i := range late {
		q.printMessage(&late[i])
	}
	return q.Flush()
}

// shardSink takes what one shard finds out.
type shardSink struct {
	q     *Queue
	shard int
	now   uint64 // the packet being tracked
	at    uint64 // its place
	late  []message
	turns turns
	collected
}

// slot gives the slot of a frame that may still change, else nil. One worker prints a frame as
// soon as it waits for nothing, several print it later: so that both print the same, a frame may
// change no more once one worker might have printed it.
func (k *shardSink) slot(frame uint64) *Slot {
	s, place := k.held(frame)
	if s == nil || k.isSettled(s, place) {
		return nil
	}
	return s
}

// held gives the slot of a frame that waits neither too long nor after too many bytes, and
// its place; nil when it is printed.
func (k *shardSink) held(frame uint64) (s *Slot, place uint64) {
	place = k.at
	if frame != k.now {
		place = k.q.place(frame)
	}
	if place == 0 || k.at-place >= HoldFrames || k.q.full(place, k.at) {
		return nil, 0
	}
	if s := k.q.at(place).slot; s != nil && s.Datagram.Frame == frame {
		return s, place
	}
	return nil, 0
}

// isSettled reports a slot that one worker may have printed before the packet at hand was
// tracked: it waited for nothing then.
func (k *shardSink) isSettled(s *Slot, place uint64) bool {
	if !s.decided || s.told == k.now || s.waits() {
		return false
	}
	return !k.q.Notes || k.at-place >= NoteFrames
}

// begin notes which packet is tracked.
func (k *shardSink) begin(frame uint64) { k.now, k.at = frame, k.q.place(frame) }

// Frame implements session.Sink.
func (k *shardSink) Frame(fr *dissect.Frame, c *session.Conn) {
	if s := k.slot(fr.Frame); s != nil {
		s.told = k.now
		s = s.part(fr.Part)
		fr.AckRTT = k.roundTrip(fr)
		s.take(fr, c)
		k.q.printer.Prepare(k.shard, s, fr)
	}
}

// roundTrip is the time since the latest of the frames that a frame acknowledges
// first, by the times of the capture, 0 when that is not known.
func (k *shardSink) roundTrip(fr *dissect.Frame) (ns int64) {
	if len(fr.Acks) == 0 || !fr.HasTime {
		return 0
	}
	s := k.slot(slices.Max(fr.Acks))
	if s == nil || !s.Datagram.HasTime || s.Datagram.Time > fr.Stamp() {
		return 0
	}
	return max(fr.Stamp()-s.Datagram.Time, 1)
}

// Acked implements session.Sink.
func (k *shardSink) Acked(at seq.Position, by uint64) {
	if s := k.slot(at.Frame); s != nil {
		s.told = k.now
		s = s.part(at.Part)
		if s.Frame.AckedIn == 0 {
			s.Frame.AckedIn = by
		}
		s.waiting = false
	}
}

// Message implements session.Sink.
func (k *shardSink) Message(m *session.Message) {
	head, tail := k.q.printer.PrepareMessage(k.shard, m)
	if head == nil {
		return
	}
	e := message{m.Conn, m.At, m.Dir, m.Index, head, tail}
	switch s := k.turn(m); {
	case s != nil:
		s.Messages = append(s.Messages, e)
	case k.q.endless:
		k.q.printMessage(&e)
	default:
		k.late = append(k.late, e)
	}
}

// Finding implements session.Sink: a finding about an earlier frame becomes a
// note there.
func (k *shardSink) Finding(f *session.Finding) {
	k.collected.Finding(f)
	if !f.Failed() {
		return
	}
	if s := k.slot(f.Frame); s != nil && s.decided && k.at-k.q.place(f.Frame) < NoteFrames {
		s.Frame.Notes = append(s.Frame.Notes, dissect.Note{Rule: f.Rule.ID, Severity: f.Severity.String(), Message: f.Message})
	}
}
