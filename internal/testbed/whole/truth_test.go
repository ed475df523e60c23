package whole

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/captured"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// analysed is what a run says of a capture.
type analysed struct {
	conns    []*session.Conn
	findings []session.Finding
	messages []session.Message
	totals   capture.Totals
	infos    []capture.Info

	malformed uint64
}

// keeper collects messages and findings.
type keeper struct {
	findings []session.Finding
	messages []session.Message
}

func (k *keeper) Finding(f *session.Finding) { k.findings = append(k.findings, *f) }

func (*keeper) Frame(*dissect.Frame, *session.Conn) {}
func (*keeper) Acked(seq.Position, uint64)          {}
func (k *keeper) Message(m *session.Message) {
	c := *m
	c.Payload = slices.Clone(m.Payload)
	k.messages = append(k.messages, c)
}

// analyse runs a capture through the tracker and keeps all messages.
func analyse(t *testing.T, path string, opts protocols.Options) analysed {
	t.Helper()
	return analyseAs(t, path, session.Config{Protocols: protocols.All(opts)})
}

func analyseAs(t *testing.T, path string, cfg session.Config) analysed {
	t.Helper()
	src, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var keepers [pipeline.Shards]keeper
	cfg.Messages = session.CollectPayload
	run := pipeline.Run{Source: src, Workers: 1, Config: cfg,
		Sink: func(i int) session.Sink { return &keepers[i] }}
	if err := run.Do(); err != nil {
		t.Fatal(err)
	}
	a := analysed{conns: run.Conns(), totals: src.Totals(), infos: src.Infos()}
	_, a.malformed, _ = run.Decoded()
	for i := range keepers {
		a.messages = append(a.messages, keepers[i].messages...)
		a.findings = append(a.findings, keepers[i].findings...)
	}
	return a
}

// digest is the SHA-256 over the payloads of a direction's messages, ordered by
// number and, among equal numbers, as delivered; last come those that have none.
func (a *analysed) digest(c *session.Conn, dir dissect.Dir) string {
	var of []session.Message
	for _, m := range a.messages {
		if m.Conn == c && m.Dir == dir {
			of = append(of, m)
		}
	}
	unnumbered := func(m *session.Message) bool {
		return m.Unnumbered || !m.Reliable && c.Protocol.Name == "knet"
	}
	slices.SortStableFunc(of, func(x, y session.Message) int {
		switch u, v := unnumbered(&x), unnumbered(&y); {
		case u && v:
			return 0
		case u:
			return 1
		case v:
			return -1
		}
		return int(x.Number - y.Number)
	})
	h := sha256.New()
	for _, m := range of {
		h.Write(m.Payload)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func secretsOf(t *testing.T, truth *tracegen.Truth) (o protocols.Options) {
	t.Helper()
	for _, c := range truth.Connections {
		if c.Secrets == nil || !c.Secrets.Needed {
			continue
		}
		s, err := dp8.ParseSecret(strings.Join([]string{strings.TrimPrefix(c.SessionID, "0x"), c.Secrets.InForceConnector, c.Secrets.InForceListener, "full", "current"}, ":"))
		if err != nil {
			t.Fatal(err)
		}
		o.DP8.Secrets = append(o.DP8.Secrets, s)
	}
	return o
}

// committed lists the truth files of all protocols that are tracked.
func committed(t *testing.T) (files []string) {
	t.Helper()
	for _, p := range protocols.All(protocols.Options{}) {
		of, _ := filepath.Glob(filepath.Join("../../../testdata/pcaps", p.Name, "*.truth.json"))
		if len(of) == 0 {
			t.Errorf("no traces under testdata/pcaps/%s", p.Name)
		}
		files = append(files, of...)
	}
	return files
}

// TestTruth compares the analysis of every committed trace with what its
// generator knows.
func TestTruth(t *testing.T) {
	for _, file := range committed(t) {
		name := strings.TrimSuffix(file, ".truth.json")
		t.Run(filepath.Base(filepath.Dir(name))+"/"+filepath.Base(name), func(t *testing.T) {
			truth := readTruth(t, file)
			captures, _ := filepath.Glob(name + ".pcap*")
			if len(captures) != 1 {
				t.Fatalf("%d captures for one truth", len(captures))
			}
			compareTruth(t, captures[0], truth)
			compareFrames(t, captures[0], truth)
		})
	}
}

func readTruth(t *testing.T, file string) *tracegen.Truth {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	truth := new(tracegen.Truth)
	if err := json.Unmarshal(raw, truth); err != nil {
		t.Fatal(err)
	}
	return truth
}

func compareTruth(t *testing.T, path string, truth *tracegen.Truth) {
	cfg := session.Config{Protocols: protocols.All(secretsOf(t, truth))}
	a := analyseAs(t, path, cfg)
	if cfg.Force = forceOf(truth); len(a.conns) == 0 && cfg.Force != nil {
		a = analyseAs(t, path, cfg)
	}
	if len(a.conns) != len(truth.Connections) {
		t.Fatalf("%d connections, want %d", len(a.conns), len(truth.Connections))
	}
	for i := range truth.Connections {
		compareConn(t, &a, a.conns[i], &truth.Connections[i])
	}
	if int(a.malformed) != truth.Malformed {
		t.Errorf("%d malformed datagrams, want %d", a.malformed, truth.Malformed)
	}
}

// forceOf forces the protocol of a trace that may stay unrecognised: of fewer than
// 12 datagrams, 40 where the start was not captured, or seen in one direction only.
func forceOf(truth *tracegen.Truth) []session.Force {
	if len(truth.Connections) != 1 {
		return nil
	}
	c := &truth.Connections[0]
	few := 12
	if !c.Complete {
		few = 40
	}
	if a, b := c.Directions["a"].Frames, c.Directions["b"].Frames; a+b >= few && a > 0 && b > 0 {
		return nil
	}
	port := netip.MustParseAddrPort(c.A.Address).Port()
	for _, p := range protocols.All(protocols.Options{}) {
		if p.Name == c.Protocol {
			return []session.Force{{Lo: port, Hi: port, Protocol: p}}
		}
	}
	return nil
}

func compareConn(t *testing.T, a *analysed, c *session.Conn, want *tracegen.Connection) {
	check := func(what string, got, want any) {
		t.Helper()
		if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
			t.Errorf("%s: %s, want %s", what, g, w)
		}
	}
	check("protocol", c.Protocol.Name, want.Protocol)
	check("a", c.A, want.A.Address)
	check("b", c.B, want.B.Address)
	check("first frame", c.FirstFrame, want.First)
	check("last frame", c.LastFrame, want.Last)
	check("complete", c.Complete, want.Complete)
	if want.Players != nil {
		check("players", c.Players[:], want.Players)
	}
	if want.Complete && (c.Version != 0 || want.Version == "") { // refused and unanswered: one side only is known
		check("roles", c.Roles, [2]string{want.A.Role, want.B.Role})
	}
	if want.Complete && c.Version != 0 {
		check("version", fmt.Sprintf("%d.%d", c.Version>>16, c.Version&0xffff), want.Version)
		check("signing", c.Signing, want.Signing)
	}
	if want.State != "" {
		check("state", c.State, want.State)
		// Who gave up, or refused, may be told as who closed.
		if over := c.State == session.Closed || c.State == session.Closing; over || want.ClosedBy != "" || want.Protocol == "dp8" {
			check("closed by", c.ClosedBy, want.ClosedBy)
		}
	}
	for dir, key := range []string{"a", "b"} {
		other := want.Directions[[]string{"b", "a"}[dir]].Dialect
		compareDirection(check, a, c, dissect.Dir(dir), key, want.Directions[key], other)
	}
}

func compareDirection(check func(string, any, any), a *analysed, c *session.Conn, dir dissect.Dir, key string, want tracegen.Direction, otherSpeaks string) {
	d := &c.Dir[dir]
	eq := func(what string, got uint64, want int) { check(key+" "+what, got, want) }
	forged := want.ForgedTypes
	// A dialect may be named where the bytes do not decide it alone; a wrong one
	// never, but that of the other side, or the one it cannot be told from.
	spoken := cmp.Or(d.Dialect, c.Dialect)
	other := d.Dialect == "" && otherSpeaks == spoken
	if want.Proven || spoken != "" && !other && (want.Dialect != "fork36" || spoken != "current") {
		check(key+" dialect", spoken, want.Dialect)
	}
	eq("frames", d.Frames, want.Frames)
	eq("bytes", d.Bytes, want.Bytes)
	eq("data frames", d.DataFrames, want.DataFrames+forged["DFRAME"])
	eq("acks", d.Acks, want.Acks+forged["SACK"])
	eq("keepalives", d.KeepAlives, want.KeepAlives)
	if c.A.Addr().Is6() {
		// Without identification, equal retries within 30 ms count as copies.
		eq("retries and duplicates", d.Retries+d.Duplicates, want.Retries+want.Duplicates)
	} else {
		eq("retries", d.Retries, want.Retries)
		eq("unneeded retries", d.UnneededRetries, want.UnneededRetries)
		eq("duplicates", d.Duplicates, want.Duplicates)
	}
	eq("out of order", d.OutOfOrder, want.OutOfOrder)
	eq("gaps", d.Gaps, want.Gaps)
	if !d.Offloaded() { // else it may be in datagrams longer than Ethernet carries
		eq("missing", d.Missing(), want.Missing)
	}
	eq("messages", d.Messages, want.NMessages)
	eq("message bytes", d.MessageBytes, want.MessageBytes)
	eq("incomplete", d.IncompleteMessages, want.Incomplete)
	if want.Digest != "" {
		check(key+" digest", a.digest(c, dir), want.Digest)
	}
	if s := want.Signatures; s != nil {
		check(key+" signatures", d.Signatures, seq.Signatures{Valid: uint64(s.Valid), Invalid: uint64(s.Invalid + s.Unsigned), Unverifiable: uint64(s.Unverifiable)})
	}
	if r := want.RTT; r != nil {
		got := d.RTT()
		check(key+" rtt samples", got.Samples, r.Samples)
		for _, p := range []struct {
			what string
			got  int64
			want float64
		}{{"min", got.Min, r.Min}, {"p50", got.P50, r.P50}, {"p95", got.P95, r.P95}, {"max", got.Max, r.Max}} {
			if ms := float64(p.got) / 1e6; math.Abs(ms-p.want) > 0.0015+p.want/256 {
				check(key+" rtt "+p.what, ms, p.want)
			}
		}
	}
	lost := d.Lost()
	atMost := func(what string, got uint64, most int) {
		if got > uint64(most) {
			check(key+" lost "+what, got, fmt.Sprintf("at most %d", most))
		}
	}
	atMost("before the capture point", lost.BeforeCapture, want.Lost.Before)
	atMost("after the capture point", lost.AfterCapture, want.Lost.After)
	atMost("by the capture", lost.NotCaptured, want.Lost.NotCaptured)
}

// judged are the words of a frame that a truth tells.
const judged = dissect.Retry | dissect.UnneededRetry | dissect.Duplicate | dissect.OutOfOrder | dissect.Gap | dissect.GapFilled

// compareFrames compares what is said of each frame, where the truth tells it.
func compareFrames(t *testing.T, path string, truth *tracegen.Truth) {
	if len(truth.Frames) == 0 || len(truth.Connections) == 0 || truth.Connections[0].Protocol == "dp8" {
		return // the oracle looks at DirectPlay 8's
	}
	cfg := session.Config{Protocols: protocols.All(protocols.Options{})}
	w, conns := track(captured.Tracked(t, path), cfg)
	if cfg.Force = forceOf(truth); len(conns) == 0 && cfg.Force != nil {
		w, conns = track(captured.Tracked(t, path), cfg)
	}
	if len(conns) != len(truth.Connections) {
		return // said already
	}
	for _, doubt := range w.doubts {
		t.Error(doubt)
	}
	for i := range truth.Frames {
		f := &truth.Frames[i]
		fr, ok := w.frames[uint64(f.Frame)]
		if !ok {
			t.Errorf("frame %d was not shown", f.Frame)
			continue
		}
		if f.Neighbour != "" {
			if fr.Protocol != f.Neighbour {
				t.Errorf("frame %d: protocol %q, want %q", f.Frame, fr.Protocol, f.Neighbour)
			}
			continue
		}
		for _, d := range differFrame(w, &fr, f, &truth.Connections[f.Conn], conns[f.Conn]) {
			t.Errorf("frame %d (%s, number %d): %s", f.Frame, f.Type, f.Seq, d)
		}
	}
}

func differFrame(w *watched, fr *dissect.Frame, f *tracegen.Frame, conn *tracegen.Connection, c *session.Conn) (out []string) {
	note := func(what string, got, want any) {
		if g, m := fmt.Sprint(got), fmt.Sprint(want); g != m {
			out = append(out, fmt.Sprintf("%s %s, want %s", what, g, m))
		}
	}
	note("direction", string(rune(fr.Direction)), f.Dir)
	at := uint64(f.Frame)
	if w.of[at] != c {
		out = append(out, "is of another connection")
	}
	if note("malformed", fr.Words.Has(dissect.Malformed), f.Malformed); f.Malformed || f.Forged != "" {
		return out
	}
	note("type", fr.Type, f.Type)
	words := slices.Clone(f.Words)
	slices.SortFunc(words, func(a, b string) int {
		return slices.Index(dissect.WordNames[:], a) - slices.Index(dissect.WordNames[:], b)
	})
	note("words", wordsOf(fr.Words&judged), words)
	note("retry_of", fr.RetryOf, f.RetryOf)
	note("acked_in", w.ackedIn[at], f.AckedIn)
	return out
}
