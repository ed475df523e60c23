package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dpdissect/dpdissect/internal/verdict"
)

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
	if text := last[len(last)-1].Message.Text; !strings.Contains(text, "more results are left out") {
		t.Errorf("nothing is said of what is left out: %s", text)
	}
}

// TestSARIFTurnsNothing: nothing that turns lines around, and no control character, stands in
// a log as it is, and what reasons say is not lost.
func TestSARIFTurnsNothing(t *testing.T) {
	for _, turn := range []string{"\u202e", "\u202a", "\u2066", "\u2069", "\u200f", "\u061c", "\u007f", "\u2028"} {
		c := checked(t, nil)
		c.Reasons = []string{"a" + turn + "b"}
		c.Version = "v" + turn
		c.Captures[0].Path = "x" + turn + ".pcap"
		for i := range c.Findings {
			c.Findings[i].Message = "m" + turn
		}
		for name, log := range map[string][]byte{"one": AppendSARIF(nil, c), "several": AppendChecksSARIF(nil, &Checks{Several: &verdict.Several{}, Files: []*Check{c, c}})} {
			if bytes.Contains(log, []byte(turn)) {
				t.Errorf("%s: %q stands in the log", name, turn)
			}
			var back struct {
				Runs []struct {
					Properties struct{ Reasons []string }
				}
			}
			if err := json.Unmarshal(log, &back); err != nil || len(back.Runs) == 0 || back.Runs[0].Properties.Reasons[0] != c.Reasons[0] {
				t.Errorf("%s: %v, %+v", name, err, back)
			}
		}
	}
}
