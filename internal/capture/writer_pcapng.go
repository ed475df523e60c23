package capture

import (
	"errors"
	"fmt"
	"math"
)

// Options that only the writer knows.
const (
	optUserAppl = 4 // of a section
	optIfName   = 2
	optIfRecv   = 4 // of statistics
)

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
	var opts []byte
	if i.Name != "" {
		opts = w.option(opts, optIfName, []byte(i.Name))
	}
	if w.opts.Nanoseconds {
		opts = w.option(opts, optTsresol, []byte{9})
	}
	w.ifaces++
	return w.ifaces - 1, w.finish(w.endOptions(b, opts))
}

// Statistics writes how many packets an interface received and dropped since the
// capture began, as of a time in nanoseconds since 1970.
func (w *Writer) Statistics(iface int, now int64, received, dropped uint64) error {
	if iface < 0 || iface >= w.ifaces || now < 0 || w.opts.Format != "pcapng" {
		return fmt.Errorf("no statistics of interface %d at time %d", iface, now)
	}
	b := w.block(blockStatistics)
	b = w.order.AppendUint32(b, uint32(iface))
	b = w.stamp(b, now)
	opts := w.option(nil, optIfRecv, w.order.AppendUint64(nil, received))
	opts = w.option(opts, optIfDrop, w.order.AppendUint64(nil, dropped))
	return w.finish(w.endOptions(b, opts))
}

func (w *Writer) section(app string) {
	b := w.block(blockSection)
	b = w.order.AppendUint32(b, sectionMagic)
	b = w.order.AppendUint16(b, 1)
	b = w.order.AppendUint16(b, 0)
	b = w.order.AppendUint64(b, math.MaxUint64) // length unknown
	var opts []byte
	if app != "" {
		opts = w.option(nil, optUserAppl, []byte(app))
	}
	w.finish(w.endOptions(b, opts))
}

func (w *Writer) enhancedPacket(rec *Record) error {
	if rec.Time < 0 {
		return errors.New("pcapng without offset holds no time before 1970")
	}
	b := w.block(blockEnhanced)
	b = w.order.AppendUint32(b, uint32(rec.Interface))
	b = w.stamp(b, rec.Time)
	b = w.order.AppendUint32(b, uint32(len(rec.Data)))
	b = w.order.AppendUint32(b, uint32(rec.WireLen))
	b = pad(append(b, rec.Data...))
	var opts []byte
	for _, c := range rec.Comments {
		if len(c) > math.MaxUint16 {
			return errors.New("a comment of more than 65535 bytes")
		}
		opts = w.option(opts, optComment, []byte(c))
	}
	if rec.Outbound {
		opts = w.option(opts, optFlags, w.order.AppendUint32(nil, flagsOut))
	}
	if rec.HasDrops {
		opts = w.option(opts, optDrops, w.order.AppendUint64(nil, rec.Drops))
	}
	return w.finish(w.endOptions(b, opts))
}

func (w *Writer) simplePacket(rec *Record) error {
	if rec.Interface != 0 {
		return errors.New("a packet without time belongs to interface 0")
	}
	b := w.order.AppendUint32(w.block(blockSimple), uint32(rec.WireLen))
	return w.finish(pad(append(b, rec.Data...)))
}

// block begins a block; its length is filled in by finish.
func (w *Writer) block(typ uint32) []byte {
	return w.order.AppendUint32(w.order.AppendUint32(w.buf[:0], typ), 0)
}

func (w *Writer) finish(b []byte) error {
	n := uint32(len(b) + 4)
	w.order.AppendUint32(b[:4], n)
	w.buf = w.order.AppendUint32(b, n)
	return w.put(w.buf)
}

// stamp appends a time in units of the file, high half first.
func (w *Writer) stamp(b []byte, ns int64) []byte {
	t := uint64(ns / w.unit)
	return w.order.AppendUint32(w.order.AppendUint32(b, uint32(t>>32)), uint32(t))
}

func (w *Writer) option(b []byte, code uint16, v []byte) []byte {
	b = w.order.AppendUint16(b, code)
	b = w.order.AppendUint16(b, uint16(len(v)))
	return pad(append(b, v...))
}

// endOptions appends options and their end, or nothing when there are none.
func (w *Writer) endOptions(b, opts []byte) []byte {
	if len(opts) == 0 {
		return b
	}
	return append(append(b, opts...), 0, 0, 0, 0)
}

// pad fills up to a multiple of 4. Blocks begin at one, so do options.
func pad(b []byte) []byte {
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}
