package report

import (
	"math"
	"strconv"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/verdict"
	"github.com/dpdissect/dpdissect/session/conform"
)

var checkJSON = &CheckFormat{
	Name: "json", Use: " for one document", Measures: true,
	One:     func(c *Check, _ TextOptions) []byte { return AppendCheckJSON(nil, c) },
	Several: func(s *Checks, _ TextOptions) []byte { return AppendChecksJSON(nil, s) },
}

var checkRecords = &CheckFormat{
	Name: "ndjson", Use: " for one record a line", Measures: true,
	One:     func(c *Check, _ TextOptions) []byte { return AppendCheckRecords(nil, c) },
	Several: func(s *Checks, _ TextOptions) []byte { return AppendChecksRecords(nil, s) },
}

// AppendCheckJSON appends the check document, indented, with a newline.
func AppendCheckJSON(dst []byte, c *Check) []byte {
	return append(render.AppendIndented(dst, appendCheck(nil, c, true), 0), '\n')
}

// AppendCheckRecords appends a record for each finding, and last the check document
// without findings, each on a line.
func AppendCheckRecords(dst []byte, c *Check) []byte {
	for i := range c.Findings {
		dst = append(AppendFindingJSON(dst, &c.Findings[i]), '\n')
	}
	return append(appendCheck(dst, c, false), '\n')
}

// AppendChecksJSON appends the document of several files, indented, with a newline.
func AppendChecksJSON(dst []byte, s *Checks) []byte {
	return append(render.AppendIndented(dst, appendChecks(nil, s, true), 0), '\n')
}

// AppendChecksRecords appends a record for each finding, with the number of its file
// from 1, and last the document of all files without findings, each on a line.
func AppendChecksRecords(dst []byte, s *Checks) []byte {
	for n, c := range s.Files {
		for i := range c.Findings {
			dst = append(appendFinding(dst, &c.Findings[i], n+1), '\n')
		}
	}
	return append(appendChecks(dst, s, false), '\n')
}

func appendCheck(dst []byte, c *Check, findings bool) []byte {
	e := encoder{b: append(dst, '{')}
	e.check(c, findings)
	e.close('}')
	return e.b
}

func appendChecks(dst []byte, s *Checks, findings bool) []byte {
	e := encoder{b: append(dst, '{')}
	e.text("schema", ChecksSchema)
	e.text("verdict", s.Outcome.String())
	objects(&e, "files", s.Files, func(c **Check) {
		e.text("path", (*c).path())
		e.check(*c, findings)
	})
	e.suppressions(s.Suppressions)
	e.baseline(s.Baseline)
	e.close('}')
	return e.b
}

// check writes the keys of a check document.
func (e *encoder) check(c *Check, findings bool) {
	e.text("schema", CheckSchema)
	e.text("verdict", c.Outcome.String())
	e.texts("reasons", c.Reasons)
	if note := c.note(); note != "" {
		e.texts("notes", []string{note})
	}
	e.text("fail_on", c.FailOn.String())
	objects(e, "captures", c.Captures, e.capture)
	e.totals(&c.Totals)
	e.count("connections", uint64(c.Conns))
	e.findingCounts(c)
	if findings {
		e.open("findings", '[')
		for i := range c.Findings {
			e.comma()
			e.b = AppendFindingJSON(e.b, &c.Findings[i])
		}
		e.close(']')
	}
	objects(e, "rules", c.Rules, e.tally)
	e.required(c.Required)
	e.budgets(c.Budgets)
	e.gates(c.Gates)
	e.suppressions(c.Suppressions)
	e.baseline(c.Baseline)
	e.measures(c.Measures)
	e.against(c.Against)
	e.expected(c.Expected)
}

// expected writes how findings differ from those that --expect names.
func (e *encoder) expected(x *verdict.ExpectedResult) {
	if x == nil {
		return
	}
	each := func(f *verdict.Expected) {
		e.text("rule", f.Rule)
		e.text("severity", f.Severity)
		e.text("verdict", f.Verdict)
		if f.Frame != 0 {
			e.count("frame", f.Frame)
		}
	}
	e.open("expected", '{')
	objects(e, "missing", x.Missing, each)
	objects(e, "unexpected", x.Unexpected, each)
	e.close('}')
}

func (e *encoder) baseline(b *verdict.BaselineResult) {
	if b == nil {
		return
	}
	e.open("baseline", '{')
	e.count("known", b.Known)
	e.count("new", b.New)
	e.count("gone", b.Gone)
	e.close('}')
}

func (e *encoder) findingCounts(c *Check) {
	fails, unclear := c.counts()
	e.open("counts", '{')
	for s, n := range fails {
		e.count(conform.Severity(s).String(), n)
	}
	e.count("inconclusive", unclear)
	e.count("suppressed", c.Suppressed)
	e.count("off", c.Off)
	e.close('}')
}

func (e *encoder) tally(t *conform.RuleTally) {
	e.text("rule", t.Rule.ID)
	e.count("opportunities", t.Opportunities())
	e.count("pass", t.Pass)
	e.count("fail", t.Fail)
	e.count("inconclusive", t.Inconclusive)
}

func (e *encoder) required(list []verdict.RequiredResult) {
	objects(e, "required", list, func(r *verdict.RequiredResult) {
		e.tally(&r.RuleTally)
		e.boolean("ok", r.Met)
	})
}

func (e *encoder) budgets(list []verdict.BudgetResult) {
	objects(e, "budgets", list, func(b *verdict.BudgetResult) {
		e.text("budget", b.Text)
		e.known("name", b.Name)
		e.boolean("optional", b.Optional)
		e.boolean("evaluated", b.Evaluated)
		if b.Evaluated {
			e.boolean("ok", b.Held)
			e.float("value", b.Value)
			e.float("limit", b.Limit)
		} else {
			e.text("reason", b.Why)
		}
		e.worst(b.Worst)
	})
}

func (e *encoder) worst(w *verdict.WorstPlace) {
	if w == nil {
		return
	}
	e.open("worst", '{')
	e.integer("connection", int64(w.Connection))
	e.known("direction", w.Direction)
	e.float("value", w.Value)
	e.close('}')
}

func (e *encoder) gates(list []verdict.GateResult) {
	objects(e, "certainty", list, func(g *verdict.GateResult) {
		e.text("gate", g.Name)
		e.boolean("ok", g.Held)
		if g.Known {
			e.float("value", g.Value)
		}
		e.float("limit", g.Limit)
		e.worst(g.Worst)
	})
}

func (e *encoder) suppressions(list []verdict.SuppressionResult) {
	objects(e, "suppressions", list, func(s *verdict.SuppressionResult) {
		e.text("rule", s.Pattern)
		if s.Connection != nil {
			e.integer("connection", int64(*s.Connection))
		}
		e.known("address", s.Address)
		e.text("reason", s.Reason)
		e.known("expires", s.Expires)
		e.boolean("expired", s.Expired)
		e.count("findings", s.Findings)
	})
}

// float writes a number in the shortest form that reads back the same. JSON has no infinities,
// and what is no number, as a budget of infinities may be, is absent.
func (e *encoder) float(k string, v float64) {
	if e.tell != nil {
		e.tell.Number(k, v)
		return
	}
	if math.IsNaN(v) {
		return
	}
	e.key(k)
	v = max(-math.MaxFloat64, min(math.MaxFloat64, v))
	if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e15) {
		e.b = strconv.AppendFloat(e.b, v, 'e', -1, 64)
		return
	}
	e.b = strconv.AppendFloat(e.b, v, 'f', -1, 64)
}
