package verdict

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect/syntax"
)

// document is an analysis of two connections; #1 a is never acknowledged, #1 b is
// silent.
const document = `{"captures": [{"packets": 90, "bytes": 9000}, {"packets": 10, "bytes": 1000}],
"totals": {"packets": 100, "udp_datagrams": 98, "decoded": 96},
"connections": [
 {"id": 0, "duration_ms": 2000, "confidence_bits": 64, "findings": {"error": 1, "warn": 2, "note": 0}, "directions": {
  "a": {"frames": 50, "data_frames": 40, "sendings": 40, "retries": 4, "lost": {"before_capture": 1, "not_captured": 0}, "rtt": {"samples": 30, "p95_ms": 80.5}, "signatures": {"invalid": 0}},
  "b": {"frames": 30, "data_frames": 10, "sendings": 10, "retries": 0, "lost": {"before_capture": 0, "not_captured": 2}, "rtt": {"samples": 9, "p95_ms": 110}, "signatures": {"invalid": 1}}}},
 {"id": 7, "duration_ms": 500, "confidence_bits": 80, "findings": {"error": 0, "warn": 0, "note": 0}, "directions": {
  "a": {"frames": 16, "data_frames": 5, "sendings": 10, "retries": 2, "lost": {}},
  "b": {"frames": 0, "data_frames": 0, "sendings": 0, "retries": 0, "lost": {}}}}]}`

// numbers reads a document and weighs budgets.
func numbers(t *testing.T, doc string, budgets ...*Budget) *Numbers {
	t.Helper()
	n, err := NewNumbers(walkText([]byte(doc)), budgets)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func budget(t *testing.T, text string) *Budget {
	t.Helper()
	b, err := ParseBudget(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return b
}

func TestBudgets(t *testing.T) {
	for _, c := range []struct {
		text      string
		optional  bool
		evaluated bool
		held      bool
		value     float64
		worst     string // "#7 a"
	}{
		{"retries/data_frames < 2%", false, true, false, 0.1, "#7 a"},
		{"retries / data_frames <= 10%", false, true, true, 0.1, "#7 a"},
		{"10% >= retries / data_frames", false, true, true, 0.1, "#7 a"},
		{"retries == 6", false, true, true, 6, "#0 b"},
		{"a.retries < 6", false, true, false, 6, "#0"},
		{"b.retries != 0", false, true, false, 0, "#0"},
		{"directions.b.retries == 0", false, true, true, 0, "#0"},
		{"connections >= 1", false, true, true, 2, ""},
		{"connections == 3", false, true, false, 2, ""},
		{"captures == 2", false, true, true, 2, ""},
		{"captures.bytes < 10kB", false, true, false, 10000, ""},
		{"totals.packets - totals.decoded < 5", false, true, true, 4, ""},
		{"totals.packets < 2 * connections", false, true, false, 100, ""},
		{"-(retries - 10) > 3", false, true, true, 4, "#0 a"},
		{"findings.error + findings.warn == 0", false, true, false, 3, "#0"},
		{"duration_ms > 1 s", false, true, false, 500, "#7"},
		{"frames / (duration_ms / 1s) < 100", false, true, true, 32, "#7 a"},
		{"rtt.p95_ms < 120", true, true, true, 110, "#0 b"},
		{"rtt.p95_ms < 0.1 s", false, true, false, 110, "#0 b"},
		{"rtt.p95_ms > 100ms", true, true, false, 80.5, "#0 a"},
		{"connections.directions.a.rtt.p95_ms < 120", true, true, true, 80.5, "#0"},
		{"rtt.p95_ms < 120", false, false, false, 0, ""},                 // #7 a: no round trip is known
		{"lost.not_captured == 0", false, false, false, 0, ""},           // nor what the capture lost
		{"lost.not_captured == 0", true, true, false, 2, "#0 b"},         // where it is known
		{"lost.after_capture == 0", true, false, false, 0, ""},           // nowhere
		{"signatures.invalid == 0", false, true, false, 1, "#0 b"},       // where there are any
		{"ping_rtt.p95_ms < 10", true, false, false, 0, ""},              // no pings at all
		{"retries / incomplete_messages < 2", true, false, false, 0, ""}, // division by nothing
	} {
		b := budget(t, c.text)
		b.Optional = c.optional
		r := b.Weigh(numbers(t, document, b))
		worst := ""
		if w := r.Worst; w != nil {
			worst = strings.TrimSpace("#" + string(rune('0'+w.Connection)) + " " + w.Direction)
		}
		if r.Evaluated != c.evaluated || r.Held != c.held || c.evaluated && r.Value != c.value || worst != c.worst {
			t.Errorf("%s (optional %v): evaluated %v (%s), held %v, value %v, worst %q; want %v, %v, %v, %q",
				c.text, c.optional, r.Evaluated, r.Why, r.Held, r.Value, worst, c.evaluated, c.held, c.value, c.worst)
		}
	}
}

// TestBudgetsAreFinite: what comes to an infinite value, or to none, is not evaluated, as no
// format has a place for it; a budget that some connection broke all the same is.
func TestBudgetsAreFinite(t *testing.T) {
	huge := "1" + strings.Repeat("0", 308)
	for _, optional := range []bool{false, true} {
		for _, text := range []string{
			"retries * " + huge + " * " + huge + " < 1", "retries * " + huge + " * 10 - retries * " + huge + " * 10 < 1", "0 > -retries * " + huge + " * 10",
			"connections * " + huge + " * 10 > 1", "retries < retries / (1 / " + huge + " / 10000000000)", "duration_ms <= duration_ms * " + huge,
		} {
			b := budget(t, text)
			b.Optional = optional
			if r := b.Weigh(numbers(t, document, b)); r.Evaluated || r.Held || !strings.Contains(r.Why, "beyond what can be computed") && !strings.Contains(r.Why, "no value") {
				t.Errorf("%.40s (optional %v): evaluated %v to %v, limit %v: %s", text, optional, r.Evaluated, r.Value, r.Limit, r.Why)
			}
		}
	}
	b := budget(t, "retries < (retries - 4) * "+huge+" / 3 * 4")
	if r := b.Weigh(numbers(t, document, b)); r.Evaluated && r.Held {
		t.Errorf("%+v", r)
	}
}

// TestBudgetsOfNothing: a capture without connections passes no budget by silence.
func TestBudgetsOfNothing(t *testing.T) {
	const nothing = `{"captures": [], "totals": {"packets": 0}, "connections": []}`
	for text, held := range map[string]bool{"connections >= 1": false, "totals.packets == 0": true} {
		b := budget(t, text)
		if r := b.Weigh(numbers(t, nothing, b)); !r.Evaluated || r.Held != held {
			t.Errorf("%s: %+v", text, r)
		}
	}
	for _, text := range []string{"retries == 0", "rtt.p95_ms < 1", "retries/data_frames < 1%", "captures.packets == 0"} {
		b := budget(t, text)
		if r := b.Weigh(numbers(t, nothing, b)); r.Evaluated || r.Why == "" {
			t.Errorf("%s: evaluated to %v", text, r.Value)
		}
	}
}

func TestBudgetMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "a number or a name is missing",
		"retries":                      "want a comparison: < <= > >= == or !=",
		"retris < 2":                   "unknown number retris (did you mean retries?)",
		"rtt.p95 < 2":                  "unknown number rtt.p95 (did you mean rtt.p95_ms?)",
		"a.connections < 2":            "unknown number a.connections",
		"retries = 2":                  "unexpected = (== compares)",
		"retries < 2 < 3":              "a second comparison: a budget has only one",
		"retries < (2":                 "this ( is not closed",
		"retries < ":                   "a number or a name is missing after <",
		"retries 2 < 3":                "want a comparison: < <= > >= == or !=",
		"retries < 2 ms 3":             "unexpected 3 (numbers are joined by + - * /)",
		"retries < 2)":                 "this ) closes nothing",
		"retries < 2 parsecs":          "unknown unit parsecs: want " + unitNames,
		"1 < 2":                        "the budget refers to no number of the analysis",
		"retries < $2":                 "unexpected character '$'",
		"retries < é":                  "unknown number é",
		strings.Repeat("(", 200) + "1": "nested more than 100 deep",
	} {
		_, err := ParseBudget(text)
		e, ok := errors.AsType[*syntax.Error](err)
		if !ok {
			t.Errorf("%q: %v is no error with a place", text, err)
		} else if !strings.HasPrefix(e.Message, want) {
			t.Errorf("%q: %q, want %q", text, e.Message, want)
		}
	}
}

func FuzzBudget(f *testing.F) {
	for _, s := range []string{"retries/data_frames < 2%", "-(rtt.p95_ms*2)>=1.5 s", "a.retries != b.retries", "1e3 < é"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b, err := ParseBudget(s)
		if err != nil {
			_ = err.Error()
			return
		}
		if r := b.Weigh(numbers(t, document, b)); r.Evaluated && r.Why != "" || !r.Evaluated && r.Why == "" {
			t.Errorf("%q: %+v", s, r)
		}
	})
}

// TestBudgetsOnNamedFrames: numbers of frames are looked at connection by connection. Were
// they added up, "no internal error within the first 15 frames" would hold of two connections
// that each broke at frame 10.
func TestBudgetsOnNamedFrames(t *testing.T) {
	const two = `{"connections": [{"id": 0, "first_frame": 10, "last_frame": 10, "internal_error": {"frame": 10}, "icmp": {"first_frame": 10}},
		{"id": 1, "first_frame": 10, "last_frame": 10, "internal_error": {"frame": 10}, "icmp": {"first_frame": 10}}]}`
	for _, name := range []string{"first_frame", "last_frame", "internal_error.frame", "icmp.first_frame"} {
		b := budget(t, name+" > 15")
		if r := b.Weigh(numbers(t, two, b)); !r.Evaluated || r.Held || r.Value != 10 {
			t.Errorf("%s: evaluated %v, held %v, value %v, want 10", name, r.Evaluated, r.Held, r.Value)
		}
	}
}

// TestNothingIsZero: what was looked for and not found is 0, and no unknown number.
func TestNothingIsZero(t *testing.T) {
	doc := `{"captures":[{}],"connections":[{"id":0,"directions":{"a":{"data_frames":3},"b":{"data_frames":1}}}]}`
	for text, known := range map[string]bool{
		"icmp.notices == 0": true, "signatures.invalid == 0": true, "internal_error.frame == 0": true, "paired_rtt.samples == 0": true, "ack_wait.samples == 0": true,
		"captures.dropped == 0": false, "rtt.p95_ms == 0": false, "ack_wait.p95_ms == 0": false, "lost.not_captured == 0": false,
	} {
		b, err := ParseBudget(text)
		if err != nil {
			t.Fatal(err)
		}
		n, err := NewNumbers(walkText([]byte(doc)), []*Budget{b})
		if err != nil {
			t.Fatal(err)
		}
		if r := b.Weigh(n); r.Evaluated != known || known && (r.Value != 0 || !r.Held) {
			t.Errorf("%s: %+v", text, r)
		}
	}
}

// TestUnknowableNames: numbers that a capture may not show are named, each as budgets know it.
func TestUnknowableNames(t *testing.T) {
	all, some := QuantityNames(), Unknowable()
	if len(some) == 0 || len(some) == len(all) {
		t.Errorf("%d of %d names", len(some), len(all))
	}
	for _, name := range some {
		if !slices.Contains(all, name) {
			t.Errorf("no budget knows %s", name)
		}
	}
}
