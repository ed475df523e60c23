package verdict

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dpdissect/dpdissect/dissect/stable"
	"github.com/dpdissect/dpdissect/internal/yamlfile"
	"github.com/dpdissect/dpdissect/session"
)

// BaselineSchema is the name and version of a baseline.
const BaselineSchema = "dpdissect/baseline/1"

// A Baseline is the findings somebody knows of: only others fail.
type Baseline struct {
	shapes map[string]Shape // by their keys
	all    bool             // it knows everything
}

// Everything is a baseline that knows all findings.
func Everything() *Baseline { return &Baseline{all: true} }

// BaselineOf makes one of findings; inconclusive ones do not belong into it.
func BaselineOf(findings []session.Finding) *Baseline {
	b := &Baseline{shapes: map[string]Shape{}}
	for i := range findings {
		if f := &findings[i]; f.Failed() {
			s := ShapeOf(f)
			b.shapes[s.key()] = s
		}
	}
	return b
}

type baselineFile struct {
	Schema   string         `json:"schema"`
	Findings []baselineLine `json:"findings"`
}

type baselineLine struct {
	Fingerprint string `json:"fingerprint"`
	Shape
}

// ReadBaseline reads what Append wrote.
func ReadBaseline(file string, text []byte, book *Book) (*Baseline, error) {
	var doc baselineFile
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&doc); err != nil {
		return nil, jsonMistake(file, text, d.InputOffset(), "not a baseline: ", err)
	}
	if doc.Schema != BaselineSchema {
		return nil, fmt.Errorf("%s: schema %q: want %q", file, doc.Schema, BaselineSchema)
	}
	b := &Baseline{shapes: map[string]Shape{}}
	for _, l := range doc.Findings {
		if _, err := book.Rule(l.Rule); err != nil {
			at := max(0, bytes.Index(text, fmt.Appendf(nil, "%q", l.Rule))+1)
			return nil, placed(file, text, at, len(l.Rule), err.Error())
		}
		b.shapes[l.key()] = l.Shape
	}
	return b, nil
}

// jsonMistake marks where a file of JSON is not what it should be.
func jsonMistake(file string, text []byte, offset int64, what string, err error) error {
	if s, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = s.Offset - 1
	} else if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		offset = t.Offset - 1
	}
	return placed(file, text, int(max(0, min(offset, int64(len(text))))), 1, what+err.Error())
}

// placed marks a byte of a file.
func placed(file string, text []byte, at, length int, message string) error {
	before := text[:at]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:]))) + 1
	return &Mistake{File: file, Line: line, Column: column, Length: length, Text: yamlfile.SplitLines(text).Line(line), Message: message}
}

// Append appends the baseline as a file: one finding a line, in an order of its own,
// so that changes are easy to read.
func (b *Baseline) Append(dst []byte) []byte {
	var all []baselineLine
	for _, s := range b.shapes {
		all = append(all, baselineLine{s.Fingerprint(), s})
	}
	stable.Sort(all, func(x, y baselineLine) int { return cmp.Compare(x.key(), y.key()) })
	dst = fmt.Appendf(dst, "{\n  \"schema\": %q,\n  \"findings\": [", BaselineSchema)
	for i := range all {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, "\n    "...), line(&all[i])...)
	}
	if len(all) > 0 {
		dst = append(dst, "\n  "...)
	}
	return append(dst, "]\n}\n"...)
}

func line(l *baselineLine) []byte {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(l); err != nil {
		panic(err) // it is made of texts and numbers
	}
	return bytes.TrimSpace(buf.Bytes())
}

// find reports whether a finding is in the baseline, and the entry it matches.
func (b *Baseline) find(f *session.Finding) (key string, known bool) {
	if b == nil || b.all {
		return "", b != nil
	}
	s := ShapeOf(f)
	if _, known = b.shapes[s.key()]; known {
		key = s.key()
	}
	return key, known
}

// gone counts the entries that are not among those that findings matched.
func (b *Baseline) gone(matched map[string]bool) uint64 {
	return uint64(len(b.shapes) - len(matched))
}
