package session

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// TestSlotsOfAlikePairs: pairs that differ in one address and its mirror, or in one port, as the players
// of a server do, have places of their own; both directions of a pair have the same one.
func TestSlotsOfAlikePairs(t *testing.T) {
	pair := func(i byte) *dissect.Datagram {
		d := &dissect.Datagram{}
		d.Src.IP, d.Src.Port = [16]byte{10: 0xff, 11: 0xff, 12: 10, 13: 0, 14: i, 15: 1}, 20000
		d.Dst.IP, d.Dst.Port = [16]byte{10: 0xff, 11: 0xff, 12: 10, 13: 128, 14: i, 15: 1}, 30000
		return d
	}
	ports := func(i byte) *dissect.Datagram {
		d := pair(0)
		d.Src.Port += uint16(i)
		return d
	}
	for name, make := range map[string]func(byte) *dissect.Datagram{"addresses": pair, "ports": ports} {
		places := map[uint8]bool{}
		for i := range byte(64) {
			d := make(i)
			places[placeOf(d)] = true
			back := *d
			back.Src, back.Dst = d.Dst, d.Src
			if placeOf(&back) != placeOf(d) {
				t.Errorf("%s: the directions of pair %d have different places", name, i)
			}
		}
		if len(places) < 48 { // 57 of 64 are expected of chance
			t.Errorf("%s: 64 pairs share %d places", name, len(places))
		}
	}
}
