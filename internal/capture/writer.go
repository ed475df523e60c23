package capture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
)

// A WriterOptions says what a Writer makes. Texts are for pcapng alone, "" for
// none, at most 65,535 bytes each; pcap has no place for them.
type WriterOptions struct {
	Format      string // "pcap" or "pcapng"
	Nanoseconds bool   // resolution of times; else microseconds, rounded down
	BigEndian   bool
	Interfaces  []Interface // of pcap exactly one
	Application string      // name of the writing program
	Hardware    string      // of the capturing machine
	OS          string      // the system it runs
	Comment     string      // on the whole file
	Buffer      int         // bytes collected before they are handed on, 0 for 64 KiB
}

// An Interface is where packets of a pcapng file were captured. Of pcap, Link and
// Snaplen are written.
type Interface struct {
	Name        string // "" for none, as are the other texts
	Link        LinkType
	Snaplen     uint32 // bytes kept of a packet, 0 for all
	Description string // for people
	Filter      string // the capture filter, as it was typed
	OS          string // the system the interface is of
}

// A Writer writes a capture file. Output is buffered: call Flush at the end. What
// reaches the underlying writer in one Write are whole records, never a part of
// one. The first error of that writer sticks.
type Writer struct {
	w        io.Writer
	order    binary.AppendByteOrder
	opts     WriterOptions
	big      bool
	buf      []byte   // records that were not handed on yet
	waiting  uint64   // packets among them
	bytes    int64    // handed on, as far as whole records were taken
	packets  uint64   // in these
	snaplens []uint32 // of the interfaces
	err      error
}

// NewWriter begins with the file header and, in pcapng, the interfaces. An error is
// one of the options; those of w come with Write or Flush.
func NewWriter(w io.Writer, opts WriterOptions) (*Writer, error) {
	if opts.Buffer <= 0 {
		opts.Buffer = smallWindow
	}
	wr := &Writer{w: w, order: binary.LittleEndian, opts: opts, big: opts.BigEndian, buf: make([]byte, 0, opts.Buffer)}
	if opts.BigEndian {
		wr.order = binary.BigEndian
	}
	switch opts.Format {
	case "pcap":
		if len(opts.Interfaces) != 1 {
			return nil, fmt.Errorf("pcap has one interface, not %d", len(opts.Interfaces))
		}
		wr.pcapHeader(opts.Interfaces[0])
		return wr, nil
	case "pcapng":
		if err := wr.section(); err != nil && wr.err == nil {
			return nil, err
		}
		for _, i := range opts.Interfaces {
			if _, err := wr.AddInterface(i); err != nil && wr.err == nil {
				return nil, err
			}
		}
		return wr, nil
	}
	return nil, fmt.Errorf("unknown capture format %q", opts.Format)
}

// Write appends one packet. Of rec it uses Data, WireLen, Time and, in pcapng,
// HasTime, Interface, Outbound, Drops and Comments. It fails for what the format
// can't hold; that does no harm to the file.
func (w *Writer) Write(rec *Record) error {
	switch {
	case w.err != nil:
		return w.err
	case len(rec.Data) > MaxPacket:
		return fmt.Errorf("packet of %d captured bytes, more than %d", len(rec.Data), MaxPacket)
	case w.opts.Format == "pcap":
		return w.pcapPacket(rec)
	case rec.Interface < 0 || rec.Interface >= len(w.snaplens):
		return fmt.Errorf("packet of interface %d, the file has %d", rec.Interface, len(w.snaplens))
	case !rec.HasTime:
		return w.simplePacket(rec)
	}
	return w.enhancedPacket(rec)
}

// Flush hands what is buffered to the underlying writer.
func (w *Writer) Flush() error {
	if w.err != nil || len(w.buf) == 0 {
		return w.err
	}
	n, err := w.w.Write(w.buf)
	if err == nil && n < len(w.buf) {
		err = io.ErrShortWrite
	}
	if err == nil {
		w.bytes, w.packets = w.bytes+int64(n), w.packets+w.waiting
	} else {
		whole, packets := w.Whole(w.buf, max(0, min(n, len(w.buf))))
		w.bytes, w.packets = w.bytes+int64(whole), w.packets+packets
	}
	w.buf, w.waiting, w.err = w.buf[:0], 0, err
	return err
}

// Written is what the underlying writer has taken, counted in whole records: the
// bytes from the beginning of the file and the packets in them. After an error the
// file may be cut to so many bytes and is sound.
func (w *Writer) Written() (bytes int64, packets uint64) { return w.bytes, w.packets }

// Err is the error of the underlying writer that ended writing, nil as long as none
// did. Errors of a single packet don't.
func (w *Writer) Err() error { return w.err }

// Buffered counts the bytes that wait for Flush.
func (w *Writer) Buffered() int { return len(w.buf) }

// Whole says how many of the first n bytes of b are whole records, and how many
// packets are among them. b is what the underlying writer is given in one Write.
func (w *Writer) Whole(b []byte, n int) (bytes int, packets uint64) {
	for {
		size, packet := w.record(b[bytes:n], bytes == 0 && w.bytes == 0)
		if size == 0 || size > n-bytes {
			return bytes, packets
		}
		bytes += size
		if packet {
			packets++
		}
	}
}

// record is the size of the record that b begins with, 0 when b is too short to
// tell. first is the very first of the file.
func (w *Writer) record(b []byte, first bool) (size int, packet bool) {
	switch {
	case w.opts.Format == "pcap" && first:
		return pcapFileHeader, false
	case len(b) < pcapHeader:
		return 0, false
	case w.opts.Format == "pcap":
		return pcapHeader + int(w.swap(binary.LittleEndian.Uint32(b[8:]))), true
	}
	typ := w.swap(binary.LittleEndian.Uint32(b))
	return int(w.swap(binary.LittleEndian.Uint32(b[4:]))), typ == blockEnhanced || typ == blockSimple
}

// room appends n bytes, of any content, to the buffer for a record to be put
// there. It gives nil when the bytes before it can't be handed on.
func (w *Writer) room(n int) []byte {
	at := len(w.buf)
	if n > cap(w.buf)-at {
		if w.Flush() != nil {
			return nil
		}
		if at = 0; n > cap(w.buf) {
			w.buf = make([]byte, 0, n)
		}
	}
	w.buf = w.buf[:at+n]
	return w.buf[at:]
}

// swap turns a number into the one that reads, in little endian, as the bytes of
// the file, and back.
func (w *Writer) swap(v uint32) uint32 {
	if w.big {
		return bits.ReverseBytes32(v)
	}
	return v
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
	b := w.order.AppendUint32(w.buf, magic)
	b = w.order.AppendUint16(b, 2)
	b = w.order.AppendUint16(b, 4)
	b = append(b, make([]byte, 8)...)
	b = w.order.AppendUint32(b, snaplen)
	w.buf = w.order.AppendUint32(b, uint32(i.Link))
}

func (w *Writer) pcapPacket(rec *Record) error {
	sec, frac := rec.Time/second, rec.Time%second
	if !rec.HasTime || rec.Time < 0 || sec > math.MaxUint32 {
		return errors.New("pcap holds no packet without a time from 1970 to 2106")
	}
	if !w.opts.Nanoseconds {
		frac /= 1000
	}
	b := w.room(pcapHeader + len(rec.Data))
	if b == nil {
		return w.err
	}
	binary.LittleEndian.PutUint32(b, w.swap(uint32(sec)))
	binary.LittleEndian.PutUint32(b[4:], w.swap(uint32(frac)))
	binary.LittleEndian.PutUint32(b[8:], w.swap(uint32(len(rec.Data))))
	binary.LittleEndian.PutUint32(b[12:], w.swap(uint32(rec.WireLen)))
	copy(b[pcapHeader:], rec.Data)
	w.waiting++
	return nil
}
