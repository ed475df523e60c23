package redact

import (
	"bytes"
	"encoding/binary"
	"net/netip"
)

// mostOriginals is how many contents, and how many texts, are searched for; further ones are
// not.
const mostOriginals = 1 << 20

// A Kind of what must not be found.
type Kind uint8

const (
	AnAddress Kind = iota
	AText
	APayload
	numKinds
)

var kindNames = [...]string{"an address", "a text", "a payload"}

func (k Kind) String() string { return kindNames[k] }

// Originals is what a capture must not hold any more: addresses, names, texts and contents.
// Of those longer than 8 bytes it has 8 bytes that are telling: who finds these has found
// the value, or as much of it as must not be there.
type Originals struct {
	heads  []byte // bits: hashes of the first four bytes of all
	ips    map[netip.Addr]struct{}
	spelt  map[[leastSpelt]byte][][]byte // addresses as text
	macs   set
	values [numKinds]struct{ short, long set } // 6 and 8 bytes
	wide   set                                 // 8 characters of UTF-16
	Left   uint64                              // contents and texts for which there was no room
}

// leastSpelt is how long the text of an address is at least.
const leastSpelt = 7

// headBits is how many bits of a hash are looked at first.
const headBits = 24

// NewOriginals has none.
func NewOriginals() *Originals {
	return &Originals{heads: make([]byte, 1<<(headBits-3)), ips: map[netip.Addr]struct{}{}, spelt: map[[leastSpelt]byte][][]byte{}}
}

// headBit is the bit of what begins with these bytes.
func headBit(b []byte) uint32 { return binary.LittleEndian.Uint32(b) * 0x9e3779b1 >> (32 - headBits) }

func (o *Originals) mark(b []byte) { h := headBit(b); o.heads[h>>3] |= 1 << (h & 7) }

// addAddresses adds all addresses that are replaced, IP addresses also as text.
func (o *Originals) addAddresses(a *Addresses) {
	for m := range a.macs {
		o.macs.add(six(m[:]))
		o.mark(m[:])
	}
	for ip := range a.ips {
		o.ips[ip] = struct{}{}
		o.mark(ip.AsSlice())
		if text := []byte(ip.String()); len(text) >= leastSpelt {
			o.spell(text)
			o.spell(widened(text)[:2*len(text)-1]) // a zero at the end may be gone
		}
	}
}

func (o *Originals) spell(text []byte) {
	k := [leastSpelt]byte(text)
	o.spelt[k] = append(o.spelt[k], text)
	o.mark(text)
}

// widened is text in UTF-16, little-endian.
func widened(text []byte) []byte {
	w := make([]byte, 0, 2*len(text))
	for _, c := range text {
		w = append(w, c, 0)
	}
	return w
}

func six(b []byte) uint64 {
	return uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint16(b[4:]))<<32 | 1<<63
}

func eight(b []byte) uint64 { return max(binary.LittleEndian.Uint64(b), 1) }

// add adds what a replaced field held, and the texts in it.
func (o *Originals) add(v []byte, text bool) {
	switch {
	case text:
		o.addValue(AText, v)
	case len(v) >= 8:
		o.addValue(APayload, v)
	}
	o.addTexts(v)
}

// How much the bytes that are searched for have to say, in bits: digits have 3, letters 5,
// and punctuation, which stays, nothing.
var telling = [numKinds]int{AText: 18, APayload: 24}

// addValue adds the first 8 bytes of a value that say enough, or 6 of a shorter one.
func (o *Originals) addValue(k Kind, v []byte) {
	s := &o.values[k]
	if n := len(v); n == 6 || n == 7 {
		if says(v[:6]) >= telling[k] {
			o.put(&s.short, v, six(v))
		}
		return
	}
	for i := 0; i+8 <= len(v); i++ {
		if w := v[i : i+8]; says(w) >= telling[k] && differ(w) >= 4 {
			o.put(&s.long, w, eight(w))
			return
		}
	}
}

func (o *Originals) put(s *set, b []byte, v uint64) {
	if s.n >= mostOriginals {
		o.Left++
		return
	}
	s.add(v)
	o.mark(b)
}

// says is how much bytes say, in bits.
func says(w []byte) (bits int) {
	for _, b := range w {
		bits += [...]int{0, 5, 3, 7}[contents.class[b]]
	}
	return bits
}

// differ is how many different bytes there are.
func differ(w []byte) (n int) {
	for i, b := range w {
		if bytes.IndexByte(w[:i], b) < 0 {
			n++
		}
	}
	return n
}

// addTexts adds the texts of 6 characters and more in a value: ASCII, and UTF-16 of
// little-endian order. Each is searched for in both.
func (o *Originals) addTexts(v []byte) {
	for step := 1; step <= 2; step++ {
		for i := 0; i < len(v); {
			n := textAt(v[i:], step)
			if n >= 6 {
				o.addText(v[i:], min(n, 256), step)
			}
			i += max(1, n*step)
		}
	}
}

// textAt is how many characters of text a value begins with.
func textAt(v []byte, step int) (n int) {
	for i := 0; i+step <= len(v) && v[i] >= ' ' && v[i] < 0x7f && (step == 1 || v[i+1] == 0); i += step {
		n++
	}
	return n
}

// addText adds a text of n characters in both forms.
func (o *Originals) addText(v []byte, n, step int) {
	text := make([]byte, n)
	for i := range text {
		text[i] = v[i*step]
	}
	if differ(text[:min(n, 16)]) < 4 {
		return
	}
	o.addValue(AText, text)
	for i := 0; i+8 <= n; i++ { // of UTF-16 8 bytes say little: twice as many are looked at
		if w := widened(text[i : i+8]); says(text[i:i+8]) >= telling[AText] {
			o.put(&o.wide, w, both(w))
			return
		}
	}
}

// both makes one number of 16 bytes.
func both(b []byte) uint64 { return max(eight(b)*0x9e3779b97f4a7c15^eight(b[8:]), 1) }

// at is where bytes hold what must not be found, and how many bytes of it were looked at; -1
// where they do not.
func (o *Originals) at(v []byte) (i, n int, k Kind) {
	for i := 0; i+4 <= len(v); i++ {
		if h := headBit(v[i:]); o.heads[h>>3]>>(h&7)&1 != 0 {
			if n, k := o.begins(v[i:]); n > 0 {
				return i, n, k
			}
		}
	}
	return -1, 0, 0
}

// begins gives what bytes begin with that must not be found, and its length, 0 for nothing.
func (o *Originals) begins(w []byte) (n int, k Kind) {
	if n = o.address(w); n > 0 {
		return n, AnAddress
	}
	for k := range o.values {
		switch s := &o.values[k]; {
		case len(w) >= 8 && s.long.has(eight(w)):
			return 8, Kind(k)
		case len(w) >= 6 && s.short.has(six(w)):
			return 6, Kind(k)
		}
	}
	if len(w) >= 16 && w[1] == 0 && w[3] == 0 && o.wide.has(both(w)) {
		return 16, AText
	}
	return 0, 0
}

// address is how long the address is that bytes begin with, the longest form first.
func (o *Originals) address(w []byte) int {
	if len(w) >= leastSpelt {
		for _, text := range o.spelt[[leastSpelt]byte(w)] {
			if n := len(text); bytes.HasPrefix(w, text) && !(n < len(w) && isDigit(w[n])) {
				return n
			}
		}
	}
	if len(w) >= 16 && o.hasIP(w[:16]) {
		return 16
	}
	if len(w) >= 6 && o.macs.has(six(w)) {
		return 6
	}
	if o.hasIP(w[:4]) {
		return 4
	}
	return 0
}

func (o *Originals) hasIP(b []byte) bool {
	_, ok := o.ips[addressOf(b)]
	return ok
}
