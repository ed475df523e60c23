package session

import (
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
)

func TestNames(t *testing.T) {
	for i, want := range []string{"unknown", "opening", "established", "closing", "closed", "reset", "timed-out", "refused"} {
		if got := State(i).String(); got != want {
			t.Errorf("state %d: %s, want %s", i, got, want)
		}
	}
	for i, want := range []string{"behaviour", "handshake", "decode-as"} {
		if got := Detection(i).String(); got != want {
			t.Errorf("detection %d: %s, want %s", i, got, want)
		}
	}
	for i, want := range []string{"", "a", "b", "both"} {
		if got := Side(i).String(); got != want {
			t.Errorf("side %d: %s, want %s", i, got, want)
		}
	}
	for i, want := range []string{"error", "warn", "note"} {
		if got := conform.Severity(i).String(); got != want {
			t.Errorf("severity %d: %s, want %s", i, got, want)
		}
	}
}

func TestInfer(t *testing.T) {
	var c Conn
	c.Infer("version")
	c.Infer("roles")
	c.Infer("version")
	if want := []string{"version", "roles"}; !slices.Equal(c.Inferred, want) {
		t.Errorf("%q, want %q", c.Inferred, want)
	}
	c.Confirm("version")
	c.Confirm("signing")
	if want := []string{"roles"}; !slices.Equal(c.Inferred, want) {
		t.Errorf("%q, want %q", c.Inferred, want)
	}
}

func TestMalform(t *testing.T) {
	var c Conn
	bad := &dissect.Error{}
	whole := dissect.Frame{Datagram: &dissect.Datagram{Payload: []byte{1}, Length: 1}}
	c.Malform(&whole, bad)
	cut := dissect.Frame{Datagram: &dissect.Datagram{Payload: []byte{1}, Length: 2}}
	c.Malform(&cut, bad)
	good := dissect.Frame{Datagram: &dissect.Datagram{Payload: []byte{1}, Length: 1}}
	c.Malform(&good, nil)
	if c.malformed != 1 || !whole.Words.Has(dissect.Malformed) || cut.Words.Has(dissect.Malformed) || cut.Err == nil || good.Err != nil {
		t.Errorf("%d malformed; %v, %v, %v", c.malformed, whole.Words, cut.Words, good.Err)
	}
}

func TestNumber(t *testing.T) {
	conns := []*Conn{{FirstFrame: 9, ID: -1}, {FirstFrame: 2, ID: -1}, {FirstFrame: 5, ID: -1}}
	Number(conns)
	for i, c := range conns {
		if c.ID != i || i > 0 && c.FirstFrame < conns[i-1].FirstFrame {
			t.Errorf("connection of frame %d has id %d at place %d", c.FirstFrame, c.ID, i)
		}
	}
}

// A finding counts at its connection by its severity.
func TestReport(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	for range 4 {
		s.say(1, 2, "yes")
	}
	c := s.tab.Conns()[0]
	for _, sev := range []conform.Severity{conform.Error, conform.Warn, conform.Warn, conform.Note} {
		c.flow.report(&Finding{Severity: sev, Conn: c, Rule: &conform.Rule{}}, nil)
	}
	c.flow.report(&Finding{Severity: conform.Error, Conn: c, Rule: &conform.Rule{}, Guard: conform.GuardBidir}, nil) // inconclusive
	if want := [3]uint64{1, 2, 1}; c.Findings != want {
		t.Errorf("%v, want %v", c.Findings, want)
	}
}
