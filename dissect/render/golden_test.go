package render

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files of render")

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
		t.Errorf("%s differs (go test ./dissect/render -update writes it):\n%s", path, got)
	}
}

// A line names a rule once, however many findings of it there are.
func TestSummaryRuleOnce(t *testing.T) {
	fr := fakeFrame()
	fr.Notes = append(fr.Notes, fr.Notes...)
	line := string(NewSummary(Palette{}).AppendLine(nil, fr, &Clock{}))
	for _, rule := range []string{"[FAKE-1.2]", "[FAKE-2]"} {
		if strings.Count(line, rule) != 1 {
			t.Errorf("%s stands %d times in %q", rule, strings.Count(line, rule), line)
		}
	}
}

func TestSummaryLine(t *testing.T) {
	var out []byte
	s, clock := NewSummary(Palette{}), &Clock{}
	clock.AdvanceTime(firstTime-250*int64(time.Microsecond), true)
	out = s.AppendLine(out, fakeFrame(), clock)
	out = s.AppendLine(out, plainFrame(), clock)
	cut := fakeFrame()
	cut.Length, cut.Words = 1000, 0
	out = s.AppendLine(out, cut, clock)
	out = NewSummary(ANSI()).AppendLine(out, fakeFrame(), clock)
	golden(t, "summary.txt", out)
}

func TestVerbose(t *testing.T) {
	clock := &Clock{}
	clock.AdvanceTime(firstTime-second, true)
	v := NewVerbose(Palette{}, fakeProtocols)
	v.Dump = true
	golden(t, "verbose.txt", v.AppendFrame(v.AppendFrame(nil, fakeFrame(), clock), plainFrame(), clock))
	golden(t, "verbose-colour.txt", NewVerbose(ANSI(), fakeProtocols).AppendFrame(nil, fakeFrame(), clock))
}

func TestHexDump(t *testing.T) {
	mark := Style{"<", ">"}
	out := AppendHexDump(nil, fakePayload(), mark, Range{3, 4}, Range{14, 20}, Range{74, 1})
	out = AppendHexDump(append(out, '\n'), fakePayload()[:17], Style{}, Range{0, 4})
	golden(t, "hexdump.txt", out)
	big := AppendHexDump(nil, make([]byte, 65552), Style{})
	if !bytes.Contains(big, []byte("\nfff0  ")) || !bytes.Contains(big, []byte("\n10000  ")) {
		t.Error("offsets beyond 64 KiB")
	}
}

func TestFieldsReference(t *testing.T) {
	js, err := FieldsJSON(fakeProtocols)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "fields.json", js)
	golden(t, "fields.md", FieldsMarkdown(append(fakeProtocols[:1:1], Packet)))
}

// A datagram of no connection tells what it may be when something speaks for it.
func TestPossible(t *testing.T) {
	for possible, want := range map[string]bool{"": false, "fake": true} {
		fr := plainFrame()
		fr.Possible = possible
		out := string(NewVerbose(Palette{}, nil).AppendFrame(nil, fr, &Clock{}))
		if strings.Contains(out, "bytes), possibly fake\n") != want || strings.Contains(out, "possibly") != want {
			t.Errorf("possibly %q: %s", possible, out)
		}
	}
}
