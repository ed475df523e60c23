package session

import (
	"bytes"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// numbered is a protocol whose frames are 77, a number of 16 bits, and anything.
var numbered = &Protocol{
	Protocol: &dissect.Protocol{Name: "numbered", Decode: func(t *dissect.Tree) (string, *dissect.Error) {
		var r dissect.Reader
		r.Start(t.Data, nil)
		if len(t.Data) > 3 && t.Data[3] == 0xad {
			r.Fail(&dissect.Field{Name: "numbered.bad"}, "bad")
		}
		return "", r.Err()
	}},
	Follows: func(frame, next []byte) bool {
		return len(frame) >= 3 && len(next) >= 3 && frame[0] == 77 && next[0] == 77 &&
			uint16(next[1])<<8|uint16(next[2]) == (uint16(frame[1])<<8|uint16(frame[2]))+1
	},
}

// joined is n frames of a size behind each other, the last of another.
func joined(n, size, last int) []byte {
	var b []byte
	for i := range n {
		frame := bytes.Repeat([]byte{0x20}, size)
		if i == n-1 {
			frame = frame[:last]
		}
		frame[0], frame[1], frame[2] = 77, byte(i>>8), byte(i)
		b = append(b, frame...)
	}
	return b
}

// TestPartSize: what falls into frames that follow each other, and only that, is
// taken apart. Two parts count where they are halves of what no link carries, or as
// those before.
func TestPartSize(t *testing.T) {
	edit := func(b []byte, at int, v byte) []byte {
		b[at] = v
		return b
	}
	for _, c := range []struct {
		name    string
		payload []byte
		likely  int
		mtu     uint16
		want    int
	}{
		{"three", joined(3, 100, 100), 0, 0, 100},
		{"the last is shorter", joined(12, 700, 41), 0, 0, 700},
		{"many", joined(255, 20, 20), 0, 0, 20},
		{"too many", joined(256, 20, 20), 0, 0, 0},
		{"two halves that fit one packet", joined(2, 700, 700), 0, 0, 0},
		{"two halves that do not", joined(2, 800, 800), 0, 0, 800},
		{"two halves that fit one packet, behind others", joined(2, 700, 700), 900, 0, 700},
		{"two parts, the last shorter", joined(2, 1400, 900), 0, 0, 0},
		{"two parts as before", joined(2, 1400, 900), 1400, 0, 1400},
		{"a part longer than the link carries", joined(3, 1473, 1473), 0, 0, 0},
		{"a link that carries it", joined(3, 1473, 1473), 0, 9000, 1473},
		{"one", joined(1, 4000, 4000), 0, 0, 0},
		{"a number is left out", edit(joined(5, 800, 800), 3*800+2, 9), 0, 0, 0},
		{"the last does not follow", edit(joined(5, 800, 800), 4*800, 78), 0, 0, 0},
		{"a frame that can't be read", edit(joined(5, 800, 800), 2*800+3, 0xad), 0, 0, 0},
		{"the last is too short for a frame", joined(5, 800, 2+1)[:4*800+2], 0, 0, 0},
		{"too short", []byte{77, 0, 0, 77, 0}, 0, 0, 0},
		{"nothing", nil, 0, 0, 0},
	} {
		d := dissect.Datagram{Payload: c.payload, Length: len(c.payload), MTU: c.mtu}
		if got := numbered.partSize(&d, c.likely); got != c.want {
			t.Errorf("%s: parts of %d bytes, want %d", c.name, got, c.want)
		}
	}
}

// TestSuspect: only datagrams longer than those before are looked at, until one was
// several.
func TestSuspect(t *testing.T) {
	var o offload
	d := func(n int) *dissect.Datagram { return &dissect.Datagram{Payload: make([]byte, n), Length: n} }
	for _, step := range []struct {
		length, size int
		want         bool
	}{{5, 0, false}, {100, 0, true}, {100, 0, false}, {101, 0, true}, {3000, 1000, true}, {50, 0, true}, {90, 30, true}} {
		if got := o.suspect(d(step.length), 0); got != step.want {
			t.Errorf("%d bytes: %t", step.length, got)
		}
		if o.suspect(d(1), 1) {
			t.Error("one byte")
		}
		o.note(d(step.length), 0, step.size)
	}
	for what, d := range map[string]*dissect.Datagram{
		"fragments": {Payload: make([]byte, 9000), Length: 9000, Fragments: 7},
		"cut":       {Payload: make([]byte, 96), Length: 9000},
		"a notice":  {Payload: make([]byte, 9000), Length: 9000, Kind: dissect.Unreachable},
	} {
		if o.suspect(d, 0) {
			t.Errorf("%s is looked at", what)
		}
	}
}

// TestParts: the parts are the bytes of the datagram in their order, each with an
// identification of its own.
func TestParts(t *testing.T) {
	whole := dissect.Datagram{Frame: 7, Payload: joined(4, 100, 30), Length: 330, IPID: 65534, Sum: 5, BadChecksum: true, Dropped: 3}
	var got []byte
	n := 0
	parts(&whole, 100, func(d *dissect.Datagram) {
		if d.Frame != 7 || int(d.Part) != n || d.Parts != 4 || d.IPID != uint16(65534+n) || d.Sum != 0 || d.BadChecksum || d.Length != len(d.Payload) || d.Dropped != 3 {
			t.Errorf("part %d: %+v", n, d)
		}
		n++
		got = append(got, d.Payload...)
	})
	if n != 4 || !bytes.Equal(got, whole.Payload) {
		t.Errorf("%d parts, %d bytes", n, len(got))
	}
	whole.IPID = 0
	parts(&whole, 100, func(d *dissect.Datagram) {
		if d.IPID != 0 {
			t.Errorf("part %d has identification %d", d.Part, d.IPID)
		}
	})
}

// FuzzPartSize: whatever a datagram holds, it falls into whole frames that follow each
// other, or not at all.
func FuzzPartSize(f *testing.F) {
	f.Add(joined(3, 100, 20), uint16(0))
	f.Add(joined(2, 800, 800), uint16(0))
	f.Add(joined(9, 7, 3), uint16(7))
	f.Fuzz(func(t *testing.T, b []byte, likely uint16) {
		d := dissect.Datagram{Payload: b, Length: len(b)}
		size := numbered.partSize(&d, int(likely))
		if size == 0 {
			return
		}
		var last []byte
		n := 0
		parts(&d, size, func(part *dissect.Datagram) {
			if last != nil && !numbered.Follows(last, part.Payload) {
				t.Fatalf("part %d of %d bytes does not follow", part.Part, size)
			}
			last = part.Payload
			n++
		})
		if n < 2 || n > maxParts || size > d.Carried() {
			t.Fatalf("%d parts of %d bytes", n, size)
		}
	})
}
