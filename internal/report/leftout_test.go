package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// TestLeftOutIsTold: whatever a bound left out stands in the document and in the text.
func TestLeftOutIsTold(t *testing.T) {
	for _, c := range []struct {
		name       string
		leaveOut   func(a *Analysis)
		json, text string
	}{
		{"nothing", func(*Analysis) {}, "", ""},
		{"connections of a live run", func(a *Analysis) { a.Totals.LeftOut = 12 }, `"connections_left_out": 12`, "12 connections that ended earlier are only counted."},
		{"connections of too many", func(a *Analysis) { a.Totals.SummedUp = 13 }, `"connections_left_out": 13`, "13 connections were not tracked to their end"},
		{"one of these", func(a *Analysis) { a.Conns[0].SummedUp = true }, `"summed_up": true`, ""},
		{"findings", func(a *Analysis) { a.Totals.Findings = 14 }, `"findings_left_out": 14`, "14 further findings are counted but not listed"},
		{"address pairs", func(a *Analysis) { a.Totals.Undecided = 15 }, `"undecided_left_out": 15`, "15 address pairs given up before recognition"},
	} {
		a := fixture()
		a.Totals.LeftOut = 0
		c.leaveOut(a)
		var doc, text bytes.Buffer
		if err := WriteJSON(&doc, a); err != nil {
			t.Fatal(err)
		}
		if err := WriteText(&text, a, TextOptions{Width: 80}); err != nil {
			t.Fatal(err)
		}
		lines := strings.Join(strings.Fields(text.String()), " ")
		if n := strings.Count(doc.String(), "left_out") + strings.Count(doc.String(), "summed_up"); n > 1 || n == 1 != (c.json != "") || !strings.Contains(doc.String(), c.json) {
			t.Errorf("%s: the document says %d times that something was left out, want %q", c.name, n, c.json)
		}
		if !strings.Contains(lines, c.text) {
			t.Errorf("%s: the text lacks %q", c.name, c.text)
		}
		if err := check(schemaOf(t, "analysis"), doc.Bytes()); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestUnlistedFindingsAreCounted: what connections have more of than the list has is left out.
func TestUnlistedFindingsAreCounted(t *testing.T) {
	a := &Analysis{Conns: []*session.Conn{{Findings: [3]uint64{3, 1, 0}}, {Findings: [3]uint64{0, 0, 2}}},
		Findings: []session.Finding{{Guard: conform.GuardNone}, {Guard: conform.GuardClean}}}
	if a.CountUnlisted(); a.Totals.Findings != 5 {
		t.Errorf("%d of 6 findings are left out of a list of one, and one without a verdict", a.Totals.Findings)
	}
}

// TestFrameOfUnknownInput: where it is not known from which input a frame came, none is named.
func TestFrameOfUnknownInput(t *testing.T) {
	c := checked(t, func(*Analysis) {})
	c.Locate = func(frame uint64) (int, uint64) { return -1, frame }
	if path, number := c.locate(77); path != "" || number != 77 {
		t.Errorf("frame %d of %q", number, path)
	}
	_, results := loadSARIF(t, sarifSchema(t), AppendSARIF(nil, c))
	if len(results) == 0 {
		t.Fatal("nothing was found")
	}
	for _, r := range results {
		for _, l := range r.Locations {
			if got := l.Physical.Artifact.URI; got != "unknown" {
				t.Errorf("%s is in %q", r.RuleID, got)
			}
		}
	}
}
