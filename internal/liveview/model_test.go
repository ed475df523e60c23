package liveview

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"pgregory.net/rapid"

	"github.com/dpdissect/dpdissect/internal/sampler"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

var update = flag.Bool("update", false, "write the golden files of liveview")

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
		t.Errorf("%s differs (go test ./internal/liveview -update writes it):\n%s", path, got)
	}
}

// press sends keys by their names.
func press(m *model, keys ...string) {
	for _, k := range keys {
		m.Update(keyOf(k))
	}
}

var named = map[string]rune{
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	"home": tea.KeyHome, "end": tea.KeyEnd, "enter": tea.KeyEnter, "esc": tea.KeyEscape, "backspace": tea.KeyBackspace, "f1": tea.KeyF1,
}

func keyOf(name string) tea.KeyPressMsg {
	switch {
	case strings.HasPrefix(name, "ctrl+"):
		return tea.KeyPressMsg{Code: rune(name[len("ctrl+")]), Mod: tea.ModCtrl}
	case name == "space":
		return tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	case named[name] != 0:
		return tea.KeyPressMsg{Code: named[name]}
	}
	r, _ := utf8.DecodeRuneInString(name)
	return tea.KeyPressMsg{Code: r, Text: name}
}

func resize(m *model, w, h int) { m.Update(tea.WindowSizeMsg{Width: w, Height: h}) }

// bare gives what is on the screen, without sequences and spaces at the ends of lines.
func bare(text []byte) string {
	var out strings.Builder
	for seq := false; len(text) > 0; {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == '\x1b':
			seq = true
		case seq:
			seq = r != 'm'
		default:
			out.WriteRune(r)
		}
		text = text[n:]
	}
	lines := strings.Split(out.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

func shown(w, h, conns int, keys ...string) *model {
	m := newModel(Options{Color: true})
	resize(m, w, h)
	m.show(demo(conns, 60))
	m.draw()
	for _, k := range keys {
		press(m, k)
		m.draw()
	}
	return m
}

// TestScreens compares whole screens.
func TestScreens(t *testing.T) {
	for _, c := range []struct {
		name        string
		w, h, conns int
		keys        []string
	}{
		{"list-40x8", 40, 8, 12, nil},
		{"list-80x24", 80, 24, 40, []string{"down", "down", "down"}},
		{"list-140x40", 140, 40, 60, []string{"9"}},
		{"list-300x100", 300, 100, 30, nil},
		{"list-20x4", 20, 4, 12, []string{"down"}},
		{"none-80x10", 80, 10, 0, nil},
		{"filter-80x12", 80, 12, 40, []string{"/", "k", "n", "e", "t", "enter"}},
		{"filter-nothing-60x8", 60, 8, 40, []string{"/", "n", "o", "n", "e"}},
		{"paused-80x8", 80, 8, 4, []string{"p"}},
		{"detail-80x24", 80, 24, 40, []string{"down", "down", "down", "down", "down", "enter"}},
		{"detail-140x40", 140, 40, 40, []string{"down", "down", "down", "down", "down", "enter"}},
		{"detail-40x40-plots", 40, 40, 40, []string{"down", "down", "down", "down", "down", "enter", "pgdown"}},
		{"detail-40x12-end", 40, 12, 40, []string{"down", "down", "down", "down", "down", "enter", "end"}},
		{"help-80x60", 80, 60, 4, []string{"h"}},
	} {
		golden(t, c.name+".txt", []byte(bare(shown(c.w, c.h, c.conns, c.keys...).draw())))
	}
}

// TestColour shows colour where it is wanted, and only emphasis where it is not.
func TestColour(t *testing.T) {
	m := shown(100, 10, 12, "down")
	golden(t, "colour-100x10.txt", m.draw())
	m.look = newLook(false)
	for _, seq := range []string{"\x1b[31m", "\x1b[33m", "\x1b[36m"} {
		if bytes.Contains(m.draw(), []byte(seq)) {
			t.Errorf("%q without colour", seq)
		}
	}
	if !bytes.Contains(m.draw(), []byte("\x1b[7m▸")) {
		t.Error("the picked row can't be told from others")
	}
}

// TestPickFollows keeps the pick on its connection while rows are ordered again.
func TestPickFollows(t *testing.T) {
	m := shown(80, 24, 40, "down", "down", "down", "down", "down")
	want := m.row(m.at).Name[0]
	if m.at != 4 || want != "192.168.0.14:50004" {
		t.Fatalf("place %d, %s", m.at, want)
	}
	for i, k := range []string{"s", "s", "r", "4", "3", "r"} {
		press(m, k)
		m.show(demo(40, 61+int64(i)))
		m.draw()
		if got := m.row(m.at).Name[0]; got != want || m.at < m.top || m.at >= m.top+m.lines() {
			t.Errorf("after %s: %s at %d, the screen shows from %d on; want %s", k, got, m.at, m.top, want)
		}
	}
	gone := demo(40, 70)
	gone.Rows = append(gone.Rows[:4:4], gone.Rows[5:]...)
	before := m.at
	m.show(gone)
	if m.at != before || m.row(m.at).Name[0] == want {
		t.Errorf("a connection that left: place %d, before %d", m.at, before)
	}
	press(m, "esc")
	if m.picked != 0 {
		t.Error("esc picks nothing")
	}
}

// TestSort orders by each column on the screen, the most interesting first.
func TestSort(t *testing.T) {
	m := shown(300, 50, 40)
	if len(m.shown) != len(columns) {
		t.Fatalf("%d columns", len(m.shown))
	}
	for i := range columns {
		if m.sort != i {
			t.Fatalf("column %d, want %d", m.sort, i)
		}
		for _, reverse := range []bool{false, true} {
			known := true
			for at := 1; at < len(m.order); at++ {
				a, b := m.row(at-1), m.row(at)
				if columns[i].compare(a, b, reverse) >= 0 {
					t.Errorf("%s, reverse %v: %s before %s", columns[i].head, reverse, a.Name[0], b.Name[0])
				}
				if columns[i].key != nil {
					if !known && columns[i].key(b).Known {
						t.Errorf("%s: what is known stands behind what is not", columns[i].head)
					}
					known = columns[i].key(b).Known
				}
			}
			press(m, "r")
		}
		press(m, "right")
	}
	press(m, "8")
	if columns[m.sort].head != "Ping" || m.row(0).Ping().V < m.row(1).Ping().V || m.reverse {
		t.Errorf("key 8: %s, %v before %v", columns[m.sort].head, m.row(0).Ping(), m.row(1).Ping())
	}
	press(m, "8")
	if !m.reverse || m.row(0).Ping().V > m.row(1).Ping().V {
		t.Error("the same once more does not reverse")
	}
	press(m, "left")
	if columns[m.sort].head != "Idle" {
		t.Errorf("left of Ping: %s", columns[m.sort].head)
	}
}

// TestFilterKeys types a filter and corrects it.
func TestFilterKeys(t *testing.T) {
	m := shown(80, 12, 4)
	for _, c := range []struct {
		keys []string
		want string
	}{
		{[]string{"/", "k", "n", "x"}, "knx"},
		{[]string{"backspace"}, "kn"},
		{[]string{"e", "t"}, "knet"},
		{[]string{"ctrl+u", "backspace"}, ""},
		{[]string{"d", "p", "4", "enter"}, "dp4"},
		{[]string{"/", "esc"}, ""},
	} {
		if press(m, c.keys...); m.filter != c.want {
			t.Fatalf("after %q the filter is %q, want %q", c.keys, m.filter, c.want)
		}
	}
}

// TestPause shows nothing new until it ends, then the newest.
func TestPause(t *testing.T) {
	m := shown(80, 24, 4, "space")
	for s := range int64(3) {
		m.Update(snapshotMsg{demo(4, 61+s)})
	}
	if m.snap.Elapsed != 60*second || !strings.Contains(bare(m.draw()), "PAUSED") {
		t.Errorf("%d s while paused", m.snap.Elapsed/second)
	}
	press(m, "p")
	if m.snap.Elapsed != 63*second || strings.Contains(bare(m.draw()), "PAUSED") {
		t.Errorf("%d s afterwards", m.snap.Elapsed/second)
	}
}

// TestDetailOfOneThatLeft keeps showing it as it was.
func TestDetailOfOneThatLeft(t *testing.T) {
	m := shown(80, 30, 3, "down", "enter")
	next := demo(3, 62)
	next.Rows = next.Rows[1:]
	m.show(next)
	if text := bare(m.draw()); !strings.Contains(text, "#0 dp8 1.6") || !strings.Contains(text, "gone from the list") {
		t.Errorf("%s", text)
	}
	press(m, "right")
	if text := bare(m.draw()); !strings.Contains(text, "#1 knet") && !strings.Contains(text, "#2 hazel") {
		t.Errorf("its neighbour: %s", text)
	}
	press(m, "esc")
	if m.page != listPage {
		t.Error("esc goes back to the list")
	}
}

// TestDropped tells of lost packets however narrow the screen is.
func TestDropped(t *testing.T) {
	for _, w := range []int{30, 40, 80, 200} {
		m := shown(w, 8, 4)
		m.snap.Dropped = 12345
		if text := m.draw(); !bytes.Contains(text, []byte("\x1b[31m12345 dropped")) {
			t.Errorf("width %d: %s", w, bare(text))
		}
	}
}

// TestQuit ends by every key that says so, and by no other.
func TestQuit(t *testing.T) {
	for _, c := range []struct {
		keys []string
		quit bool
	}{
		{[]string{"q"}, true}, {[]string{"ctrl+c"}, true}, {[]string{"h", "q"}, true}, {[]string{"enter", "q"}, true},
		{[]string{"/", "q"}, false}, {[]string{"/", "ctrl+c"}, true}, {[]string{"esc"}, false}, {[]string{"x"}, false},
	} {
		m := shown(80, 24, 4)
		var cmd tea.Cmd
		for _, k := range c.keys {
			_, cmd = m.Update(keyOf(k))
		}
		if got := cmd != nil; got != c.quit {
			t.Errorf("%q: quit %v", c.keys, got)
		}
	}
}

// TestEscapes lets no name or message drive the terminal.
func TestEscapes(t *testing.T) {
	var s sampler.Sampler
	c := &session.Conn{Dir: new([2]seq.Direction), Protocol: protocol("dp8"), Dialect: "\x1b[2J", FirstStamp: demoStart, LastStamp: demoStart, HasTime: true, Findings: [3]uint64{1, 0, 0}}
	s.Note(&session.Finding{Conn: c, Rule: &conform.Rule{ID: "X-1"}, Message: "\x1b]0;title\x07\u202e\n"})
	m := newModel(Options{})
	m.show(s.Snapshot(sampler.Status{Now: demoStart + second, Started: demoStart, Interfaces: []string{"e\x1b[31mth0\r"}}, []*session.Conn{c}))
	resize(m, 200, 40)
	for _, key := range []string{"esc", "enter"} {
		press(m, key)
		text := bare(m.draw())
		if strings.ContainsAny(text, "\x07\r\x1b\u202e") {
			t.Errorf("%q", text)
		}
		if !strings.Contains(text, `e\x1b[31mth0\r`) {
			t.Errorf("no interface in %q", text)
		}
	}
	if text := bare(m.draw()); !strings.Contains(text, `\x1b]0;title\x07\u202e\n`) {
		t.Errorf("no message in %s", text)
	}
}

// TestDrawAnything holds every screen to its size, whatever was done before.
func TestDrawAnything(t *testing.T) {
	keys := []string{"up", "down", "left", "right", "pgup", "pgdown", "home", "end", "enter", "esc", "backspace", "f1", "space",
		"q", "s", "S", "r", "p", "h", "/", "1", "5", "9", "j", "k", "g", "G", "1", "x", "é"}
	rapid.Check(t, func(t *rapid.T) {
		m := newModel(Options{Color: rapid.Bool().Draw(t, "colour")})
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				resize(m, rapid.IntRange(0, 320).Draw(t, "w"), rapid.IntRange(0, 60).Draw(t, "h"))
			case 1:
				s := demo(rapid.IntRange(0, 50).Draw(t, "conns"), rapid.Int64Range(0, 100_000).Draw(t, "at"))
				for i := range s.Rows { // some are others than before
					s.Rows[i].Key += uint64(rapid.IntRange(0, 3).Draw(t, "moved")) * 1000
				}
				m.Update(snapshotMsg{s})
			default:
				m.Update(keyOf(rapid.SampledFrom(keys).Draw(t, "key")))
			}
			if err := fits(m); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// fits reports a screen that is not as large as it must be.
func fits(m *model) error {
	text := m.draw()
	lines := bytes.Split(text, []byte("\n"))
	if want := max(m.height, 1); len(lines) != want {
		return fmt.Errorf("%d lines on a screen of %d:\n%s", len(lines), want, bare(text))
	}
	for _, l := range lines {
		if n := lipgloss.Width(string(l)); n > max(m.width, 1) {
			return fmt.Errorf("%d columns on a screen of %d: %s", n, m.width, l)
		}
	}
	return nil
}

// BenchmarkDraw draws a screen of many connections.
func BenchmarkDraw(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		m := shown(140, 40, n, "down")
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m.draw()
			}
		})
	}
}

// BenchmarkShow takes a snapshot of many connections and draws the screen.
func BenchmarkShow(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		m := shown(140, 40, n, "down", "8")
		s := []*sampler.Snapshot{demo(n, 61), demo(n, 62)}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				m.show(s[i&1])
				m.draw()
			}
		})
	}
}
