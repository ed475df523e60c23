package main

import (
	"encoding/binary"
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/dpdissect/dpdissect/internal/testbed/excerpt"
)

// hostileTexts are what a server may send a player away with. Each speaks to another kind of
// reader: terminals, spreadsheets, logs of continuous integration, pages and pictures.
var hostileTexts = []string{
	"\x1b]52;c;cm0gLXJm\x07\x1b]8;;http://evil.test\x07click\x1b]8;;\x07\x1b[2J\x1b[31mred",
	"\u009b2J\u009d52;c;x\u009c red \u202eevil\u2066 \u200f\u2028\u2029 \x00\x7f\xff\xfe",
	"red\r\n::error::=1+1\n##vso[task.complete]\n##[error]x\n::add-mask::a",
	"=HYPERLINK(\"http://evil.test\";\"red\"),=1+1\n=cmd|' /C calc'!A0",
	"@SUM(1+1)*red", "+1 red", "-1 red", "\t=1 red", "＝1 red", "\r=1+red",
	"red | a | b |\n|---|---|\n`code` ![x](http://evil.test) <img src=x onerror=alert(1)> [link](http://evil.test)",
	"red </script><script>alert(1)</script><!-- ]]> --> &amp; \" ' </text></svg> %% ; #quot; end",
	"red\n    B->>A: forged\n    note over A: forged\nend\n",
}

// TestHostileReason checks that what a packet says reaches people without what would speak to
// a terminal, a page or a table: in every format of every command, with every flag, on
// standard output, on standard error, in files that are written, and in their names.
func TestHostileReason(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	all := []string{filepath.Join("..", "..", "testdata", "pcaps", "hazel", "kicked-hostile.pcap")}
	for i, text := range hostileTexts {
		name := filepath.Join(dir, "hostile")
		if i%2 == 1 { // names of files are not the program's either
			name = filepath.Join(dir, "=1+1 \x1b[31m\u202e|::error::<script>")
		}
		all = append(all, hostileCapture(t, name+string(rune('a'+i))+".pcapng", text))
	}
	list := forms()
	for i, path := range all {
		for k, f := range list {
			alone := len(f.flags) == len(needed[f.command])
			if k%len(all) != i && !(alone && i%5 == k%5) && os.Getenv(everyForm) != "all" {
				continue
			}
			p := f.print(t, path)
			if err := p.fault(); err != nil {
				t.Errorf("%s: %v", f, err)
			}
			for _, bad := range p.harms() {
				t.Errorf("%s: %s of %q", f, bad, path)
			}
		}
	}
	for i, path := range all[1:] { // the words are there all the same
		for _, format := range []string{"text", "json", "markdown"} {
			if out, _, _ := call(t, "explain", "--format", format, path); !strings.Contains(out, "red") {
				t.Errorf("explain --format %s left the words %q out, too:\n%s", format, hostileTexts[i], out)
			}
		}
	}
}

// hostileCapture writes one in which a server sends a player away with a text, and in which
// messages are that text, too.
func hostileCapture(t testing.TB, path, text string) string {
	t.Helper()
	all := excerpt.Read(t, filepath.Join("..", "..", "testdata", "pcaps", "hazel", "kicked-hostile.pcap"))
	const disconnect, reliable = 0x09, 0x01
	n := 0
	for i := range all {
		p := &all[i]
		switch body := p.Data[p.Payload:]; {
		case len(body) > 4 && body[0] == disconnect:
			said := binary.LittleEndian.AppendUint16([]byte{disconnect, 1}, uint16(len(text)+2))
			if len(text) > 127 {
				t.Fatalf("%q is too long", text)
			}
			p.SetPayload(append(append(said, 0, 8, byte(len(text))), text...))
			n++
		case len(body) > 8 && body[0] == reliable:
			p.SetPayload(append(slices.Clone(body[:3]), text...))
			n++
		}
	}
	if n < 5 {
		t.Fatalf("only %d datagrams have the text", n)
	}
	if err := os.WriteFile(path, excerpt.AsFile(all), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// ownColour is what the program itself writes with --color always.
var ownColour = regexp.MustCompile("\x1b\\[[0-9;]*m")

// harms lists what of a printout would do what the program does not say.
func (p *printout) harms() (all []string) {
	out := p.out
	if p.format == "pcapng" { // packets are as they were: what is said of them counts
		out = strings.Join(comments(p.out), "\n")
	}
	if slices.Contains(p.flags, "--color") {
		out = ownColour.ReplaceAllString(out, "")
	}
	all = append(all, inText("standard output", out, p.format)...)
	all = append(all, inText("standard error", p.errs, "text")...)
	all = append(all, inLog("standard error", p.errs)...)
	switch p.format { // what is read in logs
	case "text", "github", "csv", "markdown", "fields":
		all = append(all, inLog("standard output", out)...)
	}
	for name, text := range p.files {
		all = append(all, inText("the name "+name, name, "text")...)
		if !strings.HasPrefix(name, "/payloads/") && !strings.HasSuffix(name, ".pcapng") { // which are as they were, or packets
			all = append(all, inText(name, text, strings.TrimPrefix(name, "/"))...)
		}
	}
	return all
}

// inText lists what of a text of a format speaks to what reads it.
func inText(where, text, format string) (all []string) {
	add := func(what string) { all = append(all, where+" has "+what) }
	for i, r := range text {
		width := 1
		if r == utf8.RuneError {
			_, width = utf8.DecodeRuneInString(text[i:])
		}
		switch {
		case r == utf8.RuneError && width == 1:
			add("a byte that is no UTF-8")
		case r == '\n', r == '\t' && format != "json", r == '\r' && format == "csv" && strings.HasPrefix(text[i:], "\r\n"):
			continue
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
			add("the character " + strconv.QuoteRuneToASCII(r))
		default:
			continue
		}
		break
	}
	bad := map[string][]string{
		"html":     {"<script>alert", "<img src", "</text>", "-->"},
		"svg":      {"<script", "<img"},
		"junit":    {"<script", "<img"},
		"markdown": {"<script", "<img", "[link](", "![x]", " | a | b", " `code"},
		"mermaid":  {"<script", "<img", "\n    B->>A: forged", "\n    note over A: forged"},
	}
	for _, x := range bad[format] {
		if strings.Contains(text, x) {
			add(x)
		}
	}
	if format == "csv" {
		all = append(all, formulas(where, text)...)
	}
	return all
}

// inLog lists the lines of a text that systems of continuous integration would obey.
func inLog(where, text string) (all []string) {
	for line := range strings.Lines(text) {
		if l := strings.TrimLeft(line, " \t"); strings.HasPrefix(l, "::error::=1") || strings.HasPrefix(l, "::add-mask") || strings.Contains(l, "##vso[") || strings.Contains(l, "##[error]") {
			all = append(all, where+" has a command of a log: "+line)
		}
	}
	return all
}

// formulas lists the cells of a table that a spreadsheet would run.
func formulas(where, text string) (all []string) {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return []string{where + ": " + err.Error()}
	}
	for _, row := range rows {
		for _, cell := range row {
			if r, _ := utf8.DecodeRuneInString(cell); strings.ContainsRune("=+-@\t\r\n＝＋－＠", r) {
				all = append(all, where+" has the formula "+cell)
			}
		}
	}
	return all
}

// comments are those of the packets of a pcapng file.
func comments(file string) (all []string) {
	le := binary.LittleEndian
	for b := []byte(file); len(b) >= 12; {
		kind, size := le.Uint32(b), int(le.Uint32(b[4:]))
		if size < 12 || size > len(b) {
			break
		}
		if kind == 6 && size >= 32 {
			n := int(le.Uint32(b[20:]))
			for o := b[min(28+(n+3)&^3, size-4) : size-4]; len(o) >= 4; {
				code, long := le.Uint16(o), int(le.Uint16(o[2:]))
				if code == 0 || 4+long > len(o) {
					break
				}
				if code == 1 {
					all = append(all, string(o[4:4+long]))
				}
				o = o[min(4+(long+3)&^3, len(o)):]
			}
		}
		b = b[size:]
	}
	return all
}

// TestHarmsAreFound shows that the check can fail.
func TestHarmsAreFound(t *testing.T) {
	for _, c := range []struct{ format, text string }{
		{"text", "\x1b[31m"}, {"text", "a\u202eb"}, {"text", "a\xff"}, {"text", "\u009b"}, {"json", "\u2028"}, {"text", "a\rb"},
		{"csv", "a,=1\r\n"}, {"csv", "a,＠x\r\n"}, {"svg", "<script"}, {"markdown", "x | a | b |"}, {"mermaid", "x\n    B->>A: forged"},
	} {
		p := printout{form: form{"any", c.format, nil}, out: c.text}
		if len(p.harms()) == 0 {
			t.Errorf("nothing is wrong with %q as %s", c.text, c.format)
		}
	}
	for _, text := range []string{"x\n::error::=1+1", " ::add-mask::a", "a ##vso[task]", "##[error]x"} {
		p := printout{form: form{"check", "github", nil}, out: text}
		q := printout{form: form{"any", "json", nil}, errs: text}
		r := printout{form: form{"decode", "text", nil}, out: text}
		if len(p.harms()) == 0 || len(q.harms()) == 0 || len(r.harms()) == 0 {
			t.Errorf("nothing is wrong with %q in a log", text)
		}
	}
	p := printout{form: form{"any", "text", []string{"--color", "always"}}, out: "\x1b[31mred\x1b[0m", files: map[string]string{"/a\x07": ""}}
	if got := p.harms(); len(got) != 1 {
		t.Errorf("found %q", got)
	}
}
