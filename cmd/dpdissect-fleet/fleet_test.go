package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/dpdissect/dpdissect/internal/fleet/server"
	"github.com/dpdissect/dpdissect/internal/testbed/excerpt"
)

// asProgram makes the test the program: also the steps of its workers are started from it.
const asProgram = "DPDISSECT_FLEET_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		sleep()
		main()
	}
	os.Setenv(asProgram, "1")
	os.Exit(m.Run())
}

// sleep pauses a step where a test asks for that.
var sleep = func() {}

// call runs a command to its end.
func call(t testing.TB, args ...string) (out, errs string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(args, &o, &e)
	return o.String(), e.String(), code
}

// good runs the program, which must succeed.
func good(t testing.TB, args ...string) string {
	t.Helper()
	out, errs, code := call(t, args...)
	if code != exit.OK {
		t.Fatalf("%q: exit code %d: %s", args, code, errs)
	}
	return out
}

// start starts the program, and ends it with the test at last.
func start(t testing.TB, args ...string) *exec.Cmd { return startIn(t, nil, args) }

// startIn is start with variables more in its environment.
func startIn(t testing.TB, env, args []string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = &lines{}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd
}

// lines are what a program said, while it goes on.
type lines struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// A bed is a queue with captures in pieces, and what one process says of each.
type bed struct {
	t    testing.TB
	url  string
	dir  string
	want []string
}

// newBed starts a server in this process.
func newBed(t testing.TB) *bed {
	t.Helper()
	b := &bed{t: t, dir: t.TempDir()}
	s, err := server.Start(server.Options{Listen: "127.0.0.1:0", Store: t.TempDir(), Tell: func(text string) { t.Log(text) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	b.url = s.URL()
	return b
}

// do runs a command on the queue.
func (b *bed) do(command string, args ...string) string {
	b.t.Helper()
	return good(b.t, b.on(command, args...)...)
}

func (b *bed) on(command string, args ...string) []string {
	return append(append(strings.Fields(command), "--server", b.url), args...)
}

// work is a worker on the queue, with its rows as NDJSON.
func (b *bed) work(args ...string) []string {
	return b.on("work", append([]string{"--out", b.rows(), "--format", "ndjson", "--root", "/", "--ack-wait", "1s"}, args...)...)
}

func (b *bed) rows() string { return filepath.Join(b.dir, "rows") }

// pieces cuts a capture into n files, slow times as long as it was.
func (b *bed) pieces(name string, n int, slow uint64) (files []string) {
	b.t.Helper()
	all := excerpt.Read(b.t, filepath.Join("..", "..", "testdata", "pcaps", filepath.FromSlash(name)))
	for i := range all {
		all[i].Time = all[0].Time + (all[i].Time-all[0].Time)*slow
	}
	dir := b.t.TempDir()
	for i := range n {
		path := filepath.Join(dir, fmt.Sprintf("%03d.pcap", i))
		if err := os.WriteFile(path, excerpt.AsFile(all[len(all)*i/n:len(all)*(i+1)/n]), 0o600); err != nil {
			b.t.Fatal(err)
		}
		files = append(files, path)
	}
	return files
}

// expect adds what one process says of pieces.
func (b *bed) expect(point, chain string, files []string) {
	b.t.Helper()
	dir := b.t.TempDir()
	good(b.t, append([]string{"tables", "--out", dir, "--format", "ndjson", "--point", point, "--chain", chain, "--"}, files...)...)
	b.want = append(b.want, rowsBelow(b.t, dir)...)
}

// compare holds all rows to those of one process, each once.
func (b *bed) compare() {
	b.t.Helper()
	slices.Sort(b.want)
	got := rowsBelow(b.t, b.rows())
	if !slices.Equal(got, b.want) {
		b.t.Errorf("%d rows, want the %d of one process", len(got), len(b.want))
		for _, row := range got {
			if _, in := slices.BinarySearch(b.want, row); !in {
				b.t.Errorf("such as %s", row)
				break
			}
		}
	}
}

var stepOf = regexp.MustCompile(`"step":\d+,?`)

// rowsBelow are the rows of all tables below a folder, each after the name of its table and without its step.
func rowsBelow(t testing.TB, dir string) (rows []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), ".") {
			return err
		}
		table, _, _ := strings.Cut(strings.TrimPrefix(path, dir+string(filepath.Separator)), string(filepath.Separator))
		text, err := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			rows = append(rows, table+" "+stepOf.ReplaceAllString(line, ""))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(rows)
	return rows
}

type statusDocument struct {
	Schema                                   string
	Queued, Working, Done, Dead, Redelivered int
	Chains                                   int
	ChainsWaiting                            int `json:"chains_waiting"`
	Restarted                                int
	LagMS                                    *int `json:"lag_ms"`
	Workers                                  []map[string]any
	DeadLetters                              []letterDocument `json:"dead_letters"`
	Open                                     []map[string]any
}

type letterDocument struct {
	Point, Chain, Reason string
	Step, Tries          int
	Inputs               []string
	ExitCode             *int `json:"exit_code"`
}

// validates holds what a command printed to the schema that the program prints of it.
func validates(t testing.TB, command, text string) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(good(t, "schema", command)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("x.json", doc); err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err == nil {
		err = c.MustCompile("x.json").Validate(v)
	}
	if err != nil {
		t.Errorf("%v: %s", err, text)
	}
}

func (b *bed) status() (s statusDocument) {
	b.t.Helper()
	text := b.do("status", "--format", "json")
	validates(b.t, "status", text)
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		b.t.Fatal(err)
	}
	return s
}

// TestFleetIsOneProcess: the rows of chains whose pieces several workers do are those of one process, each
// once; what was submitted already is not submitted again.
func TestFleetIsOneProcess(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for i, name := range []string{"dp8/unsigned-lossy.pcap", "hazel/lossy-current.pcap"} {
		files := b.pieces(name, 4, 400)
		chain := fmt.Sprint("game ", i)
		for range 2 {
			b.do("submit", append([]string{"--point", "p/1", "--chain", chain, "--end"}, files...)...)
		}
		b.expect("p/1", chain, files)
	}
	if s := b.status(); s.Schema != "dpdissect/fleet-status/1" || s.Queued != 8 || s.Chains != 2 || s.ChainsWaiting != 2 || s.LagMS == nil || len(s.Open) != 2 {
		t.Errorf("%+v", s)
	}
	other := start(t, b.work("--drain", "--workers", "2")...)
	b.drain()
	if err := other.Wait(); err != nil {
		t.Error(err, other.Stderr)
	}
	b.compare()
	if s := b.status(); s.Queued+s.Working+s.Dead+s.ChainsWaiting+len(s.Open) != 0 || s.Done != 8 || s.LagMS != nil {
		t.Errorf("%+v", s)
	}
	if _, errs, code := call(t, b.on("submit", "--point", "p/1", "--chain", "game 0", os.Args[0])...); code != exit.Usage || !strings.Contains(errs, "has ended") {
		t.Errorf("a piece behind the end: exit code %d, %s", code, errs)
	}
}

// TestFleetPoison: what can't be read goes to the dead at once, with its reason and its file, and the chain
// goes on after a gap; what is damaged after readable packets is done; the dead are retried as chains of
// their own, and dropped.
func TestFleetPoison(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	files := b.pieces("dp8/unsigned-lossy.pcap", 6, 1)
	whole, err := os.ReadFile(files[1])
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(files[1], whole[:len(whole)-3], 0o600)
	text, _ := os.ReadFile(files[2])
	os.WriteFile(files[2], []byte("this is no capture at all, but a text"), 0o600)
	os.WriteFile(files[3], nil, 0o600)
	b.do("submit", append([]string{"--chain", "c", "--end"}, files...)...)
	os.Remove(files[4])
	b.drain()
	s := b.status()
	if s.Done != 3 || s.Dead != 3 || len(s.DeadLetters) != 3 || s.ChainsWaiting != 0 {
		t.Fatalf("%+v", s)
	}
	for i, reason := range []string{"not a capture", "empty", "there is no such file"} {
		l := s.DeadLetters[i]
		if l.Chain != "c" || l.Step != 2+i || !slices.Equal(l.Inputs, files[2+i:3+i]) || l.ExitCode == nil || *l.ExitCode != exit.Input || !strings.Contains(l.Reason, reason) {
			t.Errorf("%+v, want %s", l, reason)
		}
	}
	if rows := strings.Join(rowsBelow(t, b.rows()), ""); !strings.Contains(rows, "CAP-DROPS") && !strings.Contains(rows, "connections") {
		t.Error("the chain did not go on")
	}
	if _, _, code := call(t, b.on("status", "--fail-on", "dead")...); code != exit.Fail {
		t.Errorf("--fail-on dead: exit code %d", code)
	}
	b.do("dead drop", "--step", "4")
	os.WriteFile(files[2], text, 0o600)
	out := b.do("dead retry", "--chain", "c", "--format", "json")
	validates(t, "dead", out)
	if !strings.Contains(out, `"did": "retry"`) || strings.Count(out, `"reason"`) != 2 {
		t.Error(out)
	}
	b.drain()
	s = b.status()
	slices.SortFunc(s.DeadLetters, func(a, b letterDocument) int { return strings.Compare(a.Chain, b.Chain) }) // which are independent
	if s.Done != 3 || s.Dead != 2 || s.DeadLetters[0].Chain != "c~2" || !strings.Contains(s.DeadLetters[0].Reason, "was changed since") || s.DeadLetters[1].Chain != "c~3" {
		t.Errorf("%+v", s)
	}
}
