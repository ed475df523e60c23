package pipeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/session"
)

// failing wraps a protocol so that it panics at some frames.
func failing(p *session.Protocol, at map[uint64]bool) *session.Protocol {
	q := *p
	q.NewSession = func(f *session.Flow, learned session.Probe) session.Session {
		return &failingSession{p.NewSession(f, learned), at}
	}
	return &q
}

type failingSession struct {
	session.Session
	at map[uint64]bool
}

func (s *failingSession) Input(fr *dissect.Frame) *session.Conn {
	c := s.Session.Input(fr)
	if s.at[fr.Frame] {
		panic("injected")
	}
	return c
}

// One connection of a capture of several fails: it ends there with its internal
// error, for any number of workers, and of the others not a byte changes.
func TestInternalErrorLeavesOthersAlone(t *testing.T) {
	const traces = "../../testdata/pcaps/"
	paths := []string{traces + "hazel/clean-current.pcap", traces + "knet/lossy-reference.pcap", traces + "dp8/unsigned-lossy.pcap", traces + "dp4/eager-clean.pcap"}
	run := func(workers int, at map[uint64]bool) (r *Run, text string) {
		src, err := capture.Open(paths, capture.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		r = &Run{Source: src, Workers: workers, Config: session.Config{}}
		for _, p := range protocols.All(protocols.Options{}) {
			r.Config.Protocols = append(r.Config.Protocols, failing(p, at))
		}
		if err := r.Do(); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		for _, c := range r.Conns() {
			fmt.Fprint(&out, c.ID, " ", c.A, c.B, c.State, c.FirstFrame, c.LastFrame, c.Internal != nil)
			for i := range c.Dir {
				fmt.Fprint(&out, " ", c.Dir[i].Frames, c.Dir[i].Missing(), c.Dir[i].RTT())
			}
			out.WriteByte('\n')
		}
		return r, out.String()
	}
	_, sound := run(1, nil)
	lines := strings.Split(sound, "\n")
	r, broken := run(1, map[uint64]bool{40: true})
	if all := r.Internal(); len(all) != 1 || all[0].Frame != 40 || !strings.Contains(all[0].Message, "injected") || all[0].Conn == nil || all[0].Conn.LastFrame != 40 {
		t.Fatalf("internal errors: %+v", all)
	}
	hit := r.Internal()[0].Conn
	if len(lines) < len(paths) {
		t.Fatalf("%d connections", len(lines)-1)
	}
	for i, line := range strings.Split(broken, "\n") {
		if i != hit.ID && line != lines[i] {
			t.Errorf("%s\nwas without the fault of another\n%s", line, lines[i])
		}
	}
	if decoded, _, other := r.Decoded(); decoded+other != r.Source.Totals().UDPDatagrams {
		t.Errorf("%d decoded and %d others of %d datagrams", decoded, other, r.Source.Totals().UDPDatagrams)
	}
	if _, parallel := run(3, map[uint64]bool{40: true}); parallel != broken {
		t.Errorf("3 workers say\n%s\n1 says\n%s", parallel, broken)
	}
}
