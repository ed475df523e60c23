package record

import (
	"encoding/binary"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// What KeepOptions leave open, and what they can't change.
const (
	DefaultKeepBytes = 64 << 20
	keepChunk        = 512 << 10 // holds the largest packet
	keepHead         = 48
)

// KeepOptions bound what a Keep holds.
type KeepOptions struct {
	Duration time.Duration // by the times of packets; 0 for no limit
	MaxBytes int64         // memory for packets, 0 for DefaultKeepBytes; two chunks of 512 KiB at least
}

// KeepCounters say what a Keep holds and what did not stay in it.
type KeepCounters struct {
	Packets  uint64 // held
	Bytes    int64  // of memory they take, with what is held about each
	Expired  uint64 // packets older than Duration, dropped
	Pushed   uint64 // packets that were young enough, but had to make room
	Comments uint64 // held
	Unkept   uint64 // comments for packets not held any more, or too many of them
}

// A Keep is the memory of a flight recorder: the packets of the last seconds, the
// oldest going first. They lie one after the other in large chunks, each after a
// head of what a Record says; chunks that become empty are used again. It is not safe
// for concurrent use.
type Keep struct {
	opts   KeepOptions
	chunks []*chunk // oldest first
	free   []*chunk
	limit  int // of chunks, those free included
	notes  notes
	count  KeepCounters
	oldest uint64 // frame of the first packet held
	newest uint64 // and of the last
	time   int64  // of the newest packet that has one; others go with the one before them
	rec    capture.Record
}

// A chunk holds packets from start to end.
type chunk struct {
	data       []byte
	start, end int
}

// NewKeep makes an empty one. Memory is taken as packets come.
func NewKeep(o KeepOptions) *Keep {
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultKeepBytes
	}
	return &Keep{opts: o, limit: int(max(2, o.MaxBytes/keepChunk))}
}

// Add copies a packet and lets go of those that are too old beside it. Frames must
// rise. What is larger than capture.MaxPacket is not kept, and counted as Pushed.
func (k *Keep) Add(rec *capture.Record, frame uint64) {
	if len(rec.Data) > capture.MaxPacket {
		k.count.Pushed++
		return
	}
	size := keepHead + len(rec.Data)
	c := k.room(size)
	b := c.data[c.end : c.end+size]
	c.end += size
	if rec.HasTime {
		k.time = rec.Time
	}
	putHead(b, rec, frame, k.time)
	copy(b[keepHead:], rec.Data)
	if k.count.Packets == 0 {
		k.oldest = frame
	}
	k.newest = frame
	k.count.Packets++
	k.count.Bytes += int64(size)
	if rec.HasTime && k.opts.Duration > 0 {
		k.expire(rec.Time - int64(k.opts.Duration))
	}
}

// Comment attaches a text to a packet that is held, and reports whether it did.
// Texts and their number are bounded.
func (k *Keep) Comment(frame uint64, text string) bool {
	if k.count.Packets == 0 || frame < k.oldest || frame > k.newest || !k.notes.add(frame, text) {
		k.count.Unkept++
		return false
	}
	return true
}

// Dump writes what is held, oldest first, with the comments, and keeps it. It gives
// how many packets were written; w's first error ends it.
func (k *Keep) Dump(w interface {
	Write(rec *capture.Record) error
}) (packets int, err error) {
	rest := k.notes.list
	for _, c := range k.chunks {
		for at := c.start; at < c.end; packets++ {
			frame, size := k.read(c.data[at:])
			k.rec.Comments, rest = notesOf(frame, rest, k.rec.Comments[:0])
			if err := w.Write(&k.rec); err != nil {
				return packets, err
			}
			at += size
		}
	}
	return packets, nil
}

// Clear forgets packets and comments, so that the next Dump does not repeat them.
func (k *Keep) Clear() {
	for _, c := range k.chunks {
		k.release(c)
	}
	k.chunks = k.chunks[:0]
	k.notes.list = nil
	k.count.Packets, k.count.Bytes = 0, 0
}

// Counters are what is held and what is not.
func (k *Keep) Counters() KeepCounters {
	c := k.count
	c.Comments = uint64(len(k.notes.list))
	return c
}

// room gives the newest chunk with room for so many bytes.
func (k *Keep) room(size int) *chunk {
	if n := len(k.chunks); n > 0 && keepChunk-k.chunks[n-1].end >= size {
		return k.chunks[n-1]
	}
	if len(k.free) == 0 && len(k.chunks) >= k.limit {
		for n := len(k.chunks); n == len(k.chunks); {
			k.count.Pushed++
			k.drop()
		}
	}
	c := &chunk{}
	if n := len(k.free); n > 0 {
		c, k.free = k.free[n-1], k.free[:n-1]
	} else {
		c.data = make([]byte, keepChunk)
	}
	k.chunks = append(k.chunks, c)
	return c
}

// expire lets go of the oldest packets as long as they are from before a time.
func (k *Keep) expire(before int64) {
	for k.count.Packets > 1 && headTime(k.chunks[0].data[k.chunks[0].start:]) < before {
		k.count.Expired++
		k.drop()
	}
}

// drop forgets the oldest packet of several.
func (k *Keep) drop() {
	c := k.chunks[0]
	size := headSize(c.data[c.start:])
	c.start += size
	k.count.Packets--
	k.count.Bytes -= int64(size)
	if c.start == c.end {
		k.release(c)
		copy(k.chunks, k.chunks[1:])
		k.chunks = k.chunks[:len(k.chunks)-1]
	}
	if len(k.chunks) > 0 {
		k.oldest = headFrame(k.chunks[0].data[k.chunks[0].start:])
		k.notes.forget(k.oldest)
	}
}

func (k *Keep) release(c *chunk) {
	c.start, c.end = 0, 0
	k.free = append(k.free, c)
}

// Flags of a head.
const (
	keptTime = 1 << iota
	keptOutbound
	keptDrops
)

// putHead writes what a Record says beside its bytes:
//
//	 0      8       16      24      28        32     36          40     44
//	+-------+-------+-------+-------+---------+------+-----------+------+-------+
//	| frame | time  | drops | size  | wirelen | link | interface | flags| spare |
//	+-------+-------+-------+-------+---------+------+-----------+------+-------+
func putHead(b []byte, rec *capture.Record, frame uint64, time int64) {
	_ = b[keepHead-1]
	flags := uint32(0)
	if rec.HasTime {
		flags |= keptTime
	}
	if rec.Outbound {
		flags |= keptOutbound
	}
	if rec.HasDrops {
		flags |= keptDrops
	}
	le := binary.LittleEndian
	le.PutUint64(b, frame)
	le.PutUint64(b[8:], uint64(time))
	le.PutUint64(b[16:], rec.Drops)
	le.PutUint32(b[24:], uint32(keepHead+len(rec.Data)))
	le.PutUint32(b[28:], uint32(rec.WireLen))
	le.PutUint32(b[32:], uint32(rec.Link))
	le.PutUint32(b[36:], uint32(rec.Interface))
	le.PutUint32(b[40:], flags)
}

func headFrame(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }
func headTime(b []byte) int64   { return int64(binary.LittleEndian.Uint64(b[8:])) }
func headSize(b []byte) int     { return int(binary.LittleEndian.Uint32(b[24:])) }

// read fills the record with the packet that b begins with, all but its comments.
func (k *Keep) read(b []byte) (frame uint64, size int) {
	le := binary.LittleEndian
	size = headSize(b)
	flags := le.Uint32(b[40:])
	k.rec = capture.Record{
		Data: b[keepHead:size:size], WireLen: int(le.Uint32(b[28:])), HasTime: flags&keptTime != 0,
		Outbound: flags&keptOutbound != 0, HasDrops: flags&keptDrops != 0, Drops: le.Uint64(b[16:]),
		Link: capture.LinkType(le.Uint32(b[32:])), Interface: int(le.Uint32(b[36:])), Comments: k.rec.Comments,
	}
	if k.rec.HasTime {
		k.rec.Time = headTime(b)
	}
	return headFrame(b), size
}
