package report

import (
	"encoding/json"
	"encoding/xml"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/verdict"
)

// two are checks of a file in which everything goes wrong and of one that is cut
// short, of an empty capture, and of a file that is not there.
func two(t testing.TB) *Checks {
	t.Helper()
	fail := checked(t, func(a *Analysis) { a.Captures = a.Captures[:1] })
	fail.Captures[0].Path = "client <a>.pcap"
	cut := checked(t, func(a *Analysis) { a.Captures, a.Findings = a.Captures[1:2], nil })
	empty, missing := quiet(), quiet()
	empty.Captures = []capture.Info{{Path: "empty.pcap", Format: "pcap", LinkTypes: []string{"ethernet"}}}
	missing.Captures = []capture.Info{{Path: "missing\n::error::x", Unopened: true, Failed: true, Problem: "cannot be read: no such file"}}
	missing.Outcome, missing.Reasons = verdict.Unreadable, []string{missing.Captures[0].Problem}
	s := &Checks{Files: []*Check{fail, cut, empty, missing}}
	var results []*verdict.Result
	for _, c := range s.Files {
		c.Locate = nil
		results = append(results, c.Result)
	}
	s.Several = verdict.Together(verdict.BaselineOf(nil), results[:2])
	return s
}

// TestChecksText: the text ends with one line a file, and says once what rules file
// and baseline name though nothing is found.
func TestChecksText(t *testing.T) {
	text := AppendChecksText(nil, two(t), TextOptions{})
	harmless(t, text)
	golden(t, "checks.txt", text)
	quiet := string(AppendChecksText(nil, two(t), TextOptions{Quiet: true}))
	if strings.Contains(quiet, "No findings") && strings.Contains(quiet, "empty.pcap\n") {
		t.Errorf("of an empty capture there is nothing to say but the verdict:\n%s", quiet)
	}
	lines := strings.Split(strings.TrimSuffix(quiet, "\n"), "\n")
	want := []string{"client <a>.pcap fail 3 errors", `bad\x1b]0;x\x07\u202e.pcap unreadable bad`, "empty.pcap pass no UDP datagram", `missing\n::error::x unreadable cannot be read`}
	for i, w := range want {
		if got := strings.Join(strings.Fields(lines[len(lines)-len(want)+i]), " "); !strings.HasPrefix(got, w) {
			t.Errorf("line %d from the end is %q, want %q", len(want)-i, got, w)
		}
	}
	if n := strings.Count(quiet, "Suppression of KNET-*"); n != 1 {
		t.Errorf("a suppression that expired is told %d times", n)
	}
	if AppendCheckText(nil, two(t).Files[3], TextOptions{}) != nil {
		t.Error("there are words on a file that is not there")
	}
}

func TestChecksJSON(t *testing.T) {
	s, finding := schemaOf(t, "check"), schemaOf(t, "finding")
	doc := AppendChecksJSON(nil, two(t))
	if err := check(s, doc); err != nil {
		t.Fatalf("%v\n%s", err, doc)
	}
	var v struct {
		Schema, Verdict string
		Files           []struct {
			Path, Schema, Verdict string
			Notes                 []string
			Findings              []struct{}
		}
	}
	if err := json.Unmarshal(doc, &v); err != nil {
		t.Fatal(err)
	}
	var verdicts []string
	findings := 0
	for _, f := range v.Files {
		verdicts = append(verdicts, f.Verdict)
		findings += len(f.Findings)
		if f.Schema != CheckSchema || (f.Path == "empty.pcap") != (len(f.Notes) == 1) {
			t.Errorf("%+v", f)
		}
	}
	if v.Schema != ChecksSchema || v.Verdict != "unreadable" || !slices.Equal(verdicts, []string{"fail", "unreadable", "pass", "unreadable"}) {
		t.Errorf("%s %s of %q", v.Schema, v.Verdict, verdicts)
	}
	lines := strings.Split(strings.TrimSuffix(string(AppendChecksRecords(nil, two(t))), "\n"), "\n")
	last := len(lines) - 1
	if err := check(s, []byte(lines[last])); err != nil || last != findings {
		t.Errorf("%d records before the last, %d findings: %v", last, findings, err)
	}
	for _, l := range lines[:last] {
		if err := check(finding, []byte(l)); err != nil || !strings.Contains(l, `"file":1,`) {
			t.Errorf("%v\n%s", err, l)
		}
	}
}

// TestChecksSARIF: each file has a run of its own, in a category of its own.
func TestChecksSARIF(t *testing.T) {
	log, results := loadSARIF(t, sarifSchema(t), AppendChecksSARIF(nil, two(t)))
	seen := map[string]bool{}
	for i, r := range log.Runs {
		seen[r.Automation.ID] = true
		if want := i == 0 || i == 2; len(r.Artifacts) != 1 || r.Invocations[0].Successful != want {
			t.Errorf("%+v", r.Invocations)
		}
	}
	if len(log.Runs) != 4 || len(seen) != 4 || len(results) != 5 {
		t.Errorf("%d runs, %v, %d results in the first", len(log.Runs), seen, len(results))
	}
}

// TestChecksJUnit: each file has a suite, and no two tests are of the same name.
func TestChecksJUnit(t *testing.T) {
	b := AppendChecksJUnit(nil, two(t))
	readJUnit(t, b)
	var all junitSuites
	if err := xml.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, s := range all.Suites {
		for _, c := range s.Cases {
			if seen[c.Class+" "+c.Name] {
				t.Errorf("two tests are %s %s", c.Class, c.Name)
			}
			seen[c.Class+" "+c.Name] = true
		}
		if passes := s.Failures+s.Errors == 0; passes != (i == 2) {
			t.Errorf("%s: %d failures, %d errors", s.Name, s.Failures, s.Errors)
		}
	}
	if len(all.Suites) != 4 || len(seen) < 10 {
		t.Errorf("%d suites, %d tests", len(all.Suites), len(seen))
	}
}

// TestChecksGitHub: what GitHub shows of a step is shared by all files, and each has
// its verdict.
func TestChecksGitHub(t *testing.T) {
	s := two(t)
	s.Files = slices.Concat(s.Files, two(t).Files, two(t).Files)
	lines := strings.Split(strings.TrimSuffix(string(AppendChecksGitHub(nil, s)), "\n"), "\n")
	kinds := map[string]int{}
	for i, l := range lines {
		verdict := strings.HasPrefix(l, "dpdissect: ")
		if verdict != (i >= len(lines)-len(s.Files)) {
			t.Errorf("line %d of %d: %q", i, len(lines), l)
		}
		if m := workflowCommand.FindStringSubmatch(l); m != nil {
			kinds[m[1]]++
		} else if !verdict {
			t.Errorf("no workflow command: %q", l)
		}
	}
	if kinds["error"] != githubPerKind || kinds["warning"] == 0 || kinds["warning"] > githubPerKind {
		t.Errorf("%v", kinds)
	}
	if want := "dpdissect: client <a>.pcap: fail: "; !strings.HasPrefix(lines[len(lines)-len(s.Files)], want) {
		t.Errorf("the first verdict is %q", lines[len(lines)-len(s.Files)])
	}
}

// TestGreenTick: only a verdict on something is green.
func TestGreenTick(t *testing.T) {
	judged := quiet()
	judged.Rules = checked(t, nil).Rules
	judged.Totals.UDPDatagrams = 1
	faulty := *judged
	faulty.Internal = 1
	sound := &Checks{Several: &verdict.Several{}, Files: []*Check{judged, judged}}
	for name, c := range map[string]struct {
		text []byte
		want bool
	}{
		"a pass":               {AppendSummary(nil, judged), true},
		"an internal error":    {AppendSummary(nil, &faulty), false},
		"a capture of nothing": {AppendSummary(nil, quiet()), false},
		"what is cut short":    {AppendSummary(nil, two(t).Files[1]), false},
		"what is not there":    {AppendSummary(nil, two(t).Files[3]), false},
		"two that pass":        {AppendChecksSummary(nil, sound), true},
		"several":              {AppendChecksSummary(nil, two(t)), false},
		"a pass and nothing":   {AppendChecksSummary(nil, &Checks{Several: &verdict.Several{}, Files: []*Check{judged, quiet()}})[:20], false},
	} {
		if strings.Contains(string(c.text), "✅") != c.want {
			t.Errorf("%s: %s", name, c.text)
		}
	}
	text := string(AppendChecksSummary(nil, two(t)))
	for _, want := range []string{"\n| ❌ | client &lt;a&gt;.pcap | fail | 3 | ", "\n| ⚠️ | empty.pcap | pass | 0 | 0 | 0 | no UDP datagrams: there is nothing to judge |\n", "| error | DP8-2.2.1.2-POLL-LISTENER | client &lt;a&gt;.pcap \\#"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
