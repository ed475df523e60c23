package sim

import (
	"encoding/binary"
	"io"
	"time"
)

// Epoch is the date of simulated time zero: 2024-05-01 12:00:00 UTC.
const Epoch = 1714564800

// A PcapWriter writes a capture file of microsecond resolution.
type PcapWriter struct {
	w   io.Writer
	buf []byte
	Err error // the first error of the writer below
}

// NewPcapWriter writes the file header.
func NewPcapWriter(w io.Writer, link Link) *PcapWriter {
	p := &PcapWriter{w: w}
	b := binary.LittleEndian.AppendUint32(nil, 0xa1b2c3d4)
	b = append(b, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, 262144)
	p.write(binary.LittleEndian.AppendUint32(b, link.Type()))
	return p
}

// Write appends one packet.
func (p *PcapWriter) Write(k Packet) {
	us := k.Time / time.Microsecond
	b := binary.LittleEndian.AppendUint32(p.buf[:0], uint32(Epoch+us/1e6))
	b = binary.LittleEndian.AppendUint32(b, uint32(us%1e6))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(k.Data)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(k.Data)))
	p.buf = append(b, k.Data...)
	p.write(p.buf)
}

func (p *PcapWriter) write(b []byte) {
	if p.Err == nil {
		_, p.Err = p.w.Write(b)
	}
}
