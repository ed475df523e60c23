package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/terminal"
)

// A ladderRow is a row of the JSON of ladder, as far as tests look at it.
type ladderRow struct {
	Kind, From, Lost, Label, Type string
	Frame                         uint64
	Frames, Acks                  []uint64
	Number, LastNumber            *uint64
	Datagrams, Acknowledged       int
	RetryOf                       uint64 `json:"retry_of"`
	AckedIn                       uint64 `json:"acked_in"`
	Before                        uint64 `json:"before_frame"`
	Analysis, Proof, Remarks      []string
	Findings                      []struct{ Rule string }
	Notices                       []struct {
		Frame uint64
		Proof []string
	}
	Focus bool
	MS    float64
}

// all are the frames that the row shows.
func (r *ladderRow) all() []uint64 {
	if r.Frame != 0 {
		return []uint64{r.Frame}
	}
	return r.Frames
}

func ladderRows(t *testing.T, doc string) []ladderRow {
	t.Helper()
	var l struct{ Rows []ladderRow }
	if err := json.Unmarshal([]byte(doc), &l); err != nil {
		t.Fatal(err)
	}
	return l.Rows
}

// connectionsIn counts the connections of a capture.
func connectionsIn(t *testing.T, path string) int {
	t.Helper()
	var doc struct{ Connections []json.RawMessage }
	if err := json.Unmarshal([]byte(printed(t, "analyze", "--format", "json", path)), &doc); err != nil {
		t.Fatal(err)
	}
	return len(doc.Connections)
}

// A decoded is a record of decode, as far as ladders show it.
type decoded struct {
	Frame      uint64
	Connection *int
	Direction  string
	Type       string
	RetryOf    uint64 `json:"retry_of"`
	AckedIn    uint64 `json:"acked_in"`
	Summary    string
	Analysis   []string
	Notes      []struct{ Rule string }
}

func decodedFrames(t *testing.T, path string) (all []decoded) {
	t.Helper()
	for line := range strings.Lines(printed(t, "decode", "--format", "ndjson", path)) {
		var d decoded
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	return all
}

// TestLadderShowsEachFrameOnce checks of every connection of every capture that each of its
// frames is in exactly one row, with what decode says of it, that the document is what its
// schema promises, and, one capture in four, that it does not depend on workers.
func TestLadderShowsEachFrameOnce(t *testing.T) {
	t.Parallel()
	doc := schema(t, "ladder")
	seen := 0
	for turn, path := range captures(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			frames := decodedFrames(t, path)
			for id := range connectionsIn(t, path) {
				for _, more := range [][]string{nil, {"--all"}} {
					args := append([]string{"ladder", "--format", "json", "--connection", strconv.Itoa(id), path}, more...)
					out := output(t, args...)
					if hasTurn(turn, 4) {
						if again := output(t, append(args, "--workers", "3")...); again != out {
							t.Errorf("connection %d differs with workers at line %s", id, difference(again, out))
						}
					}
					for _, v := range records(t, out) {
						if err := doc.Validate(v); err != nil {
							t.Fatal(err)
						}
					}
					rows := ladderRows(t, out)
					sameFrames(t, rows, frames, func(d *decoded) bool { return d.Connection != nil && *d.Connection == id })
					seen += len(rows)
				}
			}
		})
	}
	if seen < 10_000 {
		t.Errorf("only %d rows", seen)
	}
}

// sameFrames checks that rows show the frames that are chosen, each once, and say of them
// what decode says.
func sameFrames(t *testing.T, rows []ladderRow, frames []decoded, chosen func(*decoded) bool) {
	t.Helper()
	in := map[uint64]*ladderRow{}
	last := uint64(0)
	for i := range rows {
		for _, f := range rows[i].all() {
			if in[f] != nil {
				t.Errorf("frame %d is in two rows", f)
			}
			in[f] = &rows[i]
		}
		if all := rows[i].all(); len(all) > 0 {
			if !slices.IsSorted(all) || all[0] < last {
				t.Errorf("row %d is out of order", i)
			}
			last = all[0]
		}
	}
	want := map[uint64]bool{}
	for i := range frames {
		d := &frames[i]
		if !chosen(d) {
			continue
		}
		r := in[d.Frame]
		if r == nil {
			t.Errorf("frame %d is in no row", d.Frame)
			continue
		}
		want[d.Frame] = true
		r.compare(t, d)
	}
	for f := range in {
		if !want[f] {
			t.Errorf("frame %d was not chosen", f)
		}
	}
}

// compare checks that a row says of a frame what decode says.
func (r *ladderRow) compare(t *testing.T, d *decoded) {
	t.Helper()
	if r.From != d.Direction || r.Type != d.Type {
		t.Errorf("frame %d is a %s of %s, decode says %s of %s", d.Frame, r.Type, r.From, d.Type, d.Direction)
	}
	if r.Datagrams > 1 && r.Kind != "run" {
		return // a packet of several datagrams, of which decode has as many records
	}
	if r.Kind == "run" {
		if d.RetryOf != 0 || len(d.Notes) > 0 {
			t.Errorf("frame %d is in a run, and there is more to say of it: %+v", d.Frame, d)
		}
		return
	}
	if r.RetryOf != d.RetryOf || r.AckedIn != d.AckedIn || !slices.Equal(r.Analysis, d.Analysis) || r.Label != d.Summary {
		t.Errorf("frame %d: the row is %+v, decode says %+v", d.Frame, *r, *d)
	}
	for _, n := range d.Notes {
		if !slices.ContainsFunc(r.Findings, func(f struct{ Rule string }) bool { return f.Rule == n.Rule }) {
			t.Errorf("frame %d lacks the finding of %s", d.Frame, n.Rule)
		}
	}
}

// TestLadderLosses checks that the losses drawn of each side of a connection are those that
// the analysis counts, each place alone.
func TestLadderLosses(t *testing.T) {
	t.Parallel()
	total := map[string]int{}
	for _, path := range captures(t) {
		var doc struct {
			Connections []struct {
				Directions map[string]struct{ Lost map[string]int }
			}
		}
		if err := json.Unmarshal([]byte(printed(t, "analyze", "--format", "json", path)), &doc); err != nil {
			t.Fatal(err)
		}
		for id, c := range doc.Connections {
			got := map[string]map[string]int{"a": {}, "b": {}}
			for _, r := range ladderRows(t, printed(t, "ladder", "--format", "json", "--connection", strconv.Itoa(id), path)) {
				if r.Kind == "loss" {
					got[r.From][r.Lost]++
					total[r.Lost]++
				}
			}
			for side, d := range c.Directions {
				maps.DeleteFunc(d.Lost, func(_ string, n int) bool { return n == 0 })
				if !maps.Equal(got[side], d.Lost) {
					t.Errorf("%s, connection %d, %s: drawn are %v, counted %v", filepath.Base(path), id, side, got[side], d.Lost)
				}
			}
		}
	}
	for _, place := range []string{"before_capture", "after_capture", "not_captured"} {
		if total[place] < 20 {
			t.Errorf("only %d losses %s", total[place], place)
		}
	}
}

// TestLadderProof checks that the frames marked as proof are those of explain, and that
// findings stand at the frames that the analysis gives.
func TestLadderProof(t *testing.T) {
	t.Parallel()
	type cited struct {
		Cause  string
		Frame  uint64
		Frames []uint64
	}
	marked, findings := 0, 0
	for _, path := range captures(t) {
		var doc struct {
			Connections []struct {
				Verdict      cited
				Contributing []cited
			}
		}
		if err := json.Unmarshal([]byte(printed(t, "explain", "--format", "json", path)), &doc); err != nil {
			t.Fatal(err)
		}
		for id, c := range doc.Connections {
			want, got := map[string]bool{}, map[string]bool{}
			for _, x := range append(c.Contributing, c.Verdict) {
				for _, f := range append(x.Frames, x.Frame) {
					if f != 0 {
						want[fmt.Sprint(f, x.Cause)] = true
					}
				}
			}
			shown := map[uint64]bool{}
			for _, r := range ladderRows(t, printed(t, "ladder", "--format", "json", "--connection", strconv.Itoa(id), path)) {
				for _, cause := range r.Proof {
					got[fmt.Sprint(r.Frame, cause)] = true
				}
				for _, n := range r.Notices {
					shown[n.Frame] = true
					for _, cause := range n.Proof {
						got[fmt.Sprint(n.Frame, cause)] = true
					}
				}
				for _, f := range r.all() {
					shown[f] = true
				}
				findings += len(r.Findings)
			}
			for key := range want { // frames of other connections are not drawn
				var f uint64
				fmt.Sscan(key, &f)
				if !shown[f] {
					delete(want, key)
				}
			}
			marked += len(want)
			if !maps.Equal(got, want) {
				t.Errorf("%s, connection %d: marked are %v, explain cites %v", filepath.Base(path), id, got, want)
			}
		}
	}
	if marked < 300 || findings < 100 {
		t.Errorf("only %d marks and %d findings", marked, findings)
	}
}

// TestLadderText holds every line of every capture to 80 columns, or to the width that
// COLUMNS gives; ASCII is that. Captures take turns with both.
func TestLadderText(t *testing.T) {
	for i, path := range captures(t) {
		if connectionsIn(t, path) == 0 {
			continue
		}
		for turn, width := range []int{80, 60 + i%80} {
			if !hasTurn(i+turn, 2) {
				continue
			}
			t.Setenv("COLUMNS", strconv.Itoa(width))
			if width == 80 { // which it has where nobody says
				t.Setenv("COLUMNS", "")
			}
			for turn, more := range [][]string{nil, {"--ascii", "--all"}} {
				if !hasTurn(i/2+turn, 2) {
					continue
				}
				out := output(t, append([]string{"ladder", "--connection", "0", path}, more...)...)
				for line := range strings.Lines(out) {
					line = strings.TrimSuffix(line, "\n")
					if n := terminal.Width(line); n > width {
						t.Errorf("%s in %d columns has a line of %d: %s", filepath.Base(path), width, n, line)
					}
					if more != nil && strings.ContainsFunc(line, func(r rune) bool { return r > 0x7e }) {
						t.Errorf("%s: --ascii draws %s", filepath.Base(path), line)
					}
				}
				if more == nil && strings.Count(out, "\n") < 4 {
					t.Errorf("%s: nothing is drawn:\n%s", filepath.Base(path), out)
				}
			}
		}
	}
}

// An svgRowCount is what a picture draws.
type svgRowCount struct{ rows, crosses, links, frames int }

// TestLadderSVG checks that pictures are XML that brings no program and asks for nothing, and
// draw the rows, losses and links that the document has.
func TestLadderSVG(t *testing.T) {
	t.Parallel()
	for turn, path := range captures(t) {
		if connectionsIn(t, path) == 0 {
			continue
		}
		args := []string{"ladder", "--connection", "0", path, "--format"}
		out := output(t, append(args, "svg")...)
		if hasTurn(turn, 4) && output(t, append(args, "svg", "--workers", "3")...) != out {
			t.Errorf("%s differs with workers", filepath.Base(path))
		}
		var want svgRowCount
		at := map[uint64]bool{}
		for _, r := range ladderRows(t, printed(t, "ladder", "--format", "json", "--connection", "0", path)) {
			want.rows++
			if r.Frame != 0 {
				want.frames++
			}
			if len(r.Frames) > 0 {
				want.frames++ // a run is known by its first frame
			}
			if r.Lost == "before_capture" || r.Lost == "after_capture" {
				want.crosses += 2
			}
			if r.RetryOf != 0 && at[r.RetryOf] {
				want.links++
			}
			for _, f := range r.all() {
				at[f] = true
			}
		}
		if got := countSVG(t, out); got != want {
			t.Errorf("%s: %+v are drawn, want %+v", filepath.Base(path), got, want)
		}
	}
}

// countSVG counts what a picture draws, and refuses what pictures must not hold.
func countSVG(t *testing.T, doc string) (n svgRowCount) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(doc))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if !slices.Contains([]string{"svg", "title", "style", "rect", "text", "path", "g"}, e.Name.Local) {
			t.Fatalf("there is an element %s", e.Name.Local)
		}
		for _, a := range e.Attr {
			switch {
			case a.Name.Local == "data-kind":
				n.rows++
			case a.Name.Local == "data-frame":
				n.frames++
			case a.Name.Local == "data-retry-of":
				n.links++
			case a.Name.Local == "class" && a.Value == "cross":
				n.crosses++
			case strings.HasPrefix(a.Name.Local, "on"), strings.Contains(a.Name.Local, "href"):
				t.Fatalf("there is an attribute %s", a.Name.Local)
			}
		}
	}
}

// mermaidLine is what a line of a sequenceDiagram may be: text holds nothing that means
// something to Mermaid but characters written as numbers.
var mermaidLine = regexp.MustCompile(`^(?:sequenceDiagram|    (?:participant [ab] as|Note over (?:a|b|a,b):|(?:a(?:->>|-x|--x|-->>)b|b(?:->>|-x|--x|-->>)a):) (?:[ .,=+\-_/()'!?*0-9A-Za-z]|#[0-9]+;)+)$`)

// TestLadderMermaid checks that diagrams have a line for each row, and none that Mermaid
// could take for anything else.
func TestLadderMermaid(t *testing.T) {
	t.Parallel()
	for turn, path := range captures(t) {
		if connectionsIn(t, path) == 0 {
			continue
		}
		args := []string{"ladder", "--connection", "0", path, "--format"}
		out := output(t, append(args, "mermaid")...)
		if hasTurn(turn, 4) && output(t, append(args, "mermaid", "--workers", "3")...) != out {
			t.Errorf("%s differs with workers", filepath.Base(path))
		}
		arrows := 0
		for line := range strings.Lines(out) {
			if !mermaidLine.MatchString(strings.TrimSuffix(line, "\n")) {
				t.Errorf("%s: %q", filepath.Base(path), line)
			}
			if strings.HasPrefix(line, "    a-") || strings.HasPrefix(line, "    b-") {
				arrows++
			}
		}
		want := 0
		for _, r := range ladderRows(t, printed(t, "ladder", "--format", "json", "--connection", "0", path)) {
			if r.Kind != "pause" {
				want++
			}
		}
		if arrows != want {
			t.Errorf("%s: %d arrows, want %d", filepath.Base(path), arrows, want)
		}
	}
}

// TestLadderSelections checks that -Y, --from and --to, and --around choose the frames that
// decode shows with them.
func TestLadderSelections(t *testing.T) {
	path := capturePath(t, "two-clients.pcap")
	frames := decodedFrames(t, path)
	for _, args := range [][]string{{"-Y", "retry or gap"}, {"--from", "0.5", "--to", "1.25"}, {"-Y", "direction == \"a\"", "--from", "1"}, {"-Y", "frame.number < 100"}} {
		want := map[uint64]bool{}
		for line := range strings.Lines(output(t, append([]string{"decode", "--connection", "1", "-e", "frame.number", path}, args...)...)) {
			n, err := strconv.ParseUint(strings.TrimSpace(line), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			want[n] = true
		}
		if len(want) == 0 {
			t.Fatalf("%q chooses nothing", args)
		}
		rows := ladderRows(t, output(t, append([]string{"ladder", "--format", "json", "--connection", "1", path}, args...)...))
		sameFrames(t, rows, frames, func(d *decoded) bool { return want[d.Frame] })
	}
}

// TestLadderAround checks that a window holds 20 frames of the connection before its frame
// and 20 after it, wherever that is.
func TestLadderAround(t *testing.T) {
	path := capturePath(t, "two-clients.pcap")
	frames := decodedFrames(t, path)
	var mine []uint64
	for i := range frames {
		if c := frames[i].Connection; c != nil && *c == 1 {
			mine = append(mine, frames[i].Frame)
		}
	}
	for _, i := range []int{0, 5, 20, len(mine) / 2, len(mine) - 1} {
		want := map[uint64]bool{}
		for _, f := range mine[max(0, i-20):min(len(mine), i+21)] {
			want[f] = true
		}
		rows := ladderRows(t, output(t, "ladder", "--format", "json", "--connection", "1", "--around", fmt.Sprint(mine[i]), path))
		sameFrames(t, rows, frames, func(d *decoded) bool { return want[d.Frame] })
		for _, r := range rows {
			if r.Focus != (r.Frame == mine[i]) {
				t.Errorf("around %d: the focus is at %+v", mine[i], r)
			}
		}
	}
}
