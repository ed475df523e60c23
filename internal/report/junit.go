package report

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/internal/verdict"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"` // some schemas know no attributes of it
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Package    string          `xml:"package,attr"`
		ID         int             `xml:"id,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr,omitempty"`
		Time       string          `xml:"time,attr"`
		Timestamp  string          `xml:"timestamp,attr"`
		Hostname   string          `xml:"hostname,attr"`
		Properties junitProperties `xml:"properties"`
		Cases      []junitCase     `xml:"testcase"`
		Out        string          `xml:"system-out"`
		Err        string          `xml:"system-err"`
	}
	junitProperties struct {
		List []junitProperty `xml:"property"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Time    string        `xml:"time,attr"`
		Skipped *string       `xml:"skipped"`
		Error   *junitProblem `xml:"error"`
		Failure *junitProblem `xml:"failure"`
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

// junitTime is how long a test took: nothing is measured, so that equal inputs give
// equal outputs.
const junitTime = "0"

// junitLines is the number of findings that a failure lists.
const junitLines = 100

var checkJUnit = &CheckFormat{
	Name:    "junit",
	One:     func(c *Check, _ TextOptions) []byte { return AppendJUnit(nil, c) },
	Several: func(s *Checks, _ TextOptions) []byte { return AppendChecksJUnit(nil, s) },
}

// AppendJUnit appends JUnit XML: a test for each input, each rule that was evaluated
// or had to be, each budget and each gate. A test fails exactly when the check does.
func AppendJUnit(dst []byte, c *Check) []byte {
	j := &junit{Check: c, class: "dpdissect"}
	j.suite("captures", j.captureCases(), "", escapedLines(j.remarks()))
	j.suite("rules", j.ruleCases(), j.milder(), "")
	j.suite("budgets", j.budgetCases(), "", "")
	return j.append(dst)
}

// AppendChecksJUnit is AppendJUnit with a suite for each file. Its name is part of the
// names of classes, since some readers tell tests apart by these alone.
func AppendChecksJUnit(dst []byte, s *Checks) []byte {
	j := &junit{}
	for _, c := range s.Files {
		name := terminal.Escaped(inputName(c.path()))
		j.Check, j.class = c, "dpdissect."+name
		cases := slices.Concat(j.captureCases(), j.ruleCases(), j.budgetCases())
		j.suite(name, cases, j.milder(), escapedLines(j.remarks()))
	}
	return j.append(dst)
}

func (j *junit) append(dst []byte) []byte {
	b, err := xml.MarshalIndent(&j.out, "", "  ")
	if err != nil {
		panic(err) // it is made of texts and numbers
	}
	return append(append(append(dst, xml.Header...), b...), '\n')
}

type junit struct {
	*Check
	class string // what the names of classes begin with
	out   junitSuites
}

func (j *junit) suite(name string, cases []junitCase, out, errs string) {
	s := junitSuite{Name: name, Package: "dpdissect", ID: len(j.out.Suites), Tests: len(cases), Time: junitTime,
		Timestamp: j.timestamp(), Hostname: "localhost", Cases: cases, Out: out, Err: errs}
	s.Properties.List = []junitProperty{{"verdict", j.Outcome.String()}, {"fail-on", j.FailOn.String()}}
	for i := range cases {
		switch {
		case cases[i].Failure != nil:
			s.Failures++
		case cases[i].Error != nil:
			s.Errors++
		case cases[i].Skipped != nil:
			s.Skipped++
		}
	}
	j.out.Suites = append(j.out.Suites, s)
}

// timestamp is the time of the first packet.
func (j *junit) timestamp() string {
	var first int64
	for i := range j.Captures {
		if in := &j.Captures[i]; in.HasTime && (first == 0 || in.FirstTime < first) {
			first = in.FirstTime
		}
	}
	return time.Unix(0, first).UTC().Format("2006-01-02T15:04:05")
}

func escapedLines(list []string) string {
	lines := make([]string, len(list))
	for i, s := range list {
		lines[i] = terminal.Escaped(s)
	}
	return strings.Join(lines, "\n")
}

func (j *junit) newCase(class, name string) junitCase {
	return junitCase{Name: terminal.Escaped(name), Class: j.class + "." + class, Time: junitTime}
}

func problem(kind, message, text string) *junitProblem {
	return &junitProblem{Message: terminal.Escaped(message), Type: kind, Text: text}
}

func (j *junit) captureCases() (all []junitCase) {
	for i := range j.Captures {
		in := &j.Captures[i]
		t := j.newCase("captures", in.Path)
		if in.Failed {
			t.Error = problem("input", in.Problem, "")
		}
		all = append(all, t)
	}
	return all
}

func (j *junit) ruleCases() (all []junitCase) {
	required := map[string]*verdict.RequiredResult{}
	for i := range j.Required {
		required[j.Required[i].Rule.ID] = &j.Required[i]
	}
	for i := range j.Rules {
		r := &j.Rules[i]
		t := j.newCase(ruleClass(r.Rule), r.Rule.ID)
		need := required[r.Rule.ID]
		delete(required, r.Rule.ID)
		switch {
		case j.Failing[r.Rule.ID]:
			t.Failure = j.failure(r.Rule)
		case need != nil && !need.Met:
			t.Error = problem("poor-capture", "required, but never decided: "+verdict.Blockers(&r.Tally), "")
		case r.Inconclusive == r.Opportunities():
			text := "inconclusive: " + verdict.Blockers(&r.Tally)
			t.Skipped = &text
		}
		all = append(all, t)
	}
	for i := range j.Required {
		if r := &j.Required[i]; required[r.Rule.ID] != nil {
			t := j.newCase(ruleClass(r.Rule), r.Rule.ID)
			t.Error = problem("not-evaluated", "required, but never evaluated", r.Rule.Unchecked)
			all = append(all, t)
		}
	}
	return all
}

// ruleClass is the protocol a rule is about, by its id: "dp8".
func ruleClass(r *conform.Rule) string {
	first, _, _ := strings.Cut(r.ID, "-")
	return "rules." + first
}

// failure lists the findings of a rule.
func (j *junit) failure(r *conform.Rule) *junitProblem {
	var lines []string
	first, severity, n := "", r.Severity, 0
	for i := range j.Findings {
		f := &j.Findings[i]
		if f.Rule.ID != r.ID || !j.failing(f) {
			continue
		}
		if n++; n == 1 {
			first, severity = f.Message, f.Severity
		}
		if n <= junitLines {
			lines = append(lines, terminal.Escaped(placeText(f)+": "+f.Message+proofText(f)))
		}
	}
	if n > junitLines {
		lines = append(lines, fmt.Sprintf("and %d more", n-junitLines))
	}
	return problem(severity.String(), first, strings.Join(lines, "\n"))
}

// placeText is "#0 a → b frame 340".
func placeText(f *session.Finding) string {
	s := "capture"
	if f.Conn != nil {
		s = "#" + strconv.Itoa(f.Conn.ID) + arrow(f.Dir)
	}
	if f.Frame != 0 {
		s += " frame " + strconv.FormatUint(f.Frame, 10)
	}
	return s
}

// proofText is " (proof: frames 3, 12)", or nothing when the frame proves itself.
func proofText(f *session.Finding) string {
	if len(f.Frames) < 2 {
		return ""
	}
	var list []string
	for _, n := range f.Frames {
		list = append(list, strconv.FormatUint(n, 10))
	}
	return " (proof: frames " + strings.Join(list, ", ") + ")"
}

// milder lists findings that fail nothing.
func (j *junit) milder() string {
	var lines []string
	for _, b := range j.bundles() {
		f := b.first
		if j.failing(f) {
			continue
		}
		kind := f.Severity.String()
		if !f.Failed() {
			kind = "inconclusive"
		}
		lines = append(lines, terminal.Escaped(fmt.Sprintf("%s %s %s: %s%s", kind, f.Rule.ID, placeText(f), f.Message, Times(b.count))))
	}
	return strings.Join(lines, "\n")
}

// Times is how often something was told, "" for once.
func Times(n uint64) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(" (%d times)", n)
}

func (j *junit) budgetCases() (all []junitCase) {
	for i := range j.Budgets {
		b := &j.Budgets[i]
		t := j.newCase("budgets", b.Text)
		switch {
		case b.Evaluated && !b.Held:
			t.Failure = problem("budget", "does not hold: it is "+b.Format(b.Value), budgetPlace(b))
		case !b.Evaluated && b.Optional:
			text := terminal.Escaped(b.Why)
			t.Skipped = &text
		case !b.Evaluated:
			t.Error = problem("not-evaluated", b.Why, "")
		}
		all = append(all, t)
	}
	for i := range j.Gates {
		g := &j.Gates[i]
		t := j.newCase("certainty", g.Name)
		if !g.Held {
			t.Error = problem("poor-capture", g.String(), "")
		}
		all = append(all, t)
	}
	return all
}

func budgetPlace(b *verdict.BudgetResult) string {
	if b.Worst == nil {
		return ""
	}
	return "worst: " + worstText(b.Worst) + ": " + b.Format(b.Worst.Value)
}
