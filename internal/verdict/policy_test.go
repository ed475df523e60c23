package verdict

import (
	"reflect"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/session/conform"
)

const wholePolicy = `# everything a rules file may hold
fail-on: warn
profiles: [strict-text, windows]
values:
  RESEND: 2 s
severities:
  TP-1-*: note
  TP-1-TAIL: error
  CAP-GAP: off
suppressions:
  - rule: TP-1-HEAD
    address: 192.0.2.0/24
    reason: old servers
    expires: 2026-12-31
  - {rule: TP-*, connection: 3, reason: 'a test'}
budgets:
  - retries/data_frames < 2%
  - {name: latency, budget: "rtt.p95_ms < 120", optional: true}
required: [TP-1-HEAD, TP-2-OLD]
certainty:
  max-capture-loss: 1%
  max-inconclusive: 0.2
`

func TestPolicy(t *testing.T) {
	p, err := ReadPolicy("rules.yaml", []byte(wholePolicy), testBook())
	if err != nil {
		t.Fatal(err)
	}
	if p.FailOn != conform.Warn || !p.Profile.Strict || !p.Profile.Windows || p.Profile.Values["RESEND"] != 2000 {
		t.Errorf("%+v", p)
	}
	want := map[string]Grade{"TP-1-HEAD": {Severity: conform.Note}, "TP-1-TAIL": {Severity: conform.Error}, "CAP-GAP": {Off: true}}
	if !reflect.DeepEqual(p.Severities, want) {
		t.Errorf("severities %+v", p.Severities)
	}
	if len(p.Suppressions) != 2 || p.Suppressions[0].Expires != "2026-12-31" || *p.Suppressions[1].Connection != 3 || !p.Suppressions[1].rules["TP-2-RESEND"] {
		t.Errorf("suppressions %+v", p.Suppressions)
	}
	if len(p.Budgets) != 2 || p.Budgets[0].Text != "retries/data_frames < 2%" || p.Budgets[1].Name != "latency" || !p.Budgets[1].Optional {
		t.Errorf("budgets %+v", p.Budgets)
	}
	if len(p.Required) != 1 || p.Required[0].ID != "TP-1-HEAD" { // the alias is the same rule
		t.Errorf("required %+v", p.Required)
	}
	if *p.Certainty.MaxCaptureLoss != 0.01 || *p.Certainty.MaxInconclusive != 0.2 {
		t.Errorf("certainty %+v", p.Certainty)
	}
	for _, empty := range []string{"", "# nothing\n", "---\n", "~\n", "suppressions:\nbudgets: []\n"} {
		if _, err := ReadPolicy("rules.yaml", []byte(empty), testBook()); err != nil {
			t.Errorf("%q: %v", empty, err)
		}
	}
}

func TestPolicyMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"fail-on: fatal\n":                                                  "r:1:10: unknown severity fatal: want note, warn or error",
		"fail-on: off\n":                                                    "r:1:10: unknown severity off",
		"budget: x\n":                                                       "r:1:1: unknown key budget (did you mean budgets?)",
		"severities:\n  TP-1-HAED: note\n":                                  "r:2:3: unknown rule TP-1-HAED (did you mean TP-1-HEAD?)",
		"severities:\n  TP-9*: note\n":                                      "r:2:3: no rule matches TP-9*",
		"severities:\n  TP-1-HEAD: bad\n":                                   "r:2:14: unknown severity bad: want note, warn, error or off",
		"severities: [TP-1-HEAD]\n":                                         "r:1:13: severities needs keys with values",
		"severities:\n  TP-1-HEAD: note\n  TP-1-HEAD: warn\n":               "r:3:3: TP-1-HEAD is given twice",
		"profiles: [window]\n":                                              "r:1:12: unknown profile window (did you mean windows?)",
		"profiles: [operations]\n":                                          "r:1:12: unknown profile operations (did you mean operation?)",
		"values: {RESENT: 2}\n":                                             "r:1:10: no rule matches RESENT (did you mean RESEND?)",
		"values: {RESEND: soon}\n":                                          "r:1:18: RESEND: unknown number soon",
		"required: TP-1-HED\n":                                              "r:1:11: unknown rule TP-1-HED",
		"suppressions:\n  - rule: TP-1-HEAD\n":                              "r:2:5: the suppression gives no reason",
		"suppressions:\n  - reason: none\n":                                 "r:2:5: the suppression names no rule",
		"suppressions: [{rule: TP-1-HEAD, reason: ''}]\n":                   "r:1:42: reason needs a text",
		"suppressions: [{rule: TP-1-HEAD, reason: x, until: 1}]\n":          "r:1:45: unknown key until",
		"suppressions: [{rule: TP-1-HEAD, reason: x, expires: soon}]\n":     "r:1:54: expires needs a day such as 2026-12-31",
		"suppressions: [{rule: TP-1-HEAD, reason: x, address: host}]\n":     "r:1:54: address needs a value",
		"suppressions: [{rule: TP-1-HEAD, reason: x, connection: first}]\n": "r:1:57: connection needs the number",
		"budgets:\n  - retris < 2\n":                                        "r:2:5: unknown number retris (did you mean retries?)",
		"budgets:\n  - \"retries < 2 parsecs\"\n":                           "r:2:18: unknown unit parsecs",
		"budgets: [{name: x}]\n":                                            "r:1:11: the entry has no budget",
		"budgets: [{budget: retries < 1, optional: maybe}]\n":               "r:1:43: optional needs true or false",
		"certainty: {max-capture-loss: 120%}\n":                             "r:1:31: max-capture-loss needs a share",
		"certainty: {max-loss: 1}\n":                                        "r:1:13: unknown key max-loss",
		"a: b: c\n":                                                         "r:1:1: not YAML: mapping values are not allowed in this context",
		"- x\n":                                                             "r:1:1: a rules file needs keys with values",
		"fail-on: warn\n---\nfail-on: note\n":                               "r:3:1: a second document",
		"fail-on: [\n":                                                      "r:",
	} {
		_, err := ReadPolicy("r", []byte(text), testBook())
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
	_, err := ReadPolicy("r", []byte("severities:\n  TP-1-HAED: note\n"), testBook())
	if want := "r:2:3: unknown rule TP-1-HAED (did you mean TP-1-HEAD?)\n    TP-1-HAED: note\n    ^~~~~~~~~"; err == nil || err.Error() != want {
		t.Errorf("have\n%v\nwant\n%s", err, want)
	}
}

func FuzzPolicy(f *testing.F) {
	f.Add([]byte(wholePolicy))
	f.Add([]byte("a: &a [*a]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := ReadPolicy("r", text, testBook()); err != nil {
			_ = err.Error()
		}
	})
}
