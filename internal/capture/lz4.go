package capture

import (
	"bufio"
	"encoding/binary"
	"io"

	"github.com/pierrec/lz4/v4"
)

const (
	lz4History  = 64 << 10 // bytes back that a block may refer to
	lz4MinMatch = 4
	lz4Stored   = 1 << 31 // of a block's size: it is not compressed
	lz4MaxBlock = 8 << 20 // that a block expands to, in the legacy format
	lz4Long     = 15      // of a length: bytes that are added follow
)

// An lz4Reader reads a stream of lz4, also the beginning of a block that is cut: the
// library gives nothing of it, and a block of 4 MiB may be the whole capture.
type lz4Reader struct {
	z       *lz4.Reader
	src     lz4Source
	history []byte // the end of what was given
	rest    []byte // of the block that was cut
	err     error  // sticks
}

func newLz4Reader(src *bufio.Reader) (*lz4Reader, error) {
	r := &lz4Reader{src: lz4Source{r: src}}
	r.z = lz4.NewReader(&r.src)
	return r, r.z.Apply(lz4.ConcurrencyOption(1))
}

func (r *lz4Reader) Read(b []byte) (n int, err error) {
	if r.err == nil {
		n, r.err = r.z.Read(b)
		r.history = append(r.history, b[max(0, n-lz4History):n]...)
		r.history = r.history[:copy(r.history, r.history[max(0, len(r.history)-lz4History):])]
		if r.err == nil || r.err == io.EOF {
			return n, r.err
		}
		r.rest = r.src.cut(r.history)
	}
	k := copy(b[n:], r.rest)
	r.rest = r.rest[k:]
	if n += k; n > 0 {
		return n, nil
	}
	return 0, r.err
}

// An lz4Source remembers the last two parts that the library asked for, which reads the
// size of a block and then its data, each at once.
type lz4Source struct {
	r     *bufio.Reader
	size  uint32 // if the part before the last one was such
	asked int
	got   []byte // memory of the library
}

func (s *lz4Source) Read(b []byte) (int, error) {
	s.size = 0
	if len(s.got) == 4 {
		s.size = binary.LittleEndian.Uint32(s.got)
	}
	n, err := io.ReadFull(s.r, b)
	s.asked, s.got = len(b), b[:n]
	return n, err
}

// cut decodes what is there of the block at which the stream ended.
func (s *lz4Source) cut(history []byte) []byte {
	switch {
	case len(s.got) == s.asked || int(s.size&^lz4Stored) != s.asked:
		return nil
	case s.size&lz4Stored != 0:
		return s.got
	}
	return lz4Beginning(history, s.got)[len(history):]
}

// lz4Beginning appends what the beginning of a block says to what came before the block.
// A block is sequences: a byte with two lengths, literals, and how far back what is
// repeated stands.
func lz4Beginning(out, b []byte) []byte {
	most := len(out) + lz4MaxBlock
	for len(b) > 0 && len(out) < most {
		literals, repeated := int(b[0]>>4), int(b[0]&15)
		var whole bool
		if literals, b, whole = lz4Length(literals, b[1:]); !whole {
			break
		}
		literals = min(literals, len(b))
		out, b = append(out, b[:literals]...), b[literals:]
		if len(b) < 2 {
			break
		}
		back := int(binary.LittleEndian.Uint16(b))
		if repeated, b, whole = lz4Length(repeated, b[2:]); !whole || back == 0 || back > len(out) {
			break
		}
		for range min(repeated+lz4MinMatch, most-len(out)) {
			out = append(out, out[len(out)-back])
		}
	}
	return out
}

// lz4Length reads what is added to a length of four bits.
func lz4Length(n int, b []byte) (length int, rest []byte, whole bool) {
	if n < lz4Long {
		return n, b, true
	}
	for i, add := range b {
		if n += int(add); add != 255 {
			return n, b[i+1:], true
		}
	}
	return n, nil, false
}
