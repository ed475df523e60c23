package verdict

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
)

// A Prior is an earlier report of the same scenario, which a run is compared with.
type Prior struct {
	Path     string
	measures map[string]float64
	analysis Walk               // through an analysis document, else nil
	budgets  map[string]float64 // values of those that were evaluated, by their text
	findings map[findingPlace]uint64
}

// A findingPlace is a rule and the side that broke it: what findings of two runs are
// compared by.
type findingPlace struct{ rule, direction string }

// priorDoc is what is read of an analysis or check document.
type priorDoc struct {
	Schema   string             `json:"schema"`
	Path     string             `json:"path"`
	Numbers  map[string]float64 `json:"numbers"`
	Files    []json.RawMessage  `json:"files"`
	Findings []struct {
		Rule      string `json:"rule"`
		Verdict   string `json:"verdict"`
		Direction string `json:"direction"`
		Times     uint64 `json:"times"`
	} `json:"findings"`
	Budgets []struct {
		Budget    string   `json:"budget"`
		Evaluated bool     `json:"evaluated"`
		Value     *float64 `json:"value"`
	} `json:"budgets"`
}

// Priors are the reports of a document, one for each capture it is about.
type Priors struct {
	path string
	list []*Prior
	of   []string // captures they are about, "" in a document about one run
}

// ReadPriors reads an analysis or check document, or a check document of several files.
func ReadPriors(file string, text []byte) (*Priors, error) {
	p := &Priors{path: file}
	if err := p.read(text, ""); err != nil {
		if s, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, placed(file, text, int(max(0, min(s.Offset-1, int64(len(text))))), 1, "not a report: "+err.Error())
		}
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}

func (p *Priors) read(text []byte, of string) error {
	var d priorDoc
	if err := json.Unmarshal(text, &d); err != nil {
		return err
	}
	prior := &Prior{Path: p.path, measures: d.Numbers, budgets: map[string]float64{}, findings: map[findingPlace]uint64{}}
	switch d.Schema {
	case "dpdissect/analysis/1":
		prior.analysis = walkText(text)
		n, err := NewNumbers(prior.analysis, nil)
		if err != nil {
			return err
		}
		prior.measures = n.Measures()
	case "dpdissect/check/1":
	case "dpdissect/checks/1":
		for _, f := range d.Files {
			var named struct {
				Path string `json:"path"`
			}
			if err := json.Unmarshal(f, &named); err != nil {
				return err
			}
			if err := p.read(f, named.Path); err != nil {
				return err
			}
		}
		return nil
	default:
		return fmt.Errorf("schema %q: want the JSON of 'analyze' or 'check'", d.Schema)
	}
	for _, f := range d.Findings {
		if f.Verdict == "fail" {
			prior.findings[findingPlace{f.Rule, f.Direction}] += max(1, f.Times)
		}
	}
	for _, b := range d.Budgets {
		if b.Evaluated && b.Value != nil {
			prior.budgets[b.Budget] = *b.Value
		}
	}
	p.list, p.of = append(p.list, prior), append(p.of, of)
	return nil
}

// Of is the report about a capture. A report about one run is about whatever is judged as
// one; in one about several files each is found by its path, or by its name alone where
// that is the only one of it.
func (p *Priors) Of(path string, alone bool) (*Prior, error) {
	if len(p.list) == 1 && p.of[0] == "" && alone {
		return p.list[0], nil
	}
	var same *Prior
	named := 0
	for i, of := range p.of {
		if of != "" && of == path {
			return p.list[i], nil
		}
		if of != "" && filepath.Base(of) == filepath.Base(path) {
			same = p.list[i]
			named++
		}
	}
	switch {
	case named == 1:
		return same, nil
	case named > 1:
		return nil, fmt.Errorf("%s: several captures are called %s, and none is %s", p.path, filepath.Base(path), path)
	case len(p.of) > 0 && p.of[0] != "":
		return nil, fmt.Errorf("%s: contains no report on %s", p.path, path)
	}
	return nil, fmt.Errorf("%s is a report on one capture: give one, or --merge, or the report of a check of the same files", p.path)
}

// measured are the numbers of a run that are compared from run to run.
var measured = []string{
	"connections", "frames", "data_frames", transmissions, "retries", "unneeded_retries", "lost.before_capture", "lost.after_capture",
	"messages", "incomplete_messages", "totals.decoded", "totals.malformed", "rtt.samples",
}

// Measures are the numbers of a run that another may be compared with: sums over all
// directions in which they are known, and round trips as means of the directions,
// weighted by how many they measured.
func (n *Numbers) Measures() map[string]float64 {
	m := map[string]float64{}
	for _, name := range measured {
		if v, a := n.whole(mustFind(name), 0, true); a == none {
			m[name] = v
		}
	}
	for i, name := range []string{"rtt.p50_ms", "rtt.p95_ms"} {
		if t := &n.trips[i]; t.samples > 0 {
			m[name] = t.sum / t.samples
		}
	}
	return m
}

// MeasureNames are the names that Measures may have, in the order of reports.
func MeasureNames() []string {
	return append(append([]string(nil), measured...), "rtt.p50_ms", "rtt.p95_ms")
}
