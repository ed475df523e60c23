package liveview

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/sampler"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// TestNames: rows and records show the names of addresses, in as many columns as a terminal
// needs for them; what it would act on is escaped.
func TestNames(t *testing.T) {
	c := &session.Conn{Dir: new([2]seq.Direction), Protocol: &dissect.Protocol{Name: "hazel"}, A: dissect.Endpoint{Port: 4000}, B: dissect.Endpoint{Port: 22023}, State: session.Established}
	s := sampler.Sampler{Names: func(e dissect.Endpoint) string {
		if e == c.A {
			return "日本\x1b[31m"
		}
		return ""
	}}
	snap := s.Snapshot(sampler.Status{Now: demoStart + second, Started: demoStart}, []*session.Conn{c})
	if got := snap.Rows[0].Name; got != [2]string{`日本\x1b[31m`, c.B.String()} || snap.Rows[0].End[0] != c.A {
		t.Errorf("%q", got)
	}
	if bytes.Contains(AppendRecord(nil, snap, TextOptions{}), []byte{0x1b}) {
		t.Error("an escape sequence gets through")
	}
	text := string(AppendRecord(nil, snap, TextOptions{Width: 100}))
	if !strings.Contains(text, "日本") {
		t.Errorf("the name is not in the record:\n%s", text)
	}
	lines := strings.Split(text, "\n")
	for _, row := range lines[3:5] {
		if got, want := terminal.Width(row), terminal.Width(lines[2]); got != want {
			t.Errorf("a row has %d columns, the table %d:\n%s", got, want, text)
		}
	}
}
