package report

import (
	"bytes"
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

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
