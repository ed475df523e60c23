package main

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
)

// loadSchema compiles a schema of the project's test data.
func loadSchema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	f, err := os.Open(filepath.Join(root(t), "internal", "report", "testdata", "schemas", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCheckAgrees runs check in every format over every capture: the exit code is
// that of the verdict, and all formats agree on it.
func TestCheckAgrees(t *testing.T) {
	t.Parallel()
	sarif, judged, finding := loadSchema(t, "sarif-2.1.0.json"), schema(t, "check"), schema(t, "finding")
	paths := captures(t)
	if testing.Short() {
		paths = paths[:20]
	}
	codes := map[string]int{"pass": exit.OK, "fail": exit.Fail, "not-evaluated": exit.NotEvaluated, "poor-capture": exit.Poor}
	for _, path := range paths {
		dir := t.TempDir()
		file := func(format string) string { return filepath.Join(dir, format) }
		var reports []string
		for _, format := range []string{"json", "sarif", "junit", "github", "ndjson"} {
			reports = append(reports, "--report", format+"="+file(format))
		}
		text, errs, code := call(t, append(checkArgs("text", reports...), path)...)
		if errs != "" {
			t.Fatalf("%s: stderr %q", path, errs)
		}
		read := func(format string) []byte {
			b, err := os.ReadFile(file(format))
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		validateCheck(t, judged, finding, string(read("json")))
		validateCheck(t, judged, finding, string(read("ndjson")))
		var doc struct {
			Verdict  string
			Findings []struct{ Rule string }
		}
		if err := json.Unmarshal(read("json"), &doc); err != nil {
			t.Fatal(err)
		}
		if code != codes[doc.Verdict] {
			t.Errorf("%s: %s with exit code %d", path, doc.Verdict, code)
		}
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if last := lines[len(lines)-1]; last != doc.Verdict && !strings.HasPrefix(last, doc.Verdict+": ") {
			t.Errorf("%s: %s, the text ends in %q", path, doc.Verdict, last)
		}
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(read("sarif"))))
		if err == nil {
			err = sarif.Validate(v)
		}
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		var suites struct {
			Failures []struct{} `xml:"testsuite>testcase>failure"`
			Errors   []struct{} `xml:"testsuite>testcase>error"`
		}
		if err := xml.Unmarshal(read("junit"), &suites); err != nil || (len(suites.Failures)+len(suites.Errors) == 0) != (code == exit.OK) {
			t.Errorf("%s: exit code %d, JUnit has %+v, %v", path, code, suites, err)
		}
		if n := strings.Count(string(read("ndjson")), "\n"); n != len(doc.Findings)+1 {
			t.Errorf("%s: %d records, %d findings", path, n, len(doc.Findings))
		}
		if !strings.HasSuffix(string(read("github")), "dpdissect: "+lines[len(lines)-1]+"\n") {
			t.Errorf("%s: annotations end in another verdict than the text", path)
		}
	}
}

// recaptured makes a capture of a scenario with a seed of its own.
func recaptured(t *testing.T, proto, name string, seed uint64) string {
	t.Helper()
	for _, s := range tracegen.Scenarios() {
		if s.Proto != proto || s.Name != name {
			continue
		}
		s.Seed = seed
		b, _, err := s.Generate()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), name+".pcap")
		if err := os.WriteFile(path, b, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Fatalf("no scenario %s/%s", proto, name)
	return ""
}

// TestBaselineSurvivesRecapture: what is known of a scenario is known when it is
// captured again, with other times, losses and secrets; so is the fingerprint.
func TestBaselineSurvivesRecapture(t *testing.T) {
	for _, name := range []string{"full-signed-forged", "fast-signed-forged"} {
		known := filepath.Join(t.TempDir(), "known.json")
		first := recaptured(t, "dp8", name, 1)
		if _, errs, code := call(t, "check", "--fail-on", "note", "--write-baseline", known, first); code != exit.OK || errs != "" {
			t.Fatalf("%s: exit code %d, stderr %q", name, code, errs)
		}
		prints := fingerprints(t, first)
		for seed := uint64(2); seed < 8; seed++ {
			again := recaptured(t, "dp8", name, seed)
			if _, _, code := call(t, "check", again); code != exit.Fail {
				t.Errorf("%s, seed %d: exit code %d without the baseline", name, seed, code)
			}
			if out, _, code := call(t, "check", "-q", "--fail-on", "note", "--baseline", known, again); code != exit.OK {
				t.Errorf("%s, seed %d: exit code %d with the baseline\n%s", name, seed, code, out)
			}
			for p, rule := range fingerprints(t, again) {
				if prints[p] == "" && !strings.HasPrefix(rule, "CAP-") && !strings.HasPrefix(rule, "FLD-") {
					t.Errorf("%s, seed %d: %s has another fingerprint", name, seed, rule)
				}
			}
		}
	}
}

// fingerprints are those of the results in SARIF, with their rules.
func fingerprints(t *testing.T, path string) map[string]string {
	t.Helper()
	out, _, _ := call(t, "check", "--format", "sarif", path)
	var log struct {
		Runs []struct {
			Results []struct {
				RuleID              string
				PartialFingerprints map[string]string
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &log); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, r := range log.Runs[0].Results {
		all[r.PartialFingerprints["dpdissect/v1"]] = r.RuleID
	}
	if len(all) == 0 {
		t.Errorf("%s has no results", path)
	}
	return all
}

// action is action.yml.
type action struct {
	Inputs map[string]struct {
		Description string
		Required    bool
	}
	Runs struct {
		Using string
		Steps []struct {
			ID    string
			Uses  string
			Shell string
			Run   string
			Env   map[string]string
		}
	}
}

func loadAction(t *testing.T) (a action, script string, env map[string]string) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(page(t, "action.yml")), &a); err != nil {
		t.Fatal(err)
	}
	for _, s := range a.Runs.Steps {
		if s.ID == "check" {
			return a, s.Run, s.Env
		}
	}
	t.Fatal("action.yml has no step check")
	return
}

var actionInput = regexp.MustCompile(`^\$\{\{ inputs\.([a-z-]+) \}\}$`)

// TestAction runs the script of action.yml with this program.
func TestAction(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("no bash")
	}
	program, err := exec.LookPath("dpdissect")
	if err != nil {
		t.Fatal(err) // testscript.Main puts it into the path before any test runs
	}
	_, script, env := loadAction(t)
	dir := t.TempDir()
	for _, name := range []string{"hazel/clean-current.pcap", "dp8/full-signed-forged.pcap"} {
		b, err := os.ReadFile(filepath.Join(root(t), "testdata", "pcaps", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		err = os.WriteFile(filepath.Join(dir, "a "+filepath.Base(name)), b, 0o666)
		if e := os.WriteFile(filepath.Join(dir, "cut.pcap"), b[:len(b)-5], 0o666); err != nil || e != nil {
			t.Fatal(err, e)
		}
	}
	if err := os.Symlink(program, filepath.Join(dir, "dpdissect")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		inputs map[string]string
		code   int
		want   string
	}{
		{map[string]string{"files": "a clean*.pcap"}, exit.OK, "dpdissect: pass"},
		{map[string]string{"files": "a clean-current.pcap\na full-*.pcap\n"}, exit.Fail, "title=DP8-SIG-FULL"},
		{map[string]string{"files": "a *.pcap", "sarif": "out.sarif", "junit": "out.xml", "budgets": "connections >= 1\nretries < 0\n"}, exit.Fail, "budget retries < 0"},
		{map[string]string{"files": "a c*.pcap", "require-evaluated": "DP8-SIG-FULL"}, exit.NotEvaluated, "never evaluated"},
		{map[string]string{"files": "a c*.pcap", "args": "--fail-on\nfatal"}, exit.Usage, ""},
		{map[string]string{"files": "a c*.pcap", "fail-on": "note", "rules": "missing.yaml"}, exit.Usage, ""},
		{map[string]string{"files": "a clean*.pcap\na full-*.pcap\ncut.pcap"}, exit.Input, "dpdissect: a full-signed-forged.pcap: fail: 6 errors\ndpdissect: cut.pcap: unreadable: "},
		{map[string]string{"files": "cut.pcap"}, exit.Input, "::error file=cut.pcap,title=input::cut short"},
		{map[string]string{"files": "a *.pcap", "args": "--merge"}, exit.Fail, "\ndpdissect: fail: 6 errors\n"},
		{map[string]string{"files": "none*.pcap"}, exit.Input, "no file matches"},
		{map[string]string{"files": "$(touch hacked)"}, exit.Input, "No such file"},
	} {
		cmd := exec.Command(bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
		output := filepath.Join(t.TempDir(), "output")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "RUNNER_TEMP="+dir, "GITHUB_OUTPUT="+output, "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary.md"))
		for name, value := range env {
			m := actionInput.FindStringSubmatch(value)
			if m == nil {
				t.Fatalf("%s is %s", name, value)
			}
			cmd.Env = append(cmd.Env, name+"="+c.inputs[m[1]])
		}
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(strings.ToLower(string(out)), strings.ToLower(c.want)) {
			t.Errorf("%v: exit code %d, want %d and %q\n%s", c.inputs, code, c.code, c.want, out)
		}
	}
	for _, name := range []string{"out.sarif", "out.xml", "summary.md"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "hacked")); err == nil {
		t.Error("a file name is run as a command")
	}
}

var pinned = regexp.MustCompile(`@[0-9a-f]{40}$`)

// TestActionIsPinned: what the action uses is named by the full hash of a commit.
func TestActionIsPinned(t *testing.T) {
	a, _, _ := loadAction(t)
	for _, s := range a.Runs.Steps {
		if s.Uses != "" && !pinned.MatchString(s.Uses) {
			t.Errorf("the action uses %s", s.Uses)
		}
	}
	if len(a.Runs.Steps) < 2 {
		t.Errorf("%d steps were looked at", len(a.Runs.Steps))
	}
}

// TestActionInputs: each input is documented, used and named in docs/ci.md.
func TestActionInputs(t *testing.T) {
	a, script, env := loadAction(t)
	text := page(t, "docs/ci.md")
	used := map[string]bool{}
	for name, value := range env {
		if m := actionInput.FindStringSubmatch(value); m != nil && strings.Contains(script, "$"+name) {
			used[m[1]] = true
		}
	}
	for name, in := range a.Inputs {
		if in.Description == "" || !used[name] || !strings.Contains(text, "`"+name+"`") {
			t.Errorf("input %s: description %q, used %v, or missing in docs/ci.md", name, in.Description, used[name])
		}
	}
	if len(a.Inputs) < 5 || a.Runs.Using != "composite" || strings.Contains(script, "${{") {
		t.Errorf("%d inputs, using %s, or inputs in the script itself", len(a.Inputs), a.Runs.Using)
	}
}
