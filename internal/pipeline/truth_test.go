package pipeline

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/tracegen"
	"github.com/dpdissect/dpdissect/session"
)

// analysed is what a run says of a capture.
type analysed struct {
	conns    []*session.Conn
	findings []session.Finding
	messages []session.Message
	totals   capture.Totals
	infos    []capture.Info
}

// keeper collects messages and findings.
type keeper struct {
	collected
	messages []session.Message
}

func (*keeper) Frame(*dissect.Frame, *session.Conn) {}
func (*keeper) Acked(frame, by uint64)              {}
func (k *keeper) Message(m *session.Message) {
	c := *m
	c.Payload = slices.Clone(m.Payload)
	k.messages = append(k.messages, c)
}

// analyse runs a capture through the tracker and keeps all messages.
func analyse(t *testing.T, path string, opts protocols.Options) analysed {
	t.Helper()
	src, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var keepers [Shards]keeper
	run := Run{Source: src, Workers: 1, Config: session.Config{Protocols: protocols.All(opts), Messages: session.CollectPayload},
		Sink: func(i int) session.Sink { return &keepers[i] }}
	if err := run.Do(); err != nil {
		t.Fatal(err)
	}
	a := analysed{conns: run.Conns(), totals: src.Totals(), infos: src.Infos()}
	for i := range keepers {
		a.messages = append(a.messages, keepers[i].messages...)
	}
	a.findings = mergeFindings(func(i int) []session.Finding { return keepers[i].findings })
	return a
}

// digest is the SHA-256 over the payloads of a direction's messages, ordered by
// number and, among equal numbers, as delivered.
func (a *analysed) digest(c *session.Conn, dir int) string {
	var of []session.Message
	for _, m := range a.messages {
		if m.Conn == c && m.Dir == dir {
			of = append(of, m)
		}
	}
	slices.SortStableFunc(of, func(x, y session.Message) int { return int(x.Number - y.Number) })
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

// TestTruth compares the analysis of every committed trace with what its
// generator knows.
func TestTruth(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/pcaps/dp8/*.truth.json")
	if len(files) == 0 {
		t.Fatal("no traces under testdata/pcaps/dp8")
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".truth.json")
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var truth tracegen.Truth
			if err := json.Unmarshal(raw, &truth); err != nil {
				t.Fatal(err)
			}
			captures, _ := filepath.Glob(strings.TrimSuffix(file, ".truth.json") + ".pcap*")
			if len(captures) != 1 {
				t.Fatalf("%d captures for one truth", len(captures))
			}
			compareTruth(t, captures[0], &truth)
		})
	}
}

func compareTruth(t *testing.T, path string, truth *tracegen.Truth) {
	a := analyse(t, path, secretsOf(t, truth))
	if len(a.conns) != len(truth.Connections) {
		t.Fatalf("%d connections, want %d", len(a.conns), len(truth.Connections))
	}
	for i := range truth.Connections {
		compareConn(t, &a, a.conns[i], &truth.Connections[i])
	}
}

func compareConn(t *testing.T, a *analysed, c *session.Conn, want *tracegen.Connection) {
	check := func(what string, got, want any) {
		t.Helper()
		if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
			t.Errorf("%s: %s, want %s", what, g, w)
		}
	}
	check("a", c.A, want.A.Address)
	check("b", c.B, want.B.Address)
	check("first frame", c.FirstFrame, want.First)
	check("last frame", c.LastFrame, want.Last)
	check("complete", c.Complete, want.Complete)
	if want.Complete && c.Version != 0 { // refused and unanswered: one side only is known
		check("roles", c.Roles, [2]string{want.A.Role, want.B.Role})
		check("version", fmt.Sprintf("%d.%d", c.Version>>16, c.Version&0xffff), want.Version)
		check("signing", c.Signing, want.Signing)
	}
	if want.State != "" {
		check("state", c.State, want.State)
		check("closed by", c.ClosedBy, want.ClosedBy)
	}
	for dir, key := range []string{"a", "b"} {
		compareDirection(check, a, c, dir, key, want.Directions[key])
	}
}

func compareDirection(check func(string, any, any), a *analysed, c *session.Conn, dir int, key string, want tracegen.Direction) {
	d := &c.Dir[dir]
	eq := func(what string, got uint64, want int) { check(key+" "+what, got, want) }
	forged := want.ForgedTypes
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
	eq("missing", d.Missing(), want.Missing)
	eq("messages", d.Messages, want.NMessages)
	eq("message bytes", d.MessageBytes, want.MessageBytes)
	eq("incomplete", d.IncompleteMessages, want.Incomplete)
	if want.Digest != "" {
		check(key+" digest", a.digest(c, dir), want.Digest)
	}
	if s := want.Signatures; s != nil {
		check(key+" signatures", d.Signatures, session.Signatures{Valid: uint64(s.Valid), Invalid: uint64(s.Invalid + s.Unsigned), Unverifiable: uint64(s.Unverifiable)})
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
