package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/gopacket"
)

// A Reader reads the packets of one capture, whatever its format and
// compression. It is a gopacket.PacketDataSource too.
type Reader struct {
	format      string
	compression string
	packets     packetReader
	header      fileHeader // of a pcap file
	close       func()
	rec         Record // of ReadPacketData
	err         error  // sticks
}

// A fileHeader is what the header of a pcap file says of its packets.
type fileHeader struct {
	link        LinkType
	snaplen     uint32
	nanoseconds bool
}

var (
	_ gopacket.PacketDataSource         = (*Reader)(nil)
	_ gopacket.ZeroCopyPacketDataSource = (*Reader)(nil)
)

// NewReader looks at the first bytes of r. The error is a *Damage when r is
// empty, is no capture or ends within its header; the Reader is then still good
// for Format and Compression.
func NewReader(r io.Reader) (*Reader, error) { return newReader(r, windowSize, Expansion{}, false) }

// newReader is NewReader with windows of a size. blocks says that records have blocks,
// where the file is pcapng.
func newReader(r io.Reader, size int, most Expansion, blocks bool) (*Reader, error) {
	rd := &Reader{close: func() {}}
	rd.err = rd.open(newWindow(r, size), size, most, blocks)
	return rd, rd.err
}

func (r *Reader) open(w *window, size int, most Expansion, blocks bool) error {
	w.need(magicLen)
	if kind := compressionOf(w.bytes()); kind != "" {
		r.compression = kind
		content, done, err := decompress(kind, w, most)
		if err != nil {
			return opening(w, err)
		}
		r.close = done
		w = newWindow(content, size)
		w.need(magicLen)
	}
	switch b := w.bytes(); {
	case isPcap(b):
		r.format = "pcap"
		p, err := newPcap(w)
		if err != nil {
			return err
		}
		r.packets, r.header = p, p.header()
	case isPcapng(b):
		r.format = "pcapng"
		p, err := newPcapng(w, blocks)
		if err != nil {
			return err
		}
		r.packets = p
	default:
		return opening(w, w.err)
	}
	return nil
}

// opening says why a file is no capture. err is why reading its beginning
// stopped, nil when it did not.
func opening(w *window, err error) error {
	b := w.bytes()
	var stopped *Damage
	switch {
	case errors.As(err, &stopped):
		return stopped
	case err != nil && !isCut(err):
		return &Damage{0, false, "reading fails: " + reason(err)}
	case err == io.EOF && len(b) == 0:
		return &Damage{-1, false, "is empty"}
	case err != nil && len(b) == 0:
		return &Damage{0, true, "the compressed stream ends early"}
	case err != nil && startsMagic(b):
		return &Damage{0, true, fmt.Sprintf("the file header needs %d bytes, but %s", pcapFileHeader, areThere(int64(len(b))))}
	}
	return &Damage{-1, false, fmt.Sprintf("is not a capture: neither pcap nor pcapng, it begins with % x", b[:min(8, len(b))])}
}

// startsMagic reports whether b is the beginning of a magic number.
func startsMagic(b []byte) bool {
	for _, m := range []uint32{magicMicro, magicNano, magicKuznetzov, blockSection} {
		if bytes.HasPrefix(binary.LittleEndian.AppendUint32(nil, m), b) || bytes.HasPrefix(binary.BigEndian.AppendUint32(nil, m), b) {
			return true
		}
	}
	return bytes.HasPrefix([]byte{0x28, 0xb5, 0x2f, 0xfd}, b) || bytes.HasPrefix([]byte{0x04, 0x22, 0x4d, 0x18}, b) ||
		bytes.HasPrefix([]byte("BZh"), b) || bytes.HasPrefix([]byte{0x1f}, b)
}

// Format is "pcap", "pcapng" or "" when the file is neither.
func (r *Reader) Format() string { return r.format }

// Compression is "gzip", "zstd", "lz4", "bzip2" or "".
func (r *Reader) Compression() string { return r.compression }

// Dropped counts the packets that the file's own statistics say the capture lost.
func (r *Reader) Dropped() (n uint64, known bool) {
	if r.packets == nil {
		return 0, false
	}
	return r.packets.dropped()
}

// Listened is from when until when the file's own statistics say that packets were captured. It is
// not known of a file without, and of one that was not read to its end.
func (r *Reader) Listened() Span {
	if r.packets == nil {
		return Span{}
	}
	return r.packets.listened()
}

// rest gives the blocks after the last packet that was read, and how many blocks there was
// no room for.
func (r *Reader) rest() ([]byte, uint64) {
	if r.packets == nil {
		return nil, 0
	}
	return r.packets.rest().left()
}

// head is the header of a pcap file; false for other formats.
func (r *Reader) head() (fileHeader, bool) { return r.header, r.format == "pcap" && r.packets != nil }

// Next reads the next packet. The error is io.EOF at the proper end and a
// *Damage otherwise; it sticks. What was read before stays good.
func (r *Reader) Next(rec *Record) error {
	if r.err != nil {
		return r.err
	}
	r.err = r.packets.Next(rec)
	return r.err
}

// ReadPacketData reads the next packet into memory of its own. The link type is
// in AncillaryData[0], as a LinkType.
func (r *Reader) ReadPacketData() ([]byte, gopacket.CaptureInfo, error) {
	data, ci, err := r.ZeroCopyReadPacketData()
	return bytes.Clone(data), ci, err
}

// ZeroCopyReadPacketData is ReadPacketData with data valid until the next call.
func (r *Reader) ZeroCopyReadPacketData() ([]byte, gopacket.CaptureInfo, error) {
	if err := r.Next(&r.rec); err != nil {
		return nil, gopacket.CaptureInfo{}, err
	}
	ci := gopacket.CaptureInfo{
		CaptureLength: len(r.rec.Data), Length: r.rec.WireLen, InterfaceIndex: r.rec.Interface,
		AncillaryData: []any{r.rec.Link},
	}
	if r.rec.HasTime {
		ci.Timestamp = time.Unix(0, r.rec.Time).UTC()
	}
	return r.rec.Data, ci, nil
}

// Close frees what a decompressor holds. It does not close the stream read from.
func (r *Reader) Close() { r.close() }
