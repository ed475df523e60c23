package ladder

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

func endpoint(s string) dissect.Endpoint { return dissect.MakeEndpoint(netip.MustParseAddrPort(s)) }

// A stage plays frames of connections to a collector.
type stage struct {
	*Collector
	conns [2]*session.Conn
	frame uint64
}

func newStage(o Options) *stage {
	o.Clock = &render.Clock{}
	s := &stage{Collector: NewCollector(o)}
	for i := range s.conns {
		s.conns[i] = &session.Conn{Dir: new([2]seq.Direction), ID: i, Protocol: &dissect.Protocol{Name: "fake"}, A: endpoint("10.0.0.1:1"), B: endpoint("10.0.0.2:2")}
	}
	return s
}

// plays plays the next frame of connection 0; change makes it another one.
func (s *stage) plays(ms seq.Num, change func(*pipeline.Slot)) {
	s.frame++
	c := s.conns[0]
	x := &pipeline.Slot{Conn: c, Show: true, Datagram: dissect.Datagram{Frame: s.frame, Time: int64(ms * 1e6), HasTime: true, Src: c.A, Dst: c.B, Length: 10}}
	x.Frame = dissect.Frame{Type: "DATA", Summary: fmt.Appendf(nil, "DATA %d", s.frame)}
	if change != nil {
		change(x)
	}
	x.Frame.Datagram, x.Frame.Connection = &x.Datagram, -1
	if x.Conn != nil {
		x.Frame.Connection = x.Conn.ID
	}
	s.frame = x.Datagram.Frame
	s.Print(nil, x)
}

func back(x *pipeline.Slot) {
	x.Datagram.Src, x.Datagram.Dst = x.Datagram.Dst, x.Datagram.Src
	x.Frame.Type, x.Frame.Summary = "ACK", fmt.Appendf(nil, "ACK %d", x.Datagram.Frame)
}

// shape is what rows show, in short.
func shape(rows []Row) string {
	var all []string
	for i := range rows {
		all = append(all, fmt.Sprint(rows[i].Kind, rows[i].Frames))
	}
	return strings.Join(all, " ")
}

// TestRuns checks which frames make runs: those of one side and type with nothing else to
// say, in turns with others, and never across a row that tells something.
func TestRuns(t *testing.T) {
	s := newStage(Options{})
	for i := range 12 {
		s.plays(seq.Num(i), func(x *pipeline.Slot) {
			switch i {
			case 1, 3, 5:
				back(x)
			case 7:
				x.Frame.Words, x.Frame.RetryOf = dissect.Retry, 1
			case 9:
				x.Frame.Words = dissect.KeepAlive
			}
		})
	}
	if got, want := shape(s.Ladder(nil, nil).Rows), "run[1 3 5 7] run[2 4 6] frame[8] run[9 11 12] frame[10]"; got != want {
		t.Errorf("have %s\nwant %s", got, want)
	}
	s.o.All = true
	if got := shape(s.Ladder(nil, nil).Rows); strings.Contains(got, "run") || strings.Count(got, "frame") != 12 {
		t.Errorf("with --all: %s", got)
	}
}

// TestPauses checks that pauses of a second are told, and those of a rhythm only with --all.
func TestPauses(t *testing.T) {
	at := []seq.Num{0, 10, 1200, 2400, 3600, 3610, 9000, 8000, 9500}
	for _, c := range []struct {
		all  bool
		want []string
	}{{false, []string{"1.190 s", "5.390 s"}}, {true, []string{"1.190 s", "1.200 s", "1.200 s", "5.390 s"}}} {
		s := newStage(Options{All: c.all})
		for _, ms := range at {
			s.plays(ms, nil)
		}
		s.plays(99_000, func(x *pipeline.Slot) { x.Datagram.HasTime = false })
		var got []string
		for _, r := range s.Ladder(nil, nil).Rows {
			if r.Kind == Pause {
				got = append(got, strings.TrimSuffix(r.Label, " without a frame"))
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("all %v: %q, want %q", c.all, got, c.want)
		}
	}
}

// TestParts checks that a packet of several datagrams is one row.
func TestParts(t *testing.T) {
	s := newStage(Options{All: true})
	s.plays(0, nil)
	for part := range uint8(3) {
		s.plays(1, func(x *pipeline.Slot) {
			x.Datagram.Frame, x.Datagram.Part, x.Datagram.Parts = 2, part, 3
			if x.Frame.AckedIn = 4; part == 2 {
				x.Frame.AckedIn, x.Frame.Words = 0, dissect.Gap
			}
		})
	}
	rows := s.Ladder(nil, nil).Rows
	if shape(rows) != "frame[1] frame[2]" {
		t.Fatalf("%s", shape(rows))
	}
	if r := rows[1]; r.Datagrams != 3 || r.Length != 30 || r.Acked != 2 || !r.Words.Has(dissect.Gap) || r.Label != "3 datagrams: DATA 2 ..." {
		t.Errorf("%+v", r)
	}
}

// TestLimit checks that too many frames, and too many losses, end the run, and that those of
// other connections do not count.
func TestLimit(t *testing.T) {
	s := newStage(Options{})
	other := func(x *pipeline.Slot) { x.Conn = s.conns[1] }
	for range MaxFrames + 10 {
		s.plays(0, other)
	}
	for i := range seq.Num(MaxFrames) {
		s.plays(i, nil)
		s.losses.hear(s.conns[1], 0, seq.Settled{Num: i, Frame: uint64(i + 1), After: true})
		s.losses.hear(s.conns[0], 1, seq.Settled{Num: i, Frame: uint64(i + 1)})
	}
	if err := s.Err(); err != nil {
		t.Fatalf("%d frames: %v", len(s.rows), err)
	}
	s.plays(0, nil)
	if err := s.Err(); err == nil || !strings.Contains(err.Error(), "more than 100000 frames: narrow the ladder with") {
		t.Errorf("%v", err)
	}
	s = newStage(Options{})
	for i := range seq.Num(MaxFrames) + 1 {
		s.losses.hear(s.conns[1], 0, seq.Settled{Num: i, Before: true})
	}
	if s.Err() == nil {
		t.Error("any number of losses is kept")
	}
	if s.plays(0, other); s.losses.held != 0 {
		t.Errorf("%d losses of a connection that is not drawn are kept", s.losses.held)
	}
}

// TestAroundIsBounded checks that a window keeps no more than its frames.
func TestAroundIsBounded(t *testing.T) {
	s := newStage(Options{Around: 5000})
	for i := range seq.Num(10_000) {
		s.plays(i, nil)
		if n := len(s.rows); n > 2*aroundFrames+1 {
			t.Fatalf("%d frames are kept", n)
		}
	}
	if l := s.Ladder(nil, nil); l.Frames != 2*aroundFrames+1 || l.Rows[0].Frame() != 4980 || s.Missing() != nil {
		t.Errorf("%d frames from %d on", l.Frames, l.Rows[0].Frame())
	}
	s = newStage(Options{Around: 3})
	for i := range seq.Num(5) {
		s.plays(i, func(x *pipeline.Slot) {
			if i == 2 {
				x.Conn = nil
			}
		})
	}
	if err := s.Missing(); err == nil || !strings.Contains(err.Error(), "--around 3: it is of no connection") {
		t.Errorf("%v", err)
	}
}

// TestLossesStandWhereTheyShow checks where losses that were not captured stand: before the
// first frame with a later number, or with their own; and not outside of what is drawn.
func TestLossesStandWhereTheyShow(t *testing.T) {
	s := newStage(Options{All: true})
	for i := range seq.Num(6) {
		s.plays(i, nil)
	}
	for _, x := range []seq.Settled{{Num: 10, Before: true}, {Num: 11, Before: true, Frame: 5}, {Num: 12, Frame: 3}, {Num: 13, NotCaptured: true}, {Num: 14, Frame: 999}} {
		s.losses.hear(s.conns[0], 0, x)
	}
	want := map[seq.Num]uint64{10: 3, 11: 3, 13: 999}
	got := s.losses.of[s.conns[0]][0]
	for i, x := range got.all {
		if got.before[i] != want[x.Num] {
			t.Errorf("number %d shows at %d, want %d", x.Num, got.before[i], want[x.Num])
		}
	}
	b := &builder{rows: s.rows, at: map[uint64]int{1: 0, 2: 1, 3: 2, 4: 3}}
	rows := []Row{{Kind: Loss, Lost: seq.NotCaptured, Num: 13, Before: 999}, {Kind: Loss, Lost: seq.BeforeCapture, Num: 10, Before: 3}, {Kind: Loss, Lost: seq.AfterCapture, Num: 9, Before: 2}}
	beside := b.putLosses(rows)
	if len(beside) != 1 || len(beside[2]) != 1 || beside[2][0].Num != 10 || b.rows[1].Kind != Loss || b.rows[1].Num != 9 {
		t.Errorf("%+v, and frame 2 is %+v", beside, b.rows[1])
	}
}

// hostile is text that would speak to a terminal, a page, a picture or a diagram.
const hostile = "\x1b[31m</text><script>alert(1)</script>]]>&amp;\"'\n    b->>a: forged\r\u202e;end %%{init}%% #35; `x` <br/>"

// hostileLadder has that wherever text comes from packets, names and findings.
func hostileLadder() (*Ladder, func(dissect.Endpoint) string) {
	s := newStage(Options{})
	for i := range 5 {
		s.plays(seq.Num(2000*i), func(x *pipeline.Slot) {
			x.Frame.Summary, x.Frame.Type = []byte(hostile), hostile
			x.Frame.Err = &dissect.Error{Reason: hostile}
			if i == 3 {
				x.Datagram.Kind = dissect.Unreachable
			}
		})
	}
	s.conns[0].Roles[0] = hostile
	rule := &conform.Rule{ID: hostile}
	l := s.Ladder([]session.Finding{{Rule: rule, Conn: s.conns[0], Frame: 2, Message: hostile}}, nil)
	return l, func(dissect.Endpoint) string { return hostile }
}

// TestHostileText checks that hostile text is only text in every format.
func TestHostileText(t *testing.T) {
	l, names := hostileLadder()
	var text, svg, mermaid, doc bytes.Buffer
	for _, err := range []error{
		WriteText(&text, l, TextOptions{Names: names}), WriteSVG(&svg, l, names), WriteMermaid(&mermaid, l, names), WriteJSON(&doc, l, names),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, out := range map[string]string{"text": text.String(), "svg": svg.String(), "mermaid": mermaid.String(), "json": doc.String()} {
		for _, bad := range []string{"\x1b", "\r", "\u202e", "\n    b->>a: forged"} {
			if strings.Contains(out, bad) {
				t.Errorf("%s holds %q", name, bad)
			}
		}
		if !strings.Contains(out, "alert") {
			t.Errorf("%s left the words out, too", name)
		}
	}
	for line := range strings.Lines(text.String()) {
		if n := terminal.Width(strings.TrimSuffix(line, "\n")); n > usualWidth {
			t.Errorf("a line of %d columns: %s", n, line)
		}
	}
	for _, bad := range []string{"<", ">alert", "%", "`", "; end", ";end", " end", "\""} {
		body := strings.ReplaceAll(strings.ReplaceAll(mermaid.String(), "->>", ""), "--x", "")
		if strings.Contains(body, bad) {
			t.Errorf("the diagram holds %q:\n%s", bad, body)
		}
	}
	if elements := elementsOf(t, svg.Bytes()); slices.Contains(elements, "script") || slices.Contains(elements, "br") {
		t.Errorf("the picture has the elements %q", elements)
	}
	if !json.Valid(doc.Bytes()) {
		t.Error("the document is no JSON")
	}
}

// elementsOf are the names of the elements of a picture.
func elementsOf(t *testing.T, doc []byte) (names []string) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(doc))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok {
			names = append(names, e.Name.Local)
		}
	}
}

// TestMermaidText checks what is written as it is, and what by its number.
func TestMermaidText(t *testing.T) {
	for in, want := range map[string]string{
		"seq=5 nrcv=3":      "seq=5 nrcv=3",
		"a: b;c#d":          "a#58; b#59;c#35;d",
		"the end":           "the #101;nd",
		"End. (END) ending": "#69;nd. (#69;ND) ending",
		"x;end":             "x#59;#101;nd",
		"…":                 "#8230;",
	} {
		if got := mermaidText(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestWrap checks that no line is longer than it may be, and that nothing is lost.
func TestWrap(t *testing.T) {
	for _, text := range []string{"", "a", "one two three", strings.Repeat("x", 50), "a " + strings.Repeat("漢", 30) + " b"} {
		lines := wrap(text, 10)
		for _, line := range lines {
			if terminal.Width(line) > 10 {
				t.Errorf("%q has the line %q", text, line)
			}
		}
		if got := strings.ReplaceAll(strings.Join(lines, ""), " ", ""); got != strings.ReplaceAll(text, " ", "") {
			t.Errorf("%q became %q", text, lines)
		}
	}
}
