package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dpdissect/dpdissect/internal/verdict"
	"github.com/dpdissect/dpdissect/session"
)

// hostile is what an endpoint may send to attack those who read reports.
const hostile = "a\x1b[31m\r\n::error::b ]]> </failure> <script>alert(1)</script> | **c** `d` [e](http://evil.example) @octocat &amp; \u202e%0A\x00\xff"

var checkRules = []session.Rule{
	{ID: "DP8-2.2.1.2-POLL-LISTENER", Clause: "MC-DPL8R 2.2.1.2", Statement: "the listener | sets <POLL>", Example: "a `|` b", Guards: session.Of(session.GuardStart)},
	{ID: "KNET-2.1", Clause: "kNet page 2.1", Level: session.Should, Severity: session.Warn, Statement: "both sides"},
	{ID: "KNET-NEVER", Unchecked: "never observable"},
}

var checkQuality = []session.Rule{{ID: "CAP-DROPS", Level: session.Impl, Severity: session.Note, Statement: "the capture file declares drops"}}

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
	a := fixture()
	for i := range a.Findings {
		for j := range checkRules {
			if checkRules[j].ID == a.Findings[i].Rule.ID {
				a.Findings[i].Rule = &checkRules[j]
			}
		}
	}
	unclear := a.Findings[0]
	unclear.Guard, unclear.Message = session.GuardClean, "maybe "+hostile
	a.Findings = append(a.Findings, unclear)
	a.Findings[2].Message = hostile
	if change != nil {
		change(a)
	}
	book := verdict.NewBook(checkRules, checkQuality)
	p, err := verdict.ReadPolicy("rules.yaml", []byte(checkPolicy), book)
	if err != nil {
		t.Fatal(err)
	}
	tallies := []session.RuleTally{{Rule: &checkRules[0]}, {Rule: &checkRules[1]}}
	tallies[0].Fail, tallies[0].Pass = 3, 9
	tallies[1].Inconclusive = 12
	tallies[1].Blocked[session.GuardClean] = 12
	run := &verdict.Run{Findings: a.Findings, Rules: tallies, Packets: a.Totals.Packets, Dropped: 3}
	run.Numbers = func() (*verdict.Numbers, error) { return verdict.ReadNumbers(AppendRecord(nil, a)) }
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
	if doc.Verdict != "fail" || doc.Counts["error"] != 3 || doc.Counts["warn"] != 1 || doc.Counts["inconclusive"] != 1 || len(doc.Findings) != 6 {
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

// sarifSchema is that of OASIS.
func sarifSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "schemas", "sarif-2.1.0.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// loadSARIF validates a log and decodes it.
func loadSARIF(t testing.TB, s *jsonschema.Schema, b []byte) (log sarifLog, results []sarifResult) {
	t.Helper()
	if err := check(s, b); err != nil {
		t.Fatalf("%v\n%.2000s", err, b)
	}
	if err := json.Unmarshal(b, &log); err != nil {
		t.Fatal(err)
	}
	for _, raw := range log.Runs[0].Results {
		var r sarifResult
		if err := json.Unmarshal(raw, &r); err != nil {
			t.Fatal(err)
		}
		results = append(results, r)
	}
	return log, results
}

func TestSARIF(t *testing.T) {
	s := sarifSchema(t)
	loadSARIF(t, s, AppendSARIF(nil, quiet()))
	log, results := loadSARIF(t, s, AppendSARIF(nil, checked(t, nil)))
	run := log.Runs[0]
	if len(results) != 5 || run.Invocations[0].Successful {
		t.Fatalf("%d results, %+v", len(results), run.Invocations)
	}
	prints := map[string]bool{}
	for _, r := range results {
		if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("%s has the index of %s", r.RuleID, run.Tool.Driver.Rules[r.RuleIndex].ID)
		}
		if (r.Kind == "open") != (r.Level == "none") || len(r.Locations) != 1 || r.Locations[0].Physical.Region.StartLine < 1 {
			t.Errorf("%+v", r)
		}
		p := r.Fingerprints["dpdissect/v1"]
		if prints[p] || p == "" {
			t.Errorf("fingerprint %q comes twice", p)
		}
		prints[p] = true
	}
	first := results[0]
	if first.Count != 2 || len(first.Related) != 1 || !strings.HasSuffix(first.Message.Text, "(first of 2)") {
		t.Errorf("two findings at one place are not one result: %+v", first)
	}
}

func TestSARIFPaths(t *testing.T) {
	for path, want := range map[string]sarifURI{
		"game.pcap":            {"game.pcap", "%SRCROOT%"},
		"./a b/../c d/ü%.pcap": {"c%20d/%C3%BC%25.pcap", "%SRCROOT%"},
		"../x.pcap":            {"../x.pcap", "%SRCROOT%"},
		"a:b.pcap":             {"./a:b.pcap", "%SRCROOT%"},
		"/tmp/x y.pcap":        {"file:///tmp/x%20y.pcap", ""},
		"-":                    {"stdin", ""},
	} {
		if got := sarifPath(path); got != want {
			t.Errorf("%s: %+v, want %+v", path, got, want)
		}
	}
}

// TestSARIFLimits: GitHub takes what comes of a flood of findings.
func TestSARIFLimits(t *testing.T) {
	c := checked(t, func(a *Analysis) {
		one := a.Findings[2]
		one.Frames = nil
		for n := range uint64(33) {
			one.Frames = append(one.Frames, n*1000+1)
		}
		a.Findings = nil
		for conn := range 9000 {
			copied := *one.Conn
			copied.ID = conn
			one.Conn = &copied
			for range 3 {
				one.Frame++
				a.Findings = append(a.Findings, one)
			}
		}
		for range 5000 { // all on the first
			one.Conn = a.Findings[0].Conn
			one.Frame++
			a.Findings = append(a.Findings, one)
		}
	})
	b := AppendSARIF(nil, c)
	log, results := loadSARIF(t, sarifSchema(t), b)
	if len(b) > 4*10<<20 || len(results) > 5000 || len(results) < 1000 {
		t.Errorf("%d bytes, %d results", len(b), len(results))
	}
	raw := 0
	for _, r := range log.Runs[0].Results {
		var compact bytes.Buffer
		if err := json.Compact(&compact, r); err != nil {
			t.Fatal(err)
		}
		raw += compact.Len()
	}
	if raw > 10<<20 {
		t.Errorf("%d bytes of results", raw)
	}
	for _, r := range results {
		if n := len(r.Locations) + len(r.Related); n > 1000 {
			t.Fatalf("%d locations", n)
		}
	}
	if results[0].Count != 5003 {
		t.Errorf("the first stands for %d findings", results[0].Count)
	}
	last := log.Runs[0].Invocations[0].Notifications
	if text := last[len(last)-1].Message.Text; !strings.Contains(text, "results more are left out") {
		t.Errorf("nothing is said of what is left out: %s", text)
	}
}

// readJUnit decodes strictly what the structure allows and checks the sums.
func readJUnit(t *testing.T, b []byte) (failures, errors int) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(b))
	d.Strict = true
	var all junitSuites
	if err := d.Decode(&all); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	for i, s := range all.Suites {
		var f, e int
		for _, c := range s.Cases {
			if c.Name == "" || c.Class == "" {
				t.Errorf("a test without a name: %+v", c)
			}
			n := 0
			if c.Failure != nil {
				f, n = f+1, n+1
			}
			if c.Error != nil {
				e, n = e+1, n+1
			}
			if c.Skipped != nil {
				n++
			}
			if n > 1 {
				t.Errorf("%s ends in %d ways", c.Name, n)
			}
		}
		if s.ID != i || s.Tests != len(s.Cases) || s.Failures != f || s.Errors != e {
			t.Errorf("suite %s: %d tests, %d failures, %d errors, it says %d, %d, %d", s.Name, len(s.Cases), f, e, s.Tests, s.Failures, s.Errors)
		}
		failures, errors = failures+f, errors+e
	}
	return failures, errors
}

func TestJUnit(t *testing.T) {
	b := AppendJUnit(nil, checked(t, nil))
	if f, e := readJUnit(t, b); f != 2 || e != 7 { // a rule and a budget; inputs, requirements, a budget and gates
		t.Errorf("%d failures, %d errors\n%s", f, e, b)
	}
	if strings.Contains(string(b), "<script") {
		t.Error("packets write XML")
	}
	if f, e := readJUnit(t, AppendJUnit(nil, quiet())); f+e != 0 {
		t.Errorf("%d failures, %d errors of nothing", f, e)
	}
}

// TestJUnitSchema validates with xmllint, where there is one.
func TestJUnitSchema(t *testing.T) {
	lint, err := exec.LookPath("xmllint")
	if err != nil {
		t.Skip("no xmllint")
	}
	valid := func(b []byte) (string, error) {
		path := filepath.Join(t.TempDir(), "junit.xml")
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(lint, "--noout", "--schema", filepath.Join("testdata", "schemas", "junit.xsd"), path).CombinedOutput()
		return string(out), err
	}
	for _, c := range []*Check{checked(t, nil), quiet()} {
		b := AppendJUnit(nil, c)
		if out, err := valid(b); err != nil {
			t.Errorf("%v: %s\n%s", err, out, b)
		}
	}
	bad := bytes.Replace(AppendJUnit(nil, quiet()), []byte("<properties>"), []byte("<property>"), 1)
	if _, err := valid(bad); err == nil {
		t.Error("xmllint accepts anything")
	}
}

var workflowCommand = regexp.MustCompile(`^::(error|warning|notice) (file=[^:,\s]*(,line=[0-9]+)?,)?title=[^:,\r\n]+::[^\r\n]+$`)

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
	if kinds["error"] != githubPerKind || !strings.HasPrefix(lines[last], "dpdissect: fail: ") {
		t.Errorf("%v, %q", kinds, lines[last])
	}
	if got := string(AppendGitHub(nil, quiet())); got != "dpdissect: pass\n" {
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
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "fail: 3 errors; budget rtt.p95_ms < 1 does not hold: it is ") {
		t.Errorf("the last line is %q", last)
	}
	AppendCheckText(nil, quiet(), TextOptions{})
}

// TestBudgetsKnowEveryNumber holds the names of budgets to the schema of the
// analysis.
func TestBudgetsKnowEveryNumber(t *testing.T) {
	var doc map[string]any
	if err := json.Unmarshal(analysisSchema, &doc); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"connections": true, "captures": true}
	defs := doc["$defs"].(map[string]any)
	for def, prefix := range map[string]string{"capture": "captures.", "totals": "totals.", "connection": "", "direction": ""} {
		numbersOf(defs, defs[def].(map[string]any), prefix, known)
	}
	for _, notOne := range []string{"id", "directions", "players"} {
		delete(known, notOne)
	}
	for _, name := range verdict.QuantityNames() {
		if !known[name] {
			t.Errorf("%s is no number of the analysis", name)
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
