package main

import (
	"bytes"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/piecewise"
	"github.com/dpdissect/dpdissect/internal/state"
)

// stepwise analyses pieces one by one, each from the state that the one before left, and gives the last document
// and the last state. Each step has another number of workers.
func stepwise(t *testing.T, format string, files []string) (doc string, left []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state")
	for i, f := range files {
		args := []string{"analyze", "--format", format, "--workers", strconv.Itoa(1 + i%3), "--state-out", path, f}
		if i > 0 {
			args = append(args, "--state-in", path)
		}
		doc = output(t, args...)
	}
	left, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return doc, left
}

// randomPieces cuts a capture at random packets, always at the same ones. Pieces may be empty.
func randomPieces(t *testing.T, path string, all []capture.Record) []string {
	h := fnv.New64a()
	h.Write([]byte(filepath.Base(path)))
	rnd := rand.New(rand.NewPCG(h.Sum64(), 1))
	a, b := rnd.IntN(len(all)+1), rnd.IntN(len(all)+1)
	a, b = min(a, b), max(a, b)
	return []string{piece(t, all, 0, a), piece(t, all, a, b), piece(t, all, b, len(all))}
}

// piece writes some packets of a capture.
func piece(t *testing.T, all []capture.Record, from, to int) string {
	t.Helper()
	var b bytes.Buffer
	w, err := capture.NewWriter(&b, capture.WriterOptions{Format: "pcap", Nanoseconds: true, Interfaces: []capture.Interface{{Link: all[0].Link}}})
	if err != nil {
		t.Fatal(err)
	}
	for i := from; i < to; i++ {
		if err := w.Write(&all[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "piece.pcap")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPiecesAreOnePass: a capture that is cut at any packets and analysed piece by piece gives the bytes of one pass,
// in all formats, and a state of the same bytes each time.
func TestPiecesAreOnePass(t *testing.T) {
	t.Parallel()
	formats := []string{"json", "text", "csv", "ndjson"}
	for turn, path := range captures(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			all := packets(t, path)
			files := randomPieces(t, path, all)
			format := formats[turn%len(formats)]
			got, left := stepwise(t, format, files)
			if want := output(t, append([]string{"analyze", "--format", format}, files...)...); got != want {
				t.Errorf("%s of pieces differs at %s", format, difference(got, want))
			}
			if hasTurn(turn, 16) {
				got, again := stepwise(t, "json", files)
				if want := printed(t, "analyze", "--format", "json", path); neutral(t, []string{"analyze"}, got) != neutral(t, []string{"analyze"}, want) {
					t.Errorf("%d pieces of %s differ from one pass at %s", len(files), path, difference(got, want))
				}
				if !bytes.Equal(left, again) {
					t.Error("the same packets, cut alike, make another state")
				}
				testEveryCut(t, all)
			}
		})
	}
}

// testEveryCut analyses the beginning of a capture packet by packet.
func testEveryCut(t *testing.T, all []capture.Record) {
	all = all[:min(len(all), 16)]
	var files []string
	for i := range all {
		files = append(files, piece(t, all, i, i+1))
	}
	whole := piece(t, all, 0, len(all))
	got, _ := stepwise(t, "json", files)
	want := output(t, "analyze", "--format", "json", whole)
	if neutral(t, []string{"analyze"}, got) != neutral(t, []string{"analyze"}, want) {
		t.Errorf("packet by packet it differs at %s", difference(got, want))
	}
}

// TestStateTypes: all that tables, and what commands keep beside them, lead to can be written.
func TestStateTypes(t *testing.T) {
	if _, unknown := piecewise.Types(); len(unknown) > 0 {
		t.Errorf("can't be written: %q", unknown)
	}
}

// rowsBelow are the rows of all tables below a folder, each after the name of its table and without its step, in
// the order of their texts, and in how many steps they are.
func rowsBelow(t *testing.T, dir string) (rows []string, steps int) {
	t.Helper()
	seen := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		seen[filepath.Base(path)] = true
		table, _, _ := strings.Cut(strings.TrimPrefix(path, dir+string(filepath.Separator)), string(filepath.Separator))
		b, err := os.ReadFile(path)
		for line := range strings.Lines(string(b)) {
			rows = append(rows, table+" "+stepOf.ReplaceAllString(line, ""))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(rows)
	return rows, len(seen)
}

var stepOf = regexp.MustCompile(`"step":\d+,?`)

// TestRowsOfPiecesAreOnePass: the rows of all steps are those of one pass, each once, also of captures so long that
// most rows are final before the end.
func TestRowsOfPiecesAreOnePass(t *testing.T) {
	t.Parallel()
	several := 0
	for turn, path := range captures(t) {
		if turn%6 != 2 && os.Getenv(everyForm) != "all" {
			continue
		}
		for _, slow := range []int64{1, 4000} {
			all := packets(t, path)
			for i := range all {
				all[i].Time = all[0].Time + (all[i].Time-all[0].Time)*slow
			}
			whole, parts := t.TempDir(), t.TempDir()
			output(t, "tables", "-q", "--chain", "c", "--out", whole, piece(t, all, 0, len(all)))
			held := filepath.Join(t.TempDir(), "state")
			files := randomPieces(t, path, all)
			for i, f := range files {
				args := []string{"tables", "-q", "--chain", "c", "--out", parts, "--step", strconv.Itoa(i), f}
				if i > 0 {
					args = append(args, "--state-in", held)
				}
				if i < len(files)-1 {
					args = append(args, "--state-out", held)
				}
				output(t, args...)
			}
			want, _ := rowsBelow(t, whole)
			got, steps := rowsBelow(t, parts)
			if !slices.Equal(got, want) {
				t.Errorf("%s, %d times as slow: %d rows, want %d", path, slow, len(got), len(want))
			}
			if steps > 1 {
				several++
			}
		}
	}
	if several == 0 {
		t.Error("no rows were final before the last step")
	}
}

// stateOf makes a state of the first half of a capture, and gives the other half.
func stateOf(t *testing.T, more ...string) (path, rest string) {
	t.Helper()
	all := packets(t, capturePath(t, "confirmation-lost.pcap"))
	files := []string{piece(t, all, 0, len(all)/2), piece(t, all, len(all)/2, len(all))}
	path = filepath.Join(t.TempDir(), "state")
	output(t, append([]string{"analyze", "--state-out", path, files[0]}, more...)...)
	return path, files[1]
}

// TestStateIsPrivate: only its owner can read a state.
func TestStateIsPrivate(t *testing.T) {
	path, _ := stateOf(t)
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", st.Mode(), err)
	}
}

// TestBadStates: what is damaged, cut, extended or no state is told with exit code 3, a state of another layout,
// command or with other options with 2 and what to do; nothing is written then.
func TestBadStates(t *testing.T) {
	path, rest := stateOf(t)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := func(at int) []byte {
		b := bytes.Clone(good)
		b[at] ^= 1
		return b
	}
	other := func(h state.Head) []byte {
		_, open, err := state.Open(good)
		if err != nil {
			t.Fatal(err)
		}
		body, err := open()
		if err != nil {
			t.Fatal(err)
		}
		return h.Seal(body, 1<<20)
	}
	head, _, _ := state.Open(good)
	layout, command, body := head, head, head
	layout.Layout++
	command.Command = "tables"
	for _, c := range []struct {
		name string
		file []byte
		code int
		want string
		args []string
	}{
		{"damaged", changed(len(good) / 2), exit.Input, "it is damaged", nil},
		{"cut", good[:len(good)-1], exit.Input, "it is damaged", nil},
		{"cut short", good[:40], exit.Input, "it is damaged", nil},
		{"extended", append(bytes.Clone(good), 0), exit.Input, "it is damaged", nil},
		{"empty", nil, exit.Input, "is no state of dpdissect", nil},
		{"no state", []byte("hello, world, this is no state at all"), exit.Input, "is no state of dpdissect", nil},
		{"another layout", other(layout), exit.Usage, "another build", nil},
		{"another command", other(command), exit.Usage, "is a state of 'tables'", nil},
		{"other options", good, exit.Usage, "other options", []string{"--protocols", "dp8"}},
		{"a body that makes no sense", body.Seal(bytes.Repeat([]byte{0x55}, 4000), 1<<20), exit.Input, "it is damaged", nil},
	} {
		bad := filepath.Join(t.TempDir(), "bad")
		if err := os.WriteFile(bad, c.file, 0o600); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "new")
		doc := filepath.Join(t.TempDir(), "doc")
		_, errs, code := call(t, append([]string{"analyze", "--state-in", bad, "--state-out", out, "-o", doc, rest}, c.args...)...)
		if code != c.code || !strings.Contains(errs, c.want) || code == exit.Usage && !strings.Contains(errs, "begin again at this piece") {
			t.Errorf("%s: exit code %d, %q", c.name, code, errs)
		}
		for _, f := range []string{out, doc} {
			if _, err := os.Stat(f); err == nil {
				t.Errorf("%s: %s was written", c.name, f)
			}
		}
	}
}

// TestHostileStates: whoever makes a state, with a right digest, makes the program neither crash nor hang.
func TestHostileStates(t *testing.T) {
	t.Parallel()
	path, rest := stateOf(t)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, open, err := state.Open(good)
	if err != nil {
		t.Fatal(err)
	}
	body, err := open()
	if err != nil {
		t.Fatal(err)
	}
	rnd, codes := rand.New(rand.NewPCG(1, 2)), map[int]int{}
	for range 150 {
		bad := bytes.Clone(body)
		for range 1 + rnd.IntN(3) {
			bad[rnd.IntN(len(bad))] = byte(rnd.UintN(256))
		}
		if err := os.WriteFile(path, head.Seal(bad, 1<<22), 0o600); err != nil {
			t.Fatal(err)
		}
		_, errs, code := call(t, "analyze", "--state-in", path, rest)
		if codes[code]++; code != exit.OK && code != exit.Input && code != exit.Internal {
			t.Errorf("exit code %d: %s", code, errs)
		}
	}
	if codes[exit.OK] == 0 || codes[exit.Input] == 0 {
		t.Errorf("exit codes: %v", codes)
	}
}

// TestStateOutReplacesStates: --state-out replaces nothing but a state, and where a step fails the old one stays.
func TestStateOutReplacesStates(t *testing.T) {
	path, rest := stateOf(t)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, missing := range map[string][]byte{"missing": nil, "empty": {}, "no capture": []byte("nothing of the kind, but some text")} {
		piece := filepath.Join(t.TempDir(), "piece")
		if missing != nil {
			if err := os.WriteFile(piece, missing, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, code := call(t, "analyze", "--state-in", path, "--state-out", path, piece); code != exit.Input {
			t.Errorf("%s: exit code %d", name, code)
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, before) {
			t.Errorf("%s: the old state did not stay", name)
		}
	}
	whole, err := os.ReadFile(rest)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut")
	if err := os.WriteFile(cut, whole[:len(whole)-3], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, code := call(t, "analyze", "--state-in", path, "--state-out", path, cut); code != exit.Input {
		t.Errorf("a piece cut short: exit code %d", code)
	}
	if now, err := os.ReadFile(path); err != nil || bytes.Equal(now, before) {
		t.Error("of a piece that is cut short what was readable is not in the state")
	}
	notes := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(notes, []byte("notes that are no state"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := call(t, "analyze", "--state-out", notes, rest); code != exit.Usage || !strings.Contains(errs, "replaces nothing but a state") {
		t.Errorf("another file: exit code %d, %q", code, errs)
	}
	if _, _, code := call(t, "analyze", "--state-out", rest, rest); code != exit.Usage {
		t.Errorf("its own input: exit code %d", code)
	}
}

// TestNoStateWith: what chooses packets or connections has no meaning with a state.
func TestNoStateWith(t *testing.T) {
	path, rest := stateOf(t)
	for _, args := range [][]string{{"-Y", "udp"}, {"-c", "5"}, {"--from", "1"}, {"--to", "9"}, {"--connection", "0"}, {"--follow"}} {
		_, errs, code := call(t, append([]string{"analyze", "--state-in", path, rest}, args...)...)
		if code != exit.Usage || !strings.Contains(errs, "does not work with --state-in") {
			t.Errorf("%q: exit code %d, %q", args, code, errs)
		}
	}
	if _, errs, code := call(t, "tables", "--out", t.TempDir(), "--state-in", path, rest); code != exit.Usage || !strings.Contains(errs, "is a state of 'analyze'") {
		t.Errorf("the state of another command: exit code %d, %q", code, errs)
	}
	if _, _, code := call(t, "analyze", "--after-gap", rest); code != exit.Usage {
		t.Errorf("--after-gap alone: exit code %d", code)
	}
}

// TestAfterGap: what is missing in front of a piece is told as what a capture lost.
func TestAfterGap(t *testing.T) {
	path, rest := stateOf(t)
	with, without := output(t, "analyze", "--format", "json", "--state-in", path, "--after-gap", rest), output(t, "analyze", "--format", "json", "--state-in", path, rest)
	if strings.Contains(without, "CAP-DROPS") || !strings.Contains(with, "CAP-DROPS") {
		t.Error("CAP-DROPS does not tell of the gap, or tells of one without it")
	}
}

// TestVersionTellsLayout: who moves states to another build asks for its layout.
func TestVersionTellsLayout(t *testing.T) {
	path, _ := stateOf(t)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, _, err := state.Open(b)
	if err != nil {
		t.Fatal(err)
	}
	want := piecewise.LayoutText(head.Layout)
	if out := output(t, "version"); !strings.Contains(out, want) {
		t.Errorf("%q lacks %s", out, want)
	}
	if out := output(t, "version", "--format", "json"); !strings.Contains(out, `"state_layout": "`+want+`"`) {
		t.Errorf("%q lacks %s", out, want)
	}
}

// TestStateOfAConnection: no capture leaves a state of more bytes a connection than the bound, wherever it is cut.
// make state-sizes tells how many all captures have.
func TestStateOfAConnection(t *testing.T) {
	all := os.Getenv(everyForm) == "all"
	var sizes []int
	for turn, path := range captures(t) {
		if !all && turn%40 != 7 {
			continue
		}
		p := packets(t, path)
		held := filepath.Join(t.TempDir(), "state")
		doc := document(t, output(t, "analyze", "--format", "json", "--state-out", held, piece(t, p, 0, max(1, len(p)*3/4))))
		st, err := os.Stat(held)
		if err != nil {
			t.Fatal(err)
		}
		n := max(1, len(doc["connections"].([]any)))
		if sizes = append(sizes, int(st.Size())/n); st.Size() > int64(n)*piecewise.MaxConn {
			t.Errorf("%s: %d bytes of %d connections", path, st.Size(), n)
		}
	}
	slices.Sort(sizes)
	at := func(p int) int { return (sizes[(len(sizes)-1)*p/100] + 512) >> 10 }
	t.Logf("%d captures, KiB a connection: 5th percentile %d, median %d, 75th %d, 90th %d, 95th %d, largest %d", len(sizes), at(5), at(50), at(75), at(90), at(95), at(100))
}
