package render

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/testbed/jsontest"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func frameSchemaOf(t testing.TB) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("frame.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("frame.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t testing.TB, s *jsonschema.Schema, record []byte) {
	t.Helper()
	if err := jsontest.UniqueKeys(record); err != nil {
		t.Errorf("%v in %s", err, record)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(record))
	if err != nil {
		t.Fatalf("%v in %s", err, record)
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("%v in %s", err, record)
	}
}

func TestFrameRecord(t *testing.T) {
	s := frameSchemaOf(t)
	var lines []byte
	var doc Document
	var pretty []byte
	for _, e := range []*FrameEncoder{NewFrameEncoder(false), NewFrameEncoder(true)} {
		for _, fr := range []*dissect.Frame{fakeFrame(), plainFrame()} {
			record := e.AppendRecord(nil, fr)
			validate(t, s, record)
			lines = append(append(lines, record...), '\n')
			pretty = doc.AppendRecord(pretty, record)
		}
	}
	golden(t, "frame.ndjson", lines)
	pretty = doc.AppendEnd(pretty)
	golden(t, "frame.json", pretty)

	var compact bytes.Buffer
	if err := json.Compact(&compact, pretty); err != nil {
		t.Fatal(err)
	}
	want := "[" + string(bytes.ReplaceAll(bytes.TrimSpace(lines), []byte("\n"), []byte(","))) + "]"
	if compact.String() != want {
		t.Errorf("the document holds other values than the records:\n%s", compact.String())
	}
}

func TestEmptyDocument(t *testing.T) {
	if got := string(new(Document).AppendEnd(nil)); got != "[]\n" {
		t.Errorf("%q", got)
	}
}

func TestSchemaRejects(t *testing.T) {
	s := frameSchemaOf(t)
	good := NewFrameEncoder(false).AppendRecord(nil, fakeFrame())
	for _, change := range [][2]string{
		{`"frame":12`, `"frame":0`},
		{`"frame":12`, `"frame":12,"other":1`},
		{`"retry","out`, `"again","out`},
		{`"severity":"note"`, `"severity":"info"`},
		{`"direction":"a"`, `"direction":"c"`},
		{`999999999Z"`, `999Z"`},
		{`,"notes":[`, `,"nots":[`},
		{`"acks":[3,4]`, `"acks":[]`},
	} {
		bad := bytes.Replace(good, []byte(change[0]), []byte(change[1]), 1)
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(bad))
		if err != nil || bytes.Equal(bad, good) {
			t.Fatalf("%s: no change (%v)", change, err)
		}
		if s.Validate(v) == nil {
			t.Errorf("accepted: %s", bad)
		}
	}
}

// The tail is produced when a frame leaves the queue: of the frame only what
// became known late is left.
func TestSplitRecord(t *testing.T) {
	fr, e := fakeFrame(), NewFrameEncoder(false)
	want := e.AppendRecord(nil, fr)
	head, body := e.AppendHead(nil, fr), e.AppendBody(nil, fr)
	late := &dissect.Frame{Notes: fr.Notes, Err: fr.Err, RetryOf: fr.RetryOf, AckedIn: fr.AckedIn, Acks: fr.Acks, AckRTT: fr.AckRTT}
	var none *FrameEncoder
	got := none.AppendTail(append(none.AppendConnection(head, 3), body...), late)
	if !bytes.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A record says how its own frame was read, not how the one before it was.
func TestLayoutOfEachRecord(t *testing.T) {
	e := NewFrameEncoder(false)
	for _, tt := range []struct {
		layout dissect.Layout
		want   string
	}{
		{dissect.Layout{}, ``},
		{dissect.Layout{Version: 1<<16 | 6, Signing: dissect.SigningFast}, `,"layout":{"version":"1.6","signing":"fast"}`},
		{dissect.Layout{Dialect: "page"}, `,"layout":{"dialect":"page"}`},
		{dissect.Layout{}, ``},
	} {
		body := string(e.AppendBody(nil, &dissect.Frame{Layout: tt.layout}))
		if want := `,"summary":"","fields":{}` + tt.want + `,"analysis":[]`; body != want {
			t.Errorf("got  %s\nwant %s", body, want)
		}
	}
}

func TestFieldsObject(t *testing.T) {
	f := &fakeFields
	for _, tt := range []struct {
		name, want string
		build      func(*dissect.Tree)
	}{
		{"empty", `{}`, func(t *dissect.Tree) {}},
		{"array of one", `{"items":[{"size":1}]}`, func(t *dissect.Tree) {
			t.Open(&f[fItems], 0, 1)
			t.Add(&f[fItemSize], 0, 1, 1)
			t.Close()
		}},
		{"array in parts", `{"items":[{"size":1},{},{"size":3}],"seq":9,"opcode":1}`, func(t *dissect.Tree) {
			t.Open(&f[fItems], 0, 1)
			t.Add(&f[fItemSize], 0, 1, 1)
			t.Close()
			t.Open(&f[fItems], 0, 0)
			t.Close()
			t.Add(&f[fSeq], 0, 1, 9)
			t.Open(&f[fItems], 0, 1)
			t.Add(&f[fItemSize], 0, 1, 3)
			t.Close()
			t.Add(&f[fOpcode], 0, 1, 1)
		}},
		{"same key twice", `{"seq":1,"header":{"seq":2}}`, func(t *dissect.Tree) {
			t.Add(&f[fSeq], 0, 1, 1)
			t.Open(&f[fHeader], 0, 1)
			t.Add(&f[fOther], 0, 1, 2)
			t.Add(&f[fSeq], 0, 1, 3)
			t.Close()
			t.Add(&f[fSeq], 0, 1, 4)
			t.Open(&f[fHeader], 0, 1)
			t.Add(&f[fSeq], 0, 1, 5)
			t.Close()
		}},
		{"two rows of a key", `{"control":64,"control_flags":{"poll":true}}`, func(t *dissect.Tree) {
			t.Add(&f[fCFControl], 0, 1, 0x40)
			t.Add(&f[fControl], 0, 1, 1)
		}},
		{"no ids", `{"sacked":[],"wide":18446744073709551615}`, func(t *dissect.Tree) {
			t.AddIDs(&f[fSacked], 0, nil)
			t.Add(&f[fWide], 0, 0, 1<<64-1)
		}},
	} {
		var tree dissect.Tree
		tree.Reset(make([]byte, 4))
		tt.build(&tree)
		e := NewFrameEncoder(false)
		for range 2 {
			if got := string(e.AppendFields(nil, &tree)); got != tt.want {
				t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
			}
		}
	}
}

// FuzzJSON: any tree and any text give one valid record without a key twice.
func FuzzJSON(f *testing.F) {
	f.Add([]byte{fItems, 0, 1, fItemSize, 1, 2, fItems, 0, 3}, "summary")
	f.Add([]byte{fHeader, 0, 0, fSeq, 9, 1, fControl, 3, 255, fControl, 0, 1, fName, 1, 1}, "\xff\x1b\"")
	s := frameSchemaOf(f)
	e, v := NewFrameEncoder(true), NewVerbose(Palette{}, fakeProtocols)
	f.Fuzz(func(t *testing.T, spec []byte, text string) {
		fr := fakeFrame()
		fr.Tree, fr.Summary = fuzzTree(spec, text), []byte(text)
		fr.Notes[0].Message, fr.Err.Reason = text, text
		record := e.AppendRecord(nil, fr)
		validate(t, s, record)
		if got := document(record); !json.Valid(got) {
			t.Errorf("invalid document %s", got)
		}
		for _, line := range bytes.Split(v.AppendFrame(nil, fr, &Clock{}), []byte("\n")) {
			checkVisible(t, string(line))
		}
	})
}

func document(records ...[]byte) (out []byte) {
	var d Document
	for _, r := range records {
		out = d.AppendRecord(out, r)
	}
	return d.AppendEnd(out)
}

// fuzzTree makes a tree of any shape: field, depth and value by three bytes.
func fuzzTree(spec []byte, text string) *dissect.Tree {
	t := &dissect.Tree{}
	t.Reset([]byte(text))
	for ; len(spec) >= 3; spec = spec[3:] {
		field, depth, val := &fakeFields[int(spec[0])%len(fakeFields)], int(spec[1]%6), uint64(spec[2])
		switch field.Kind {
		case dissect.IDs:
			t.AddIDs(field, 0, []int64{int64(val), -1})
		case dissect.Text:
			t.AddText(field, 0, text)
		case dissect.Bytes:
			t.Add(field, 0, len(text), 0)
		default:
			t.Add(field, 0, 0, val<<56|val)
		}
		t.Nodes[len(t.Nodes)-1].Depth = depth
	}
	return t
}
