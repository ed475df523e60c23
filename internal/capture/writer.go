package capture

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// A WriterOptions says what a Writer makes.
type WriterOptions struct {
	Format      string      // "pcap" or "pcapng"
	Nanoseconds bool        // resolution of times; else microseconds, rounded down
	BigEndian   bool        //
	Interfaces  []Interface // of pcap exactly one
	Application string      // pcapng: name of the writing program, "" for none
}

// An Interface is where packets of a pcapng file were captured.
type Interface struct {
	Name    string // "" for none
	Link    LinkType
	Snaplen uint32 // bytes kept of a packet, 0 for all
}

// A Writer writes a capture file. Output is buffered: call Flush at the end. The
// first error sticks.
type Writer struct {
	w      *bufio.Writer
	order  binary.AppendByteOrder
	opts   WriterOptions
	unit   int64  // nanoseconds
	buf    []byte // the record being made
	ifaces int
	err    error
}

// NewWriter writes the file header and, in pcapng, the interfaces. An error is
// one of the options; those of w come with Write or Flush.
func NewWriter(w io.Writer, opts WriterOptions) (*Writer, error) {
	wr := &Writer{w: bufio.NewWriterSize(w, smallWindow), order: binary.LittleEndian, opts: opts, unit: 1000}
	if opts.BigEndian {
		wr.order = binary.BigEndian
	}
	if opts.Nanoseconds {
		wr.unit = 1
	}
	switch opts.Format {
	case "pcap":
		if len(opts.Interfaces) != 1 {
			return nil, fmt.Errorf("pcap has one interface, not %d", len(opts.Interfaces))
		}
		wr.pcapHeader(opts.Interfaces[0])
		return wr, nil
	case "pcapng":
		wr.section(opts.Application)
		for _, i := range opts.Interfaces {
			if _, err := wr.AddInterface(i); err != nil {
				return nil, err
			}
		}
		return wr, nil
	}
	return nil, fmt.Errorf("unknown capture format %q", opts.Format)
}

// Write appends one packet. Of rec it uses Data, WireLen, Time and, in pcapng,
// HasTime, Interface, Outbound, Drops and Comments. It fails for times that the
// format can't hold.
func (w *Writer) Write(rec *Record) error {
	switch {
	case w.err != nil:
		return w.err
	case w.opts.Format == "pcap":
		return w.pcapPacket(rec)
	case rec.Interface < 0 || rec.Interface >= w.ifaces:
		return fmt.Errorf("packet of interface %d, the file has %d", rec.Interface, w.ifaces)
	case !rec.HasTime:
		return w.simplePacket(rec)
	}
	return w.enhancedPacket(rec)
}

// Flush hands what is buffered to the underlying writer.
func (w *Writer) Flush() error {
	if w.err == nil {
		w.err = w.w.Flush()
	}
	return w.err
}

func (w *Writer) put(b []byte) error {
	if w.err == nil {
		_, w.err = w.w.Write(b)
	}
	return w.err
}

func (w *Writer) pcapHeader(i Interface) {
	snaplen := i.Snaplen
	if snaplen == 0 {
		snaplen = MaxPacket
	}
	magic := uint32(magicMicro)
	if w.opts.Nanoseconds {
		magic = magicNano
	}
	b := w.order.AppendUint32(w.buf[:0], magic)
	b = w.order.AppendUint16(b, 2)
	b = w.order.AppendUint16(b, 4)
	b = append(b, make([]byte, 8)...)
	b = w.order.AppendUint32(b, snaplen)
	w.buf = w.order.AppendUint32(b, uint32(i.Link))
	w.put(w.buf)
}

func (w *Writer) pcapPacket(rec *Record) error {
	sec := rec.Time / second
	if !rec.HasTime || rec.Time < 0 || sec > math.MaxUint32 {
		return errors.New("pcap holds no packet without a time from 1970 to 2106")
	}
	b := w.order.AppendUint32(w.buf[:0], uint32(sec))
	b = w.order.AppendUint32(b, uint32(rec.Time%second/w.unit))
	b = w.order.AppendUint32(b, uint32(len(rec.Data)))
	b = w.order.AppendUint32(b, uint32(rec.WireLen))
	w.buf = append(b, rec.Data...)
	return w.put(w.buf)
}
