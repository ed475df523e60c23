package track_test

import (
	"testing"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
)

// Equal bytes without RETRY are a copy, whatever their IPv4 identification, when they
// come soon or carry an acknowledgement that their side has surpassed; else they were
// sent again without their mark (guard DUP, MC-DPL8R 2.2.2).
func TestMC_DPL8R_2_2_2_RetryBitOrCopy(t *testing.T) {
	for _, c := range []struct {
		name   string
		late   int64 // ms
		passed bool
		copied bool // the network copies it later on
		words  string
		fault  string
	}{
		{"by a relay, soon", 25, false, false, "duplicate", ""},
		{"by a relay, and late by the network", 25, false, true, "duplicate", ""},
		{"by a relay, late, with an old bNRcv", 400, true, false, "duplicate", ""},
		{"sent again", 400, false, false, "", "DP8-2.2.2-RETRYBIT"},
		{"within what a coarse clock may be wrong by", 50, false, false, "", ""},
	} {
		s := newScene(t, track.Options{}, true)
		s.meet(7, dp8.Version16, dp8.Version16)
		for i := range uint8(4) {
			s.send(0, data(i, i, "hello"))
			s.send(1, data(i, i+1, "world"))
		}
		f := data(4, 4, "once more")
		again := f.Append(nil)
		s.Raw(0, again)
		if c.passed {
			s.send(1, data(4, 5, "yes"))
			s.send(0, data(5, 5, "go on"))
		}
		s.Wait(c.late - 5)
		s.Raw(0, again)
		copies := uint64(len(c.words) / 9)
		if c.copied {
			s.Wait(400)
			s.Again()
			copies++
		}
		if s.Words() != c.words {
			t.Errorf("%s: %q, want %q", c.name, s.Words(), c.words)
		}
		if got := s.faults(); got != c.fault {
			t.Errorf("%s: %q, want %q", c.name, got, c.fault)
		}
		want := uint64(5)
		if c.passed {
			want++
		}
		if d := s.One().Dir[0]; d.Duplicates != copies || d.Retries != 0 || d.Messages != want {
			t.Errorf("%s: %d duplicates, %d retries, %d messages", c.name, d.Duplicates, d.Retries, d.Messages)
		}
	}
}

// faults are the rules that were found broken.
func (s *scene) faults() (all string) {
	s.End()
	for _, f := range s.findings() {
		if f.Failed() {
			all += f.Rule.ID
		}
	}
	return all
}

// A SACK with the bytes of one before is a copy by its identification, or when its side
// has sent a later tick since (MC-DPL8R 2.2.1.5).
func TestMC_DPL8R_2_2_1_5_CopiedSACK(t *testing.T) {
	s := newScene(t, track.Options{}, true)
	s.meet(7, dp8.Version16, dp8.Version16)
	old := sack(0, 1, 0)
	for i := range uint8(5) {
		s.send(0, data(i, 0, "hello"))
		now := sack(0, i+1, 0)
		now.SACK.Timestamp = uint32(i) * 10
		s.send(1, now)
	}
	s.send(1, old)
	if s.Words() != "duplicate" {
		t.Errorf("with an old tick: %q", s.Words())
	}
	latest := sack(0, 5, 0)
	latest.SACK.Timestamp = 40
	s.send(1, latest)
	if s.Words() != "" {
		t.Errorf("with the latest tick: %q", s.Words())
	}
	s.Again()
	if s.Words() != "duplicate duplicate-ack" {
		t.Errorf("in the same IP packet: %q", s.Words())
	}
	if got := s.faults(); got != "" {
		t.Error(got)
	}
}

// A copy that comes when its number means another one by then is one all the same.
func TestMC_DPL8R_2_2_2_CopyOfACycleAgo(t *testing.T) {
	s := newScene(t, track.Options{}, true)
	s.meet(7, dp8.Version16, dp8.Version16)
	for i := range 300 {
		s.send(0, data(uint8(i), 0, "hello"))
		s.send(1, sack(0, uint8(i+1), 0))
	}
	s.Copy(s.Sent[3+2*40]) // number 40
	if s.Words() != "duplicate" {
		t.Errorf("%q", s.Words())
	}
	s.send(0, data(300%256, 0, "hello"))
	if d := s.One().Dir[0]; s.Words() != "" || d.Duplicates != 1 || d.Messages != 301 || s.faults() != "" {
		t.Errorf("%q, %d duplicates, %d messages, %s", s.Words(), d.Duplicates, d.Messages, s.faults())
	}
}
