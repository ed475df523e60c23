package redact

import (
	"bytes"
	"crypto/aes"
	"encoding/binary"
	"unicode/utf8"
)

// An alphabet is the classes that bytes stay in when a value is replaced.
type alphabet struct {
	class   [256]uint8 // 0: the byte stays
	place   [256]uint8 // in its class
	members [8][]byte
}

// Alphabets: of what applications send, where any byte that is no text may become any other;
// of text in UTF-16 or of no known kind, whose zero bytes stay; of UTF-8, of which the bytes
// that lead a character stay, and those that follow stay such.
var (
	contents = newAlphabet(isAny)
	wide     = newAlphabet(func(b byte) bool { return b != 0 && isAny(b) })
	unicode8 = newAlphabet(func(b byte) bool { return b >= 0x80 && b < 0xc0 })
)

func isAny(b byte) bool    { return b < ' ' || b >= 0x7f }
func isLetter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }
func isDigit(b byte) bool  { return b >= '0' && b <= '9' }

// anything is the alphabet of secrets: all bytes are alike.
var anything = func() *alphabet {
	a := &alphabet{}
	for i := range 256 {
		a.class[i], a.place[i], a.members[1] = 1, uint8(i), append(a.members[1], byte(i))
	}
	return a
}()

// newAlphabet makes letters, digits, and the bytes that any says, classes.
func newAlphabet(any func(byte) bool) *alphabet {
	a := &alphabet{}
	for i := range 256 {
		b, class := byte(i), uint8(0)
		switch {
		case isLetter(b):
			class = 1
		case isDigit(b):
			class = 2
		case any(b):
			class = 3
		default:
			continue
		}
		a.class[b], a.place[b] = class, uint8(len(a.members[class]))
		a.members[class] = append(a.members[class], b)
	}
	return a
}

// permute replaces a value by one of the same length and the same classes, byte for byte, one
// to one: a Feistel network of four rounds over its halves.
func (k *Key) permute(v []byte, a *alphabet) {
	left, right := v[:len(v)/2], v[len(v)/2:]
	for round := uint32(0); round < 4; round++ {
		k.shift(right, left, round, a)
		left, right = right, left
	}
}

// shift moves each byte of to within its class, as far as the other half says.
func (k *Key) shift(to, by []byte, round uint32, a *alphabet) {
	if len(to) == 0 {
		return
	}
	k.count = *k.hash(forValue, round<<24|uint32(len(to)), by)
	start := binary.LittleEndian.Uint64(k.count[:])
	for i := range to {
		j := i % aes.BlockSize
		if j == 0 {
			binary.LittleEndian.PutUint64(k.count[:], start+uint64(i))
			k.block.Encrypt(k.pad[:], k.count[:])
		}
		if class := a.class[to[i]]; class != 0 {
			m := a.members[class]
			to[i] = m[(int(a.place[to[i]])+int(k.pad[j]))%len(m)]
		}
	}
}

// mostTurns is how often a value is replaced again until nothing in it looks like something
// that was in the input.
const mostTurns = 32

// replace replaces what an application sent, or a text. Values of zero bytes alone stay. By
// chance a replacement may hold what must not be found: then it is replaced again, as long as
// that takes, which keeps it one to one.
func (k *Key) replace(v []byte, text bool, o *Originals) {
	if isZero(v) {
		return
	}
	a := contents
	switch {
	case text && utf8.Valid(v) && bytes.IndexByte(v, 0) < 0:
		a = unicode8
	case text:
		a = wide
	}
	for range mostTurns {
		k.permute(v, a)
		if i, _, _ := o.at(v); i < 0 && !isZero(v) && (a != unicode8 || utf8.Valid(v)) {
			return
		}
	}
}

func isZero(v []byte) bool { return len(bytes.TrimLeft(v, "\x00")) == 0 }
