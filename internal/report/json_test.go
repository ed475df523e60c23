package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/internal/testbed/jsontest"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

func schemaOf(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	text, ok := Schema(name)
	if !ok {
		t.Fatalf("no schema %q", name)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func check(s *jsonschema.Schema, record []byte) error {
	if err := jsontest.UniqueKeys(record); err != nil {
		return err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(record))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

func TestAnalysisJSON(t *testing.T) {
	s, out := schemaOf(t, "analysis"), jsonOf(fixture())
	if err := check(s, out); err != nil {
		t.Error(err)
	}
	golden(t, "analysis.json", out)
	if err := check(s, jsonOf(&Analysis{})); err != nil {
		t.Error("empty:", err)
	}
	line := AppendRecord([]byte("x"), fixture())
	var compact bytes.Buffer
	if err := json.Compact(&compact, out); err != nil || compact.String() != string(line[1:]) {
		t.Errorf("the record is not the document on one line: %v", err)
	}
}

// TestDeterminism: the order in which workers deliver does not matter.
func TestDeterminism(t *testing.T) {
	want := jsonOf(fixture())
	text := AppendText(nil, fixture(), TextOptions{})
	for range 5 {
		a := fixture()
		slices.Reverse(a.Conns)
		slices.Reverse(a.Findings)
		session.Number(a.Conns)
		SortFindings(a.Findings)
		if !bytes.Equal(jsonOf(a), want) || !bytes.Equal(AppendText(nil, a, TextOptions{}), text) {
			t.Fatal("not the same bytes")
		}
	}
}

func TestRecords(t *testing.T) {
	ms, fs := schemaOf(t, "message"), schemaOf(t, "finding")
	var out []byte
	for i, m := range messages() {
		for _, payload := range []bool{false, true} {
			record := AppendMessageJSON(nil, m, i, payload)
			if err := check(ms, record); err != nil {
				t.Error(err)
			}
			split := AppendMessageBody(AppendMessageHead(nil, i), m, payload)
			if !bytes.Equal(record, split) {
				t.Errorf("in two parts: %s", split)
			}
			out = append(append(out, record...), '\n')
		}
	}
	for i := range fixture().Findings {
		record := AppendFindingJSON(nil, &fixture().Findings[i])
		if err := check(fs, record); err != nil {
			t.Error(err)
		}
		out = append(append(out, record...), '\n')
	}
	golden(t, "records.ndjson", out)
}

// TestSchemasAreStrict breaks documents; each must fail.
func TestSchemasAreStrict(t *testing.T) {
	analysis := string(AppendRecord(nil, fixture()))
	message := string(AppendMessageJSON(nil, messages()[0], 0, true))
	finding := string(AppendFindingJSON(nil, &fixture().Findings[1]))
	one, several := string(appendCheck(nil, checked(t, nil), true)), string(appendChecks(nil, two(t), true))
	for _, tt := range []struct{ schema, doc, old, new string }{
		{"analysis", analysis, `"cut_short":false`, `"cut_short":0`},
		{"analysis", analysis, `"not_udp":1,`, ``},
		{"analysis", analysis, `"state":"closed"`, `"state":"done"`},
		{"analysis", analysis, `"closed_by":"a"`, `"closed_by":""`},
		{"analysis", analysis, `"retries":1,`, `"retries":-1,`},
		{"analysis", analysis, `"retries":1,`, `"retries":"1",`},
		{"analysis", analysis, `"retries":1,`, `"retries":1,"retrys":1,`},
		{"analysis", analysis, `"session_id":"0x79c9aec6"`, `"session_id":"79c9aec6"`},
		{"analysis", analysis, `"inferred":["signing","version"]`, `"inferred":[]`},
		{"analysis", analysis, `"samples":`, `"sample":`},
		{"analysis", analysis, `"clause":"MC-DPL8R 2.2.1.2",`, ``},
		{"analysis", analysis, `.123456789Z`, `.123Z`},
		{"analysis", analysis, `"id":0,`, `"id":0,"id":0,`},
		{"message", message, `"direction":"a"`, `"direction":"c"`},
		{"message", message, `"complete":true`, `"complete":false`},
		{"message", message, `"payload":"48`, `"payload":"4`},
		{"message", message, `"index":0,`, ``},
		{"check", one, `"verdict":"unreadable"`, `"verdict":"unread"`},
		{"check", one, `"reasons":`, `"path":"x","reasons":`},
		{"check", several, `"schema":"dpdissect/checks/1",`, `"schema":"dpdissect/check/1",`},
		{"check", several, `"verdict":"unreadable"`, `"verdict":"unread"`},
		{"check", several, `"path":"client <a>.pcap",`, ``},
		{"checks", several, `"fail_on":`, `"fails_on":"error","fail_on":`},
		{"checks", several, `"files":`, `"file":1,"files":`},
		{"finding", finding, `"severity":"error"`, `"severity":"bad"`},
		{"finding", finding, `"frame":12,`, `"frame":0,`},
		{"finding", finding, `"connection":0,`, ``},
		{"finding", finding, `"message":`, `"guard":"cut","message":`},
	} {
		s := schemaOf(t, tt.schema)
		if err := check(s, []byte(tt.doc)); err != nil {
			t.Fatal(err)
		}
		broken := strings.Replace(tt.doc, tt.old, tt.new, 1)
		if broken == tt.doc {
			t.Errorf("no %s in %s", tt.old, tt.doc)
		} else if check(s, []byte(broken)) == nil {
			t.Errorf("%s: %s for %s passes", tt.schema, tt.new, tt.old)
		}
	}
}

func TestSchemas(t *testing.T) {
	for _, name := range SchemaNames() {
		schemaOf(t, name)
	}
	if _, ok := Schema("nonsense"); ok {
		t.Error("a schema of nonsense")
	}
	var analysis struct {
		Defs map[string]map[string]any `json:"$defs"`
	}
	var finding map[string]any
	if err := errors.Join(json.Unmarshal(schemaText("analysis"), &analysis), json.Unmarshal(schemaText("finding"), &finding)); err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"$schema", "$id", "title"} {
		delete(finding, k)
	}
	if !reflect.DeepEqual(analysis.Defs["finding"], finding) {
		t.Error("the finding within the analysis is not that of finding.schema.json")
	}
}

func TestNumbersInJSON(t *testing.T) {
	for ns, want := range map[int64]string{0: "0", 1: "0.000001", 1e6: "1", 62_412_000_007: "62412.000007", 12_300_000: "12.3", -1_500_000: "-1.5", math.MinInt64: "-9223372036854.775808"} {
		e := encoder{b: []byte("{")}
		if e.ms("x", ns); string(e.b) != `{"x":`+want {
			t.Errorf("%d ns: %s", ns, e.b)
		}
	}
	for bits, want := range map[float64]float64{64.04: 64, 64.06: 64.1, math.Inf(1): 1e6, math.Inf(-1): 0, math.NaN(): 0} {
		if got := confidence(bits); got != want {
			t.Errorf("%v bits: %v", bits, got)
		}
	}
}

// TestLost: what is not known is absent, what is known to be 0 is 0.
func TestLost(t *testing.T) {
	lost := func(d *seq.Direction) string {
		e := encoder{b: []byte("{")}
		v := measure.Of(d)
		e.counters(&v, measure.Known(&session.Conn{}, d), measure.LostBefore, measure.NotCaptured+1)
		return string(e.b[1:])
	}
	unseen := &seq.Direction{}
	unseen.Send(&seq.Sending{Num: 1, Frame: 1})
	fine := &seq.Direction{}
	fine.Send(&seq.Sending{Num: 1, Frame: 1})
	fine.Acknowledge(&seq.Acknowledgement{Next: 2, Frame: 2}, func(seq.Position) {})
	fine.Close()
	for _, tt := range []struct {
		name string
		d    *seq.Direction
		want string
	}{
		{"no acknowledgement", unseen, `"lost":{}`},
		{"all acknowledged", fine, `"lost":{"before_capture":0,"after_capture":0,"not_captured":0}`},
		{"the capture lost frames", &signedConn().Dir[0], `"lost":{"after_capture":0,"not_captured":2}`},
	} {
		if got := lost(tt.d); got != tt.want {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}

// jsonOf is the document as it is written.
func jsonOf(a *Analysis) []byte {
	var out bytes.Buffer
	if err := WriteJSON(&out, a); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// pieceWriter notes how much is written at a time.
type pieceWriter struct {
	bytes.Buffer
	most int
}

func (w *pieceWriter) Write(b []byte) (int, error) {
	w.most = max(w.most, len(b))
	return w.Buffer.Write(b)
}

// A document of many connections is written in pieces, with the bytes it has as a
// whole.
func TestDocumentsAreStreamed(t *testing.T) {
	a := many(3000)
	a.Findings = slices.Repeat(fixture().Findings, 100)
	var indented, line, text pieceWriter
	if err := cmp.Or(WriteJSON(&indented, a), WriteRecord(&line, a), WriteText(&text, a, TextOptions{Verbose: true})); err != nil {
		t.Fatal(err)
	}
	whole := AppendRecord(nil, a)
	if want := append(render.AppendIndented(nil, whole, 0), '\n'); !bytes.Equal(indented.Bytes(), want) {
		t.Error("the indented document differs when it is written in pieces")
	}
	if want := append(whole, '\n'); !bytes.Equal(line.Bytes(), want) {
		t.Error("the line differs when it is written in pieces")
	}
	if want := AppendText(nil, a, TextOptions{Verbose: true}); !bytes.Equal(text.Bytes(), want) {
		t.Error("the text differs when it is written in pieces")
	}
	if indented.most > 4*piece || line.most > 2*piece {
		t.Errorf("pieces of up to %d and %d bytes", indented.most, line.most)
	}
}

// The table lists so many connections; it says that there are more.
func TestTableOfManyConnections(t *testing.T) {
	text := string(AppendText(nil, many(1000), TextOptions{}))
	if !strings.Contains(text, "\n980 more connections with -V, or in --format json.\n") || strings.Count(text, "\n") > 60 {
		t.Errorf("%d lines, the last: %q", strings.Count(text, "\n"), text[len(text)-200:])
	}
	if all := string(AppendText(nil, many(1000), TextOptions{Verbose: true, Quiet: true})); strings.Contains(all, "more connections") {
		t.Error("-V leaves connections out")
	}
}

// TestFloatsAreJSON checks that numbers beyond what JSON has leave a document that can be read.
func TestFloatsAreJSON(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want string
	}{
		{math.NaN(), `{"a":1,"b":2}`}, {math.Inf(1), `{"a":1,"v":1.7976931348623157e+308,"b":2}`}, {math.Inf(-1), `{"a":1,"v":-1.7976931348623157e+308,"b":2}`},
		{0, `{"a":1,"v":0,"b":2}`}, {1e-9, `{"a":1,"v":1e-09,"b":2}`}, {0.5, `{"a":1,"v":0.5,"b":2}`},
	} {
		e := encoder{b: []byte("[")} // in front of an element stands no comma
		e.item()
		e.count("a", 1)
		e.float("v", c.v)
		e.count("b", 2)
		e.close('}')
		if got := string(e.b[1:]); got != c.want {
			t.Errorf("%v: %s, want %s", c.v, got, c.want)
		}
	}
}

func schemaText(name string) []byte {
	text, _ := Schema(name)
	return text
}
