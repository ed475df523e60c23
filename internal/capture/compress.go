package capture

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// maxZstdWindow is the largest zstd window that is decoded, in bytes: what
// zstd --long=27 and --ultra -22 need.
const maxZstdWindow = 128 << 20

// magicLen is the number of bytes that tell formats and compressions apart.
const magicLen = 4

// compressionOf recognises a compressed stream by its first bytes, "" if it is none.
func compressionOf(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte{0x1f, 0x8b}):
		return "gzip"
	case bytes.HasPrefix(b, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return "zstd"
	case len(b) >= 4 && b[0]&0xf0 == 0x50 && b[1] == 0x2a && b[2] == 0x4d && b[3] == 0x18:
		return "zstd" // a skippable frame, which lz4 has too
	case bytes.HasPrefix(b, []byte{0x04, 0x22, 0x4d, 0x18}), bytes.HasPrefix(b, []byte{0x02, 0x21, 0x4c, 0x18}):
		return "lz4"
	case len(b) >= 4 && bytes.HasPrefix(b, []byte("BZh")) && b[3] >= '1' && b[3] <= '9':
		return "bzip2"
	}
	return ""
}

// decompress opens a compressed stream. The decoders work in the caller's
// goroutine; close frees what they hold.
func decompress(kind string, w *window, most Expansion) (r io.Reader, close func(), err error) {
	src := bufio.NewReaderSize(w, smallWindow)
	close = func() {}
	switch kind {
	case "gzip":
		r, err = gzip.NewReader(src)
	case "zstd":
		var z *zstd.Decoder
		z, err = zstd.NewReader(src, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(maxZstdWindow))
		if err == nil {
			r, close = z, z.Close
		}
	case "lz4":
		r, err = newLz4Reader(src)
	case "bzip2":
		r = bzip2.NewReader(src)
	default:
		err = fmt.Errorf("unknown compression %q", kind)
	}
	if err != nil {
		return nil, nil, inStream(kind, err)
	}
	return &stream{r: r, kind: kind, src: src, compressed: w, most: most}, close, nil
}

// A stream is compressed content. What goes wrong in it is either a cut, which
// is io.ErrUnexpectedEOF, or named with the compression.
type stream struct {
	r          io.Reader
	kind       string
	src        *bufio.Reader // of compressed
	compressed *window
	most       Expansion
	content    int64 // bytes given
}

func (s *stream) Read(b []byte) (int, error) {
	if err := s.most.verdict(s.kind, s.content, s.compressed.offset()-int64(s.src.Buffered())); err != nil {
		return 0, err
	}
	n, err := s.r.Read(b)
	s.content += int64(n)
	if err != nil && err != io.EOF {
		err = inStream(s.kind, err)
	}
	return n, err
}

func inStream(kind string, err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%s: %w", kind, err)
}
