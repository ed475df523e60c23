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
	taken int       // packets that the short way took
	ps    [3]Packet // places that are filled again and again
	told  []told    // of the packets that were read and not given yet
}

// A told is a packet, and its record where that is still at hand.
type told struct{ packet, record string }

func newLane(t *testing.T, path string, short bool) *lane {
	l := &lane{src: open(t, Options{}, path), short: short}
	l.src.begun = !short
	return l
}

// next tells the next packet, nothing at the end. What the short way leaves it leaves as it was.
func (l *lane) next(t *testing.T) (x told) {
	t.Helper()
	if len(l.told) == 0 {
		l.read(t)
	}
	if len(l.told) > 0 {
		x, l.told = l.told[0], l.told[1:]
	}
	return x
}

// read reads some packets by the short way, or one by the general way.
func (l *lane) read(t *testing.T) {
	t.Helper()
	if f := l.src.plain; f != nil {
		frame, before := f.files.frame, l.ps
		n := f.read(l.src, l.ps[:])
		l.taken += n
		for i := range n {
			l.told = append(l.told, tellPacket(&l.ps[i], i < n-1 || l.src.Near()))
			if i < n-1 {
				l.told[i].record = ""
			}
		}
		if f.files.frame != frame+uint64(n) || n < len(before) && fmt.Sprint(before[n]) != fmt.Sprint(l.ps[n]) {
			t.Fatalf("the short way left frame %d and changed something", frame+uint64(n)+1)
		}
		if n > 0 {
			return
		}
	}
	if l.src.readAny(&l.ps[0]) == Given {
		l.told = append(l.told, tellPacket(&l.ps[0], l.src.Near()))
	}
}

func (l *lane) end() string { return fmt.Sprintf("%+v %+v", l.src.Infos(), l.src.Totals()) }

// tellPacket tells all of a packet.
func tellPacket(p *Packet, near bool) told {
	d, rec := p.Datagram, *p.Record
	if p.Class != UDP && p.Class != Unreachable {
		d = dissect.Datagram{Frame: d.Frame, File: d.File, Time: d.Time, HasTime: d.HasTime, CapLen: d.CapLen, WireLen: d.WireLen}
	}
	return told{fmt.Sprintf("%+v %v %v %v", d, p.Class, p.IsFragment, near), fmt.Sprintf("%+v", rec)}
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
				if x.packet != y.packet || x.record != y.record && x.record != "" {
					t.Fatalf("%s, round %d, packet %d:\nshort   %s\ngeneral %s", path, round, n+1, x, y)
				}
				if x.packet == "" {
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

// A place that a packet of one file has filled says of a packet of the next file where that one
// is from: what stays in it is of its own file alone.
func TestPlainFileAfterAnother(t *testing.T) {
	paths, _ := filepath.Glob("../../testdata/pcaps/*/*.pcap")
	first, second := newLane(t, paths[0], true), newLane(t, paths[0], true)
	second.src.before = first.src.Infos()
	for _, l := range []*lane{first, second} {
		l.next(t)
	}
	first.read(t)
	second.ps, second.told = first.ps, nil
	second.read(t)
	if p := second.ps[0]; first.taken == 0 || second.taken == 0 || p.File != 1 || p.Record != &second.src.plain.in.rec {
		t.Errorf("after %d packets of one file the short way says of %d of the next: file %d", first.taken, second.taken, p.File)
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
