package capture

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
)

// Options of Open. The zero value reads everything.
type Options struct {
	MaxPackets uint64    // stop after so many packets, 0 for no limit
	Stdin      io.Reader // what "-" reads, os.Stdin when nil
}

// A Source gives the packets of several inputs as one capture, merged by time.
// Packets of equal time keep the order of the inputs as given; those without a
// time follow the packet before them in their file. Packets of one input are
// never reordered. It is not safe for concurrent use, Progress excepted.
type Source struct {
	inputs  []*input
	heap    []*input // those with a packet at the head, the next one first
	opts    Options
	pkt     Packet
	dec     Decoder
	totals  Totals
	dropped uint64 // packets the inputs say they lost, so far
	given   bool   // the head of heap[0] was given and must make room
	done    atomic.Int64
	total   atomic.Int64
	started bool
}

// manyInputs is where windows become small, so that memory does not follow the
// number of inputs.
const manyInputs = 16

// Open opens the inputs, "-" being standard input. The error is one of usage:
// no input, or standard input twice. Files that can't be read are told by Infos.
func Open(paths []string, opts Options) (*Source, error) {
	if len(paths) == 0 {
		return nil, errors.New("no input given")
	}
	if opts.Stdin == nil {
		opts.Stdin = os.Stdin
	}
	stdins := 0
	for _, p := range paths {
		if p == "-" {
			stdins++
		}
	}
	if stdins > 1 {
		return nil, errors.New("standard input (-) is given more than once")
	}
	size := windowSize
	if len(paths) > manyInputs {
		size = smallWindow
	}
	s := &Source{opts: opts}
	for i, p := range paths {
		s.inputs = append(s.inputs, openInput(p, i, size, opts.Stdin, &s.done, &s.total))
	}
	return s, nil
}

// Next gives the next packet, numbered from 1. The packet and what it refers to
// are valid until the next call. It reports false at the end of all inputs.
func (s *Source) Next() (*Packet, bool) {
	if s.opts.MaxPackets != 0 && s.totals.Packets >= s.opts.MaxPackets {
		return nil, false
	}
	if !s.started {
		s.start()
	} else if s.given {
		s.advance()
	}
	if len(s.heap) == 0 {
		return nil, false
	}
	in := s.heap[0]
	s.given = true
	in.given()
	s.dec.Decode(&in.rec, &s.pkt)
	s.pkt.Frame, s.pkt.File = s.totals.Packets+1, in.index
	s.pkt.Dropped = s.declaredDrops(in)
	s.totals.count(&s.pkt)
	return &s.pkt, true
}

// declaredDrops is how many packets the inputs say they lost up to the packet at
// hand: by the counts at packets, or by the statistics of the interfaces when they
// say more.
func (s *Source) declaredDrops(in *input) uint64 {
	if in.rec.HasDrops {
		in.drops += in.rec.Drops
	}
	said, _ := in.reader.Dropped()
	if now := max(in.drops, said); now > in.declared {
		s.dropped += now - in.declared
		in.declared = now
	}
	return s.dropped
}

// start brings the first packet of every input to its head.
func (s *Source) start() {
	s.started = true
	for _, in := range s.inputs {
		if in.advance() {
			s.heap = append(s.heap, in)
		}
	}
	for i := len(s.heap)/2 - 1; i >= 0; i-- {
		s.sink(i)
	}
}

// advance replaces the packet that was given by the next one of its input.
func (s *Source) advance() {
	s.given = false
	if !s.heap[0].advance() {
		last := len(s.heap) - 1
		s.heap[0] = s.heap[last]
		s.heap = s.heap[:last]
	}
	if len(s.heap) > 1 {
		s.sink(0)
	}
}

// sink restores the order of the heap below i.
func (s *Source) sink(i int) {
	for {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(s.heap); c++ {
			if before(s.heap[c], s.heap[least]) {
				least = c
			}
		}
		if least == i {
			return
		}
		s.heap[i], s.heap[least] = s.heap[least], s.heap[i]
		i = least
	}
}

func before(a, b *input) bool {
	return a.key < b.key || a.key == b.key && a.index < b.index
}

// Infos describes the inputs, in the order given, as far as they were read.
func (s *Source) Infos() []Info {
	infos := make([]Info, len(s.inputs))
	for i, in := range s.inputs {
		infos[i] = in.info()
	}
	return infos
}

// Totals counts the packets given so far.
func (s *Source) Totals() Totals { return s.totals }

// Progress is how many bytes of the regular files among the inputs were read,
// and how many there are. It may be called from another goroutine.
func (s *Source) Progress() (done, total int64) { return s.done.Load(), s.total.Load() }

// Close closes all files. Infos and Totals stay good.
func (s *Source) Close() error {
	for _, in := range s.inputs {
		in.close()
	}
	s.heap, s.started, s.given = nil, true, false
	return nil
}
