package capture

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// A feeder reads an input of which nobody knows when more comes: a pipe, or a file
// that grows. A goroutine of its own does it, because reading may wait for ever, and
// hands over the packets it has whenever it must wait for bytes.
type feeder struct {
	path   string
	ready  chan<- struct{} // is told that there is something new
	size   int             // of the window
	most   Expansion
	blocks bool  // records have their blocks
	pace   *pace // packets wait for their time, nil where they come as they are read

	mu       sync.Mutex
	room     *sync.Cond     // batches were taken, or nobody wants more
	batches  []*packetBatch // to be taken
	empty    []*packetBatch // to be filled again
	kind     kind
	err      error     // why no more comes; valid when ended
	trailing []byte    // blocks after the last packet; valid when ended, as is lost
	lost     uint64    // blocks for which there was no room
	ended    bool      // no batch comes any more
	stopped  bool      // what is there is wanted still, and nothing after it
	closed   bool      // nothing is wanted any more
	starves  time.Time // since when it waits for bytes, zero when it does not
	traffic  traffic

	making *packetBatch // in the goroutine

	taking *packetBatch // in the caller's
	next   int          // packet of it
	seen   kind         // as of the last call of Next
	drops  uint64
	known  bool // drops
	span   Span // see Reader.Listened
}

// kind is what is known of an input from its header.
type kind struct {
	format, compression string
	header              fileHeader
	declared            bool // header: the file is pcap
}

// A packetBatch is packets one after the other.
type packetBatch struct {
	data    []byte
	packets []batchedPacket
	drops   uint64 // that the input's statistics tell, after all packets
	known   bool   // drops
	span    Span   // see Reader.Listened
}

// A batchedPacket packet has no bytes of its own.
type batchedPacket struct {
	rec   Record // Data, Block and Before are nil
	end   int    // of its bytes in data: blocks before it, then its block or what it holds
	lead  int    // bytes of the blocks before it
	size  int    // of Data
	block bool   // it has one
	drops uint64 // that the statistics in front of it tell
	known bool   // drops
}

// What a batch holds at most, if it is not a single packet, and how many wait.
const (
	feedBytes   = 1 << 20
	feedPackets = 1 << 12
	maxBatches  = 4
)

// errNone says that there is nothing now, and may be later.
var errNone = errors.New("nothing yet")

// newFeeder begins to read what open opens; grows says that its end is not the end.
func newFeeder(path string, size int, o Options, open func() (io.Reader, error), grows bool, ready chan<- struct{}) *feeder {
	f := &feeder{path: path, size: size, most: o.Expansion, blocks: o.Blocks, ready: ready, making: new(packetBatch)}
	if o.Pace {
		f.pace = new(pace)
	}
	f.room = sync.NewCond(&f.mu)
	f.starves = time.Now() // also while a pipe waits for its writer
	go f.run(open, grows)
	return f
}

// run reads to the end, or until nobody wants more.
func (f *feeder) run(open func() (io.Reader, error), grows bool) {
	r, err := open()
	if err == nil {
		src := &source{f: f, r: r, grows: grows}
		if err = f.read(src); src.left {
			err = io.EOF // in the middle of a packet, or before the first
		}
	}
	if file, ok := r.(*os.File); ok && f.path != "-" {
		file.Close()
	}
	f.publish()
	f.mu.Lock()
	f.ended, f.err = true, err
	f.mu.Unlock()
	f.tell()
}

func (f *feeder) read(src *source) error {
	rd, err := newReader(src, f.size, f.most, f.blocks)
	f.mu.Lock()
	f.kind = kind{rd.Format(), rd.Compression(), rd.header, err == nil && rd.Format() == "pcap"}
	f.mu.Unlock()
	defer rd.Close()
	var rec Record
	for err == nil {
		if err = rd.Next(&rec); err != nil {
			break
		}
		if f.pace != nil && rec.HasTime && !f.await(f.pace.due(rec.Time)) {
			return io.EOF
		}
		f.put(rd, &rec)
		if f.full() && !f.publish() {
			return io.EOF
		}
	}
	f.making.drops, f.making.known = rd.Dropped()
	f.making.span = rd.Listened()
	f.mu.Lock()
	f.trailing, f.lost = rd.rest()
	f.mu.Unlock()
	return err
}

// put adds a packet to the batch that is made.
func (f *feeder) put(rd *Reader, rec *Record) {
	p := f.making
	e := batchedPacket{rec: *rec, lead: len(rec.Before), size: len(rec.Data), block: rec.Block != nil}
	if rec.Block == nil {
		p.data = append(p.data, rec.Data...)
	} else {
		p.data = append(append(p.data, rec.Before...), rec.Block...)
	}
	e.end = len(p.data)
	e.rec.Data, e.rec.Block, e.rec.Before = nil, nil, nil
	e.rec.Comments = append([]string(nil), rec.Comments...)
	e.drops, e.known = rd.Dropped()
	p.packets = append(p.packets, e)
}

func (f *feeder) full() bool {
	return len(f.making.packets) >= feedPackets || len(f.making.data) >= feedBytes
}

// publish hands over the batch that is made. It waits while too many wait to be
// taken, and reports false when nobody wants more.
func (f *feeder) publish() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.batches) >= maxBatches && !f.closed {
		f.room.Wait()
	}
	if f.closed {
		return false
	}
	if p := f.making; len(p.packets) > 0 || p.known {
		f.batches = append(f.batches, p)
		if n := len(f.empty); n > 0 {
			f.making, f.empty = f.empty[n-1], f.empty[:n-1]
		} else {
			f.making = new(packetBatch)
		}
		f.tell()
	}
	return true
}

// tell wakes who waits for packets.
func (f *feeder) tell() {
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

// Next gives the next packet that was handed over. The error is errNone when there
// is none now, and as that of Reader.Next at the end.
func (f *feeder) Next(rec *Record) error {
	for f.taking == nil || f.next == len(f.taking.packets) {
		if err := f.take(); err != nil {
			return err
		}
	}
	p := f.taking
	e, start := &p.packets[f.next], 0
	if f.next > 0 {
		start = p.packets[f.next-1].end
	}
	f.next++
	*rec = e.rec
	e.point(rec, p.data[start:e.end:e.end])
	f.drops, f.known = e.drops, e.known
	return nil
}

// point points a record at its bytes.
func (e *batchedPacket) point(rec *Record, b []byte) {
	if e.block {
		rec.Before, rec.Block = b[:e.lead:e.lead], b[e.lead:]
		b = rec.Block[rec.at:]
	}
	rec.Data = b[:e.size:e.size]
}

// take gives back the batch at hand and takes the next.
func (f *feeder) take() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.taking; p != nil {
		if p.known {
			f.drops, f.known = p.drops, true
		}
		f.span = p.span
		*p = packetBatch{data: p.data[:0], packets: p.packets[:0]}
		f.empty, f.taking = append(f.empty, p), nil
	}
	f.seen = f.kind
	switch {
	case len(f.batches) > 0:
		f.taking, f.next = f.batches[0], 0
		f.batches = append(f.batches[:0], f.batches[1:]...)
		f.traffic.see(f.taking)
		f.room.Signal()
		return nil
	case f.ended:
		return f.err
	}
	return errNone
}

// Format, Compression, Dropped, Listened, head and rest are those of a Reader, as far as packets were taken.
func (f *feeder) Format() string           { return f.seen.format }
func (f *feeder) Compression() string      { return f.seen.compression }
func (f *feeder) Dropped() (uint64, bool)  { return f.drops, f.known }
func (f *feeder) Listened() Span           { return f.span }
func (f *feeder) head() (fileHeader, bool) { return f.seen.header, f.seen.declared }

func (f *feeder) rest() ([]byte, uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.ended {
		return nil, 0
	}
	return f.trailing, f.lost
}

// declare notes the link type in the header of a pcap file, once it is known.
func (f *feeder) declare(u *linkUse) {
	if f.seen.declared && len(u.seen) == 0 {
		u.declare(f.seen.header.link)
	}
}

// Close says that nothing more is wanted. The goroutine ends as soon as it has
// something to read.
func (f *feeder) Close() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.room.Broadcast()
}

// stop says that only what is there is wanted: a file that grows ends where it ends
// now.
func (f *feeder) stop() {
	f.mu.Lock()
	f.stopped = true
	f.mu.Unlock()
}

// starving is for how long it has waited for bytes, 0 when it does not.
func (f *feeder) starving(now time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.starves.IsZero() || len(f.batches) > 0 {
		return 0
	}
	return max(0, now.Sub(f.starves))
}

// bulk reports that its packets come as from a file, not as they happen.
func (f *feeder) bulk() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.pace == nil && f.traffic.bulk()
}

// recent reports that its latest packet was captured a moment before it came, or comes as if
// it were.
func (f *feeder) recent() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.pace != nil || f.traffic.recent
}
