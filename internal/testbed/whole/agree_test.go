package whole

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	dp8rules "github.com/dpdissect/dpdissect/dp8/rules"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/captured"
	"github.com/dpdissect/dpdissect/internal/testbed/pcaps"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// forceDP8 makes the tracker take everything for DirectPlay 8: what is compared
// is counting, not recognition.
func forceDP8(o protocols.Options) []session.Force {
	return []session.Force{{Lo: 0, Hi: 65535, Protocol: dp8rules.New(o.DP8)}}
}

// onlyUDP leaves ICMP notices out.
func onlyUDP(all []dissect.Datagram) (out []dissect.Datagram) {
	for i := range all {
		if all[i].Kind == dissect.UDP && (len(all[i].Payload) == 0 || all[i].Payload[0] != 0) {
			out = append(out, all[i])
		}
	}
	return out
}

// agree compares tracker and oracle on a capture.
func agree(all []dissect.Datagram, tell told, cfg session.Config) []string {
	w, conns := track(all, cfg)
	want := oracle(onlyUDP(all), tell)
	out := w.doubts
	if len(conns) != len(want) {
		return append(out, fmt.Sprintf("%d connections, the oracle sees %d", len(conns), len(want)))
	}
	for i, c := range conns {
		for _, d := range differ(w, c, want[i], tell) {
			out = append(out, fmt.Sprintf("connection %d: %s", i, d))
		}
	}
	return out
}

// tellOf is what a truth tells the oracle.
func tellOf(t *tracegen.Truth) (out told) {
	c := &t.Connections[0]
	major, minor, _ := strings.Cut(c.Version, ".")
	hi, _ := strconv.Atoi(major)
	lo, _ := strconv.Atoi(minor)
	out = told{version: uint32(hi<<16 | lo), signing: c.Signing}
	for _, f := range t.Forged {
		out.forged = append(out.forged, uint64(f))
	}
	return out
}

// mostly shortens a list of differences.
func mostly(list []string) string {
	if len(list) > 12 {
		list = append(list[:12:12], fmt.Sprintf("and %d more", len(list)-12))
	}
	return strings.Join(list, "\n")
}

// TestOracleTraces compares tracker and oracle on every committed trace that is
// not fully signed with forgeries in it.
func TestOracleTraces(t *testing.T) {
	files, _ := filepath.Glob("../../../testdata/pcaps/dp8/*.truth.json")
	if len(files) == 0 {
		t.Fatal("no traces under testdata/pcaps/dp8")
	}
	for _, file := range files {
		name := strings.TrimSuffix(file, ".truth.json")
		t.Run(filepath.Base(name), func(t *testing.T) {
			var truth tracegen.Truth
			raw, err := os.ReadFile(file)
			if err == nil {
				err = json.Unmarshal(raw, &truth)
			}
			if err != nil {
				t.Fatal(err)
			}
			tell := tellOf(&truth)
			captures, _ := filepath.Glob(name + ".pcap*")
			opts := secretsOf(t, &truth)
			cfg := session.Config{Protocols: protocols.All(opts)}
			if strings.HasSuffix(name, "one-direction") || len(truth.Connections[0].Directions) < 2 {
				cfg.Force = forceDP8(opts)
			}
			if d := agree(captured.Tracked(t, captures[0]), tell, cfg); d != nil {
				t.Error(mostly(d))
			}
		})
	}
}

// TestOracleCaptures compares tracker and oracle on captures from elsewhere.
func TestOracleCaptures(t *testing.T) {
	for _, file := range pcaps.Files(t, "directplay/dp8_*") {
		t.Run(pcaps.Name(file), func(t *testing.T) {
			if d := agree(captured.Tracked(t, file), foreignTruth(t, file), session.Config{Protocols: protocols.All(protocols.Options{})}); d != nil {
				t.Error(mostly(d))
			}
		})
	}
}

// foreignTruth reads the truth of a capture from elsewhere.
func foreignTruth(t *testing.T, file string) told {
	t.Helper()
	var truth struct {
		Connections []struct{ Signing string }
		Violations  []struct {
			Violation string
			F         []uint64
		}
	}
	pcaps.Truth(t, file, &truth)
	tell := told{version: dp8.Version16, signing: truth.Connections[0].Signing}
	for _, v := range truth.Violations {
		if v.Violation == "bad_signature" {
			tell.forged = append(tell.forged, v.F...)
		}
	}
	return tell
}

// wilds counts the random sessions that a test plays: more with DPDISSECT_WILD.
func wilds(t *testing.T, n int) (first, last uint64) {
	t.Helper()
	if testing.Short() {
		n /= 10
	}
	env := os.Getenv("DPDISSECT_WILD")
	if env == "" {
		return 1, uint64(n)
	}
	from, to, many := strings.Cut(env, "-")
	a, err1 := strconv.ParseUint(from, 10, 64)
	b, err2 := a, error(nil)
	if many {
		b, err2 = strconv.ParseUint(to, 10, 64)
	}
	if err1 != nil || err2 != nil {
		t.Fatalf("DPDISSECT_WILD=%q: want a seed or a range of seeds, as 1-5000", env)
	}
	return a, b
}

// everyCase tells whether tests try all combinations of what they otherwise combine so that
// each comes up: with DPDISSECT_FORMS=all, as in make soak.
func everyCase() bool { return os.Getenv("DPDISSECT_FORMS") == "all" }

// TestOracleWild compares tracker and oracle on random sessions, and what the
// tracker proves lost with what was. DPDISSECT_WILD=1-5000 plays more of them.
func TestOracleWild(t *testing.T) {
	first, last := wilds(t, 120)
	path := wildFile(t)
	played, captured, unrecognised := 0, 0, 0
	var lost tracegen.Lost
	var proven seq.Lost
	for seed := first; seed <= last; seed++ {
		w := tracegen.DrawDP8(seed)
		all, truth := generate(t, &w.Scenario, path)
		if len(truth.Connections) == 0 {
			continue
		}
		played++
		captured += len(all)
		tell := told{version: w.Version, signing: w.Signing}
		opts := secretsOf(t, truth)
		cfg := session.Config{Protocols: protocols.All(opts)}
		if _, conns := track(all, cfg); len(conns) == 0 || w.Unseen {
			if !w.Unseen && len(all) >= 12 {
				t.Errorf("seed %d: not recognised in %d datagrams", seed, len(all))
			}
			unrecognised++
			if w.Midway {
				continue // what decode-as can't know either: whether the first frames are signed
			}
			cfg.Force = forceDP8(opts)
		}
		if d := agree(all, tell, cfg); d != nil {
			t.Errorf("seed %d: %s, version %x, tap %+v\n%s", seed, w.Signing, w.Version, w.Scenario.Setup.Tap, mostly(d))
		}
		_, conns := track(all, cfg)
		for i, c := range conns {
			for dir, key := range []string{"a", "b"} {
				l, was := c.Dir[dir].Lost(), truth.Connections[i].Directions[key].Lost
				proven.BeforeCapture += l.BeforeCapture
				proven.AfterCapture += l.AfterCapture
				proven.NotCaptured += l.NotCaptured
				lost.Before += was.Before
				lost.After += was.After
				lost.NotCaptured += was.NotCaptured
			}
			for _, d := range overclaimed(c, &truth.Connections[i]) {
				t.Errorf("seed %d: tap %+v: %s", seed, w.Scenario.Setup.Tap, d)
			}
		}
	}
	t.Logf("%d sessions, %d datagrams; %d were not recognised; of %d lost before, %d after, %d not captured %d, %d, %d were proven",
		played, captured, unrecognised, lost.Before, lost.After, lost.NotCaptured, proven.BeforeCapture, proven.AfterCapture, proven.NotCaptured)
	if first != last && played < int(last-first)/2 {
		t.Errorf("only %d of %d sessions were captured", played, last-first+1)
	}
}

// overclaimed lists the losses that are claimed and were not. A number that the
// capture missed and that was lost after it looks as if lost before: only other
// numbers, missed and acknowledged, give such a capture away.
func overclaimed(c *session.Conn, truth *tracegen.Connection) (out []string) {
	for dir, key := range []string{"a", "b"} {
		lost, was := c.Dir[dir].Lost(), truth.Directions[key].Lost
		for _, p := range []struct {
			what string
			got  uint64
			most int
		}{{"before", lost.BeforeCapture, was.Before + was.NotCaptured}, {"after", lost.AfterCapture, was.After}, {"not captured", lost.NotCaptured, was.NotCaptured}} {
			if p.got > uint64(p.most) {
				out = append(out, fmt.Sprintf("%s claims %d lost %s, %d were", key, p.got, p.what, p.most))
			}
		}
	}
	return out
}
