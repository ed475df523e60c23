package trigger

import (
	"errors"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect/syntax"
)

func known(v float64) Measure { return Measure{v, true} }

// TestFor: a measure must be beyond its limit all the time.
func TestFor(t *testing.T) {
	for _, c := range []struct {
		expr string
		loss []float64 // at each second; -1 is unknown
		want string    // a letter a second
	}{
		{"loss > 5% for 3s", []float64{6, 6, 6, 6, 6}, "...xx"},
		{"loss > 5% for 3s", []float64{6, 6, 1, 6, 6, 6, 6}, "......x"},
		{"loss > 5% for 3s", []float64{6, 6, -1, 6, 6, 6, 6}, "......x"},
		{"loss > 5% for 2.5", []float64{6, 6, 6, 6}, "...x"},
		{"loss > 5 for 1500ms or loss > 8", []float64{6, 6, 6, 1, 9}, "..x.x"},
		{"loss > 9 and loss > 5 for 2s", []float64{6, 6, 6, 10}, "...x"},
		{"loss > 9 for 1s and loss > 5 for 3s", []float64{6, 6, 10, 10, 10}, "...xx"},
	} {
		tr, err := Compile(c.expr)
		if err != nil {
			t.Fatal(err)
		}
		var held Held
		got := ""
		for sec, loss := range c.loss {
			f := Facts{Time: int64(sec+100) * 1e9, Held: &held, Loss: Measure{loss, loss >= 0}}
			r, ok := tr.Match(&f)
			if !ok {
				got += "."
				continue
			}
			got += "x"
			if len(r) == 0 || strings.Contains(c.expr, "3s") && !strings.Contains(r[len(r)-1].Text, " for 3s") {
				t.Errorf("%s: reasons %v", c.expr, r)
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.expr, got, c.want)
		}
	}
	for _, expr := range []string{"disconnect for 5s", "loss > 5% for", "loss > 5% for ever", "loss for 5s", "loss > 5 for 0s", "loss > 5 for -1s"} {
		if _, err := Compile(expr); err == nil {
			t.Errorf("%s: no error", expr)
		}
	}
}

func TestLossCounts(t *testing.T) {
	for _, c := range []struct {
		lost, sent uint64
		want       bool
	}{{0, 0, false}, {2, 49, false}, {1, 10, false}, {3, 10, true}, {0, 50, true}, {1, 50, true}} {
		if got := LossCounts(c.lost, c.sent); got != c.want {
			t.Errorf("%d of %d: %v", c.lost, c.sent, got)
		}
	}
}

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
		// The first of a kind is what a recorder waits for: a single forged datagram must make it write.
		{"malformed", Facts{Malformed: 1}, "malformed"},
		{"bad-signature", Facts{BadSignature: 1}, "bad-signature"},
		{"drops", Facts{Dropped: 1}, "drops"},
		{"finding.error", Facts{Findings: [3]uint64{1, 0, 0}}, "finding.error"},
		{"finding.warn", Facts{Findings: [3]uint64{0, 1, 0}}, "finding.warn"},
		{"finding.note", Facts{Findings: [3]uint64{0, 0, 1}}, "finding.note"},
		{"malformed or bad-signature or drops or finding", Facts{}, "-"},
		{"loss > 8%", lossy, "-"},
		{"loss>5", lossy, "loss 7.5%"},
		{"loss > 5 % and ping >= 0.08s", lossy, "loss 7.5%, ping 80ms"},
		{"ping > 79ms", lossy, "ping 80ms"},
		{"ping > 80", lossy, "-"},
		{"ping == 80 && loss != 1", lossy, "ping 80ms, loss 7.5%"},
		{"jitter < 1000", lossy, "-"}, // unknown is not a number
		{"not jitter < 1000", lossy, ""},
		{"finding", broken, "finding"},
		{"finding.warn and !(loss > 1)", broken, "finding.warn"},
		{"disconnect and timeout or reset", gone, "disconnect, timeout"},
		{"reset or disconnect and timeout", gone, "disconnect, timeout"},
		{"(reset or disconnect) and connect", gone, "-"},
		{"((timeout))||drops", gone, "timeout"},
		{"cut-off", Facts{Disconnected: true}, "-"},
		{"cut-off or loss > 5%", Facts{Disconnected: true, CutOff: true}, "cut-off"},
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
		"loss":                      "  ^~~~",
		"loss > x":                  "         ^",
		"disconnect disconnect":     "             ^~~~~~~~~~",
		"(disconnect":               "  ^",
		"disconnect)":               "            ^",
		"disconnect and":            "             ^~~",
		"a & b":                     "    ^",
		"loss > -1":                 "         ^~",
		"ping > 5%":                 "          ^",
		strings.Repeat("(", 200):    "",
		strings.Repeat("not ", 200): "",
	} {
		_, err := Compile(expr)
		e, ok := errors.AsType[*syntax.Error](err)
		if !ok {
			t.Errorf("%q: %v", expr, err)
			continue
		}
		if lines := strings.Split(e.Render(), "\n"); want != "" && lines[1] != want {
			t.Errorf("%q: %q, want %q (%s)", expr, lines[1], want, e.Message)
		}
	}
}

// TestMessages: what is wrong is said as in other expressions, with the words that may be meant.
func TestMessages(t *testing.T) {
	for expr, want := range map[string]string{
		"los > 5%":          "unknown word los (did you mean loss?): want one of connect ",
		"loss":              "a comparison, as in 'loss > 5%', is missing after loss",
		"ping > 5%":         "unexpected % (words are joined by and, or)",
		"(drops":            "this ( is not closed",
		"loss > x":          "x is not a number of percent",
		"loss > 5 for ever": "ever is not a duration, as in 'for 5s'",
	} {
		_, err := Compile(expr)
		if e, ok := errors.AsType[*syntax.Error](err); !ok || !strings.HasPrefix(e.Message, want) {
			t.Errorf("%q: %v, want %q", expr, err, want)
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
			if e, ok := errors.AsType[*syntax.Error](err); !ok || e.Render() == "" {
				t.Fatal(err)
			}
			return
		}
		tr.Match(&Facts{Loss: known(1)})
	})
}
