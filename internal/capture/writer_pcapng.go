package capture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Options that only the writer knows.
const (
	optHardware      = 2 // of a section
	optOS            = 3
	optUserAppl      = 4
	optIfName        = 2 // of an interface
	optIfDescription = 3
	optIfFilter      = 11
	optIfOS          = 12
	optStatStart     = 2 // of statistics
	optStatEnd       = 3
	optIfRecv        = 4
	optFilterAccept  = 6
)

// maxOption is the longest value of an option, in bytes.
const maxOption = math.MaxUint16

// Statistics are what is said of an interface at the end of a file. Times are
// nanoseconds since 1970 UTC.
type Statistics struct {
	Start, End int64  // of the capture on this interface, as far as the file holds it
	Received   uint64 // packets, those dropped included
	Dropped    uint64 // packets lost for want of room
	Filtered   bool   // Received are those that a capture filter accepted
}

// AddInterface describes a further interface and gives its index for Records.
func (w *Writer) AddInterface(i Interface) (int, error) {
	if w.opts.Format != "pcapng" {
		return 0, errors.New("pcap has one interface only")
	}
	if i.Link > math.MaxUint16 {
		return 0, fmt.Errorf("%v does not fit in a pcapng file", i.Link)
	}
	b := w.block(blockInterface)
	b = w.order.AppendUint16(b, uint16(i.Link))
	b = w.order.AppendUint16(b, 0)
	b = w.order.AppendUint32(b, i.Snaplen)
	head := len(b)
	b, err := w.texts(b, text{optIfName, i.Name}, text{optIfDescription, i.Description})
	if err == nil && w.opts.Nanoseconds {
		b = w.option(b, optTsresol, []byte{9})
	}
	if err == nil && i.Filter != "" {
		b, err = w.texts(b, text{optIfFilter, "\x00" + i.Filter}) // 0: it is text
	}
	if err == nil {
		b, err = w.texts(b, text{optIfOS, i.OS})
	}
	if err != nil {
		return 0, err
	}
	w.snaplens = append(w.snaplens, i.Snaplen)
	return len(w.snaplens) - 1, w.finish(w.endOptions(b, head))
}

// Statistics writes what became of the packets of an interface. Counts are those of
// the packets of this file, so that files which follow each other add up.
func (w *Writer) Statistics(iface int, s Statistics) error {
	if w.err != nil {
		return w.err
	}
	if w.opts.Format != "pcapng" || iface < 0 || iface >= len(w.snaplens) || s.Start < 0 || s.End < 0 {
		return fmt.Errorf("no statistics of interface %d at time %d", iface, s.End)
	}
	b := w.block(blockStatistics)
	b = w.order.AppendUint32(b, uint32(iface))
	b = w.stamp(b, s.End)
	head := len(b)
	b = w.option(b, optStatStart, w.stamp(nil, s.Start))
	b = w.option(b, optStatEnd, w.stamp(nil, s.End))
	b = w.option(b, optIfRecv, w.order.AppendUint64(nil, s.Received))
	b = w.option(b, optIfDrop, w.order.AppendUint64(nil, s.Dropped))
	if s.Filtered {
		b = w.option(b, optFilterAccept, w.order.AppendUint64(nil, s.Received))
	}
	return w.finish(w.endOptions(b, head))
}

func (w *Writer) section() error {
	b := w.block(blockSection)
	b = w.order.AppendUint32(b, sectionMagic)
	b = w.order.AppendUint16(b, 1)
	b = w.order.AppendUint16(b, 0)
	b = w.order.AppendUint64(b, math.MaxUint64) // length unknown
	head := len(b)
	b, err := w.texts(b, text{optComment, w.opts.Comment}, text{optHardware, w.opts.Hardware},
		text{optOS, w.opts.OS}, text{optUserAppl, w.opts.Application})
	if err != nil {
		return err
	}
	return w.finish(w.endOptions(b, head))
}

// enhancedPacket puts a packet into the buffer, the lengths and numbers as
// pcapngReader.enhanced has them.
func (w *Writer) enhancedPacket(rec *Record) error {
	if rec.Time < 0 {
		return errors.New("pcapng without offset holds no time before 1970")
	}
	var extra int
	if rec.Outbound || rec.HasDrops || len(rec.Comments) > 0 {
		var err error
		if extra, err = packetOptionsSize(rec); err != nil {
			return err
		}
	}
	const fixed = 28
	end := fixed + len(rec.Data)
	opts := (end + 3) &^ 3
	size := opts + extra + 4
	b := w.room(size)
	if b == nil {
		return w.err
	}
	t := uint64(rec.Time)
	if !w.opts.Nanoseconds {
		t /= 1000
	}
	binary.LittleEndian.PutUint32(b, w.swap(blockEnhanced))
	binary.LittleEndian.PutUint32(b[4:], w.swap(uint32(size)))
	binary.LittleEndian.PutUint32(b[8:], w.swap(uint32(rec.Interface)))
	binary.LittleEndian.PutUint32(b[12:], w.swap(uint32(t>>32)))
	binary.LittleEndian.PutUint32(b[16:], w.swap(uint32(t)))
	binary.LittleEndian.PutUint32(b[20:], w.swap(uint32(len(rec.Data))))
	binary.LittleEndian.PutUint32(b[24:], w.swap(uint32(rec.WireLen)))
	copy(b[fixed:], rec.Data)
	clear(b[end:opts])
	if extra > 0 {
		w.packetOptions(b[opts:opts], rec)
	}
	binary.LittleEndian.PutUint32(b[size-4:], w.swap(uint32(size)))
	w.waiting++
	return nil
}

// packetOptionsSize is what packetOptions will append, in bytes.
func packetOptionsSize(rec *Record) (int, error) {
	n := 4 // the end of options
	for _, c := range rec.Comments {
		if len(c) > maxOption {
			return 0, fmt.Errorf("a comment of %d bytes, more than %d", len(c), maxOption)
		}
		n += 4 + (len(c)+3)&^3
	}
	if rec.Outbound {
		n += 8
	}
	if rec.HasDrops {
		n += 12
	}
	if n > maxKept/2 {
		return 0, fmt.Errorf("comments of %d bytes on one packet, more than %d", n, maxKept/2)
	}
	return n, nil
}

// packetOptions appends the options of a packet. b has room for them.
func (w *Writer) packetOptions(b []byte, rec *Record) {
	for _, c := range rec.Comments {
		b = w.textOption(b, optComment, c)
	}
	if rec.Outbound {
		b = w.optionHead(b, optFlags, 4)
		b = w.order.AppendUint32(b, flagsOut)
	}
	if rec.HasDrops {
		b = w.optionHead(b, optDrops, 8)
		b = w.order.AppendUint64(b, rec.Drops)
	}
	_ = append(b, 0, 0, 0, 0)
}

// simplePacket writes a packet without a time. How much of it was captured follows
// from its length and the first interface's snaplen, and must be true.
func (w *Writer) simplePacket(rec *Record) error {
	if rec.Interface != 0 {
		return errors.New("a packet without time belongs to interface 0")
	}
	caplen := rec.WireLen
	if s := w.snaplens[0]; s != 0 {
		caplen = min(caplen, int(s))
	}
	if caplen != len(rec.Data) {
		return fmt.Errorf("a packet without time of %d bytes would seem to have %d", len(rec.Data), caplen)
	}
	b := w.order.AppendUint32(w.block(blockSimple), uint32(rec.WireLen))
	err := w.finish(pad(append(b, rec.Data...)))
	if err == nil {
		w.waiting++
	}
	return err
}

// block begins a block in memory of its own; its length is filled in by finish.
func (w *Writer) block(typ uint32) []byte {
	return w.order.AppendUint32(w.order.AppendUint32(nil, typ), 0)
}

// finish puts a block into the buffer.
func (w *Writer) finish(b []byte) error {
	n := uint32(len(b) + 4)
	w.order.AppendUint32(b[:4], n)
	b = w.order.AppendUint32(b, n)
	to := w.room(len(b))
	if to == nil {
		return w.err
	}
	copy(to, b)
	return nil
}

// stamp appends a time in units of the file, high half first.
func (w *Writer) stamp(b []byte, ns int64) []byte {
	if !w.opts.Nanoseconds {
		ns /= 1000
	}
	return w.order.AppendUint32(w.order.AppendUint32(b, uint32(uint64(ns)>>32)), uint32(ns))
}

// A text is an option for people.
type text struct {
	code  uint16
	value string
}

// texts appends those that are not empty.
func (w *Writer) texts(b []byte, texts ...text) ([]byte, error) {
	for _, t := range texts {
		if len(t.value) > maxOption {
			return nil, fmt.Errorf("a text of %d bytes, more than %d", len(t.value), maxOption)
		}
		if t.value != "" {
			b = w.textOption(b, t.code, t.value)
		}
	}
	return b, nil
}

func (w *Writer) textOption(b []byte, code uint16, v string) []byte {
	return pad(append(w.optionHead(b, code, len(v)), v...))
}

func (w *Writer) option(b []byte, code uint16, v []byte) []byte {
	return pad(append(w.optionHead(b, code, len(v)), v...))
}

func (w *Writer) optionHead(b []byte, code uint16, n int) []byte {
	return w.order.AppendUint16(w.order.AppendUint16(b, code), uint16(n))
}

// endOptions appends the end of the options that begin at head, or nothing when
// there are none.
func (w *Writer) endOptions(b []byte, head int) []byte {
	if len(b) == head {
		return b
	}
	return append(b, 0, 0, 0, 0)
}

// pad fills up to a multiple of 4. Blocks begin at one, so do options.
func pad(b []byte) []byte {
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}
