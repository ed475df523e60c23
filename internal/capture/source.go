package capture

import (
	"io"
	"slices"
	"sync/atomic"
	"time"
)

// Options of Open. The zero value reads everything.
type Options struct {
	MaxPackets uint64    // stop after so many packets, 0 for no limit
	Filter     *Filter   // gives only packets that pass, nil for all
	Expansion  Expansion // what compressed inputs may expand to
	Stdin      io.Reader // what "-" reads, os.Stdin when nil
	Follow     bool      // regular files grow: their end is not the end
	Pace       bool      // packets come as their times say, the first at once
	Limits     Limits    // of sources that wait for packets
	Blocks     bool      // records have their blocks
	InOrder    bool      // inputs are given one after the other, whatever their times
}

// A Source gives the packets of several inputs, or of live interfaces, as one
// capture, in the order of time. It is not safe for concurrent use; Progress and
// Stop are.
type Source struct {
	inlet   inlet
	plain   *plainFile // the short way through the inlet, nil where there is none
	begun   bool       // the first packet was given
	max     uint64     // packets to give, 0 for no limit
	in      fed
	pkt     [1]Packet
	near    bool // see Near
	dec     Decoder
	totals  Totals
	dropped uint64 // packets the inputs say they lost, so far
	before  []Info // of the pieces before this one, see Continue
	grows   bool   // it is one file that is followed
	had     had    // what of it was given in the piece before
	done    atomic.Int64
	total   atomic.Int64
}

// An inlet is where packets come from.
type inlet interface {
	// next gives the next packet. It is valid until the next call. With wait set
	// there is none now, and the next call waits for one; false is the end.
	next(out *fed) (wait, ok bool)
	infos() []Info
	stop()
	wakeAt(time.Time)
	waitAtMost(time.Duration) time.Duration
	rest(file int) (blocks []byte, lost uint64)
	close()
}

// fed is one packet of an inlet.
type fed struct {
	rec   *Record
	frame uint64 // its number in the capture
	file  int    // index of the input
	drops uint64 // packets newly known to be lost before it
	near  bool   // the next packet is in memory already
}

// Next gives the next packet, numbered from 1. The packet and what it refers to
// are valid until the next call. It reports false at the end of all inputs. A source
// that waits for packets, as live ones do and those of pipes, gives a nil packet, and
// true, when none is there: there is time for what is not done for every packet, and
// the next call waits.
func (s *Source) Next() (*Packet, bool) {
	switch _, came := s.Read(s.pkt[:]); came {
	case Given:
		return &s.pkt[0], true
	case Nothing:
		return nil, true
	}
	return nil, false
}

// A Reading is what came of Read.
type Reading uint8

const (
	End     Reading = iota // of all inputs
	Nothing                // none is there now, of a source that waits for packets
	Given
)

// Read is Next into packets of the caller's, whose content is valid until the next call, and
// longer where Near reports so. It gives one, or more where they are at hand, and tells how many.
func (s *Source) Read(ps []Packet) (n int, came Reading) {
	if s.plain != nil {
		if n = s.plain.read(s, ps); n > 0 {
			return n, Given
		}
	}
	if came = s.readAny(&ps[0]); came == Given {
		n = 1
	}
	return n, came
}

// readAny is the general way of Read.
func (s *Source) readAny(p *Packet) Reading {
	in, ok := s.take()
	switch {
	case in != nil:
	case ok:
		return Nothing
	default:
		return End
	}
	s.dec.Decode(in.rec, p)
	s.dropped += in.drops
	p.Frame, p.File, p.Dropped = in.frame, len(s.before)+in.file, s.dropped
	s.near = in.near && !p.IsFragment // what is put together of fragments lies in a buffer that is used again
	s.totals.Count(p)
	if !s.begun && s.max == 0 {
		s.begun, s.plain = true, plainOf(s.inlet)
	}
	return Given
}

// Near reports that the next call of Read leaves the payload as it is that the last one
// gave. It may be so and not be reported.
func (s *Source) Near() bool { return s.near }

// NextRecord is Next for who wants packets as they are: they are not taken apart,
// and Totals counts nothing but them. Record.Interface is the index of the input. A
// nil Record is the nil packet of Next.
func (s *Source) NextRecord() (*Record, bool) {
	in, ok := s.take()
	if in == nil {
		return nil, ok
	}
	s.totals.Packets++
	in.rec.Interface = in.file
	return in.rec, true
}

// take gives the next packet of the inlet, nil when there is none now or, with false,
// none any more.
func (s *Source) take() (*fed, bool) {
	if s.max != 0 && s.totals.Packets >= s.max {
		return nil, false
	}
	for {
		s.in.drops = 0
		wait, ok := s.inlet.next(&s.in)
		if wait || !ok {
			return nil, ok
		}
		if !s.wasGiven() {
			return &s.in, true
		}
	}
}

// WithBlocks makes the packets of a live source have their blocks. Files need
// Options.Blocks.
func (s *Source) WithBlocks() {
	if l, ok := s.inlet.(*live); ok {
		for _, t := range l.taps {
			t.maker = newBlockMaker(t.Describe(), true)
		}
	}
}

// Heads gives, for each interface of a live source whose packets have blocks, those in front
// of all packets: who asks before the first packet need not wait for one. Packets give them
// no more then. It gives none for files.
func (s *Source) Heads() (all [][]byte) {
	if l, ok := s.inlet.(*live); ok {
		for _, t := range l.taps {
			if t.maker != nil {
				all = append(all, t.maker.begin())
			}
		}
	}
	return all
}

// Rest gives the blocks of an input after the last packet that was given, where
// Options.Blocks asks for them, and how many of its blocks there was no room for: those
// beyond 16 MiB between two packets. It is for the end of the run.
func (s *Source) Rest(file int) (blocks []byte, lost uint64) { return s.inlet.rest(file) }

// Interfaces describes the network interfaces of a live source; nil for files.
func (s *Source) Interfaces() []Interface {
	l, ok := s.inlet.(*live)
	if !ok {
		return nil
	}
	list := make([]Interface, len(l.taps))
	for i, t := range l.taps {
		list[i] = t.Describe()
	}
	return list
}

// Counts are the drops and receptions of a live interface up to now.
func (s *Source) Counts(iface int) (c DeviceCounts, ok bool) {
	l, ok := s.inlet.(*live)
	if !ok || iface >= len(l.taps) {
		return c, false
	}
	return l.taps[iface].Counts(), true
}

// Dropped counts the packets that the kernel dropped up to now, over all interfaces of a
// live source.
func (s *Source) Dropped() (n uint64) {
	if l, ok := s.inlet.(*live); ok {
		for _, t := range l.taps {
			n += t.Counts().Dropped
		}
	}
	return n
}

// Infos describes the inputs, in the order given, as far as they were read: those of the
// pieces before first (Continue).
func (s *Source) Infos() []Info {
	if s.had.left > 0 { // the file is not yet where it was
		return append(slices.Clone(s.before), s.had.info)
	}
	return append(slices.Clone(s.before), s.inlet.infos()...)
}

// Totals counts the packets given so far.
func (s *Source) Totals() Totals { return s.totals }

// Progress is how many bytes of the regular files among the inputs were read,
// and how many there are. It may be called from another goroutine.
func (s *Source) Progress() (done, total int64) { return s.done.Load(), s.total.Load() }

// Stop ends a source that waits for packets: what came until now is still given.
// Files are read to their end all the same. It may be called from another goroutine.
func (s *Source) Stop() { s.inlet.stop() }

// Live reports a source of network interfaces, which has no end.
func (s *Source) Live() bool {
	_, ok := s.inlet.(*live)
	return ok
}

// Heard is until when every packet of a live source was given that was captured, in ns
// since 1970: also the time of no packet, as long as none waits. It is 0 where that is
// not known now, and of files.
func (s *Source) Heard() int64 {
	if l, ok := s.inlet.(*live); ok {
		return l.heard()
	}
	return 0
}

// Waits reports a source that waits for packets: a live one, or one of pipes or
// files that grow among others.
func (s *Source) Waits() bool {
	_, ok := s.inlet.(*files)
	return !ok
}

// WakeAt lets the next wait for packets end at a time, though none comes. It holds
// for one wait; the earliest time counts.
func (s *Source) WakeAt(at time.Time) { s.inlet.wakeAt(at) }

// MaxWait is for how long a packet may wait, since it was given, for what later ones
// tell of it, where d is wished for: without limit where packets come as from a file.
func (s *Source) MaxWait(d time.Duration) time.Duration { return s.inlet.waitAtMost(d) }

// Close closes all inputs. Infos and Totals stay good.
func (s *Source) Close() error {
	s.inlet.close()
	s.plain = nil
	return nil
}
