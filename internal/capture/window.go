package capture

import (
	"errors"
	"fmt"
	"io"
)

// windowSize is how much is read at once, in bytes. It fits into the second cache beside
// the trackers' state, which saves a twentieth against a mebibyte; read(2) beats mmap
// several times over. smallWindow serves when many inputs are open.
const (
	windowSize  = 1 << 18
	smallWindow = 64 << 10
	firstWindow = 32 << 10 // to begin with: many captures are short
)

// A window is the part of a stream that is in memory. Slices of it stay valid
// until the next call of need that has to read.
type window struct {
	r    io.Reader
	buf  []byte
	size int   // of buf, once a read has filled it
	pos  int   // next byte
	end  int   // bytes of buf that are filled
	base int64 // offset in the stream of buf[0]
	err  error // why r gave no more; sticks
}

func newWindow(r io.Reader, size int) *window {
	return &window{r: r, buf: make([]byte, min(size, firstWindow)), size: size}
}

// offset is the place of the next byte in the stream.
func (w *window) offset() int64 { return w.base + int64(w.pos) }

// left is the number of bytes that can be had without reading.
func (w *window) left() int { return w.end - w.pos }

// bytes is what can be had without reading.
func (w *window) bytes() []byte { return w.buf[w.pos:w.end] }

// need makes n bytes available and reports whether they are there.
func (w *window) need(n int) bool { return w.end-w.pos >= n || w.fill(n) }

//go:noinline
func (w *window) fill(n int) bool {
	buf := w.buf
	if w.end == len(w.buf) && len(w.buf) < w.size {
		buf = make([]byte, w.size)
	}
	if w.pos > 0 || len(buf) != len(w.buf) {
		copy(buf, w.buf[w.pos:w.end])
		w.base += int64(w.pos)
		w.end -= w.pos
		w.buf, w.pos = buf, 0
	}
	for empty := 0; w.end < n && w.err == nil; {
		if w.end == len(w.buf) {
			// Twice as much, and only when all of it is filled: memory
			// follows the bytes that are there, not a length field.
			w.buf = append(w.buf, make([]byte, len(w.buf))...)
		}
		k, err := w.r.Read(w.buf[w.end:])
		w.end += k
		if empty++; k > 0 {
			empty = 0
		}
		if err == nil && empty == 100 {
			err = io.ErrNoProgress
		}
		w.err = err
	}
	return w.end >= n
}

// skip moves over n bytes without keeping them and reports whether they were there.
func (w *window) skip(n int64) bool {
	for {
		if int64(w.left()) >= n {
			w.pos += int(n)
			return true
		}
		n -= int64(w.left())
		w.pos = w.end
		if !w.need(1) {
			return false
		}
	}
}

// Read makes the rest of the window and what follows it an io.Reader.
func (w *window) Read(b []byte) (int, error) {
	if w.left() == 0 && !w.need(1) {
		return 0, w.err
	}
	n := copy(b, w.bytes())
	w.pos += n
	return n, nil
}

// stopped explains why a record that wants n bytes is not there. At the border
// of two records that is io.EOF. The record begins at the next byte.
func (w *window) stopped(what string, n int) error { return w.stoppedAt(w.offset(), what, int64(n)) }

// stoppedAt is stopped for a record of which some was skipped already.
func (w *window) stoppedAt(start int64, what string, n int64) error {
	have := w.base + int64(w.end) - start
	var stopped *Damage
	switch {
	case errors.As(w.err, &stopped):
		return stopped
	case have == 0 && w.err == io.EOF:
		return io.EOF
	case have == 0 && isCut(w.err):
		return &Damage{start, true, "the compressed stream ends early"}
	case isCut(w.err):
		return &Damage{start, true, fmt.Sprintf("%s needs %s, but %s", what, plural(n, "byte"), areThere(have))}
	}
	return &Damage{start, false, "reading fails: " + reason(w.err)}
}
