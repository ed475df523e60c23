package whole

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/pcaps"
)

// modelTruth is what a truth file of an independent DirectPlay 8 model says, as
// far as it is compared.
type modelTruth struct {
	Connections []modelConn `json:"connections"`
	Packets     []struct {
		Frames []uint64 `json:"f"`
		Dir    string   `json:"dir"`
		Kind   string   `json:"k"`
		Retry  int      `json:"retry"` // how many times it was sent before
		Lost   string   `json:"lost"`
	} `json:"packets"`
	Violations []struct {
		Violation string   `json:"violation"`
		Dir       string   `json:"dir"`
		Frames    []uint64 `json:"f"`
	} `json:"violations"`
}

type modelConn struct {
	Connector string    `json:"connector"`
	SessionID string    `json:"sessid"`
	Signing   string    `json:"signing"`
	FromA     modelSide `json:"from_A"`
	FromB     modelSide `json:"from_B"`
}

type modelSide struct {
	Messages int    `json:"messages_visible"`
	Bytes    uint64 `json:"bytes_visible"`
	Digest   string `json:"sha256_visible_in_sequence_order"`
	Stats    struct {
		DFrames    int `json:"dframes"`
		Retries    int `json:"retries"`
		SACKs      int `json:"sacks"`
		LostBefore int `json:"lost_before_tap"`
		LostAfter  int `json:"lost_after_tap"`
	} `json:"stats"`
}

// eachTruth runs a test for each capture that was made elsewhere, matches and has a truth
// file, which was not made from the capture.
func eachTruth[T any](t *testing.T, pattern string, test func(t *testing.T, name, pcap string, truth *T)) {
	t.Helper()
	for _, file := range pcaps.Files(t, pattern) {
		if !pcaps.HasTruth(file) {
			continue
		}
		t.Run(pcaps.Name(file), func(t *testing.T) {
			truth := new(T)
			pcaps.Truth(t, file, truth)
			test(t, pcaps.Name(file), file, truth)
		})
	}
}

// TestModelCaptures compares captures of an independent model with their truth
// files.
func TestModelCaptures(t *testing.T) {
	eachTruth(t, "directplay/dp8_*", func(t *testing.T, _, pcap string, truth *modelTruth) {
		a := analyse(t, pcap, protocols.Options{})
		compareModel(t, &a, truth)
	})
}

func compareModel(t *testing.T, a *analysed, truth *modelTruth) {
	if len(a.conns) != len(truth.Connections) {
		t.Fatalf("%d connections, want %d", len(a.conns), len(truth.Connections))
	}
	for i, want := range truth.Connections {
		c := a.conns[i]
		if c.Signing != want.Signing {
			t.Errorf("signing %q, want %q", c.Signing, want.Signing)
		}
		sides := [2]modelSide{want.FromA, want.FromB} // A is the connector and sends first
		names := [2]string{"AB", "BA"}
		for dir := range dissect.Dirs {
			d, w := &c.Dir[dir], &sides[dir]
			if int(d.Messages) != w.Messages || d.MessageBytes != w.Bytes {
				t.Errorf("%s: %d messages of %d bytes, want %d of %d", names[dir], d.Messages, d.MessageBytes, w.Messages, w.Bytes)
			}
			if got := a.digest(c, dir); got != w.Digest {
				t.Errorf("%s: digest %s, want %s", names[dir], got, w.Digest)
			}
			bad := 0
			for _, v := range truth.Violations {
				if v.Violation == "bad_signature" && v.Dir == names[dir] {
					bad += len(v.Frames)
				}
			}
			if s := d.Signatures; int(s.Invalid) != bad || s.Unverifiable != 0 {
				t.Errorf("%s: signatures %+v, want %d invalid and none unverifiable", names[dir], s, bad)
			}
			if l := d.Lost(); l.NotCaptured != 0 || int(l.BeforeCapture) > w.Stats.LostBefore || int(l.AfterCapture) > w.Stats.LostAfter {
				t.Errorf("%s: lost %+v, more than %d before and %d after", names[dir], l, w.Stats.LostBefore, w.Stats.LostAfter)
			}
			if len(truth.Packets) > 0 && len(truth.Connections) == 1 {
				compareModelPackets(t, names[dir], bad, d.Frames, d.Retries, d.Duplicates, truth)
			}
		}
	}
}

// compareModelPackets counts the transmissions of one direction. Copies of SACKs carry
// identifications of their own there: only those that come after a later tick show what
// they are.
func compareModelPackets(t *testing.T, name string, injected int, frames, retries, duplicates uint64, truth *modelTruth) {
	var wantFrames, wantRetries, wantCopies, mayBeCopies int
	for _, p := range truth.Packets {
		if p.Dir != name || len(p.Frames) == 0 {
			continue
		}
		wantFrames += len(p.Frames)
		if p.Retry > 0 {
			wantRetries++
		}
		switch p.Kind {
		case "DFRAME":
			wantCopies += len(p.Frames) - 1
		case "SACK":
			mayBeCopies += len(p.Frames) - 1
		}
	}
	if int(frames) != wantFrames+injected || int(retries) != wantRetries || int(duplicates) < wantCopies || int(duplicates) > wantCopies+mayBeCopies {
		t.Errorf("%s: %d frames, %d retries, %d duplicates, want %d, %d, %d and up to %d of SACKs", name, frames, retries, duplicates, wantFrames+injected, wantRetries, wantCopies, mayBeCopies)
	}
}
