package annotate

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/record"
)

// mostApart is how many bytes of fragments wait for the rest of their datagrams, of which it
// is not known yet to which connection they belong.
const mostApart = 4 << 20

// A Split is a Printer that writes each packet to one of several files: by its connection, or
// by its time. Nothing goes to the queue's output.
type Split struct {
	*Printer
	path   string        // of the files, without what tells them apart
	every  time.Duration // 0 is by connection
	out    *record.Parts
	conn   int                  // of the packet at hand, -1 for none
	latest string               // where the packet before was written
	counts map[string]*numbered // by path
	buf    []byte
	apart  []apart // fragments, oldest first
	bytes  int
}

// numbered is one of the files.
type numbered struct {
	file    uint32
	packets uint64
}

// apart are fragments of a datagram.
type apart struct {
	number  uint64
	blocks  []byte
	packets uint64
}

// NewSplit makes a Split of a Printer: by connection, or where every is not 0 by intervals
// that begin at its multiples since 1970.
func NewSplit(p *Printer, path string, every time.Duration, out *record.Parts) *Split {
	p.here = new(places)
	s := &Split{Printer: p, path: path, every: every, out: out, counts: map[string]*numbered{}}
	out.Leave = func() error { return s.release(0) } // fragments refer to the interfaces of their own section
	s.latest = s.part("other")
	return s
}

// part is the path of one of the files.
func (s *Split) part(name string) string {
	ext := filepath.Ext(s.path)
	return strings.TrimSuffix(s.path, ext) + "-" + name + ext
}

// Print implements pipeline.Printer.
func (s *Split) Print(dst []byte, slot *pipeline.Slot) []byte {
	if s.more == 0 {
		s.conn = -1
	}
	if slot.Frame.Connection >= 0 {
		s.conn = slot.Frame.Connection
	}
	if s.take(slot) {
		s.err = s.route(slot)
	}
	return dst
}

// route writes a packet where it belongs.
func (s *Split) route(slot *pipeline.Slot) error {
	path, before := s.place(slot), s.written
	in := s.of(path)
	s.here.file = in.file
	if s.buf = s.write(s.buf[:0]); s.err != nil {
		return s.err
	}
	packets, err := s.out.Take(s.buf)
	if err != nil || len(packets) == 0 {
		return err
	}
	if s.every == 0 && !s.whole && slot.Assembly != 0 {
		s.hold(slot.Assembly, packets, s.written-before)
		return s.release(mostApart)
	}
	s.latest = path
	kept := s.kept(slot.Assembly)
	in.packets += kept.packets + s.written - before
	s.here.add(s.frame, in.packets)
	return s.out.Write(path, append(kept.blocks, packets...))
}

// of is the file of a path.
func (s *Split) of(path string) *numbered {
	in := s.counts[path]
	if in == nil {
		in = &numbered{file: uint32(len(s.counts))}
		s.counts[path] = in
	}
	return in
}

// place is the path of the file for a packet.
func (s *Split) place(slot *pipeline.Slot) string {
	switch d := &slot.Datagram; {
	case s.every == 0 && s.conn >= 0:
		return s.part(fmt.Sprintf("c%d", s.conn))
	case s.every == 0:
		return s.part("other")
	case !d.HasTime: // it follows the one before it
		return s.latest
	default:
		return s.part(s.begin(d.Time).Format("20060102T150405.999999999Z"))
	}
}

// begin is when the interval of a time begins.
func (s *Split) begin(ns int64) time.Time {
	rest := ns % int64(s.every)
	if rest < 0 {
		rest += int64(s.every)
	}
	return time.Unix(0, ns-rest).UTC()
}

// hold keeps fragments until their datagram is whole.
func (s *Split) hold(number uint64, blocks []byte, packets uint64) {
	s.bytes += len(blocks)
	for i := range s.apart {
		if a := &s.apart[i]; a.number == number {
			a.blocks, a.packets = append(a.blocks, blocks...), a.packets+packets
			return
		}
	}
	s.apart = append(s.apart, apart{number, append([]byte(nil), blocks...), packets})
}

// kept gives the fragments of a datagram.
func (s *Split) kept(number uint64) apart {
	for i, a := range s.apart {
		if a.number == number {
			s.bytes -= len(a.blocks)
			s.apart = append(s.apart[:i], s.apart[i+1:]...)
			return a
		}
	}
	return apart{}
}

// release writes fragments whose datagram does not become whole to where packets of no
// connection are, the oldest first, until so many bytes are left.
func (s *Split) release(most int) error {
	for s.bytes > most {
		a, path := s.kept(s.apart[0].number), s.part("other")
		s.of(path).packets += a.packets
		if err := s.out.Write(path, a.blocks); err != nil {
			return err
		}
	}
	return nil
}

// End writes what waits, and gives the files. Blocks after the last packet are left out.
func (s *Split) End(src *capture.Source, err error) ([]string, error) {
	s.Finish(nil, src)
	if err == nil {
		err = s.release(0)
	}
	err = s.out.Close(err)
	return s.out.Paths(), err
}
