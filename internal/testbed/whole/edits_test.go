package whole

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// An edit changes a capture as an accident of capturing or of the network would.
type edit func(r *rand.Rand, all []dissect.Datagram) []dissect.Datagram

func drop(r *rand.Rand, all []dissect.Datagram) []dissect.Datagram {
	p := r.Float64() * 0.3
	return slices.DeleteFunc(all, func(dissect.Datagram) bool { return chance(r, p) })
}

// double repeats datagrams at once, as a mirror port does.
func double(r *rand.Rand, all []dissect.Datagram) (out []dissect.Datagram) {
	p := r.Float64() * 0.3
	for _, d := range all {
		out = append(out, d)
		if chance(r, p) {
			out = append(out, d)
		}
	}
	return out
}

// swap exchanges neighbours within the reorder horizon, none of them twice; times
// stay in order.
func swap(r *rand.Rand, all []dissect.Datagram) []dissect.Datagram {
	for i := 0; i+1 < len(all); i++ {
		if chance(r, 0.1) && all[i+1].Time-all[i].Time < horizon {
			all[i], all[i+1] = all[i+1], all[i]
			all[i].Time, all[i+1].Time = all[i+1].Time, all[i].Time
			i++
		}
	}
	return all
}

// cut leaves out a piece of the capture.
func cut(r *rand.Rand, all []dissect.Datagram) []dissect.Datagram {
	from := r.IntN(len(all) + 1)
	to := min(len(all), from+r.IntN(len(all)/3+1))
	return slices.Delete(all, from, to)
}

// truncate takes off the ends of payloads: some the capture cut, some never had more.
func truncate(r *rand.Rand, all []dissect.Datagram) []dissect.Datagram {
	for i := range all {
		if d := &all[i]; chance(r, 0.1) {
			d.Payload = d.Payload[:r.IntN(len(d.Payload)+1)]
			if chance(r, 0.5) {
				d.Length = len(d.Payload)
			}
		}
	}
	return all
}

func garble(r *rand.Rand, all []dissect.Datagram) []dissect.Datagram {
	for i := range all {
		if d := &all[i]; chance(r, 0.05) && len(d.Payload) > 0 {
			d.Payload = slices.Clone(d.Payload)
			d.Payload[r.IntN(min(len(d.Payload), 1+r.IntN(64)))] ^= byte(1 << r.IntN(8))
		}
	}
	return all
}

func half(r *rand.Rand, all []dissect.Datagram) []dissect.Datagram {
	if len(all) == 0 {
		return all
	}
	keep := all[r.IntN(len(all))].Src
	return slices.DeleteFunc(all, func(d dissect.Datagram) bool { return d.Src != keep })
}

// timeless takes the times away.
func timeless(r *rand.Rand, all []dissect.Datagram) []dissect.Datagram {
	for i := range all {
		if chance(r, 0.5) {
			all[i].HasTime, all[i].Time = false, 0
		}
	}
	return all
}

// renumber counts the packets again.
func renumber(all []dissect.Datagram) []dissect.Datagram {
	for i := range all {
		all[i].Frame = uint64(i + 1)
	}
	return all
}

// TestEditsAgree: whatever is dropped, doubled, swapped and cut out of a capture,
// tracker and oracle agree on what is left, and no endpoint is blamed for it.
func TestEditsAgree(t *testing.T) {
	first, last := wilds(t, 100)
	path := wildFile(t)
	for seed := first; seed <= last; seed++ {
		w := tracegen.DrawDP8(seed)
		all, truth := generate(t, &w.Scenario, path)
		if len(truth.Connections) == 0 || w.Midway || w.Unseen {
			continue
		}
		r := rand.New(rand.NewPCG(seed, 99))
		edits := []edit{drop, double, swap}
		r.Shuffle(len(edits), func(i, j int) { edits[i], edits[j] = edits[j], edits[i] })
		rest := onlyUDP(all[min(4, len(all)):]) // the handshake stays: it tells version and secrets
		for _, e := range edits[:1+r.IntN(len(edits))] {
			rest = e(r, rest)
		}
		edited := renumber(append(slices.Clone(all[:min(4, len(all))]), rest...))
		opts := secretsOf(t, truth)
		cfg := session.Config{Protocols: protocols.All(opts), Force: forceDP8(opts)}
		if d := agree(edited, told{version: w.Version, signing: w.Signing}, cfg); d != nil {
			t.Errorf("seed %d: %s, version %x: %s", seed, w.Signing, w.Version, mostly(d))
		}
		_, conns := track(edited, cfg)
		for _, c := range conns {
			if c.Findings[conform.Error]+c.Findings[conform.Warn] > 0 {
				t.Errorf("seed %d: findings %v", seed, c.Findings)
			}
		}
	}
}

// TestEdits: nothing panics, and counters stay within what was captured.
func TestEdits(t *testing.T) {
	first, last := wilds(t, 150)
	path := wildFile(t)
	for seed := first; seed <= last; seed++ {
		w := tracegen.DrawDP8(seed)
		all, truth := generate(t, &w.Scenario, path)
		r := rand.New(rand.NewPCG(seed, 98))
		edits := []edit{drop, double, swap, cut, truncate, garble, half, timeless}
		for range 1 + r.IntN(4) {
			all = edits[r.IntN(len(edits))](r, all)
		}
		all = renumber(all)
		var opts protocols.Options
		if len(truth.Connections) > 0 {
			opts = secretsOf(t, truth)
		}
		cfg := session.Config{Protocols: protocols.All(opts)}
		if chance(r, 0.5) {
			cfg.Force = forceDP8(opts)
		}
		w2, conns := track(all, cfg)
		for _, d := range sound(all, w2, conns) {
			t.Errorf("seed %d: %s", seed, d)
		}
	}
}

// sound lists what can't be so.
func sound(all []dissect.Datagram, w *watched, conns []*session.Conn) (out []string) {
	out = w.doubts
	note := func(ok bool, c *session.Conn, what string) {
		if !ok {
			out = append(out, fmt.Sprintf("connection of frame %d: %s: %+v, %+v", c.FirstFrame, what, c.Dir[0], c.Dir[1]))
		}
	}
	datagrams, frames := 0, uint64(0)
	for i := range all {
		if all[i].Kind == dissect.UDP {
			datagrams++
		}
	}
	if len(w.frames) != datagrams {
		out = append(out, fmt.Sprintf("%d of %d datagrams are shown", len(w.frames), datagrams))
	}
	for _, c := range conns {
		for i := range c.Dir {
			d := &c.Dir[i]
			frames += d.Frames
			signed := d.Signatures.Valid + d.Signatures.Invalid + d.Signatures.Unverifiable
			note(signed <= d.Frames, c, "more signatures than frames")
			note(d.DataFrames+d.Acks+d.KeepAlives <= d.Frames, c, "more frames by kind than frames")
			note(d.UnneededRetries <= d.Retries && d.Retries+d.Duplicates <= d.Frames, c, "more retries than frames")
			note(d.Messages+d.IncompleteMessages <= dp8.MaxParts*d.Frames, c, "more messages than fit")
			note(d.OutOfOrder <= d.Frames && d.Gaps <= d.Frames, c, "more gaps than frames")
			note(d.Lost().NotCaptured <= d.Missing(), c, "more not captured than missing")
			note(d.RTT().Samples <= d.Frames, c, "more round trips than frames")
			note(c.LastFrame >= c.FirstFrame && c.LastFrame <= uint64(len(all)), c, "frames that are not there")
		}
	}
	if frames > uint64(datagrams) {
		out = append(out, fmt.Sprintf("%d frames in connections, %d datagrams", frames, datagrams))
	}
	for frame, by := range w.ackedIn {
		if by <= frame || w.frames[by].Direction == w.frames[frame].Direction {
			out = append(out, fmt.Sprintf("frame %d is acknowledged in %d", frame, by))
		}
	}
	return out
}
