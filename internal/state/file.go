package state

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// A Head says what a state is of.
type Head struct {
	Layout  uint64   // Codec.Number
	Options [32]byte // a digest of the options that count
	Command string   // whose it is
}

// The file of a state: magic, head, how the body is packed, body, zeros, SHA-256 over all that.
const (
	magic  = "\x89dpdissect state\r\n\x1a\n"
	digest = sha256.Size
)

// Ways in which a body is packed.
const (
	stored = iota
	packed
)

// factor is by how much a state may be smaller than the memory that reading it takes.
const factor = 16

// Memory is how many bytes of memory reading a state of so many bytes may take at most.
func Memory(size int) int64 { return factor * int64(size) }

// ErrNoState says that something is no state at all.
var ErrNoState = errors.New("is no state of dpdissect")

// Is reports whether a file that begins so is a state, whatever became of the rest.
func Is(begin []byte) bool { return bytes.HasPrefix(begin, []byte(magic)) }

// MagicLen is the number of bytes that Is needs.
const MagicLen = len(magic)

// Seal makes the file of a state. memory is what reading the body takes: where the file would
// be too small for it, it is packed less, or made longer.
func (h *Head) Seal(body []byte, memory int64) []byte {
	least := int((memory+int64(len(body)))/factor) + 1
	small := pack(body)
	out := h.append(nil)
	if len(small) < least && len(body) < 2*least || len(body) <= len(small) {
		out, small = append(out, stored), body
	} else {
		out = append(out, packed)
	}
	out = binary.AppendUvarint(out, uint64(len(body)))
	out = binary.AppendUvarint(out, uint64(len(small)))
	out = append(out, small...)
	if n := least - len(out) - digest; n > 0 {
		out = append(out, make([]byte, n)...)
	}
	sum := sha256.Sum256(out)
	return append(out, sum[:]...)
}

// Blocks of blockSize bytes are compressed by the frequencies of their values: longer ones would be of columns that
// have others.
const blockSize = 4096

// What is alike is looked for within a window of so many bytes: a larger one finds hardly more, and reading takes its memory.
const window = 1 << 16

func pack(body []byte) []byte {
	var small bytes.Buffer
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithAllLitEntropyCompression(true), zstd.WithEncoderCRC(false), zstd.WithWindowSize(window))
	if err != nil {
		panic(err) // of options that are constant
	}
	enc.ResetContentSize(&small, int64(len(body)))
	for b := range slices.Chunk(body, blockSize) {
		enc.Write(b) // into memory, which does not fail
		enc.Flush()
	}
	enc.Close()
	return small.Bytes()
}

func (h *Head) append(b []byte) []byte {
	b = append(b, magic...)
	b = binary.BigEndian.AppendUint64(b, h.Layout)
	b = append(b, h.Options[:]...)
	b = append(b, byte(len(h.Command)))
	return append(b, h.Command...)
}

// Open reads the file of a state: its head, and what opens its body.
func Open(file []byte) (h Head, body func() ([]byte, error), err error) {
	if !Is(file) {
		return h, nil, ErrNoState
	}
	at := len(file) - digest
	if at < len(magic) {
		return h, nil, ErrDamaged
	}
	if sum := sha256.Sum256(file[:at]); !bytes.Equal(sum[:], file[at:]) {
		return h, nil, ErrDamaged
	}
	b := file[len(magic):at]
	const fixedPart = 8 + 32 + 1
	if len(b) < fixedPart || len(b) < fixedPart+int(b[fixedPart-1]) {
		return h, nil, ErrDamaged
	}
	h.Layout = binary.BigEndian.Uint64(b)
	copy(h.Options[:], b[8:])
	n := fixedPart + int(b[fixedPart-1])
	h.Command = string(b[fixedPart:n])
	return h, func() ([]byte, error) { return unpack(b[n:], Memory(len(file))) }, nil
}

// unpack gives the body, of so many bytes at most.
func unpack(b []byte, most int64) ([]byte, error) {
	if len(b) == 0 {
		return nil, ErrDamaged
	}
	how, b := b[0], b[1:]
	size, n := binary.Uvarint(b)
	if n <= 0 || size > uint64(most) {
		return nil, ErrDamaged
	}
	b = b[n:]
	length, n := binary.Uvarint(b)
	if n <= 0 || length > uint64(len(b)-n) {
		return nil, ErrDamaged
	}
	b = b[n : n+int(length)]
	if how == stored {
		if size != length {
			return nil, ErrDamaged
		}
		return b, nil
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(max(size, window)), zstd.WithDecoderLowmem(true))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	defer dec.Close()
	body, err := dec.DecodeAll(b, make([]byte, 0, size))
	if err != nil || uint64(len(body)) != size || how != packed {
		return nil, ErrDamaged
	}
	return body, nil
}
