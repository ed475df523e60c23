package whole

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/captured"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A scribe writes down all that a table tells.
type scribe struct{ lines []string }

func (s *scribe) Frame(fr *dissect.Frame, c *session.Conn) {
	first := uint64(0)
	if c != nil {
		first = c.FirstFrame
	}
	s.add("frame %d of %d: %s %c %s %x, retry of %d, acks %v, notes %v, %v, %q", fr.Frame, first, fr.Protocol, fr.Direction+'0', fr.Type,
		fr.Words, fr.RetryOf, fr.Acks, fr.Notes, fr.Err, fr.Summary)
}

func (s *scribe) Acked(at seq.Position, by uint64) {
	s.add("frame %d acknowledged by %d", at.Frame, by)
}

func (s *scribe) Message(m *session.Message) {
	s.add("message %d of %d, %d: %x, %v, frames %d to %d", m.Index, m.Conn.FirstFrame, m.Dir, m.SHA256, m.Complete, m.FirstFrame, m.LastFrame)
}

func (s *scribe) Finding(f *session.Finding) {
	s.add("finding %s of %d: %v, %d %v, %s", f.Rule.ID, f.Conn.FirstFrame, f.Severity, f.Frame, f.Frames, f.Message)
}

func (s *scribe) add(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

// conn writes down a connection; exact says that percentiles are.
func (s *scribe) conn(c *session.Conn, exact bool) {
	s.add("connection of %d: %s %s %v, %v %v, %d to %d, %v %v by %v, %q %q, version %x %s, session %x, %v", c.FirstFrame, c.Protocol.Name, c.Dialect, c.Dialects, c.A, c.B,
		c.FirstFrame, c.LastFrame, c.Complete, c.State, c.ClosedBy, c.Inferred, c.Remarks, c.Version, c.Signing, c.SessionID, c.Findings)
	for i := range c.Dir {
		d := &c.Dir[i]
		rtt, paired, ping := d.RTT(), d.Trips().PairedRTT(), d.Trips().PingRTT()
		if !exact {
			rtt.P50, rtt.P95, paired.P50, paired.P95, ping.P50, ping.P95 = 0, 0, 0, 0, 0, 0
		}
		s.add("side %d: %d %d, %d %d, %d %d %d, %d %d, %d %d %d, %d, %v, missing %d, lost %v, %v %v %v", i, d.Frames, d.Bytes, d.DataFrames, d.Acks, d.Retries, d.UnneededRetries,
			d.Duplicates, d.OutOfOrder, d.Gaps, d.Messages, d.MessageBytes, d.IncompleteMessages, d.KeepAlives, d.Signatures, d.Missing(), d.Lost(), rtt, paired, ping)
	}
}

// written is all that the analysis of a capture tells, of a run without end with a
// tick after every datagram.
func written(all []dissect.Datagram, cfg session.Config, exact bool) []string {
	s := &scribe{}
	cfg.Protocols = protocols.All(protocols.Options{})
	cfg.Links, cfg.Messages, cfg.Incomplete, cfg.Inconclusive, cfg.Summaries, cfg.Sink = true, session.HashMessages, true, true, true, s
	tab := session.NewTable(cfg)
	end := int64(0)
	for i := range all {
		tab.Add(&all[i])
		end = max(end, all[i].Time)
		tab.Tick(end)
	}
	tab.Close(end)
	conns := tab.TakeClosed()
	session.Number(conns)
	for _, c := range conns {
		s.conn(c, exact)
	}
	decoded, malformed, other := tab.Totals()
	s.add("%d decoded, %d malformed, %d others", decoded, malformed, other)
	for _, p := range cfg.Protocols {
		for i, tally := range tab.Tallies(p) {
			if !exact {
				tally.Pass = 0
			}
			s.add("%s: %v", p.Rules[i].ID, tally)
		}
	}
	for i, tally := range tab.QualityTallies() {
		s.add("%s: %v", session.Quality[i].ID, tally)
	}
	return s.lines
}

// allCaptures are all captures of the repository.
func allCaptures(t *testing.T) (paths []string) {
	t.Helper()
	err := filepath.WalkDir("../../../testdata/pcaps", func(path string, d fs.DirEntry, err error) error {
		if err == nil && (strings.HasSuffix(path, ".pcap") || strings.HasSuffix(path, ".pcapng")) {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil || len(paths) == 0 {
		t.Fatalf("no captures under testdata/pcaps: %v", err)
	}
	return paths
}

// TestEndlessAlike: a run without end tells of every capture what the analysis of
// the file tells, when nothing is taken for gone.
func TestEndlessAlike(t *testing.T) {
	for _, path := range allCaptures(t) {
		all := captured.Tracked(t, path)
		alike(t, path, written(all, session.Config{}, true), written(all, session.Config{Idle: 1 << 60}, true))
	}
}

// TestCompactAlike: what a compact run forgets makes no difference to any of the captures,
// but for rounded percentiles and, of few rules, some opportunities that are not seen
// to pass.
func TestCompactAlike(t *testing.T) {
	for _, path := range allCaptures(t) {
		all := captured.Tracked(t, path)
		want, got := written(all, session.Config{}, false), written(all, session.Config{Idle: 1 << 60, LowMemory: true}, false)
		slices.Sort(want) // what is never acknowledged is told sooner
		slices.Sort(got)
		alike(t, path, want, got)
	}
}

func alike(t *testing.T, path string, want, got []string) {
	t.Helper()
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			t.Errorf("%s:\nfile    %s\nendless %s", path, want[i], got[i])
			return
		}
	}
	if len(want) != len(got) {
		t.Errorf("%s: %d lines of the file, %d without end", path, len(want), len(got))
	}
}
