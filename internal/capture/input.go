package capture

import (
	"cmp"
	"io"
	"math"
	"os"
	"sync/atomic"
)

// An input is one file, or standard input, at the head of which a packet waits.
type input struct {
	path   string
	index  int
	file   *os.File // nil for standard input, and where there is a feeder
	reader packets  // nil when it could not be opened
	feeder *feeder  // the reader, if it is one
	full   bool     // rec was not given yet, where there is a feeder among the inputs
	rec    Record   // the packet at the head
	key    int64    // its place in the merge: its time, or that of the packet before it
	damage *Damage
	unfit  error // the capture filter has no meaning for its packets
	links  linkUse
	closed bool
	silent bool         // its format has no place for what the capture lost
	others *otherBlocks // since the last packet that was given; nil without blocks
	maker  *blockMaker  // of an input that is not pcapng, once it is known

	packets, bytes uint64
	drops          uint64 // by the counts at packets
	declared       uint64 // by these and the statistics
	first, last    int64
	timed          bool
}

// packets are what an input reads: those of a Reader, or of a feeder, which may have
// none now (errNone).
type packets interface {
	Next(rec *Record) error
	Format() string
	Compression() string
	Dropped() (n uint64, known bool)
	Listened() Span
	head() (fileHeader, bool)
	rest() ([]byte, uint64)
	Close()
}

// newInput makes an input that is not opened.
func newInput(path string, index int) *input {
	return &input{path: path, index: index, key: math.MinInt64}
}

// open opens the input's path, or reads from stdin for "-". It fails never: what is
// wrong with a file becomes its damage.
func (in *input) open(size int, most Expansion, stdin io.Reader, done, total *atomic.Int64) {
	r := stdin
	if path := in.path; path != "-" {
		f, err := openFile(path)
		if err != nil {
			in.damage = asDamage(err)
			in.closed = true
			return
		}
		in.file, r = f, f
		if st, err := f.Stat(); err == nil && st.Mode().IsRegular() {
			total.Add(st.Size())
			r = &counter{f: f, done: done}
		}
	}
	rd, err := newReader(r, size, most, in.others != nil)
	in.reader = rd
	if err != nil {
		in.fail(err)
	} else if rd.Format() == "pcap" {
		in.links.declare(rd.header.link)
		in.silent = true
	}
}

// feed lets the input be read by a goroutine of its own, which tells ready when there
// is something; grows says that the end of a file is not the end.
func (in *input) feed(size int, o Options, grows bool, ready chan<- struct{}) {
	open := func() (io.Reader, error) { return o.Stdin, nil }
	if in.path != "-" {
		open = func() (io.Reader, error) {
			f, err := openFile(in.path)
			if err != nil {
				return nil, err
			}
			return f, nil
		}
	}
	in.feeder = newFeeder(in.path, size, o, open, grows, ready)
	in.reader = in.feeder
}

// openFile opens what can be read; a directory can't: Expand puts captures in its place.
func openFile(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if st, err := f.Stat(); err == nil && st.IsDir() {
		f.Close()
		return nil, &Damage{Offset: -1, Reason: "is a directory without captures"}
	}
	return f, nil
}

// advance brings the next packet to the head and reports whether there is one.
func (in *input) advance() bool {
	if in.damage != nil {
		return false
	}
	err := in.reader.Next(&in.rec)
	if in.feeder != nil {
		in.feeder.declare(&in.links)
	}
	switch err {
	case nil:
	case errNone:
		return false
	default:
		in.fail(err)
		return false
	}
	if in.rec.HasTime {
		in.key = in.rec.Time
	}
	if in.others != nil {
		in.putBlocks()
	}
	return true
}

// fail ends an input. io.EOF is the proper end and no damage.
func (in *input) fail(err error) {
	if err != io.EOF {
		in.damage = asDamage(err)
	}
	in.close()
}

// close frees what the input holds; more than once does no harm.
func (in *input) close() {
	if in.reader != nil && !in.closed {
		in.reader.Close()
	}
	in.closed = true
	if in.file != nil {
		in.file.Close()
		in.file = nil
	}
}

// newDrops counts the packets that the input says, with the packet at its head, that it
// lost: by the counts at packets, or by the statistics of the interfaces when they
// say more.
func (in *input) newDrops() (n uint64) {
	if in.silent {
		return 0
	}
	if in.rec.HasDrops {
		in.drops += in.rec.Drops
	}
	said, _ := in.reader.Dropped()
	if now := max(in.drops, said); now > in.declared {
		n, in.declared = now-in.declared, now
	}
	return n
}

// passes judges the packet at the head. A filter that has no meaning for its link
// type ends the input.
func (in *input) passes(f *Filter) bool {
	ok, err := f.match(&in.rec)
	if err != nil && in.damage == nil {
		in.unfit = err
		in.fail(&Damage{Offset: -1, Reason: err.Error()})
	}
	return ok
}

// count counts the packet at the head as given.
func (in *input) count() {
	if in.others != nil {
		in.others.given = true
	}
	in.packets++
	in.bytes += uint64(len(in.rec.Data))
	in.links.add(in.rec.Link)
	if in.rec.HasTime {
		if !in.timed {
			in.first, in.timed = in.rec.Time, true
		}
		in.last = in.rec.Time
	}
}

// putBlocks gives the packet at the head its blocks, with those in front of packets that a
// capture filter left out.
func (in *input) putBlocks() {
	if h, ok := in.reader.head(); ok {
		if in.maker == nil {
			in.maker = newBlockMaker(Interface{Link: h.link, Snaplen: h.snaplen}, h.nanoseconds)
		}
		in.maker.put(&in.rec)
	}
	in.others.renew()
	in.others.add(in.rec.Before)
	in.rec.Before = in.others.bytes
}

// rest gives the blocks after the last packet, and how many blocks there was no room for.
func (in *input) rest() (blocks []byte, lost uint64) {
	if in.others == nil || in.reader == nil {
		return nil, 0
	}
	more, lost := in.reader.rest()
	if h, ok := in.reader.head(); ok && in.maker == nil {
		in.maker = newBlockMaker(Interface{Link: h.link, Snaplen: h.snaplen}, h.nanoseconds)
		more = in.maker.end(nil)
	}
	in.others.renew()
	in.others.add(more)
	return in.others.bytes, in.others.lost + lost
}

func (in *input) info() Info {
	i := Info{
		Path: in.path, LinkTypes: in.links.names(), Packets: in.packets, Bytes: in.bytes,
		HasTime: in.timed, FirstTime: in.first, LastTime: in.last, Problem: in.links.problem(),
	}
	if in.reader != nil {
		i.Format, i.Compression = in.reader.Format(), in.reader.Compression()
		i.Dropped, i.HasDropped = in.reader.Dropped()
		i.Listened = in.reader.Listened()
	} else {
		i.Unopened = true
	}
	i.Unfit = in.unfit
	if in.damage != nil {
		i.Failed, i.CutShort = true, in.damage.Cut
		if i.Problem != "" {
			i.Problem = "; " + i.Problem
		}
		i.Problem = in.damage.Error() + i.Problem
	}
	return i
}

// A counter counts the bytes read of a file, for Progress, and tells the end of the file
// from that of one that was cut meanwhile.
type counter struct {
	f    *os.File
	at   int64
	done *atomic.Int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.f.Read(b)
	c.at += int64(n)
	c.done.Add(int64(n))
	if err == io.EOF {
		err = cmp.Or(shorter(c.f, c.at), err)
	}
	return n, err
}
