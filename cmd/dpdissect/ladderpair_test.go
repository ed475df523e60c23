package main

import (
	"encoding/xml"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/exit"
)

// ladderPairs are what golden files show of pairs: losses on the way, a side that is silent while the other sends, clocks
// that differ, and arrows that others overtake.
var ladderPairs = []struct {
	name, pair string
	args       []string
}{
	{"pair-outage", "outage", []string{"--from", "14:50:17.2", "--to", "14:50:17.6"}},
	{"pair-silent", "silent", []string{"--from", "14:50:44", "--to", "14:50:45"}},
	{"pair-clocks", "restarted", []string{"--to", "0.6"}},
	{"pair-overtaken", "overtaken", []string{"--from", "0.9", "--to", "1.3"}},
}

// TestGoldenLadderPair compares ladders of pairs with testdata/ladder. -update writes these files.
func TestGoldenLadderPair(t *testing.T) {
	t.Setenv("COLUMNS", "")
	t.Setenv("TZ", "UTC")
	for _, g := range ladderPairs {
		t.Run(g.name, func(t *testing.T) {
			first, second := comparePairs[g.pair](t)
			args := append([]string{"ladder", "--connection", "0", "--point", "player=" + first, "--point", "server=" + second}, g.args...)
			a := &txtar.Archive{Comment: []byte("What dpdissect ladder draws of the pair " + g.pair + "; make golden writes it.\n\n")}
			for _, more := range [][]string{{"text"}, {"text", "--ascii"}, {"svg"}, {"mermaid"}, {"json"}} {
				name := more[0]
				if len(more) > 1 {
					name = "ascii"
				}
				out := output(t, append(append(args[:len(args):len(args)], "--format"), more...)...)
				a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(out)})
			}
			compareGolden(t, filepath.Join("testdata", "ladder", g.name+".txtar"), a)
		})
	}
}

// A pairArrow is an arrow of the picture of a pair.
type pairArrow struct {
	fate           string
	frames         [2]uint64
	x1, y1, x2, y2 float64
	cross          bool
}

// arrowsOf reads the arrows of a picture, and how many pixels a ms takes.
func arrowsOf(t *testing.T, svg string) (all []pairArrow, scale float64) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if err != nil {
			return all, scale
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		attribute := map[string]string{}
		for _, x := range e.Attr {
			attribute[x.Name.Local] = x.Value
		}
		switch n := len(all) - 1; {
		case e.Name.Local == "svg":
			scale, _ = strconv.ParseFloat(attribute["data-px-per-ms"], 64)
		case attribute["data-fate"] != "":
			a := pairArrow{fate: attribute["data-fate"]}
			for at := range a.frames {
				a.frames[at], _ = strconv.ParseUint(attribute[fmt.Sprintf("data-frame-%d", at+1)], 10, 64)
			}
			all = append(all, a)
		case n >= 0 && attribute["class"] == "cross":
			all[n].cross = true
		case n >= 0 && e.Name.Local == "path" && all[n].x1 == 0:
			if _, err := fmt.Sscanf(attribute["d"], "M%g %gL%g %g", &all[n].x1, &all[n].y1, &all[n].x2, &all[n].y2); err != nil {
				t.Fatalf("%q: %v", attribute["d"], err)
			}
		}
	}
}

// A heightAt is where an arrow ends at a point.
type heightAt struct{ ms, y float64 }

// TestLadderPairArrows: the ends of an arrow lie at the times of its two frames, on one scale, but for times in which
// nothing is on its way; and as many are broken as datagrams were lost between the points (pictures.md 2, two-points.md 5).
func TestLadderPairArrows(t *testing.T) {
	for _, name := range []string{"outage", "restarted", "overtaken"} {
		first, second := comparePairs[name](t)
		passages, doc := compared(t, first, second, "--connection", "0")
		svg := output(t, "ladder", "--format", "svg", "--connection", "0", first, second)
		arrows, scale := arrowsOf(t, svg)
		if len(arrows) != len(passages) || scale == 0 {
			t.Fatalf("%s: %d arrows of %d passages", name, len(arrows), len(passages))
		}
		lost := 0
		var ends []heightAt
		for i, p := range passages {
			a := arrows[i]
			if a.fate != p.Fate || a.frames != [2]uint64{uint64(p.Frame1), uint64(p.Frame2)} {
				t.Fatalf("%s: arrow %+v of %+v", name, a, p)
			}
			if a.cross != (a.fate == "lost_between") {
				t.Errorf("%s: arrow %+v", name, a)
			}
			ends = append(ends, heightAt{milli(t, p.Time), a.y1})
			switch p.Fate {
			case "lost_between":
				lost++
				if whole := math.Abs(a.x2 - a.x1); whole < 300 || whole > 500 {
					t.Errorf("%s: what was lost goes %v pixels of the way", name, whole)
				}
			case "delivered":
				if math.Abs(a.x2-a.x1) != 640 || math.Abs((a.y2-a.y1)-*p.OneWay*scale) > 0.03 {
					t.Errorf("%s: %v ms from %v to %v", name, *p.OneWay, a.y1, a.y2)
				}
				ends = append(ends, heightAt{milli(t, p.Time) + *p.OneWay, a.y2})
				at1 := a.y1
				if a.x1 > a.x2 {
					at1 = a.y2
				}
				ends = append(ends, heightAt{milli(t, p.Time1), at1}) // clock 1 is that of the axis
			}
		}
		want := doc.Connections[0].Directions["a"].Fates["lost_between"] + doc.Connections[0].Directions["b"].Fates["lost_between"]
		if lost != want || strings.Count(svg, `class="cross"`) != want || name == "outage" && want == 0 {
			t.Errorf("%s: %d broken arrows, want %d", name, lost, want)
		}
		slices.SortFunc(ends, func(x, y heightAt) int { return int(math.Copysign(1, x.ms-y.ms)) })
		cuts := 0
		for i := 1; i < len(ends); i++ {
			down, should := ends[i].y-ends[i-1].y, (ends[i].ms-ends[i-1].ms)*scale
			switch {
			case math.Abs(down-should) < 0.05:
			case down > 0 && down < should && should > 70:
				cuts++
			default:
				t.Errorf("%s: %v ms are %v pixels, want %v", name, ends[i].ms-ends[i-1].ms, down, should)
			}
		}
		if cuts == 0 {
			t.Errorf("%s: nothing is cut out", name)
		}
	}
}

// milli is a time of a record in ms since the day began.
func milli(t *testing.T, text string) float64 {
	t.Helper()
	var h, m int
	var s float64
	if _, err := fmt.Sscanf(text[len("2006-01-02T"):len(text)-1], "%d:%d:%g", &h, &m, &s); err != nil {
		t.Fatal(err)
	}
	return float64(h*3600+m*60)*1e3 + s*1e3
}

// TestLadderPairMirror: swapped files give the same arrows the other way round.
func TestLadderPairMirror(t *testing.T) {
	first, second := comparePairs["outage"](t)
	there, _ := arrowsOf(t, output(t, "ladder", "--format", "svg", "--connection", "0", first, second))
	back, _ := arrowsOf(t, output(t, "ladder", "--format", "svg", "--connection", "0", second, first))
	swapped := map[[2]uint64]pairArrow{}
	for _, a := range back {
		swapped[[2]uint64{a.frames[1], a.frames[0]}] = a
	}
	for _, a := range there {
		if b, ok := swapped[a.frames]; !ok || a.fate != b.fate || (a.x1 < a.x2) == (b.x1 < b.x2) {
			t.Fatalf("%+v is %+v in the mirror", a, b)
		}
	}
}

// TestLadderPairRows: every datagram of the connection is in exactly one row, and rows are as the schema says, whatever
// became of the datagrams: routers, copies, changed bytes, misses, and captures without a common time.
func TestLadderPairRows(t *testing.T) {
	a, b := tap(t, ends(t, "k-loss15.server.pcap.gz"))
	server := a.server()
	lost, _, _ := pair(t)
	pairs := map[string][2]string{
		"nat":     {a.write("a.pcap"), b.each(translated(server)).write("b.pcap")},
		"copies":  {a.write("a.pcap"), twice(b).write("b.pcap")},
		"missing": {lost.write("a.pcap"), b.write("b.pcap")},
		"outside": {a.write("a.pcap"), b.without(func(i int, _ *capture.Record) bool { return i < 300 }).write("b.pcap")},
		"same":    {a.write("a.pcap"), a.write("b.pcap")},
	}
	for name := range comparePairs {
		x, y := comparePairs[name](t)
		pairs[name] = [2]string{x, y}
	}
	one := schema(t, "ladder")
	for name, files := range pairs {
		passages, _ := compared(t, files[0], files[1], "--connection", "0")
		for _, all := range []bool{true, false} {
			args := []string{"ladder", "--format", "json", "--connection", "0", "--all=" + strconv.FormatBool(all), "--point", "a=" + files[0], "--point", "b=" + files[1]}
			doc := records(t, output(t, args...))[0]
			if err := one.Validate(doc); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			seen, unseen := map[[2]uint64]int{}, 0
			for _, v := range doc.(map[string]any)["rows"].([]any) {
				r := v.(map[string]any)
				switch r["kind"] {
				case "passage":
					if k := [2]uint64{frameNumber(r["frame_1"]), frameNumber(r["frame_2"])}; k != [2]uint64{} {
						seen[k]++
					} else {
						unseen++
					}
				case "run":
					second := r["frames_2"].([]any)
					for i, f := range r["frames_1"].([]any) {
						seen[[2]uint64{frameNumber(f), frameNumber(second[i])}]++
					}
				}
			}
			for _, p := range passages {
				k := [2]uint64{uint64(p.Frame1), uint64(p.Frame2)}
				if k == [2]uint64{} {
					unseen--
				} else if seen[k] != 1 {
					t.Fatalf("%s: frames %v are in %d rows", name, k, seen[k])
				}
				delete(seen, k)
			}
			if len(seen)+unseen != 0 {
				t.Errorf("%s: rows of %v and %d others are of nothing", name, seen, unseen)
			}
		}
		for _, format := range []string{"text", "svg", "mermaid"} {
			output(t, "ladder", "--connection", "0", "--format", format, "--point", "a="+files[0], "--point", "b="+files[1])
		}
	}
}

func frameNumber(v any) uint64 {
	n, _ := strconv.ParseUint(fmt.Sprint(v), 10, 64)
	return n
}

// TestLadderPairChosen: -Y, --from, --to and --around choose among the datagrams, and what cannot be drawn is said.
func TestLadderPairChosen(t *testing.T) {
	first, second := comparePairs["outage"](t)
	rows := func(args ...string) (n int) {
		all, _ := arrowsOf(t, output(t, append([]string{"ladder", "--format", "svg", "--connection", "0", first, second}, args...)...))
		return len(all)
	}
	if n := rows("--around", "505"); n != 41 {
		t.Errorf("--around draws %d datagrams", n)
	}
	whole := rows()
	if x, y, z := rows("--to", "10"), rows("--from", "10"), rows("-Y", "retry"); x+y != whole || x == 0 || y == 0 || z == 0 || z > whole/2 {
		t.Errorf("%d before and %d after, of %d; %d retries", x, y, whole, z)
	}
	for _, args := range [][]string{
		{first, second},
		{"--connection", "7", first, second},
		{"--connection", "0", "--around", "99999", first, second},
		{"--point", "a=" + first, second},
		{"--point", "a=" + first},
	} {
		if _, errs, code := call(t, append([]string{"ladder"}, args...)...); code != exit.Usage || errs == "" {
			t.Errorf("%q: exit code %d, %q", args, code, errs)
		}
	}
	if out := output(t, "ladder", "--connection", "0", "--same-session", "merge", "--from", "10", "--to", "10.1", first, second); strings.Contains(out, "clocks") {
		t.Error("merged captures have two clocks")
	}
	unrelated := filepath.Join(root(t), "testdata", "pcaps", "dp8", "two-clients.pcap")
	if _, _, code := call(t, "ladder", "--point", "a="+first, "--point", "b="+unrelated); code != exit.NotEvaluated {
		t.Errorf("nothing in common: exit code %d", code)
	}
}
