package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/testbed/jsontest"
	"github.com/dpdissect/dpdissect/internal/testbed/pcaps"
)

// schema compiles what `dpdissect schema` prints.
func schema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(output(t, "schema", name)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource(name+".json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// records reads JSON of any of the formats: it gives the documents one after the
// other, and the elements of an array in their place. No key may stand twice.
func records(t *testing.T, text string) (all []any) {
	t.Helper()
	values, err := jsontest.Values([]byte(text))
	if err != nil {
		t.Error(err)
	}
	for _, v := range values {
		if list, ok := v.([]any); ok {
			all = append(all, list...)
		} else {
			all = append(all, v)
		}
	}
	return all
}

// TestOutputsValidate checks the JSON outputs of every capture against the schema the program
// itself prints: of each kind one format, another at the next capture, or all where every
// form is tried.
func TestOutputsValidate(t *testing.T) {
	t.Parallel()
	analysis, frame, message, finding := schema(t, "analysis"), schema(t, "frame"), schema(t, "message"), schema(t, "finding")
	for turn, path := range captures(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			for i, c := range []struct {
				schema *jsonschema.Schema
				args   []string
				out    func(testing.TB, ...string) string
			}{
				{analysis, []string{"analyze", "--format", "json"}, printed},
				{analysis, []string{"analyze", "--format", "ndjson"}, output},
				{frame, []string{"decode", "--format", "ndjson"}, printed},
				{frame, []string{"decode", "--format", "json", "-c", "40"}, output},
				{message, []string{"messages", "--format", "ndjson", "--payload", "--incomplete"}, printed},
				{message, []string{"messages", "--format", "json", "-c", "80"}, output},
			} {
				if i%2 != turn%2 && os.Getenv(everyForm) != "all" {
					continue
				}
				for _, v := range records(t, c.out(t, append(c.args, path)...)) {
					if err := c.schema.Validate(v); err != nil {
						t.Fatalf("%q: %v", c.args, err)
					}
					for _, f := range findingsOf(v) {
						if err := finding.Validate(f); err != nil {
							t.Fatalf("%q: finding: %v", c.args, err)
						}
					}
				}
			}
		})
	}
}

// checkArgs make check use all it has.
func checkArgs(format string, args ...string) []string {
	return append([]string{"check", "--format", format, "--show-inconclusive", "--budget", "retries/data_frames < 1%", "--budget", "rtt.p95_ms < 120",
		"--budget", "lost.not_captured == 0", "--require-evaluated", "DP8-2.2.1.2-POLL-LISTENER"}, args...)
}

// validateCheck checks what check printed as a document or as records.
func validateCheck(t *testing.T, judged, finding *jsonschema.Schema, text string) {
	t.Helper()
	all := records(t, text)
	for i, v := range all {
		s := finding
		if i == len(all)-1 {
			s = judged
		}
		if err := s.Validate(v); err != nil {
			t.Errorf("check: %v", err)
		}
		for _, f := range findingsOf(v) {
			if err := finding.Validate(f); err != nil {
				t.Errorf("check: finding: %v", err)
			}
		}
	}
}

// TestExternalCaptures tries forms on captures that were made elsewhere, sound and damaged.
func TestExternalCaptures(t *testing.T) {
	t.Parallel()
	for n, path := range pcaps.All(t) {
		for _, f := range formsFor(n * 7) {
			checkWorkers(t, f, path, "2", "4")
		}
	}
}

// findingsOf are the findings of an analysis.
func findingsOf(v any) []any {
	list, _ := v.(map[string]any)["findings"].([]any)
	return list
}

// TestFailedInputsValidate checks analyses of what is no sound capture.
func TestFailedInputsValidate(t *testing.T) {
	analysis := schema(t, "analysis")
	sound, err := os.ReadFile(capturePath(t, "unsigned-clean.pcap"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, bytes := range map[string][]byte{"empty": {}, "text": []byte("this is not a capture"), "header": sound[:24], "cut": sound[:len(sound)-3]} {
		if err := os.WriteFile(filepath.Join(dir, name), bytes, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]int{"empty": exit.Input, "text": exit.Input, "cut": exit.Input, "missing": exit.Input, "header": exit.OK} {
		out, errs, code := call(t, "analyze", "--format", "json", filepath.Join(dir, name))
		if code != want || (errs == "") != (code == exit.OK) {
			t.Errorf("%s: exit code %d, want %d; stderr %q", name, code, want, errs)
		}
		for _, v := range records(t, out) {
			if err := analysis.Validate(v); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestValidationFails shows that the checks can fail.
func TestValidationFails(t *testing.T) {
	for _, name := range report.SchemaNames() {
		if err := schema(t, name).Validate(map[string]any{"schema": "dpdissect/" + name + "/2"}); err == nil {
			t.Errorf("schema %s accepts a record of another version", name)
		}
	}
	line, _, _ := strings.Cut(output(t, "decode", "--format", "ndjson", capturePath(t, "unsigned-clean.pcap")), "\n")
	frame := schema(t, "frame")
	for _, change := range [][2]string{{`"length":`, `"length":-`}, {`"protocol":"dp8"`, `"protocol":8`}, {`"frame":`, `"flame":`}, {`"direction":"a"`, `"direction":"c"`}} {
		bad := strings.Replace(line, change[0], change[1], 1)
		if bad == line {
			t.Fatalf("no %s in %s", change[0], line)
		}
		if err := frame.Validate(records(t, bad)[0]); err == nil {
			t.Errorf("the schema accepts %s", change[1])
		}
	}
}

// TestSchemaNames compares the list with what the command accepts.
func TestSchemaNames(t *testing.T) {
	if want := []string{"analysis", "frame", "message", "finding", "check", "checks", "explain", "interval", "points", "compare", "passage", "ladder", "event", "reduce", "redact", "expect", "wireshark"}; !slices.Equal(report.SchemaNames(), want) {
		t.Errorf("schemas %q, want %q", report.SchemaNames(), want)
	}
	for _, name := range report.SchemaNames() {
		var v struct {
			Schema string `json:"$schema"`
		}
		if err := json.NewDecoder(bytes.NewReader([]byte(output(t, "schema", name)))).Decode(&v); err != nil || !strings.Contains(v.Schema, "2020-12") {
			t.Errorf("%s: %q, %v", name, v.Schema, err)
		}
	}
}
