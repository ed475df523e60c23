package report_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// sink encodes messages as they come and keeps findings.
type sink struct {
	messages [][]byte
	findings []session.Finding
}

func (*sink) Frame(*dissect.Frame, *session.Conn) {}
func (*sink) Acked(seq.Position, uint64)          {}
func (s *sink) Message(m *session.Message) {
	s.messages = append(s.messages, report.AppendMessageJSON(nil, m, 0, true))
}
func (s *sink) Finding(f *session.Finding) { s.findings = append(s.findings, *f) }

func analyse(t *testing.T, path string) (*report.Analysis, [][]byte) {
	t.Helper()
	return analyseWith(t, path, protocols.All(protocols.Options{}))
}

// analyseWith analyses a capture, of which it follows some protocols.
func analyseWith(t *testing.T, path string, follow []*session.Protocol) (*report.Analysis, [][]byte) {
	t.Helper()
	src, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var s sink
	run := pipeline.Run{
		Source: src, Workers: 1, Sink: func(int) session.Sink { return &s },
		Config: session.Config{Protocols: follow, Messages: session.CollectPayload, Incomplete: true},
	}
	if err := run.Do(); err != nil {
		t.Fatal(err)
	}
	a := &report.Analysis{Captures: src.Infos(), Conns: run.Conns(), Findings: s.findings}
	a.Totals.Totals = src.Totals()
	a.Totals.AddTable(run.Decoded())
	report.SortFindings(a.Findings)
	return a, s.messages
}

func compile(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, _ := report.Schema(name)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("s.json", doc); err != nil {
		t.Fatal(err)
	}
	return c.MustCompile("s.json")
}

func validate(t *testing.T, s *jsonschema.Schema, record []byte) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(record))
	if err == nil {
		err = s.Validate(v)
	}
	if err != nil {
		t.Errorf("%v in %s", err, record)
	}
}

// TestTraces: what the tracker says of every trace of the repository is valid
// and readable, and budgets have the numbers of the document.
func TestTraces(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/pcaps/*/*.pcap*")
	if err != nil || len(paths) == 0 {
		t.Fatal("no traces:", err)
	}
	analysis, message := compile(t, "analysis"), compile(t, "message")
	for _, path := range paths {
		t.Run(strings.TrimPrefix(path, "../../testdata/pcaps/"), func(t *testing.T) {
			a, messages := analyse(t, path)
			var doc bytes.Buffer
			if err := report.WriteJSON(&doc, a); err != nil {
				t.Fatal(err)
			}
			validate(t, analysis, doc.Bytes())
			sameNumbers(t, a, doc.Bytes())
			for _, m := range messages[:min(len(messages), 200)] {
				validate(t, message, m)
			}
			text := report.AppendText(nil, a, report.TextOptions{Verbose: true})
			for line := range strings.Lines(string(text)) {
				line = strings.TrimSuffix(line, "\n")
				if strings.TrimRight(line, " ") != line || strings.IndexFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
					t.Errorf("%q", line)
				}
			}
		})
	}
}
