package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/verdict"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// hostile is what an endpoint may send to attack those who read reports.
const hostile = "a\x1b[31m\r\n::error::b ]]> </failure> <script>alert(1)</script> | **c** `d` [e](http://evil.example) @octocat &amp; \u202e%0A\x00\xff"

var checkRules = []conform.Rule{
	{ID: "DP8-2.2.1.2-POLL-LISTENER", Clause: "MC-DPL8R 2.2.1.2", Statement: "the listener | sets <POLL>", Example: "a `|` b", Guards: conform.Of(conform.GuardStart)},
	{ID: "KNET-2.1", Clause: "kNet page 2.1", Level: conform.Should, Severity: conform.Warn, Statement: "both sides"},
	{ID: "KNET-NEVER", Unchecked: "never observable"},
}

var checkQuality = []conform.Rule{{ID: "CAP-DROPS", Level: conform.Impl, Severity: conform.Note, Statement: "the capture file declares drops"}}

const checkPolicy = `
severities: {KNET-2.1: warn}
suppressions:
  - {rule: KNET-*, reason: gone, expires: 2020-01-01}
  - {rule: CAP-DROPS, connection: 4, address: 10.0.0.0/8, reason: 'quotes " and | bars'}
budgets:
  - retries/data_frames < 2%
  - {name: quick, budget: rtt.p95_ms < 1, optional: true}
  - {budget: ping_rtt.p95_ms < 1, optional: true}
  - lost.not_captured == 0
  - connections >= 1
required: [KNET-NEVER, DP8-2.2.1.2-POLL-LISTENER, KNET-2.1]
certainty: {max-capture-loss: 1%, max-inconclusive: 10%}
`

// checked is a check in which everything goes wrong.
func checked(t testing.TB, change func(a *Analysis)) *Check {
	t.Helper()
	return checkedBy(t, checkPolicy, change)
}

// checkedBy is such a check by a rules file.
func checkedBy(t testing.TB, policy string, change func(a *Analysis)) *Check {
	t.Helper()
	a := fixture()
	for i := range a.Findings {
		for j := range checkRules {
			if checkRules[j].ID == a.Findings[i].Rule.ID {
				a.Findings[i].Rule = &checkRules[j]
			}
		}
	}
	unclear := a.Findings[0]
	unclear.Guard, unclear.Message = conform.GuardClean, "maybe "+hostile
	a.Findings = append(a.Findings, unclear)
	a.Findings[2].Message = hostile
	if change != nil {
		change(a)
	}
	book := verdict.NewBook(checkRules, checkQuality)
	p, err := verdict.ReadPolicy("rules.yaml", []byte(policy), book)
	if err != nil {
		t.Fatal(err)
	}
	tallies := []conform.RuleTally{{Rule: &checkRules[0]}, {Rule: &checkRules[1]}}
	tallies[0].Fail, tallies[0].Pass = 3, 9
	tallies[1].Inconclusive = 12
	tallies[1].Blocked[conform.GuardClean] = 12
	run := &verdict.Run{Findings: a.Findings, Rules: tallies, Packets: a.Totals.Packets, Dropped: 3}
	for i := range a.Captures {
		if in := &a.Captures[i]; in.Failed {
			run.Unread = append(run.Unread, in.Path+": "+in.Problem)
		}
	}
	run.Numbers = Numbers(a)
	r, err := verdict.Decide(p, book, verdict.BaselineOf(nil), "2026-11-20", run)
	if err != nil {
		t.Fatal(err)
	}
	locate := func(frame uint64) (int, uint64) { return int(frame % 2), frame/2 + 1 }
	return &Check{Result: r, Version: "v1.2.3", Captures: a.Captures, Totals: a.Totals, Conns: len(a.Conns), Locate: locate}
}

// quiet is a check of nothing.
func quiet() *Check { return &Check{Result: &verdict.Result{}, Version: "v1.2.3"} }

func TestCheckJSON(t *testing.T) {
	schema, finding := schemaOf(t, "check"), schemaOf(t, "finding")
	for _, c := range []*Check{checked(t, nil), quiet()} {
		doc := AppendCheckJSON(nil, c)
		if err := check(schema, doc); err != nil {
			t.Errorf("%v\n%s", err, doc)
		}
		lines := strings.Split(strings.TrimSuffix(string(AppendCheckRecords(nil, c)), "\n"), "\n")
		last := len(lines) - 1
		if err := check(schema, []byte(lines[last])); err != nil || last != len(c.Findings) {
			t.Errorf("%d records before the last: %v", last, err)
		}
		for _, l := range lines[:last] {
			if err := check(finding, []byte(l)); err != nil {
				t.Errorf("%v\n%s", err, l)
			}
		}
	}
}

// TestCheckJSONOfInfinity: budgets whose value is infinite, or no number, have a place in the
// document, which says that they were not evaluated.
func TestCheckJSONOfInfinity(t *testing.T) {
	huge := "1" + strings.Repeat("0", 308)
	c := checkedBy(t, fmt.Sprintf("budgets:\n  - totals.packets * %[1]s * %[1]s < 1\n  - totals.packets * %[1]s * 10 - totals.packets * %[1]s * 10 < 1\n  - connections < connections * %[1]s * 10\n", huge), nil)
	doc := AppendCheckJSON(nil, c)
	if err := check(schemaOf(t, "check"), doc); err != nil {
		t.Errorf("%v\n%s", err, doc)
	}
	if n := bytes.Count(doc, []byte(`"its value is beyond what can be computed"`)); n != 3 || len(c.Budgets) != 3 {
		t.Errorf("%d of %d budgets say why they were not evaluated:\n%s", n, len(c.Budgets), doc)
	}
}

// TestCheckCounts: what the document says agrees with itself.
func TestCheckCounts(t *testing.T) {
	var doc struct {
		Verdict  string
		Reasons  []string
		Counts   map[string]int
		Findings []struct{ Verdict, Severity string }
		Budgets  []struct {
			Budget    string
			OK        *bool
			Evaluated bool
		}
		Required []struct {
			Rule string
			OK   bool
		}
	}
	if err := json.Unmarshal(AppendCheckJSON(nil, checked(t, nil)), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Verdict != "unreadable" || doc.Counts["error"] != 3 || doc.Counts["warn"] != 1 || doc.Counts["inconclusive"] != 1 || len(doc.Findings) != 6 {
		t.Errorf("%+v", doc)
	}
	for i, want := range []string{"true", "false", "", "", "true"} {
		got := ""
		if ok := doc.Budgets[i].OK; ok != nil {
			got = fmt.Sprint(*ok)
		}
		if got != want || (want != "") != doc.Budgets[i].Evaluated {
			t.Errorf("%+v is %q, want %q", doc.Budgets[i], got, want)
		}
	}
	for i, want := range []bool{false, true, false} {
		if doc.Required[i].OK != want {
			t.Errorf("%+v", doc.Required[i])
		}
	}
}

var workflowCommand = regexp.MustCompile(`^::(error|warning|notice) (file=[^:,\r\n]*(,line=[0-9]+)?,)?title=[^:,\r\n]+::[^\r\n]+$`)

func TestGitHub(t *testing.T) {
	c := checked(t, func(a *Analysis) {
		for i := range 30 {
			f := a.Findings[2]
			copied := *f.Conn
			copied.ID = 10 + i
			f.Conn = &copied
			a.Findings = append(a.Findings, f)
		}
	})
	lines := strings.Split(strings.TrimSuffix(string(AppendGitHub(nil, c)), "\n"), "\n")
	kinds := map[string]int{}
	last := len(lines) - 1
	for _, l := range lines[:last] {
		m := workflowCommand.FindStringSubmatch(l)
		if m == nil {
			t.Fatalf("no workflow command: %q", l)
		}
		kinds[m[1]]++
	}
	if kinds["error"] != githubPerKind || !strings.HasPrefix(lines[last], "dpdissect: unreadable: ") {
		t.Errorf("%v, %q", kinds, lines[last])
	}
	nothing := "::notice title=check::no UDP datagrams: there is nothing to judge\ndpdissect: pass: no UDP datagrams: there is nothing to judge\n"
	if got := string(AppendGitHub(nil, quiet())); got != nothing {
		t.Errorf("%q", got)
	}
}

func TestSummary(t *testing.T) {
	text := string(AppendSummary(nil, checked(t, nil)))
	for _, bad := range []string{"<script", "[e](", "**c**", "http://", "@octocat", "\x1b", "\r", "\x00"} {
		if strings.Contains(text, bad) {
			t.Errorf("packets write %q into Markdown:\n%s", bad, text)
		}
	}
	for line := range strings.Lines(text) {
		if cells := strings.Count(strings.ReplaceAll(line, "\\|", ""), "|"); strings.HasPrefix(line, "| error") && cells != 6 {
			t.Errorf("%d bars in %s", cells, line)
		}
	}
	AppendSummary(nil, quiet())
}

func TestCheckTextIsHarmless(t *testing.T) {
	text := AppendCheckText(nil, checked(t, nil), TextOptions{Verbose: true})
	for i, c := range string(text) {
		if c != '\n' && (c < ' ' || c == 0x7f || c == '\u202e' || c == '\ufffd') {
			t.Fatalf("character %U at %d:\n%s", c, i, text)
		}
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	want := `unreadable: bad\x1b]0;x\x07\u202e.pcap: cut short at offset 1234: packet of 60 bytes, 17 are there; -: no capture; 3 errors; budget rtt.p95_ms < 1 does not hold: it is `
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, want) {
		t.Errorf("the last line is %q", last)
	}
	AppendCheckText(nil, quiet(), TextOptions{})
}

// TestBudgetsKnowEveryNumber holds the names of budgets to the schema of the
// analysis.
func TestBudgetsKnowEveryNumber(t *testing.T) {
	var doc map[string]any
	if err := json.Unmarshal(schemaText("analysis"), &doc); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"connections": true, "captures": true}
	defs := doc["$defs"].(map[string]any)
	for def, prefix := range map[string]string{"capture": "captures.", "totals": "totals.", "connection": "", "direction": ""} {
		numbersOf(defs, defs[def].(map[string]any), prefix, known)
	}
	for _, notOne := range []string{"id", "directions", "players", "end.frame"} {
		delete(known, notOne)
	}
	for _, name := range verdict.QuantityNames() {
		if !known[name] {
			t.Errorf("%s is not a number of the analysis", name)
		}
		delete(known, name)
	}
	for name := range known {
		t.Errorf("budgets do not know %s", name)
	}
}

// numbersOf lists the paths to numbers below an object of the schema.
func numbersOf(defs, object map[string]any, prefix string, known map[string]bool) {
	properties, _ := object["properties"].(map[string]any)
	for key, v := range properties {
		p := v.(map[string]any)
		if ref, ok := p["$ref"].(string); ok {
			p = defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
		}
		switch p["type"] {
		case "integer", "number":
			known[prefix+key] = true
		case "object":
			if key != "directions" {
				numbersOf(defs, p, prefix+key+".", known)
			}
		}
	}
}

// TestShared: where there is no room for all, each rule has its turn.
func TestShared(t *testing.T) {
	rules := []conform.Rule{{ID: "A"}, {ID: "B"}, {ID: "C"}}
	var list []*bundle
	for _, of := range []struct {
		rule int
		s    conform.Severity
	}{{0, conform.Error}, {0, conform.Error}, {1, conform.Error}, {2, conform.Note}} {
		list = append(list, &bundle{first: &session.Finding{Rule: &rules[of.rule], Severity: of.s}})
	}
	for room, want := range map[int]string{4: "AABC", 3: "ABAC"} {
		got := ""
		for _, b := range shared(slices.Clone(list), room) {
			got += b.first.Rule.ID
		}
		if got != want {
			t.Errorf("room for %d: %s, want %s", room, got, want)
		}
	}
}

// TestMessageOfEachPlace: a message stands above the places it is about, and above
// no other.
func TestMessageOfEachPlace(t *testing.T) {
	rule := &conform.Rule{ID: "KN-X"}
	conn := &session.Conn{Dir: new([2]seq.Direction)}
	list := []session.Finding{
		{Rule: rule, Conn: conn, Dir: session.SideA, Frame: 1, Frames: []uint64{1}, Message: "1 of 2"},
		{Rule: rule, Conn: conn, Dir: session.SideA, Frame: 5, Frames: []uint64{3, 5}, Message: "3 of 4"},
		{Rule: rule, Conn: conn, Dir: session.SideB, Frame: 7, Frames: []uint64{7}, Message: "five words are in this"},
	}
	p := &painter{}
	const hint = "   'dpdissect rules show KN-X' explains a rule.\n"
	for all, want := range map[bool]string{
		false: "3 findings\n   error  KN-X  ×3\n          1 of 2\n          #0 a → b: frames 1, 5\n          five words are in\n            this\n          #0 b → a: frame 7\n" + hint,
		true:  "3 findings\n   error  KN-X  ×3\n          1 of 2\n          #0 a → b: frame 1\n          3 of 4\n          #0 a → b: frame 5;\n            proof: frames 3, 5\n          five words are in\n            this\n          #0 b → a: frame 7\n" + hint,
	} {
		if got := string(p.appendFindingsAs(nil, list, findingsText{noun: "finding", width: 31, all: all, proofs: true})); got != want {
			t.Errorf("%v:\n%s\nwant\n%s", all, got, want)
		}
	}
}
