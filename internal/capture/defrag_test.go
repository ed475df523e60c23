package capture

import (
	"bytes"
	"testing"
)

// frag is one fragment in a test: which bytes of the datagram, the last or not.
type frag struct {
	from, to int
	more     bool
}

var testDatagram = func() []byte {
	b := make([]byte, 2000)
	for i := range b {
		b[i] = byte(i * 7)
	}
	return udpBytes(testV4a, testV4b, b)
}()

var whole = []frag{{0, 800, true}, {800, 1600, true}, {1600, 2008, false}}

func (f frag) v4(id int, u []byte) []byte {
	field := f.from / 8
	if f.more {
		field |= ipv4More
	}
	return ipv4Bytes(protoUDP, id, field, u[f.from:f.to])
}

func (f frag) v6(id int, u []byte) []byte {
	field := f.from
	if f.more {
		field |= 1
	}
	return ipv6Bytes(protoFragment, cat([]byte{protoUDP, 0}, be16(field), be16(0), be16(id), u[f.from:f.to]))
}

// feed decodes packets a millisecond apart and gives the datagrams that came out.
func feed(t *testing.T, d *Decoder, packets ...[]byte) (got []Packet) {
	t.Helper()
	for i, b := range packets {
		var p Packet
		d.Decode(&Record{Data: b, WireLen: len(b), Link: LinkRaw, HasTime: true, Time: int64(i) * 1e6}, &p)
		if p.Class == UDP {
			p.Payload = bytes.Clone(p.Payload)
			got = append(got, p)
		}
	}
	return got
}

func TestFragments(t *testing.T) {
	a, b, c := whole[0], whole[1], whole[2]
	for _, tc := range []struct {
		name      string
		frags     []frag
		datagrams int
	}{
		{"in order", whole, 1},
		{"reverse", []frag{c, b, a}, 1},
		{"last first", []frag{c, a, b}, 1},
		{"each twice at once", []frag{a, a, b, b, c, c}, 2},
		{"twice, one after the other", []frag{a, b, c, a, b, c}, 2},
		{"twice, mixed", []frag{a, b, a, c, c, b}, 2},
		{"three times", []frag{a, b, c, a, b, c, c, b, a}, 3},
		{"one lost", []frag{a, c}, 0},
		{"one copied", []frag{a, a, b, c}, 1},
		{"overlap", []frag{a, {792, 1600, true}, b, c}, 0},
		{"overlap behind", []frag{b, {0, 808, true}, a, c}, 0},
		{"two ends", []frag{a, c, {1600, 2000, false}, b}, 0},
		{"more behind the end", []frag{{800, 1600, false}, c, a}, 0},
		{"odd size", []frag{{0, 801, true}, b, c}, 0},
		{"empty", []frag{a, {800, 800, true}, b, c}, 1},
		{"one-byte end", []frag{{0, 1600, true}, {1600, 2000, true}, {2000, 2008, false}}, 1},
	} {
		for version, make := range map[string]func(frag, int, []byte) []byte{"v4": frag.v4, "v6": frag.v6} {
			u := testDatagram
			if version == "v6" {
				u = udpBytes(testV6a, testV6b, testDatagram[8:])
			}
			var packets [][]byte
			for _, f := range tc.frags {
				packets = append(packets, make(f, 5, u))
			}
			got := feed(t, &Decoder{}, packets...)
			if len(got) != tc.datagrams {
				t.Errorf("%s %s: %d datagrams, want %d", tc.name, version, len(got), tc.datagrams)
			}
			for _, p := range got {
				if !bytes.Equal(p.Payload, u[8:]) || p.BadChecksum || p.Fragments != 3 || !p.IsFragment || p.Length != 2000 {
					t.Errorf("%s %s: %d bytes, bad %v, fragments %d", tc.name, version, len(p.Payload), p.BadChecksum, p.Fragments)
				}
			}
		}
	}
}

func TestFragmentsOfOthersStayApart(t *testing.T) {
	a, c := frag{0, 800, true}, frag{800, 2008, false}
	tcp := a.v4(5, testDatagram)
	tcp[9] = 6
	otherHost := a.v4(5, testDatagram)
	otherHost[15] = 9
	got := feed(t, &Decoder{}, tcp, otherHost, a.v4(6, testDatagram), c.v4(5, testDatagram))
	if len(got) != 0 {
		t.Errorf("%d datagrams of fragments that do not belong together", len(got))
	}
	if got = feed(t, &Decoder{}, tcp, a.v4(5, testDatagram), a.v4(6, testDatagram), c.v4(6, testDatagram), c.v4(5, testDatagram)); len(got) != 2 {
		t.Errorf("%d datagrams, want 2", len(got))
	}
}

func TestFragmentsOfReusedIdentification(t *testing.T) {
	other := udpBytes(testV4a, testV4b, bytes.Repeat([]byte("x"), 2000))
	a, b, c := whole[0], whole[1], whole[2]
	// A stray copy of one fragment does not poison the next datagram.
	got := feed(t, &Decoder{}, a.v4(5, testDatagram), b.v4(5, testDatagram), c.v4(5, testDatagram), c.v4(5, testDatagram),
		a.v4(5, other), b.v4(5, other), c.v4(5, other))
	if len(got) != 2 || got[1].BadChecksum || !bytes.Equal(got[1].Payload, other[8:]) {
		t.Errorf("%d datagrams", len(got))
	}
}

func TestFragmentsTimeOut(t *testing.T) {
	for _, tc := range []struct {
		after int64
		class Class
	}{{fragmentTimeout, UDP}, {fragmentTimeout + 1, Fragment}} {
		var d Decoder
		var p Packet
		d.Decode(&Record{Data: frag{0, 800, true}.v4(1, testDatagram), Link: LinkRaw, HasTime: true}, &p)
		d.Decode(&Record{Data: frag{800, 2008, false}.v4(1, testDatagram), Link: LinkRaw, HasTime: true, Time: tc.after}, &p)
		if p.Class != tc.class {
			t.Errorf("after %d ns: class %d, want %d", tc.after, p.Class, tc.class)
		}
	}
}

func TestFragmentCutBySnaplen(t *testing.T) {
	first := frag{0, 800, true}.v4(1, testDatagram)
	if got := feed(t, &Decoder{}, first[:100], frag{800, 2008, false}.v4(1, testDatagram)); len(got) != 0 {
		t.Error("a datagram was made of a cut fragment")
	}
}

func TestFragmentsAreBounded(t *testing.T) {
	var d Decoder
	for i := range 100_000 {
		// The greatest buffer a single small fragment can ask for.
		b := ipv4Bytes(protoUDP, i, 65000/8, make([]byte, 100))
		b[12] = byte(i >> 16)
		feed(t, &d, b)
		if n := len(d.frags.byKey); n > maxPending {
			t.Fatalf("%d datagrams pending", n)
		}
		if d.frags.bytes > maxPendingBytes+1<<17 {
			t.Fatalf("%d bytes pending", d.frags.bytes)
		}
	}
	checkDefrag(t, &d.frags)
}

// checkDefrag verifies what must hold between the parts of a defrag.
func checkDefrag(t testing.TB, f *defrag) {
	t.Helper()
	n, bytes := 0, 0
	for a := f.oldest; a != nil; a = a.newer {
		n++
		bytes += len(a.buf)
		if f.byKey[a.key] != a {
			t.Fatal("an assembly is not under its key")
		}
		got := 0
		for i, s := range a.have {
			got += s.to - s.from
			if i > 0 && a.have[i-1].to > s.from || s.to > len(a.buf) {
				t.Fatal("fragments overlap")
			}
		}
		if got != a.got && !a.spoiled {
			t.Fatal("bytes are counted wrongly")
		}
	}
	if n != len(f.byKey) || bytes != f.bytes {
		t.Fatalf("%d in the list, %d by key; %d bytes, %d counted", n, len(f.byKey), bytes, f.bytes)
	}
}

// Fragments inside what came in fragments are not put together.
func TestFragmentsNested(t *testing.T) {
	inner := cat([]byte{protoFragment, 0, 1, 4, 0, 0, 0, 0, protoUDP, 0}, be16(1), be16(0), be16(5), make([]byte, 800)) // a fragment header with more set
	var packets [][]byte
	for _, f := range []frag{{0, 400, true}, {400, 816, false}} {
		b := f.v6(5, inner)
		b[40] = protoDestOpts // pretend, so that it is kept
		packets = append(packets, b)
	}
	if got := feed(t, &Decoder{}, packets...); len(got) != 0 {
		t.Errorf("%d datagrams", len(got))
	}
}

func FuzzDefrag(f *testing.F) {
	f.Add([]byte{0, 0, 100, 1, 0, 100, 100, 1, 0, 200, 50, 0})
	f.Add([]byte{1, 100, 100, 0, 1, 0, 100, 1, 1, 0, 100, 1})
	f.Fuzz(func(t *testing.T, script []byte) {
		var d Decoder
		now, mixed := int64(0), false
		for ; len(script) >= 4; script = script[4:] {
			// id, offset, length, bits: more, version, other content, cut, late
			id, off, n, bits := int(script[0]&7), int(script[1])*8, int(script[2])*8, script[3]
			if bits&16 != 0 {
				n += 3
			}
			u := make([]byte, off+n)
			for i := range u {
				u[i] = byte(i*7) ^ bits&4
			}
			mixed = mixed || bits&4 != 0
			fr := frag{off, off + n, bits&1 != 0}
			b := fr.v4(id, u)
			if bits&2 != 0 {
				b = fr.v6(id, u)
			}
			if bits&8 != 0 {
				b = b[:len(b)-len(b)/4]
			}
			now += int64(bits>>5) * 5e9
			var p Packet
			d.Decode(&Record{Data: b, WireLen: len(b), Link: LinkRaw, HasTime: true, Time: now}, &p)
			if p.Class == UDP && p.IsFragment && !mixed {
				for i, x := range p.Payload {
					if x != byte((i+udpHeader)*7) {
						t.Fatalf("byte %d is not where it was", i)
					}
				}
			}
			checkDefrag(t, &d.frags)
		}
	})
}
