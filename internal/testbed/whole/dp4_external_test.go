package whole

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/protocols"
)

// dp4Truth is what a truth file of an independent DirectPlay 4 model says, as far
// as it is compared.
type dp4Truth struct {
	Links []struct {
		FromA dp4Side `json:"from_A"`
		FromB dp4Side `json:"from_B"`
	} `json:"links"`
	Packets []struct {
		Frames []uint64 `json:"f"`
		Dir    string   `json:"dir"`
		Kind   string   `json:"k"`
		Retry  int      `json:"retry"`
	} `json:"packets"`
}

type dp4Side struct {
	From     uint32 `json:"id_from"`
	Messages int    `json:"messages_visible"`
	Digest   string `json:"sha256_visible_in_messageid_order"`
	Listed   []struct {
		Size    int `json:"len"`
		Visible int `json:"vis"`
	} `json:"messages"`
	Stats struct {
		LostBefore int `json:"lost_before_tap"`
		LostAfter  int `json:"lost_after_tap"`
	} `json:"stats"`
}

// TestDP4ModelCaptures compares captures of an independent model with their truth
// files, which were not made from the captures.
func TestDP4ModelCaptures(t *testing.T) {
	eachTruth(t, "directplay/dp4_*", func(t *testing.T, _, pcap string, truth *dp4Truth) {
		a := analyse(t, pcap, protocols.Options{})
		compareDP4(t, &a, truth)
	})
}

func compareDP4(t *testing.T, a *analysed, truth *dp4Truth) {
	if len(a.conns) != len(truth.Links) {
		t.Fatalf("%d connections, want %d", len(a.conns), len(truth.Links))
	}
	for i, link := range truth.Links {
		c := a.conns[i]
		sides, names := [2]dp4Side{link.FromA, link.FromB}, [2]string{"AB", "BA"}
		if c.Players[0] != sides[0].From { // a sends first
			sides[0], sides[1], names[0], names[1] = sides[1], sides[0], names[1], names[0]
		}
		if want := [2]uint32{sides[0].From, sides[1].From}; c.Players != want || !c.Complete {
			t.Errorf("players %v, complete %v, want %v from the start", c.Players, c.Complete, want)
		}
		for dir := range dissect.Dirs {
			d, want := &c.Dir[dir], &sides[dir]
			var bytes int
			for _, m := range want.Listed {
				bytes += m.Size * m.Visible
			}
			if int(d.Messages) != want.Messages || int(d.MessageBytes) != bytes {
				t.Errorf("%s: %d messages of %d bytes, want %d of %d", names[dir], d.Messages, d.MessageBytes, want.Messages, bytes)
			}
			if got := a.digest(c, dir); got != want.Digest {
				t.Errorf("%s: digest %s, want %s", names[dir], got, want.Digest)
			}
			if l := d.Lost(); l.NotCaptured != 0 || int(l.BeforeCapture) > want.Stats.LostBefore || int(l.AfterCapture) > want.Stats.LostAfter {
				t.Errorf("%s: lost %+v, more than %d before and %d after", names[dir], l, want.Stats.LostBefore, want.Stats.LostAfter)
			}
			if len(truth.Links) == 1 {
				compareDP4Packets(t, names[dir], [5]uint64{d.Frames, d.DataFrames, d.Acks, d.Retries, d.Duplicates}, truth)
			}
		}
	}
}

// compareDP4Packets counts the transmissions of one direction.
func compareDP4Packets(t *testing.T, name string, got [5]uint64, truth *dp4Truth) {
	var want [5]uint64
	for _, p := range truth.Packets {
		n := uint64(len(p.Frames))
		if p.Dir != name || n == 0 {
			continue
		}
		want[0] += n
		if p.Kind != "DATA" {
			want[2] += n
			continue
		}
		want[1] += n
		want[4] += n - 1
		if p.Retry > 0 {
			want[3]++
		}
	}
	if got != want {
		t.Errorf("%s: frames, data frames, acks, retries, duplicates %v, want %v", name, got, want)
	}
}
