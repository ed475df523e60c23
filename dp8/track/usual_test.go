package track_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/rules"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/testbed/pcaps"
	"github.com/dpdissect/dpdissect/internal/testbed/sessiontest"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// TestUsual: an analysis says the same, to the byte, whether usual frames take the short way or not; scenes are
// compared as well (newScene).
func TestUsual(t *testing.T) {
	traces, err := filepath.Glob("../../testdata/pcaps/dp8/*.pcap*")
	if err != nil || len(traces) == 0 {
		t.Fatal("no traces:", err)
	}
	for _, path := range append(traces, pcaps.Files(t, "directplay/*.pcap*")...) {
		long, short := analysis(t, path, track.Options{}.Long()), analysis(t, path, track.Options{})
		if !bytes.Equal(long, short) {
			t.Errorf("%s: the short way makes a difference", path)
		}
	}
}

// analysis is what a report says of a capture.
func analysis(t *testing.T, path string, opts track.Options) []byte {
	t.Helper()
	src, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var found findings
	run := pipeline.Run{
		Source: src, Workers: 1, Sink: func(int) session.Sink { return &found },
		Config: session.Config{Protocols: []*session.Protocol{rules.New(opts)}, Incomplete: true},
	}
	if err := run.Do(); err != nil {
		t.Fatal(err)
	}
	a := &report.Analysis{Captures: src.Infos(), Conns: run.Conns(), Findings: found.all}
	report.SortFindings(a.Findings)
	var doc bytes.Buffer
	if err := report.WriteJSON(&doc, a); err != nil {
		t.Fatal(err)
	}
	return doc.Bytes()
}

type findings struct{ all []session.Finding }

func (*findings) Frame(*dissect.Frame, *session.Conn) {}
func (*findings) Acked(seq.Position, uint64)          {}
func (*findings) Message(*session.Message)            {}
func (f *findings) Finding(x *session.Finding)        { f.all = append(f.all, *x) }

// TestUsual_IsTaken: a whole message in order takes the short way, and nothing else does.
func TestUsual_IsTaken(t *testing.T) {
	for _, c := range []struct {
		name string
		next dp8.Frame
		want int
	}{
		{"in order", data(4, 4, "go on"), 1},
		{"in order, with a SACK mask", masked(data(4, 3, "go on"), 1, 0), 1},
		{"in order, with a send mask", masked(data(4, 4, "go on"), 0, 1), 1},
		{"behind a gap", data(5, 4, "go on"), 0},
		{"sent again", dataAs(whole, dp8.CtlRetry, 3, 4, "again"), 0},
		{"marked as a retry, in order", dataAs(whole, dp8.CtlRetry, 4, 4, "go on"), 0},
		{"the end of the stream", dataAs(whole, dp8.CtlEndStream, 4, 4, ""), 0},
		{"a part of a message", dataAs(dp8.Data|dp8.NewMsg, 0, 4, 4, "go on"), 0},
		{"an answer is asked for at once", dataAs(whole|dp8.Poll, 0, 4, 4, "go on"), 1},
		{"a KeepAlive", keepAlive(4, 4, 7), 0},
		{"a SACK", sack(4, 4, 0), 0},
	} {
		steps := new(usualSteps)
		p := track.New(track.Options{}, func() track.Judge { return steps })
		s := &scene{sessiontest.New(t, hosts, session.Config{Protocols: []*session.Protocol{p}, Force: sessiontest.Force(p, "")})}
		s.meet(7, dp8.Version16, dp8.Version16)
		for i := range uint8(4) {
			s.send(0, data(i, i, "hello"))
			s.send(1, data(i, i+1, "world"))
		}
		steps.n = 0
		s.send(0, c.next)
		if steps.n != c.want {
			t.Errorf("%s: the short way was taken %d times, want %d", c.name, steps.n, c.want)
		}
		s.End()
	}
}

// usualSteps counts frames that take the short way.
type usualSteps struct{ n int }

func (u *usualSteps) Observe(s track.Step) {
	if s == track.PlacedUsual {
		u.n++
	}
}

func (*usualSteps) Follow(track.View, *track.Event)             {}
func (*usualSteps) Forget(dissect.Dir)                          {}
func (*usualSteps) Refuted(dissect.Dir, []seq.ProvisionalFrame) {}
func (*usualSteps) Claim(dissect.Dir, *track.Claim)             {}
func (*usualSteps) Stray(*track.Stray)                          {}
func (*usualSteps) Refusal(dissect.Dir, *track.Refusal)         {}
func (*usualSteps) End([2]bool)                                 {}
