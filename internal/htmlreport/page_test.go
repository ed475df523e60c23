package htmlreport

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/internal/timeline"
	"github.com/dpdissect/dpdissect/session/seq"
)

// hostile is what could end an element, or hide in one.
const hostile = "</script></title><script>alert(1)</script><!-- & \u2028 \u202e"

func written(t *testing.T, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if _, err := Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestHostileWords puts the words of an attacker wherever a page has text: they stay text.
func TestHostileWords(t *testing.T) {
	doc := []byte(`{"reason":"` + hostile + `"}`)
	text := written(t, &Report{Title: hostile, Made: hostile, Analysis: doc, Explain: doc, Ladders: [][]byte{doc}})
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			counts[n.Data]++
		}
		if n.Type == html.CommentNode {
			t.Errorf("a comment: %q", n.Data)
		}
	}
	if want := len(scripts) + 6; counts["script"] != want || counts["title"] != 1 {
		t.Errorf("%d scripts, want %d; %d titles", counts["script"], want, counts["title"])
	}
	if strings.Contains(text, "\u2028") {
		t.Error("a line separator stands in a document")
	}
}

// TestPolicy checks that a page allows no request, and only its own code by its hash.
func TestPolicy(t *testing.T) {
	text := written(t, &Report{})
	policy := regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(text)
	if policy == nil || !strings.HasPrefix(policy[1], "default-src 'none'; script-src 'sha256-") || strings.Contains(policy[1], "unsafe") || strings.Contains(policy[1], "http") {
		t.Fatalf("policy %q", policy)
	}
	if n := strings.Count(policy[1], "'sha256-"); n != len(scripts)+len(styles) {
		t.Errorf("%d hashes for %d parts", n, len(scripts)+len(styles))
	}
	if urls := regexp.MustCompile(`(?:src|href)="[^#"]`).FindAllString(text, -1); urls != nil {
		t.Errorf("the page names resources: %q", urls)
	}
}

// TestVendored checks that libraries are as they were published, with their licences.
func TestVendored(t *testing.T) {
	f, err := os.Open("assets/vendor/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for s := bufio.NewScanner(f); s.Scan(); n++ {
		sum, name, _ := strings.Cut(s.Text(), "  ")
		b, err := os.ReadFile("assets/vendor/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if got := sha256.Sum256(b); hex.EncodeToString(got[:]) != sum {
			t.Errorf("%s was changed", name)
		}
	}
	if n != 3 {
		t.Errorf("%d files are listed", n)
	}
}

// TestLicence checks that each page carries the licence of what it holds of others.
func TestLicence(t *testing.T) {
	if text := written(t, &Report{}); strings.Count(text, "Permission is hereby granted") != 2 || !strings.Contains(text, "Leon Sorokin") {
		t.Error("the licence of uPlot is missing beside its code or its looks")
	}
}

// TestPicture writes a picture with every kind of value.
func TestPicture(t *testing.T) {
	v := &timeline.Interval{From: 1_000_000_000, To: 1_000_000_001, InFlight: seq.Flight{Numbers: 3, Bytes: 90}, HasInFlight: true,
		Drawn: &timeline.Drawn{Sent: timeline.Range{Min: 4, Max: 5, Some: true}, Unreliable: timeline.Range{Min: 5, Max: 5, Some: true}, Delay: timeline.Range{Min: 1_500_000, Max: 2_000_000, Some: true}, Slowest: 8, Frame: 7}}
	v.Counts[measure.Bytes] = 100
	w := &timeline.Interval{From: 1_500_000_250, To: 1_500_000_251, Drawn: &timeline.Drawn{Acked: timeline.Range{Min: 6, Max: 6, Some: true}}}
	p := Picture{Connection: 2, Base: 1_000_000_000}
	p.Sides[0] = Side{Columns: []*timeline.Interval{v, w}, Window: 64,
		Marks: []timeline.Mark{{Kind: timeline.UnneededRetry, Time: 2_000_000_000, Number: 4, Frame: 9, N: 2, Delay: 40_250_000}}, Unacked: []timeline.Mark{{Time: 1_750_000_000, Number: 5, Frame: 8, N: 1}},
		Losses: []Loss{{Time: 1_250_000_000, Number: 5, Frame: 8, Place: seq.AfterCapture}}, Dropped: 1}
	const empty = `{"t":[],"frame":[],"sent_min":[],"sent_max":[],"acked_min":[],"acked_max":[],"sacked_min":[],"sacked_max":[],"unreliable_min":[],"unreliable_max":[],"delay_min_ms":[],"delay_max_ms":[],"delay_frame":[],"in_flight":[],"in_flight_bytes":[],"rtt_min_ms":[],"rtt_max_ms":[],"bytes":[],"width":0,"window":0,"marks":[],"unacked":[],"losses":[],"dropped":0}`
	const want = `{"id":2,"base_ms":1000,"directions":{"a":{"t":[0,0.5],"frame":[7,null],"sent_min":[4,null],"sent_max":[5,null],"acked_min":[null,6],"acked_max":[null,6],` +
		`"sacked_min":[null,null],"sacked_max":[null,null],"unreliable_min":[5,null],"unreliable_max":[5,null],"delay_min_ms":[1.5,null],"delay_max_ms":[2,null],"delay_frame":[8,null],"in_flight":[3,null],"in_flight_bytes":[90,null],"rtt_min_ms":[null,null],"rtt_max_ms":[null,null],"bytes":[100,null],"width":0.000000001,"window":64,` +
		`"marks":[[1,4,9,2,"unneeded-retry",40.25]],"unacked":[[0.75,5,8]],"losses":[[0.25,5,8,"after"]],"dropped":1},"b":` + empty + `}}`
	if got := string(p.append(nil)); got != want {
		t.Errorf("have %s\nwant %s", got, want)
	}
}

// TestLanes spreads a connection over columns of a second: what was lost and came after all is
// taken back, and what was cut off stays so from when one side was heard last.
func TestLanes(t *testing.T) {
	l := &Lanes{From: 5e9, Step: 1e9, Count: 8}
	for _, x := range []struct {
		name  string
		lane  Lane
		cells []cell
		want  string
	}{
		{"taken back", Lane{}, []cell{{heard: 3, lost: 2}, {heard: 3}, {heard: 3, lost: -1}, {heard: 3, waited: true}}, "l1q2w1"},
		{"nothing lost", Lane{}, []cell{{heard: 3, lost: 1}, {heard: 3, lost: -1}}, "q2"},
		{"cut off", Lane{Cut: true}, []cell{{heard: 3}, {heard: 1, lost: 1}, {heard: 1}}, "q1c2"},
		{"never answered", Lane{Cut: true}, []cell{{heard: 1}, {heard: 1}}, "c2"},
		{"reset", Lane{Cut: true, Ended: 6_500_000_000}, []cell{{heard: 3}, {heard: 3}}, "q1c1"},
		{"a cause", Lane{Spans: []Span{{6e9, 6_900_000_000, Losses}, {7e9, 99e9, Waits}}}, []cell{{heard: 3}, {heard: 3}, {heard: 3}}, "q1l1w1"},
		{"none", Lane{}, nil, ""},
	} {
		if l.settle(&x.lane, &track{cells: x.cells}); string(runs(x.lane.cells)) != x.want {
			t.Errorf("%s: %s, want %s", x.name, runs(x.lane.cells), x.want)
		}
	}
}

// TestLaneColumns divides time into columns that people count in, and any time into few.
func TestLaneColumns(t *testing.T) {
	for length, want := range map[uint64]int64{0: 1e9, 599e9: 1e9, 600e9: 2e9, 3600e9: 10e9, 1 << 62: 1<<62/mostCells + 1, 1<<64 - 1: (1<<64-1)/mostCells + 1} {
		var l Lanes
		if l.divide(length); l.Step != want || l.Count > mostCells+1 || l.Count < 1 {
			t.Errorf("%d ns are %d columns of %d ns, want of %d", length, l.Count, l.Step, want)
		}
	}
	l := &Lanes{From: -1 << 63, Step: (1<<64-1)/mostCells + 1, Count: mostCells}
	if a, b := l.column(-1<<63), l.column(1<<63-1); a != 0 || b != mostCells-1 {
		t.Errorf("the ends of time are in the columns %d and %d", a, b)
	}
}
