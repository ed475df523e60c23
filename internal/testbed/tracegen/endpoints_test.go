package tracegen

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/dp8peer"
)

// weather is a network and a pair of endpoints, all kinds of them over the seeds.
func weather(seed uint64) DP8Setup {
	loss := []float64{0, 0.01, 0.04, 0.1}[seed%4]
	late := []float64{0, 0.05}[seed/4%2]
	s := setup(uint32(seed%3), rough(loss, late/2, late))
	minor := []uint32{6, 6, 5, 4}[seed/3%4]
	if seed%3 == dp8peer.Unsigned {
		s = s.versions(minor, 6-uint32(seed/7%3)).both(correlates)
	}
	if seed%5 == 0 {
		s = s.both(noCoalescing)
	}
	return s
}

// run plays a dialogue under the eyes of an auditor.
func run(t *testing.T, name string, s DP8Setup, seed uint64, play func(tr *DP8Trace)) (*DP8Trace, *auditor) {
	t.Helper()
	tr := newDP8Trace(s, seed)
	out, err := tr.record(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	a := audit(t, name, tr)
	play(tr)
	tr.Net.Clock.Run(limit, nil)
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	if a.frames == 0 {
		t.Errorf("%s: nothing was sent", name)
	}
	return tr, a
}

// MC-DPL8R 3.1.5.2: everything reliable arrives, in order, once; the rest at
// most once; no number leaves the window.
func TestMCDPL8R_3_1_5_2_Delivery(t *testing.T) {
	rotations, masked, joined := int64(0), 0, 0
	for seed := range uint64(120) {
		name := fmt.Sprintf("seed %d", seed)
		var got [2][]string
		tr, _ := run(t, name, weather(seed), seed, func(tr *DP8Trace) {
			mix := Traffic{N: 330, Every: 15 * time.Millisecond, Burst: 4, Together: 0.3, Min: 8, Max: 300, Reliable: 0.7, Sequential: 1, User: 0.1, Large: []int{9000, 30000}}
			tr.dialogue(mix, mix, gracefully)
			for side, n := range []*dp8peer.Node{tr.A, tr.B} {
				keep := n.OnMessage
				n.OnMessage = func(p *dp8peer.Peer, m []byte, reliable bool) {
					keep(p, m, reliable)
					got[1-side] = append(got[1-side], string(m))
				}
			}
		})
		c := tr.conn()
		for side, p := range c.Peers {
			if !p.Ended() || p.Lost() {
				t.Errorf("%s: side %d is not closed", name, side)
			}
			if p.MaxFlight > dp8.WindowSize || p.Rejected > 0 {
				t.Errorf("%s: side %d: %d outstanding, %d frames rejected", name, side, p.MaxFlight, p.Rejected)
			}
			inOrder(t, name, c.Messages[side], got[side])
			rotations, masked, joined = rotations+p.NextSend()>>8, masked+p.Dropped, joined+p.Coalesce
		}
	}
	if rotations < 100 || masked < 100 || joined < 100 {
		t.Errorf("%d rotations, %d given up, %d coalesced: too few to prove anything", rotations, masked, joined)
	}
}

// inOrder checks that what was delivered is a subsequence of what was sent and
// leaves nothing reliable out.
func inOrder(t *testing.T, name string, sent []*dp8peer.Message, got []string) {
	t.Helper()
	k := 0
	for _, m := range sent {
		if k < len(got) && got[k] == string(m.Data) {
			k++
		} else if m.Reliable {
			t.Errorf("%s: reliable message %d (%d bytes, from %d) missing or out of order", name, m.ID, len(m.Data), m.Number)
			return
		}
	}
	if k != len(got) {
		t.Errorf("%s: %d messages delivered more than were sent in that order", name, len(got)-k)
	}
}

// Every committed scenario is audited too.
func TestScenariosConform(t *testing.T) {
	for _, s := range dp8List() {
		if d := s.Setup.A.Derive; d != "sha1" {
			continue // the auditor knows the natural derivation only
		}
		if s.Name == "two-clients" {
			continue // it follows one connection at a time
		}
		tr, a := run(t, s.Name, s.Setup, seedOf(s.Name, s.Seed), s.Play)
		if s.Name == "full-signed-rotation" && a.late == 0 {
			t.Error("full-signed-rotation has no retry across a wrap")
		}
		for _, n := range tr.World.Conns {
			for _, p := range n.Peers {
				if p != nil && p.Rejected > 0 && s.Name != "full-signed-lossy" && s.Name != "full-signed-forged" && s.Name != "fast-signed-forged" {
					t.Errorf("%s: %d frames rejected", s.Name, p.Rejected)
				}
			}
		}
	}
}

// MC-DPL8R 3.1.4.4: with each derivation both ends agree over several wraps.
func TestMCDPL8R_3_1_4_4_Derivations(t *testing.T) {
	for name := range dp8peer.Derivations {
		s := setup(dp8peer.Full, lossy(0.02)).both(func(c *dp8peer.Config) { c.Derive = name })
		tr := newDP8Trace(s, 5)
		if _, err := tr.record(io.Discard); err != nil {
			t.Fatal(err)
		}
		tr.dialogue(chatter(1200), chatter(100), gracefully)
		tr.Net.Clock.Run(limit, nil)
		p := tr.conn().Peers
		if p[0].Rejected+p[1].Rejected > 0 || !p[0].Ended() || p[0].NextSend() < 768 {
			t.Errorf("%s: %d and %d rejected, %d sent", name, p[0].Rejected, p[1].Rejected, p[0].NextSend())
		}
	}
}

func TestKeyringForgetsOldEpochs(t *testing.T) {
	k := dp8peer.NewKeyring(dp8.Secret{1}, dp8peer.Full, nil)
	for range 10 {
		k.Advance()
	}
	if _, ok := k.Key(10); !ok {
		t.Error("the current epoch is not known")
	}
	if _, ok := k.Key(0); ok {
		t.Error("the first of eleven epochs is still known")
	}
	// Without a payload the modifier stays what it was.
	want := dp8.Secret{1}
	for range 10 {
		want = want.Next(dp8.Secret{1})
	}
	if got, _ := k.Key(10); got != want {
		t.Errorf("key of epoch 10 is %x, want %x", got, want)
	}
}

func TestSameSeedSameBytes(t *testing.T) {
	for i, s := range Scenarios() {
		if i%5 != 0 || s.Name == "large-message" {
			continue
		}
		a, ta, err := s.Generate()
		if err != nil {
			t.Fatal(err)
		}
		b, tb, _ := s.Generate()
		if !bytes.Equal(a, b) || !bytes.Equal(ta.JSON(), tb.JSON()) {
			t.Errorf("%s: two runs differ", s.Name)
		}
		s.Seed++
		if c, _, _ := s.Generate(); bytes.Equal(a, c) {
			t.Errorf("%s: the seed makes no difference", s.Name)
		}
	}
}

func TestBig(t *testing.T) {
	for _, signing := range []string{"none", "fast", "full"} {
		truth, err := Big(io.Discard, 60000, 3, signing)
		if err != nil {
			t.Fatal(err)
		}
		a, b := truth.Connections[0].Directions["a"], truth.Connections[0].Directions["b"]
		if truth.Packets != 60000 || a.Frames+b.Frames != 60000 || *a.HighestNumber < 20*256 {
			t.Errorf("%s: %d packets, %d and %d frames", signing, truth.Packets, a.Frames, b.Frames)
		}
		if loss := float64(a.Lost.Before+a.Lost.After) / float64(a.Transmissions); loss < 0.015 || loss > 0.025 {
			t.Errorf("%s: %.3f lost, want 0.02", signing, loss)
		}
	}
	if _, err := Big(io.Discard, 1, 1, "half"); err == nil {
		t.Error("half a signature is accepted")
	}
}

// Memory must not grow with the capture.
func TestBigIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 140,000 packets")
	}
	live := func(n int) uint64 {
		w := &peak{every: 10}
		if _, err := Big(w, n, 9, "full"); err != nil {
			t.Fatal(err)
		}
		return w.most
	}
	small, large := live(20_000), live(120_000)
	if large > small+1<<19 {
		t.Errorf("%d bytes live with 20,000 frames, %d with 120,000", small, large)
	}
}

// A peak looks at the heap now and then.
type peak struct {
	n, every int
	most     uint64
}

func (p *peak) Write(b []byte) (int, error) {
	if p.n++; p.n%max(p.every, 1) == 0 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		p.most = max(p.most, m.HeapAlloc)
	}
	return len(b), nil
}
