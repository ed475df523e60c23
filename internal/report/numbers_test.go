package report_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/verdict"
)

// A spread is what the places of a number say in a document.
type spread struct {
	n             int
	sum, min, max float64
}

// sameNumbers checks that budgets about every number of section 4 of the contract find what
// the document says: sums, and the least and the greatest where each place counts.
func sameNumbers(t *testing.T, a *report.Analysis, doc []byte) {
	t.Helper()
	var d map[string]any
	if err := json.Unmarshal(doc, &d); err != nil {
		t.Fatal(err)
	}
	var budgets []*verdict.Budget
	for _, name := range verdict.QuantityNames() {
		for _, compare := range []string{" <= 0", " >= 0"} { // the worst is the greatest, or the least
			b, err := verdict.ParseBudget(name + compare)
			if err != nil {
				t.Fatal(err)
			}
			b.Optional = true
			budgets = append(budgets, b)
		}
	}
	n, err := verdict.NewNumbers(report.Numbers(a), budgets)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range verdict.QuantityRows() {
		in := inDocument(d, row[0], row[1])
		most, least := budgets[2*i].Weigh(n), budgets[2*i+1].Weigh(n)
		switch each := strings.HasPrefix(row[1], "each "); {
		case in.n == 0:
			if most.Evaluated && most.Value != 0 {
				t.Errorf("%s: the document does not know it, the budget has %v", row[0], most.Value)
			}
		case !most.Evaluated || !least.Evaluated:
			t.Errorf("%s is in the document, and the budget says: %s", row[0], most.Why)
		case each && (most.Value != in.max || least.Value != in.min):
			t.Errorf("%s lies between %v and %v, for the budget between %v and %v", row[0], in.min, in.max, least.Value, most.Value)
		case !each && (most.Value != in.sum || least.Value != in.sum):
			t.Errorf("%s is %v, the budget has %v", row[0], in.sum, most.Value)
		}
	}
}

// inDocument finds the places of a number. how is what QuantityRows says of it.
func inDocument(d map[string]any, name, how string) (s spread) {
	if list, ok := d[name].([]any); ok {
		return spread{n: 1, sum: float64(len(list))}
	}
	see := func(object any, path string) {
		for key := range strings.SplitSeq(path, ".") {
			m, _ := object.(map[string]any)
			object = m[key]
		}
		if v, ok := object.(float64); ok {
			if s.n++; s.n == 1 {
				s.min, s.max = v, v
			}
			s.sum, s.min, s.max = s.sum+v, min(s.min, v), max(s.max, v)
		}
	}
	each := func(list string, f func(any)) {
		all, _ := d[list].([]any)
		for _, x := range all {
			f(x)
		}
	}
	switch words := strings.Fields(how); words[len(words)-1] {
	case "run":
		see(d, name)
	case "inputs":
		each("captures", func(x any) { see(x, strings.TrimPrefix(name, "captures.")) })
	case "connections":
		each("connections", func(x any) { see(x, name) })
	case "directions":
		each("connections", func(x any) { see(x, "directions.a."+name); see(x, "directions.b."+name) })
	}
	return s
}
