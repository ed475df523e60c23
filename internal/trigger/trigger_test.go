package trigger

import (
	"errors"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect/filter"
)

func known(v float64) Measure { return Measure{v, true} }

func TestMatch(t *testing.T) {
	lossy := Facts{Loss: known(7.5), Ping: known(80)}
	broken := Facts{Findings: [3]uint64{1, 0, 0}}
	gone := Facts{Disconnected: true, TimedOut: true}
	for _, c := range []struct {
		expr string
		f    Facts
		want string // reasons, "-" for no match
	}{
		{"disconnect or finding.error or loss > 5%", lossy, "loss 7.5%"},
		{"disconnect or finding.error or loss > 5%", broken, "finding.error"},
		{"disconnect or finding.error or loss > 5%", gone, "disconnect"},
		{"disconnect or finding.error or loss > 5%", Facts{}, "-"},
		{"loss > 8%", lossy, "-"},
		{"loss>5", lossy, "loss 7.5%"},
		{"loss > 5 % and ping >= 0.08s", lossy, "loss 7.5%, ping 80ms"},
		{"ping > 79ms", lossy, "ping 80ms"},
		{"ping > 80", lossy, "-"},
		{"ping == 80 && loss != 1", lossy, "ping 80ms, loss 7.5%"},
		{"jitter < 1000", lossy, "-"}, // unknown is no number
		{"not jitter < 1000", lossy, ""},
		{"finding", broken, "finding"},
		{"finding.warn and !(loss > 1)", broken, "finding.warn"},
		{"disconnect and timeout or reset", gone, "disconnect, timeout"},
		{"reset or disconnect and timeout", gone, "disconnect, timeout"},
		{"(reset or disconnect) and connect", gone, "-"},
		{"((timeout))||drops", gone, "timeout"},
	} {
		tr, err := Compile(c.expr)
		if err != nil {
			t.Errorf("%s: %v", c.expr, err)
			continue
		}
		reasons, ok := tr.Match(&c.f)
		var texts []string
		for _, r := range reasons {
			texts = append(texts, r.Text)
		}
		got := strings.Join(texts, ", ")
		if !ok {
			got = "-"
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.expr, got, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for expr, want := range map[string]string{
		"":                          "  ^",
		"los > 5%":                  "  ^~~",
		"loss":                      "      ^",
		"loss > x":                  "         ^",
		"disconnect disconnect":     "             ^~~~~~~~~~",
		"(disconnect":               "             ^",
		"disconnect)":               "            ^",
		"disconnect and":            "                ^",
		"a & b":                     "  ^",
		"loss > -1":                 "         ^~",
		"ping > 5%":                 "          ^",
		strings.Repeat("(", 200):    "",
		strings.Repeat("not ", 200): "",
	} {
		_, err := Compile(expr)
		e, ok := errors.AsType[*filter.Error](err)
		if !ok {
			t.Errorf("%q: %v", expr, err)
			continue
		}
		if lines := strings.Split(e.Render(), "\n"); want != "" && lines[1] != want {
			t.Errorf("%q: %q, want %q (%s)", expr, lines[1], want, e.Message)
		}
	}
}

func TestWords(t *testing.T) {
	for _, w := range Words() {
		name := strings.Replace(w[0], "N", "1", 1)
		if _, err := Compile(name); err != nil || w[1] == "" {
			t.Errorf("%v: %v", w, err)
		}
	}
}

func FuzzCompile(f *testing.F) {
	f.Add("disconnect or finding.error or loss > 5%")
	f.Add("not (ping >= 0.1s and !drops) || in_flight=3")
	f.Fuzz(func(t *testing.T, expr string) {
		tr, err := Compile(expr)
		if err != nil {
			if e, ok := errors.AsType[*filter.Error](err); !ok || e.Render() == "" {
				t.Fatal(err)
			}
			return
		}
		tr.Match(&Facts{Loss: known(1)})
	})
}
