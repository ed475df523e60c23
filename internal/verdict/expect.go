package verdict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// ExpectSchema is the name and version of a file of expected findings.
const ExpectSchema = "dpdissect/expect/1"

// An Expected is a finding that a capture is to have.
type Expected struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"` // "error", "warn" or "note"
	Verdict  string `json:"verdict"`  // "fail" or "inconclusive"
	Frame    uint64 `json:"frame,omitempty"`
}

func (e Expected) String() string {
	if e.Frame == 0 {
		return fmt.Sprintf("%s (%s, %s)", e.Rule, e.Severity, e.Verdict)
	}
	return fmt.Sprintf("%s (%s, %s) at frame %d", e.Rule, e.Severity, e.Verdict, e.Frame)
}

// ExpectedOf is a finding as it is expected.
func ExpectedOf(f *session.Finding) Expected {
	e := Expected{f.Rule.ID, f.Severity.String(), "fail", f.Frame}
	if !f.Failed() {
		e.Verdict = "inconclusive"
	}
	return e
}

// An Expectation is all findings that a capture is to have.
type Expectation struct {
	Schema   string     `json:"schema"`
	Findings []Expected `json:"findings"`
}

// Expect makes one of findings.
func Expect(findings []session.Finding) *Expectation {
	e := &Expectation{Schema: ExpectSchema, Findings: []Expected{}}
	for i := range findings {
		e.Findings = append(e.Findings, ExpectedOf(&findings[i]))
	}
	return e
}

// Append appends it as a file, one finding a line.
func (e *Expectation) Append(dst []byte) []byte {
	dst = fmt.Appendf(dst, "{\n  \"schema\": %q,\n  \"findings\": [", ExpectSchema)
	for i := range e.Findings {
		if i > 0 {
			dst = append(dst, ',')
		}
		one, err := json.Marshal(&e.Findings[i])
		if err != nil {
			panic(err) // it is made of texts and a number
		}
		dst = append(append(dst, "\n    "...), one...)
	}
	if len(e.Findings) > 0 {
		dst = append(dst, "\n  "...)
	}
	return append(dst, "]\n}\n"...)
}

// ReadExpectation reads what Append wrote.
func ReadExpectation(file string, text []byte, book *Book) (*Expectation, error) {
	e := &Expectation{}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(e); err != nil {
		return nil, jsonMistake(file, text, d.InputOffset(), "not a file of expected findings: ", err)
	}
	if rest := bytes.TrimSpace(text[d.InputOffset():]); len(rest) > 0 {
		return nil, placed(file, text, len(text)-len(rest), 1, "not a file of expected findings: more follows after it")
	}
	if e.Schema != ExpectSchema {
		return nil, fmt.Errorf("%s: schema %q: want %q", file, e.Schema, ExpectSchema)
	}
	if e.Findings == nil {
		return nil, fmt.Errorf("%s: not a file of expected findings: it has no findings, not even an empty list", file)
	}
	for _, f := range e.Findings {
		if word, err := f.check(book); err != nil {
			at := max(0, bytes.Index(text, fmt.Appendf(nil, "%q", word))+1)
			return nil, placed(file, text, at, max(len(word), 1), err.Error())
		}
	}
	return e, nil
}

// check says which word of an expected finding is wrong.
func (e *Expected) check(book *Book) (word string, err error) {
	severities := []string{conform.Error.String(), conform.Warn.String(), conform.Note.String()}
	if _, err := book.Rule(e.Rule); err != nil {
		return e.Rule, err
	}
	if !slices.Contains(severities, e.Severity) {
		return e.Severity, fmt.Errorf("unknown severity %q: want error, warn or note", e.Severity)
	}
	if e.Verdict != "fail" && e.Verdict != "inconclusive" {
		return e.Verdict, fmt.Errorf("unknown verdict %q: want fail or inconclusive", e.Verdict)
	}
	return "", nil
}

// Inconclusive reports whether findings are expected that a guard stands against.
func (e *Expectation) Inconclusive() bool {
	return slices.ContainsFunc(e.Findings, func(f Expected) bool { return f.Verdict == "inconclusive" })
}

// An ExpectedResult is how findings differ from those expected.
type ExpectedResult struct{ Missing, Unexpected []Expected }

// compare tells what of an expectation is not among findings, and which of these it lacks.
func (e *Expectation) compare(findings []session.Finding) *ExpectedResult {
	r := &ExpectedResult{Missing: slices.Clone(e.Findings)}
	for i := range findings {
		f := ExpectedOf(&findings[i])
		if at := slices.Index(r.Missing, f); at >= 0 {
			r.Missing = slices.Delete(r.Missing, at, at+1)
		} else {
			r.Unexpected = append(r.Unexpected, f)
		}
	}
	return r
}

// expected judges findings by those that are expected, and by nothing else.
func (d *decision) expected(e *Expectation) {
	d.Expected = e.compare(d.Findings)
	for _, f := range d.Expected.Missing {
		d.because(Fail, "missing: %s", f)
	}
	for _, f := range d.Expected.Unexpected {
		d.because(Fail, "unexpected: %s", f)
		d.Failing[f.Rule] = true
	}
}
