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

// A plainResult is what reading a capture gave.
type plainResult struct {
	packets []string
	end     string
	taken   int // by the short way
}

// readWhole reads a capture, by the short way where it goes or by the general way alone.
func readWhole(t *testing.T, path string, short bool) (r plainResult) {
	t.Helper()
	src := open(t, Options{}, path)
	src.begun = !short
	for {
		var p Packet
		before := src.plain != nil
		frame := uint64(0)
		if before {
			frame = src.plain.files.frame
			if !src.plain.read(src, &p) {
				if src.plain.files.frame != frame || p.Class != 0 {
					t.Fatalf("%s: the short way left frame %d and changed something", path, frame+1)
				}
				before = false
			}
		}
		if before {
			r.taken++
		} else if src.readAny(&p) != Given {
			break
		}
		r.packets = append(r.packets, tellPacket(&p, src.Near()))
	}
	r.end = fmt.Sprintf("%+v %+v", src.Infos(), src.Totals())
	return r
}

// tellPacket tells all of a packet.
func tellPacket(p *Packet, near bool) string {
	d, rec := p.Datagram, *p.Record
	if p.Class != UDP && p.Class != Unreachable {
		d = dissect.Datagram{Frame: d.Frame, File: d.File, Time: d.Time, HasTime: d.HasTime, CapLen: d.CapLen, WireLen: d.WireLen}
	}
	return fmt.Sprintf("%+v %v %v %+v %v", d, p.Class, p.IsFragment, rec, near)
}

// The short way gives the packets of the general one: all committed captures, as they are
// and with bytes changed at random, most of them in headers.
func TestPlainFile(t *testing.T) {
	paths, _ := filepath.Glob("../../testdata/pcaps/*/*.pcap")
	if len(paths) == 0 {
		t.Fatal("no traces")
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	taken, all := 0, 0
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for round := range 4 {
			name := path
			if round > 0 {
				name = onDisk(t, edited(rnd, b, round))[0]
			}
			short, general := readWhole(t, name, true), readWhole(t, name, false)
			if general.taken != 0 {
				t.Fatal("the general way took the short one")
			}
			for i := range min(len(short.packets), len(general.packets)) {
				if short.packets[i] != general.packets[i] {
					t.Fatalf("%s, round %d, packet %d:\nshort   %s\ngeneral %s", path, round, i+1, short.packets[i], general.packets[i])
				}
			}
			if a, b := pathless(short.end, name), pathless(general.end, name); a != b || len(short.packets) != len(general.packets) {
				t.Fatalf("%s, round %d:\nshort   %s\ngeneral %s", path, round, a, b)
			}
			if round == 0 {
				taken, all = taken+short.taken, all+len(short.packets)
			}
		}
	}
	if taken < all/2 {
		t.Errorf("the short way took %d of %d packets", taken, all)
	}
}

func pathless(s, path string) string { return string(bytes.ReplaceAll([]byte(s), []byte(path), nil)) }

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
			b[i] = byte(rnd.IntN(256)) & byte(rnd.IntN(256))
		}
		at += pcapHeader + size
	}
	if round%3 == 0 {
		b = b[:rnd.IntN(len(b))]
	}
	return b
}
