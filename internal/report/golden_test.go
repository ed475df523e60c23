package report

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

var update = flag.Bool("update", false, "write the golden files of report")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test ./internal/report -update writes it):\n%s", path, got)
	}
}

// harmless: no line ends in a space, and apart from our own colours nothing is
// there that a terminal might act on.
func harmless(t *testing.T, text []byte) {
	t.Helper()
	for line := range strings.Lines(string(text)) {
		if strings.HasSuffix(line, " \n") {
			t.Errorf("space at the end of %q", line)
		}
	}
	colours := strings.NewReplacer("\n", "", "\x1b[0m", "", "\x1b[1m", "", "\x1b[2m", "", "\x1b[31m", "", "\x1b[33m", "", "\x1b[36m", "")
	for _, r := range colours.Replace(string(text)) {
		if !unicode.IsPrint(r) {
			t.Errorf("%U in the output", r)
		}
	}
}

func TestText(t *testing.T) {
	for name, opts := range map[string]TextOptions{
		"text":    {},
		"colour":  {Palette: terminal.Colours()},
		"narrow":  {Width: 70, Verbose: true},
		"wide":    {Width: 300},
		"quiet":   {Quiet: true},
		"verbose": {Verbose: true},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := WriteText(&out, fixture(), opts); err != nil {
				t.Fatal(err)
			}
			harmless(t, out.Bytes())
			golden(t, "analysis-"+name+".txt", out.Bytes())
		})
	}
}

func TestTextWithoutConnections(t *testing.T) {
	a := &Analysis{Captures: []capture.Info{{Path: "x.pcap", Format: "pcap", Packets: 1, Bytes: 1}}}
	out := AppendText(nil, a, TextOptions{})
	a.Totals.Packets, a.Totals.UDPDatagrams, a.Totals.OtherUDP = 1, 1, 1
	out = AppendText(append(out, "----\n"...), a, TextOptions{})
	harmless(t, out)
	golden(t, "analysis-none.txt", out)
}

// many gives an analysis of n connections, each with a finding.
func many(n int) *Analysis {
	a := &Analysis{}
	for i := range n {
		c := forcedConn()
		c.FirstFrame = uint64(n - i)
		a.Conns = append(a.Conns, c)
		a.Findings = append(a.Findings, session.Finding{Rule: &conform.Rule{ID: "R-1"}, Conn: c, Dir: session.SideA, Frame: uint64(n - i), Message: "m"})
	}
	session.Number(a.Conns)
	SortFindings(a.Findings)
	return a
}

func TestManyConnections(t *testing.T) {
	out := AppendText(nil, many(9), TextOptions{})
	harmless(t, out)
	golden(t, "analysis-many.txt", out)
	for n, want := range map[int]bool{1: true, 2: false} {
		if got := bytes.Contains(AppendText(nil, many(n), TextOptions{}), []byte("RTT min")); got != want {
			t.Errorf("%d connections: in full %v", n, got)
		}
		if !bytes.Contains(AppendText(nil, many(n), TextOptions{Verbose: true}), []byte("RTT min")) {
			t.Errorf("%d connections are not in full with Verbose", n)
		}
	}
}

func TestWidth(t *testing.T) {
	for _, width := range []int{80, 100, 120, 160} {
		for line := range strings.Lines(string(AppendText(nil, many(20), TextOptions{Width: width, Quiet: true}))) {
			if n := len([]rune(line)) - 1; n > width {
				t.Errorf("%d columns of %d: %s", n, width, line)
			}
		}
	}
}

func TestMessageLines(t *testing.T) {
	clock := &render.Clock{}
	clock.AdvanceTime(start, true)
	var out []byte
	for _, l := range []*MessageLines{NewMessageLines(render.Palette{}, clock, 120), NewMessageLines(terminal.Colours(), nil, 80)} {
		out = l.AppendHeader(out)
		for i, m := range messages() {
			out = l.AppendLine(out, AppendMessageCells(nil, m), i*100)
		}
		out = l.AppendEnd(out)
	}
	harmless(t, out)
	golden(t, "messages.txt", out)
}

func TestValues(t *testing.T) {
	for _, tt := range [][2]string{
		{terminal.Size(0), "0 B"}, {terminal.Size(999), "999 B"}, {terminal.Size(1000), "1.00 kB"}, {terminal.Size(9999), "10.0 kB"}, {terminal.Size(999_600), "1.00 MB"},
		{terminal.Size(123_456_789), "123 MB"}, {terminal.Size(5e12), "5.00 TB"},
		{terminal.Millis(0), "0.00 ms"}, {terminal.Millis(9_994_999), "9.99 ms"}, {terminal.Millis(9_995_001), "10.0 ms"}, {terminal.Millis(1234e6), "1234 ms"},
		{terminal.Span(-1), "unknown time"}, {terminal.Span(5e6), "5.00 ms"}, {terminal.Span(62_412e6), "62.4 s"}, {terminal.Span(125e9), "2m05s"}, {terminal.Span(3723e9), "1h02m03s"},
		{terminal.Percent(0, 9), "0%"}, {terminal.Percent(1, 100000), "<0.1%"}, {terminal.Percent(1, 80), "1.2%"}, {terminal.Percent(99, 100), "99%"},
		{terminal.Counted(1, "packet"), "1 packet"}, {terminal.Counted(0, "packet"), "0 packets"},
		{fmt.Sprint(confidence(-1)), "0"}, {fmt.Sprint(confidence(64.05)), "64.1"},
	} {
		if tt[0] != tt[1] {
			t.Errorf("got %s, want %s", tt[0], tt[1])
		}
	}
}

func BenchmarkText(b *testing.B) {
	for _, n := range []int{200, 5000} {
		a := many(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				AppendText(nil, a, TextOptions{})
			}
		})
	}
}

func BenchmarkJSON(b *testing.B) {
	a := many(5000)
	for b.Loop() {
		jsonOf(a)
	}
}
