package record

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// Bytes collected before they reach the system, and how long they may wait for it
// when Tick or Flush are called.
const (
	plainBuffer  = 256 << 10
	packedBuffer = 128 << 10
	plainAge     = time.Second / 2
	packedAge    = time.Second
)

// Counters are what a Recorder did so far.
type Counters struct {
	Packets   uint64 // written; after an error those that are in the files
	Bytes     uint64 // captured bytes of packets written
	FileBytes int64  // of all files, deleted ones too, as they are on disk or will be
	Files     int    // begun
	Deleted   int    // by Ring.Keep, those of earlier runs too
}

// A Recorder writes packets to a file or a ring of files. It is not safe for
// concurrent use. The first error of the disk ends it and sticks.
type Recorder struct {
	opts    Options
	name    name
	now     func() time.Time
	pack    *packer
	out     *file           // nil between two files of a ring
	w       *capture.Writer // into out
	err     error
	tallies []tally // by interface
	rec     capture.Record

	count   Counters
	before  uint64    // packets in the files before this one
	closed  int64     // bytes of these
	inFile  uint64    // packets in this one
	base    int64     // when this file began, nanoseconds since 1970
	based   bool      // base is known
	last    int64     // newest time heard of
	newest  int64     // of a packet
	flushed time.Time // when bytes were handed on last
	path    string    // of the newest file
}

// Create makes the first file, so that what is wrong with its place is told before
// anything is captured. A file of that name is written over. The error is one of the
// options or of the system.
func Create(o Options) (*Recorder, error) {
	n, err := o.resolve()
	if err != nil {
		return nil, err
	}
	r := &Recorder{opts: o, name: n, now: time.Now}
	if err := r.interfaces(); err != nil {
		return nil, err
	}
	if r.pack, err = newPacker(o.Compress); err != nil {
		return nil, err
	}
	start := o.Start
	if start.IsZero() {
		start = time.Now()
	} else {
		r.base, r.based, r.last = start.UnixNano(), true, start.UnixNano()
	}
	if err := r.begin(start); err != nil {
		return nil, err
	}
	return r, nil
}

// Write records one packet. The error is sticky when it is an *Error; any other is
// of this packet alone, which the format can't hold.
func (r *Recorder) Write(rec *capture.Record) error {
	if r.err != nil {
		return r.err
	}
	if err := r.fits(rec); err != nil {
		return err
	}
	if rec.HasTime {
		if err := r.seen(rec); err != nil {
			return err
		}
	}
	if r.out == nil {
		if err := r.begin(r.started()); err != nil {
			return err
		}
	}
	t := &r.tallies[rec.Interface]
	if t.carried > 0 {
		r.rec = *rec
		r.rec.HasDrops, r.rec.Drops = true, rec.Drops+t.carried
		rec = &r.rec
	}
	if err := r.w.Write(rec); err != nil {
		return r.failed(err)
	}
	t.took(rec)
	r.inFile++
	r.count.Packets++
	r.count.Bytes += uint64(len(rec.Data))
	if r.full() {
		return r.finish(false)
	}
	return nil
}

// Skip tells of a packet that was captured but is not to be recorded. What it says
// of drops is told by the next packet of its interface.
func (r *Recorder) Skip(rec *capture.Record) {
	if i := rec.Interface; i >= 0 && i < len(r.tallies) {
		t := &r.tallies[i]
		t.taken++
		if rec.HasDrops {
			t.says, t.carried = true, t.carried+rec.Drops
		}
	}
}

// AddInterface describes a further interface and gives its index for Records.
func (r *Recorder) AddInterface(i capture.Interface) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	r.opts.describe(&i)
	r.opts.Interfaces = append(r.opts.Interfaces, i)
	if err := r.interfaces(); err != nil {
		r.opts.Interfaces = r.opts.Interfaces[:len(r.opts.Interfaces)-1]
		return 0, err
	}
	if r.out != nil && r.opts.Format == "pcapng" {
		if _, err := r.w.AddInterface(i); err != nil {
			return 0, r.failed(err)
		}
	}
	return len(r.opts.Interfaces) - 1, nil
}

// Flush hands on what is buffered: for when no packet waits. Of a compressed file
// it does so once a second at most, as short pieces compress badly.
func (r *Recorder) Flush() error {
	if r.opts.Compress != "" {
		return r.flushOlder(packedAge)
	}
	return r.flushOlder(0)
}

// Tick tells the time where packets may not come, at least twice a second: it ends
// a file whose time is over and hands on what has waited. A file without packets is
// not ended; the next one begins with the next packet.
func (r *Recorder) Tick(now time.Time) error {
	if r.err != nil {
		return r.err
	}
	t := now.UnixNano()
	r.last = max(r.last, t)
	r.rewind(t)
	if r.over(t) {
		return r.finish(false)
	}
	if r.opts.Compress != "" {
		return r.flushOlder(packedAge)
	}
	return r.flushOlder(plainAge)
}

// Close ends the file, with statistics. Drops that came after the last file of a
// ring was full make one more file, without packets. Nothing can be written after.
func (r *Recorder) Close() error {
	if r.err == errClosed {
		return nil
	}
	if r.err == nil && r.out == nil && r.untold() {
		r.base = r.last
		_ = r.begin(r.started()) // the error sticks
	}
	if r.err == nil && r.out != nil {
		_ = r.finish(true)
	}
	if r.err != nil {
		return r.err
	}
	r.err = errClosed
	return nil
}

var errClosed = errors.New("recording has ended")

// started is when the file began that is to be made.
func (r *Recorder) started() time.Time {
	if !r.based {
		return time.Now()
	}
	return time.Unix(0, r.base)
}

// Path is the file being written, or the one written last.
func (r *Recorder) Path() string {
	if r.path == "" {
		return r.opts.Path
	}
	return r.path
}

// Counters are what was done so far.
func (r *Recorder) Counters() Counters {
	c := r.count
	c.FileBytes = r.closed
	if r.out != nil {
		c.FileBytes += r.size()
	}
	return c
}

// size is that of the current file; of a compressed one without what is not
// compressed yet.
func (r *Recorder) size() int64 {
	if r.pack != nil {
		return r.out.size
	}
	return r.out.size + int64(r.w.Buffered())
}

// fits refuses a packet that would not be read as what it is.
func (r *Recorder) fits(rec *capture.Record) error {
	if rec.Interface < 0 || rec.Interface >= len(r.opts.Interfaces) {
		return fmt.Errorf("%s: packet of interface %d, there are %d", r.Path(), rec.Interface, len(r.opts.Interfaces))
	}
	if l := r.opts.Interfaces[rec.Interface].Link; rec.Link != l {
		if r.opts.Format == "pcap" {
			return r.twoLinks(l, rec.Link)
		}
		return fmt.Errorf("%s: packet with link layer %v, its interface has %v", r.Path(), rec.Link, l)
	}
	return nil
}

// interfaces refuses those that the format can't hold.
func (r *Recorder) interfaces() error {
	o := &r.opts
	if o.Format == "pcap" && len(o.Interfaces) == 0 {
		return fmt.Errorf("%s: pcap wants to know an interface from the start; take pcapng", o.Path)
	}
	if o.Format == "pcap" {
		for _, i := range o.Interfaces[1:] {
			if i.Link != o.Interfaces[0].Link {
				return r.twoLinks(o.Interfaces[0].Link, i.Link)
			}
		}
	}
	if _, err := capture.NewWriter(io.Discard, r.writerOptions(1)); err != nil {
		return fmt.Errorf("%s: %w", o.Path, err)
	}
	for len(r.tallies) < len(o.Interfaces) {
		r.tallies = append(r.tallies, tally{})
	}
	return nil
}

func (r *Recorder) twoLinks(a, b capture.LinkType) error {
	return fmt.Errorf("%s: pcap holds packets of one link type, here are %v and %v; take pcapng", r.opts.Path, a, b)
}

func (r *Recorder) writerOptions(buffer int) capture.WriterOptions {
	o := &r.opts
	w := capture.WriterOptions{
		Format: o.Format, Nanoseconds: o.Nanoseconds || o.Format == "pcapng", Interfaces: o.Interfaces,
		Application: o.Application, Hardware: o.Hardware, OS: o.OS, Comment: o.Comment, Buffer: buffer,
	}
	if o.Format == "pcap" {
		w.Interfaces = w.Interfaces[:1:1]
		for _, i := range o.Interfaces[1:] {
			if i.Snaplen == 0 || w.Interfaces[0].Snaplen != 0 && i.Snaplen > w.Interfaces[0].Snaplen {
				w.Interfaces = []capture.Interface{i}
			}
		}
	}
	return w
}

// open gives the file of a path.
func (r *Recorder) open(path string) (*file, error) {
	if path == "-" {
		w := r.opts.Stdout
		if w == nil {
			w = os.Stdout
		}
		if f, ok := w.(*os.File); ok {
			if err := r.opts.Guard.WritesTo("standard output", f); err != nil {
				return nil, err
			}
		}
		return newFile(path, w, nil, false, r.pack), nil
	}
	return openFile(path, r.opts.Ring.on(), r.opts.Guard, r.pack)
}
