package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/outfile"
)

// ringName is a file of a ring as tshark names them: its number and when it began,
// in local time, between the base of the name and its extension.
func ringName(n name, number int, start time.Time) string {
	return fmt.Sprintf("%s_%05d_%s%s%s", n.base, number, start.Local().Format("20060102150405"), n.ext, n.suffix)
}

// begin makes the next file. Its header reaches the disk at once.
func (r *Recorder) begin(start time.Time) error {
	path := r.opts.Path
	if r.opts.Ring.on() {
		if err := r.ringPlace(); err != nil {
			return err
		}
		path = ringName(r.name, r.count.Files+1, start)
		r.count.Deleted += r.opts.Ring.Keep.MakeRoom(Numbered(r.name.base, r.name.ext+r.name.suffix), filepath.Dir(path), r.opts.Ring.FileSize)
	}
	out, err := r.open(path)
	if err != nil {
		return r.stop(&Error{Path: path, Before: r.before, Err: err})
	}
	w, err := capture.NewWriter(out, r.writerOptions(r.buffer()))
	if err != nil {
		out.cut()
		return r.stop(&Error{Path: path, Before: r.before, Err: err})
	}
	out.written = w.Written
	r.out, r.w, r.inFile = out, w, 0
	r.path = path
	r.count.Files++
	if err := r.flush(); err != nil {
		return err
	}
	if err := out.place(); err != nil {
		return r.fail(err)
	}
	return nil
}

func (r *Recorder) buffer() int {
	if r.pack != nil {
		return packedBuffer
	}
	return plainBuffer
}

// ringPlace refuses a name that is something else already, before the first file.
func (r *Recorder) ringPlace() error {
	if r.count.Files > 0 {
		return nil
	}
	st, err := os.Stat(r.opts.Path)
	switch {
	case err != nil:
	case st.IsDir():
		return r.stop(&Error{Path: r.opts.Path, Err: outfile.ErrFolder})
	case !st.Mode().IsRegular():
		return r.stop(&Error{Path: r.opts.Path, Err: errors.New("is a device: a ring of files needs the name of a file")})
	}
	return nil
}

// seen notes the time of a packet that is to be written, and ends the file before it
// when its time is over.
func (r *Recorder) seen(rec *capture.Record) error {
	r.last, r.newest = max(r.last, rec.Time), max(r.newest, rec.Time)
	r.rewind(rec.Time)
	if r.over(rec.Time) {
		if err := r.finish(false); err != nil {
			return err
		}
	}
	if r.out == nil || !r.based || r.inFile == 0 && r.late(rec.Time) {
		r.base, r.based = rec.Time, true
	}
	return nil
}

// over reports whether a file that holds packets must end at a time.
func (r *Recorder) over(t int64) bool { return r.out != nil && r.inFile > 0 && r.late(t) }

// late reports whether a time is beyond that of the file.
func (r *Recorder) late(t int64) bool {
	d, i := int64(r.opts.Ring.Duration), int64(r.opts.Ring.Interval)
	return d > 0 && t-r.base >= d || i > 0 && t/i > r.base/i
}

// rewind counts the file's time again when the clock was set back by more than the
// file may last: else it would grow until the clock is where it was.
func (r *Recorder) rewind(t int64) {
	if d := int64(max(r.opts.Ring.Duration, r.opts.Ring.Interval)); d > 0 && r.base-t >= d {
		r.base, r.last, r.newest = t, t, t
	}
}

// full reports whether the packet just written was the last of the file.
func (r *Recorder) full() bool {
	g := &r.opts.Ring
	return g.Packets > 0 && r.inFile >= g.Packets || g.FileSize > 0 && r.size() >= g.FileSize
}

// finish ends the current file with its statistics. final says that no file will
// follow.
func (r *Recorder) finish(final bool) error {
	if err := r.statistics(final); err != nil {
		return r.failed(err)
	}
	if err := r.flush(); err != nil {
		return err
	}
	out := r.out
	if err := out.close(); err != nil {
		return r.fail(err)
	}
	r.before += r.inFile
	r.closed += out.size
	r.out, r.w, r.inFile = nil, nil, 0
	if r.opts.Closed != nil {
		r.opts.Closed(out.path)
	}
	return nil
}

// flushOlder flushes when the last time is so long ago.
func (r *Recorder) flushOlder(age time.Duration) error {
	if r.err != nil || r.out == nil || r.w.Buffered() == 0 {
		return r.err
	}
	if age > 0 && r.now().Sub(r.flushed) < age {
		return nil
	}
	return r.flush()
}

func (r *Recorder) flush() error {
	r.flushed = r.now()
	if err := r.w.Flush(); err != nil {
		return r.fail(err)
	}
	return nil
}

// failed tells an error of a packet from one of the disk.
func (r *Recorder) failed(err error) error {
	if r.w.Err() != nil {
		return r.fail(r.w.Err())
	}
	return fmt.Errorf("%s: %w", r.out.path, err)
}

// fail ends recording: the file keeps its whole records.
func (r *Recorder) fail(err error) error {
	path, kept := r.out.path, r.out.cut()
	r.count.Packets = r.before + kept
	r.closed += r.out.size
	if r.opts.Ring.on() && r.out.regular && r.out.size == 0 {
		os.Remove(path) // not even its header is there: it is no capture
	}
	r.out, r.w = nil, nil
	return r.stop(&Error{Path: path, Packets: kept, Before: r.before, Err: err})
}

func (r *Recorder) stop(err error) error {
	r.err = err
	return err
}
