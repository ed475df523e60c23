package record

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// A packer compresses a file piece by piece. After each piece the stream stands at
// the border of bytes, and could end there: tail is what ends it. So a file can be
// cut to any of its pieces and be whole. Levels are the fastest: packets come at
// their own pace.
type packer struct {
	kind string
	out  bytes.Buffer
	w    interface {
		io.Writer
		Flush() error
	}
	sum, size uint32 // of what was packed, for gzip
}

// zstdWindow bounds the memory of the encoder, in bytes. Packets repeat what came
// shortly before.
const zstdWindow = 1 << 20

// gzipHead is deflate, without name and time.
var gzipHead = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255}

// newPacker is for a compression that Options.resolve knows, nil for "".
func newPacker(kind string) (p *packer, err error) {
	p = &packer{kind: kind}
	switch kind {
	case "":
		return nil, nil
	case "gzip":
		p.w, err = flate.NewWriter(&p.out, flate.BestSpeed)
	case "zstd":
		p.w, err = zstd.NewWriter(&p.out, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
			zstd.WithWindowSize(zstdWindow), zstd.WithEncoderCRC(false))
	case "lz4":
		z := lz4.NewWriter(&p.out)
		err = z.Apply(lz4.ConcurrencyOption(1), lz4.BlockSizeOption(lz4.Block256Kb), lz4.ChecksumOption(false))
		p.w = z
	}
	return p, err
}

// begin is the start of another file.
func (p *packer) begin() {
	p.out.Reset()
	p.sum, p.size = 0, 0
	switch w := p.w.(type) {
	case *flate.Writer:
		w.Reset(&p.out)
		p.out.Write(gzipHead)
	case *zstd.Encoder:
		w.Reset(&p.out)
	case *lz4.Writer:
		w.Reset(&p.out)
	}
}

// pack gives what b adds to the file. It is valid until the next call.
func (p *packer) pack(b []byte) ([]byte, error) {
	if _, err := p.w.Write(b); err != nil {
		return nil, err
	}
	if err := p.w.Flush(); err != nil {
		return nil, err
	}
	if p.kind == "gzip" {
		p.sum, p.size = crc32.Update(p.sum, crc32.IEEETable, b), p.size+uint32(len(b))
	}
	return p.out.Bytes(), nil
}

// packed makes room for the next piece.
func (p *packer) packed() { p.out.Reset() }

// tail ends the stream after the last piece.
func (p *packer) tail() []byte {
	switch p.kind {
	case "gzip": // a last block without content, checksum and size
		t := binary.LittleEndian.AppendUint32([]byte{3, 0}, p.sum)
		return binary.LittleEndian.AppendUint32(t, p.size)
	case "zstd": // a last block, raw and without content
		return []byte{1, 0, 0}
	}
	return make([]byte, 4) // the end mark of lz4
}
