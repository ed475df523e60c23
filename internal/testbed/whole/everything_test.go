package whole

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/testbed/jsontest"
	"github.com/dpdissect/dpdissect/internal/verdict"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// A plan is how runEverything runs.
type plan struct {
	workers int
	force   *session.Force
	tree    bool // frames as -V -x prints them, not as records
	all     bool // with budgets, and the reports that are not JSON, too
}

// A yield is what one run of all commands gave.
type yield struct {
	frames          string // records of frames and messages, as they came
	analysis, check string
	texts           string
	conns           []*session.Conn
	internal        []session.InternalError
	doubts          []string
}

// everything prints frames and messages of one run.
type everything struct{ *pipeline.Frames }

func (everything) PrepareMessage(_ int, m *session.Message) (head, tail []byte) {
	return []byte{}, report.AppendMessageBody(nil, m, true)
}

func (everything) PrintMessage(dst, _, tail []byte, id int) []byte {
	return append(append(report.AppendMessageHead(dst, id), tail...), '\n')
}

// spoken are the protocols and their rules, made once.
var spoken = sync.OnceValues(func() ([]*session.Protocol, *verdict.Book) {
	var rules []conform.Rule
	all := protocols.All(protocols.Options{})
	for _, p := range all {
		rules = append(rules, p.Rules...)
	}
	return all, verdict.NewBook(rules, session.Quality)
})

// strict asks for all that check can weigh.
var strict = sync.OnceValue(func() *verdict.Policy {
	p := verdict.NewPolicy()
	for _, text := range []string{"retries/data_frames < 1%", "rtt.p95_ms < 120", "lost.not_captured == 0", "connections >= 1"} {
		b, err := verdict.ParseBudget(text)
		if err != nil {
			panic(err)
		}
		p.Budgets = append(p.Budgets, b)
	}
	return p
})

// runEverything does with a capture what analyze, decode, messages and check do
// with it, in one run.
func runEverything(t testing.TB, file []byte, how plan) *yield {
	t.Helper()
	var y yield
	all, book := spoken()
	src, err := capture.Open([]string{"-"}, capture.Options{Stdin: bytes.NewReader(file)})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	r := pipeline.Run{Source: src, Workers: how.workers, Config: session.Config{Protocols: all, Messages: session.CollectPayload, Incomplete: true, Inconclusive: true}}
	if how.force != nil {
		r.Config.Force = []session.Force{*how.force}
	}
	mode := pipeline.NDJSON
	if how.tree {
		mode = pipeline.TreeBytes
	}
	p := everything{&pipeline.Frames{Mode: mode, Clock: &render.Clock{}, Titles: protocolTables()}}
	p.Configure(&r.Config)
	var out bytes.Buffer
	q := pipeline.NewQueue(&out, p)
	q.Notes = true
	q.Attach(&r)
	if err = r.Do(); err == nil {
		err = q.Finish()
	}
	if err != nil {
		t.Fatal(err)
	}
	y.frames, y.conns, y.internal = out.String(), r.Conns(), r.Internal()
	a := &report.Analysis{Captures: src.Infos(), Totals: report.Totals{Totals: src.Totals()}, Conns: y.conns, Findings: q.Findings()}
	a.Totals.AddTable(r.Decoded())
	report.SortFindings(a.Findings)
	y.analysis = string(report.AppendRecord(nil, a))
	run := &verdict.Run{Findings: a.Findings, Rules: r.Rules(), Packets: a.Totals.Packets,
		Numbers: report.Numbers(a)}
	policy := verdict.NewPolicy()
	if how.all {
		policy = strict()
	}
	result, err := verdict.Decide(policy, book, nil, "2026-01-01", run)
	if err != nil {
		t.Fatal(err)
	}
	c := &report.Check{Result: result, Captures: a.Captures, Totals: a.Totals, Conns: len(a.Conns), Locate: func(n uint64) (int, uint64) { return 0, n }}
	y.check = string(report.AppendCheckRecords(nil, c))
	if how.all {
		opts := report.TextOptions{Width: 80, Verbose: true}
		b := report.AppendCheckText(report.AppendText(report.AppendCheckJSON(nil, c), a, opts), c, opts)
		y.texts = string(report.AppendGitHub(report.AppendJUnit(report.AppendSARIF(b, c), c), c))
	}
	y.doubts = doubtful(a)
	return &y
}

// protocolTables are those of protocols.Tables, made once.
var protocolTables = sync.OnceValue(func() []*dissect.Protocol { return protocols.Tables() })

// doubtful lists numbers that cannot be: more than there were packets, as a counter
// that went below 0 is.
func doubtful(a *report.Analysis) (out []string) {
	udp := a.Totals.UDPDatagrams
	if got := a.Totals.Decoded + a.Totals.OtherUDP; got != udp {
		out = append(out, fmt.Sprintf("%d datagrams are decoded or others, of %d", got, udp))
	}
	frames := uint64(0)
	for _, c := range a.Conns {
		for i := range c.Dir {
			d := &c.Dir[i]
			frames += d.Frames
			s, lost := &d.Signatures, d.Lost()
			most := 70_000 * (1 + d.Frames) // messages and numbers that one datagram can tell of
			for _, ok := range []bool{
				s.Valid+s.Invalid+s.Unverifiable <= d.Frames, d.DataFrames+d.Acks+d.KeepAlives <= 2*d.Frames+most,
				d.Bytes <= 1<<16*d.Frames, d.Duplicates <= d.Frames, d.UnneededRetries <= d.Retries, d.Retries <= most,
				d.OutOfOrder <= d.Frames, d.Gaps <= d.Frames, d.Messages+d.IncompleteMessages <= most, d.MessageBytes <= 1<<24*(1+d.Frames),
				lost.NotCaptured <= d.Missing(), lost.BeforeCapture+lost.AfterCapture <= most, d.RTT().Samples <= d.Frames,
				c.LastFrame >= c.FirstFrame && c.LastFrame <= a.Totals.Packets,
			} {
				if !ok {
					out = append(out, fmt.Sprintf("connection of frame %d, direction %d: %+v, %d missing, lost %+v", c.FirstFrame, i, *d, d.Missing(), lost))
					break
				}
			}
		}
	}
	if frames > a.Totals.Decoded {
		out = append(out, fmt.Sprintf("%d frames in connections, %d are decoded", frames, a.Totals.Decoded))
	}
	return out
}

// A schemaSet is schemas by the names that records give.
type schemaSet map[string]*jsonschema.Schema

// compiled are the schemas of all outputs, by name.
func compiled(t testing.TB) schemaSet {
	t.Helper()
	all := schemaSet{}
	for _, name := range report.SchemaNames() {
		text, _ := report.Schema(name)
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		if err := c.AddResource(name, doc); err != nil {
			t.Fatal(err)
		}
		if all["dpdissect/"+name+"/1"], err = c.Compile(name); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// invalid says what of JSON records is not what the schema of its name says, has a
// key twice, or is no JSON.
func invalid(schemas schemaSet, text string) error {
	values, err := jsontest.Values([]byte(text))
	if err != nil {
		return err
	}
	for _, v := range values {
		o, _ := v.(map[string]any)
		name, _ := o["schema"].(string)
		s := schemas[name]
		if s == nil {
			return fmt.Errorf("a record of schema %q", name)
		}
		if err := s.Validate(v); err != nil {
			return err
		}
		findings, _ := o["findings"].([]any)
		for _, f := range findings {
			if err := schemas["dpdissect/finding/1"].Validate(f); err != nil {
				return err
			}
		}
	}
	return nil
}
