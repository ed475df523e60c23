package capture

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// A lane reads a capture, by the short way where it goes or by the general way alone.
type lane struct {
	src   *Source
	short bool
	taken int // packets that the short way took
}

func newLane(t *testing.T, path string, short bool) *lane {
	l := &lane{src: open(t, Options{}, path), short: short}
	l.src.begun = !short
	return l
}

// next tells the next packet, "" at the end. What the short way leaves it leaves as it was.
func (l *lane) next(t *testing.T) string {
	t.Helper()
	var p Packet
	if f := l.src.plain; f != nil {
		frame := f.files.frame
		if f.read(l.src, &p) {
			l.taken++
			return tellPacket(&p, l.src.Near())
		}
		if f.files.frame != frame || p.Class != 0 {
			t.Fatalf("the short way left frame %d and changed something", frame+1)
		}
	}
	if l.src.readAny(&p) != Given {
		return ""
	}
	return tellPacket(&p, l.src.Near())
}

func (l *lane) end() string { return fmt.Sprintf("%+v %+v", l.src.Infos(), l.src.Totals()) }

// tellPacket tells all of a packet.
func tellPacket(p *Packet, near bool) string {
	d, rec := p.Datagram, *p.Record
	if p.Class != UDP && p.Class != Unreachable {
		d = dissect.Datagram{Frame: d.Frame, File: d.File, Time: d.Time, HasTime: d.HasTime, CapLen: d.CapLen, WireLen: d.WireLen}
	}
	return fmt.Sprintf("%+v %v %v %+v %v", d, p.Class, p.IsFragment, rec, near)
}

// The short way gives the packets of the general one: all committed captures, as they are
// and with bytes changed at random, most of them in headers: in one of three ways each, or in all where DPDISSECT_FORMS is set.
func TestPlainFile(t *testing.T) {
	paths, _ := filepath.Glob("../../testdata/pcaps/*/*.pcap")
	if len(paths) == 0 {
		t.Fatal("no traces")
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	taken, all := 0, 0
	for i, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		rounds := []int{0, 1 + i%3}
		if os.Getenv("DPDISSECT_FORMS") != "" {
			rounds = []int{0, 1, 2, 3}
		}
		for _, round := range rounds {
			name := path
			if round > 0 {
				name = onDisk(t, edited(rnd, b, round))[0]
			}
			short, general := newLane(t, name, true), newLane(t, name, false)
			n := 0
			for ; ; n++ {
				x, y := short.next(t), general.next(t)
				if x != y {
					t.Fatalf("%s, round %d, packet %d:\nshort   %s\ngeneral %s", path, round, n+1, x, y)
				}
				if x == "" {
					break
				}
			}
			if x, y := short.end(), general.end(); x != y || general.taken != 0 {
				t.Fatalf("%s, round %d, %d taken:\nshort   %s\ngeneral %s", path, round, general.taken, x, y)
			}
			if round == 0 {
				taken, all = taken+short.taken, all+n
			}
		}
	}
	if taken < all/2 {
		t.Errorf("the short way took %d of %d packets", taken, all)
	}
}

// edited changes bytes of the packets' headers, and cuts the file now and then.
func edited(rnd *rand.Rand, b []byte, round int) []byte {
	b = bytes.Clone(b)
	for at := pcapFileHeader; at+plainData < len(b); {
		size := int(b[at+8]) | int(b[at+9])<<8
		if rnd.IntN(3) == 0 {
			i := at + 8 + rnd.IntN(plainData-8)
			if i < at+pcapHeader && rnd.IntN(20) > 0 {
				i += 16 // lengths of records seldom: they end the file
			}
			b[i] = byte(rnd.Uint32() & rnd.Uint32()) // zeros more often than ones
		}
		at += pcapHeader + size
	}
	if round%3 == 0 {
		b = b[:rnd.IntN(len(b))]
	}
	return b
}
