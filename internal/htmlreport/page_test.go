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
	if want := len(scripts) + 5; counts["script"] != want || counts["title"] != 1 {
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
		Drawn: &timeline.Drawn{Sent: timeline.Range{Min: 4, Max: 5, Some: true}, Frame: 7}}
	v.Counts[timeline.Bytes] = 100
	w := &timeline.Interval{From: 1_500_000_250, To: 1_500_000_251, Drawn: &timeline.Drawn{Acked: timeline.Range{Min: 6, Max: 6, Some: true}}}
	p := Picture{Connection: 2, Base: 1_000_000_000}
	p.Sides[0] = Side{Columns: []*timeline.Interval{v, w}, Window: 64,
		Marks:  []timeline.Mark{{Kind: timeline.UnneededRetry, Time: 2_000_000_000, Number: 4, Frame: 9, N: 2}},
		Losses: []Loss{{Time: 1_250_000_000, Number: 5, Frame: 8, Place: seq.AfterCapture}}, Dropped: 1}
	const empty = `{"t":[],"frame":[],"sent_min":[],"sent_max":[],"acked_min":[],"acked_max":[],"sacked_min":[],"sacked_max":[],"in_flight":[],"in_flight_bytes":[],"rtt_min_ms":[],"rtt_max_ms":[],"bytes":[],"width":0,"window":0,"marks":[],"losses":[],"dropped":0}`
	const want = `{"id":2,"base_ms":1000,"directions":{"a":{"t":[0,0.5],"frame":[7,null],"sent_min":[4,null],"sent_max":[5,null],"acked_min":[null,6],"acked_max":[null,6],` +
		`"sacked_min":[null,null],"sacked_max":[null,null],"in_flight":[3,null],"in_flight_bytes":[90,null],"rtt_min_ms":[null,null],"rtt_max_ms":[null,null],"bytes":[100,null],"width":0.000000001,"window":64,` +
		`"marks":[[1,4,9,2,"unneeded-retry"]],"losses":[[0.25,5,8,"after"]],"dropped":1},"b":` + empty + `}}`
	if got := string(p.append(nil)); got != want {
		t.Errorf("have %s\nwant %s", got, want)
	}
}
