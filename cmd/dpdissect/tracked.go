package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/flight"
	"github.com/dpdissect/dpdissect/internal/inputs"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/session"
)

// recordWait lets a packet that -Y is to judge wait for what later
// ones tell of it.
const recordWait = 2 * time.Second

// errFull ends a run whose file has the size that was asked for.
var errFull = errors.New("the file is full")

// A trackedRecording follows connections on the way: to write what a display filter
// matches, and for the flight recorder. It stands where a printer does, because
// filters may ask for what later packets tell, and prints nothing.
type trackedRecording struct {
	pipeline.NoMessages

	*recording
	run     pipeline.Run
	display pipeline.Display
	waiting packetQueue      // those -Y has not judged yet
	flight  *flight.Recorder // nil without --on
	watch   *pipeline.Watch
	fresh   func() []session.Finding
	forget  func(gone map[*session.Conn]bool)
	finish  func() error
	err     error // of writing
}

func (c *captureCommand) runTracked(k *recording, stderr io.Writer) error {
	t := &trackedRecording{recording: k}
	c.tracker.Endings = c.trigger != nil // dumps say how connections ended
	t.run = pipeline.Run{Source: k.src, Config: c.tracker, Workers: 1, Before: t.before}
	t.attach(c)
	t.watch = pipeline.NewWatch(&t.run)
	t.watch.Forget = t.forget
	t.watch.Every(time.Second, t.tick)
	if c.trigger != nil {
		t.flight = flight.New(flight.Options{
			Trigger: c.trigger, Keep: time.Duration(c.keep), File: c.options, Retain: c.dumps,
			Tell: func(line string) { k.line.clear(); fmt.Fprintln(stderr, printable(line)) },
		})
		t.watch.Every(time.Second, t.look)
	}
	err := cmp.Or(t.run.Do(), t.finish())
	if errors.Is(err, errFull) {
		err = nil
	}
	if t.flight != nil {
		t.look(time.Now())
		t.flight.Close(time.Now())
	}
	return cmp.Or(inputs.TellInternal(tellOn(stderr), t.run.Internal()), err)
}

// attach makes findings arrive, and with -Y frames in the order of the capture.
func (t *trackedRecording) attach(c *captureCommand) {
	t.display.Filter = c.show
	t.finish = func() error { return t.err }
	after := func(uint64) error { return nil }
	if c.show != nil {
		t.display.Configure(&t.run.Config)
		q := pipeline.NewQueue(io.Discard, t)
		q.Attach(&t.run)
		q.PrintWithin(&t.run, recordWait)
		t.fresh, t.forget = q.Fresh, q.Forget
		t.finish = func() error { return cmp.Or(q.Finish(), t.err) }
		after = t.run.After
	} else {
		f := new(pipeline.Findings)
		f.Watch(true)
		f.Attach(&t.run)
		t.fresh, t.forget = f.Fresh, f.Forget
	}
	t.run.After = func(frame uint64) error { return cmp.Or(after(frame), t.err) }
}

// before takes a packet before it is tracked.
func (t *trackedRecording) before(p *capture.Packet) {
	p.Record.Interface = p.File
	if t.flight != nil {
		t.flight.Add(p.Record, p.Frame)
	}
	if t.display.Filter != nil {
		t.waiting.push(p.Record)
	} else {
		t.put(p.Record)
	}
}

// put writes a packet; what goes wrong ends the run.
func (t *trackedRecording) put(rec *capture.Record) {
	if t.err == nil {
		t.err = t.write(rec)
	}
	if t.err == nil && t.full() {
		t.err = errFull
	}
}

// look lets the flight recorder judge.
func (t *trackedRecording) look(now time.Time) error {
	totals := flight.Totals{Dropped: t.src.Dropped()}
	_, totals.Malformed, _ = t.run.Decoded()
	t.flight.Look(now, totals, t.watch.Record(), t.fresh())
	return nil
}

// Prepare implements pipeline.Printer.
func (t *trackedRecording) Prepare(_ int, slot *pipeline.Slot, fr *dissect.Frame) {
	t.display.Prepare(slot, fr)
}

// Print implements pipeline.Printer: it is called for every packet, in order, and
// again for each further datagram that the packet was taken apart into.
func (t *trackedRecording) Print(dst []byte, slot *pipeline.Slot) []byte {
	if slot.Datagram.Part > 0 {
		return dst
	}
	rec := t.waiting.pop()
	if t.display.DecideAny(slot) {
		t.put(rec)
	} else {
		t.out.Skip(rec)
	}
	return dst
}

// A packetQueue holds copies of packets, first in, first out. Their memory is used
// again.
type packetQueue struct {
	ring  []capture.Record
	first int
	n     int
}

func (q *packetQueue) push(rec *capture.Record) {
	if q.n == len(q.ring) {
		q.grow()
	}
	at := &q.ring[(q.first+q.n)%len(q.ring)]
	data := append(at.Data[:0], rec.Data...)
	*at = *rec
	at.Data = data
	q.n++
}

// grow makes room for twice as many.
func (q *packetQueue) grow() {
	ring := make([]capture.Record, max(64, 2*len(q.ring)))
	for i := range q.n {
		ring[i] = q.ring[(q.first+i)%len(q.ring)]
	}
	q.ring, q.first = ring, 0
}

// pop gives the oldest packet, which is valid until the next push.
func (q *packetQueue) pop() *capture.Record {
	rec := &q.ring[q.first]
	q.first = (q.first + 1) % len(q.ring)
	q.n--
	return rec
}
