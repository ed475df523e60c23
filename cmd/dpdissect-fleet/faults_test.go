package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/fleet"
	"github.com/dpdissect/dpdissect/internal/state"
)

// open is the queue as any client of NATS sees it.
func (b *bed) open() jetstream.JetStream {
	b.t.Helper()
	conn, err := nats.Connect(b.url)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		b.t.Fatal(err)
	}
	return js
}

// begin queues the pieces of a chain, without its end.
func (b *bed) begin(chain string, n int) []string {
	b.t.Helper()
	files := b.pieces("dp8/unsigned-lossy.pcap", n, 400)
	b.do("submit", append([]string{"--chain", chain}, files...)...)
	return files
}

func (b *bed) drain(args ...string) {
	b.t.Helper()
	good(b.t, b.work(append([]string{"--drain"}, args...)...)...)
}

// record reads the record of a chain.
func (b *bed) record(key string) (r fleet.Record, kv jetstream.KeyValue) {
	b.t.Helper()
	kv, err := b.open().KeyValue(context.Background(), "dpd_chains")
	if err != nil {
		b.t.Fatal(err)
	}
	e, err := kv.Get(context.Background(), key)
	if err == nil {
		err = json.Unmarshal(e.Value(), &r)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return r, kv
}

// TestFleetTries: a step that takes too long or too much memory is tried again, and goes to the dead with
// what became of it; its chain goes on.
func TestFleetTries(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for i, c := range []struct{ flag, reason string }{
		{"--step-memory=8MiB", "it was tried 2 times: it was killed or crashed"},
		{"--step-time=1us", "it was tried 2 times: it took longer than 1µs"},
	} {
		chain := []string{"memory", "time"}[i]
		b.begin(chain, 1)
		b.drain("--tries", "2", c.flag)
		s := b.status()
		if len(s.DeadLetters) != 1 {
			t.Fatalf("%s: %+v", c.flag, s)
		}
		if l := s.DeadLetters[0]; l.Chain != chain || l.Tries != 2 || l.ExitCode != nil || !strings.HasPrefix(l.Reason, c.reason) {
			t.Errorf("%s: %+v", c.flag, l)
		}
		b.do("dead drop", "--all")
	}
}

// TestFleetEndRetried: the end of a chain that could not be done is done later: its rows are not lost.
func TestFleetEndRetried(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	files := b.begin("c", 2)
	b.drain()
	b.do("submit", "--chain", "c", "--end")
	b.drain("--tries", "1", "--step-time", "1us")
	if s := b.status(); s.Dead != 1 || s.ChainsWaiting != 0 {
		t.Fatalf("%+v", s)
	}
	b.do("dead retry", "--all")
	b.drain()
	b.expect("local", "c", files)
	b.compare()
	if s := b.status(); s.Dead != 0 || s.Done != 2 {
		t.Errorf("%+v", s)
	}
}

// TestFleetWaitsForRoom: no step is taken while rows can't be written.
func TestFleetWaitsForRoom(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	files := b.pieces("dp8/unsigned-lossy.pcap", 1, 1)
	w := start(t, b.work()...)
	said := w.Stderr.(*lines)
	b.until("the worker is there", func() bool {
		out, _, _ := call(t, b.on("status")...)
		return strings.Contains(out, "idle")
	})
	os.RemoveAll(b.rows())
	b.do("submit", append([]string{"--chain", "a", "--end"}, files...)...)
	b.do("submit", append([]string{"--chain", "b", "--end"}, files...)...)
	b.until("it tells", func() bool { return strings.Contains(said.String(), "no step is taken") })
	os.MkdirAll(b.rows(), 0o700)
	b.until("all is done", func() bool { s := b.status(); return s.Done == 2 && s.ChainsWaiting == 0 })
}

// until waits for something.
func (b *bed) until(what string, is func() bool) {
	b.t.Helper()
	for begun := time.Now(); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Since(begun) > 2*time.Minute {
			b.t.Fatalf("it does not happen that %s", what)
		}
	}
}

// TestFleetWorkersFault: what is the worker's fault ends it with 2 and hands the step back, which is not
// counted as a try.
func TestFleetWorkersFault(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	files := b.begin("c", 2)
	b.drain()
	b.do("submit", append([]string{"--chain", "c", "--end"}, b.pieces("dp8/unsigned-lossy.pcap", 3, 400)[2:]...)...)
	for range 2 {
		_, errs, code := call(t, b.work("--drain", "--interval", "5s", "--tries", "1")...)
		if code != exit.Usage || !strings.Contains(errs, "other options") {
			t.Fatalf("exit code %d: %s", code, errs)
		}
	}
	if r, _ := b.record("local.c"); r.Returned != 2 || r.Done != 2 {
		t.Errorf("%+v", r)
	}
	b.drain("--tries", "1")
	if s := b.status(); s.Done != 3 || s.Dead != 0 {
		t.Errorf("%+v of %q", s, files)
	}
}

// TestFleetOldStates: a state of another build lets the chain begin again as a chain of its own after a gap,
// told and counted, or ends the worker; one that is damaged or lost does the former.
func TestFleetOldStates(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ctx := context.Background()
	b.begin("c", 2)
	b.drain()
	r, _ := b.record("local.c")
	states, err := b.open().ObjectStore(ctx, "dpd_states")
	if err != nil {
		t.Fatal(err)
	}
	old, err := states.GetBytes(ctx, r.State)
	if err != nil {
		t.Fatal(err)
	}
	if all, err := states.List(ctx); err != nil || len(all) != 2 {
		t.Errorf("%d states are kept, want two: %v", len(all), err)
	}
	head, body, err := state.Open(old)
	if err != nil {
		t.Fatal(err)
	}
	inside, err := body()
	if err != nil {
		t.Fatal(err)
	}
	head.Layout++
	if _, err := states.PutBytes(ctx, r.State, head.Seal(inside, 1<<20)); err != nil {
		t.Fatal(err)
	}
	b.do("submit", append([]string{"--chain", "c"}, b.pieces("dp8/unsigned-lossy.pcap", 3, 400)[1:]...)...)
	if _, errs, code := call(t, b.work("--drain", "--old-state", "refuse")...); code != exit.Usage || !strings.Contains(errs, "another build") {
		t.Fatalf("refuse: exit code %d: %s", code, errs)
	}
	b.drain()
	if s := b.status(); s.Restarted != 1 || s.Done != 4 {
		t.Errorf("%+v", s)
	}
	if r, _ = b.record("local.c"); r.Since != 2 {
		t.Errorf("%+v", r)
	}
	states.PutBytes(ctx, r.State, []byte("no state"))
	b.do("submit", "--chain", "c", "--end", "--", b.pieces("dp8/unsigned-lossy.pcap", 1, 400)[0])
	b.drain()
	if s := b.status(); s.Restarted != 2 || s.Done != 5 || s.ChainsWaiting != 0 {
		t.Errorf("%+v", s)
	}
	if all, err := states.List(ctx); err == nil && len(all) > 0 {
		t.Errorf("of a chain that is over there are %d states", len(all))
	}
	seen := map[string]bool{}
	for _, row := range rowsBelow(t, b.rows()) {
		table, text, _ := strings.Cut(row, " ")
		var key struct {
			Chain             string
			Conn, Fingerprint any
			Direction, Role   any
			From              any `json:"from_time"`
			Protocol          any
		}
		if err := json.Unmarshal([]byte(text), &key); err != nil {
			t.Fatal(err)
		}
		k, _ := json.Marshal([]any{table, key})
		if seen[string(k)] {
			t.Errorf("the key %s comes twice", k)
		}
		seen[string(k)] = true
	}
}

// TestFleetForeignMessages: messages and records that are none of ours become letters with their bytes, a
// number in front of which steps are missing tells of these, and names lead nowhere.
func TestFleetForeignMessages(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	ctx, js := context.Background(), b.open()
	b.begin("c", 1)
	publish := func(subject, text string) {
		t.Helper()
		if _, err := js.Publish(ctx, subject, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	step := func(point, chain, path string, n int) string {
		s := fleet.Step{Schema: "dpdissect/fleet-step/1", Point: point, Chain: chain, Step: n, Inputs: []fleet.Input{{Path: path}}}
		text, _ := json.Marshal(&s)
		return string(text)
	}
	publish("dpd.work.3.p.x", "hello")
	publish("dpd.work.4.p.y", step("p", "../../y", "/etc/passwd", 0))
	publish("dpd.work.5.a=2Fb.=zz", "{}")
	var subject string
	m, err := js.Stream(ctx, "DPD_WORK")
	if err == nil {
		var first *jetstream.RawStreamMsg
		first, err = m.GetMsg(ctx, 1)
		subject = first.Subject
	}
	if err != nil {
		t.Fatal(err)
	}
	publish(subject, step("local", "c", "/etc/passwd", 3))
	publish(subject, step("local", "c", "../../../etc/passwd", 4))
	kv, err := js.KeyValue(ctx, "dpd_chains")
	if err != nil {
		t.Fatal(err)
	}
	kv.Put(ctx, "local.bad", []byte(`{"submitted":-7,"state":"other.chain.0.00"}`))
	b.begin("bad", 1)
	b.drain("--root", b.dir)
	reasons := map[string]int{}
	var doc struct {
		DeadLetters []letterDocument `json:"dead_letters"`
	}
	text := b.do("dead list", "--format", "json")
	validates(t, "dead", text)
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	for _, l := range doc.DeadLetters {
		for _, want := range []string{"is no step", "of another chain than its subject", "never came", "is no record of a chain", "is not below --root"} {
			if strings.Contains(l.Reason, want) {
				reasons[want]++
			}
		}
	}
	// steps 1 and 2 of c never came; its step 0, steps 3 and 4 and that of the bad record are not below the root
	if reasons["is no step"] != 2 || reasons["of another chain than its subject"] != 1 || reasons["never came"] != 2 || reasons["is no record of a chain"] != 1 || reasons["is not below --root"] != 4 {
		t.Errorf("%v of %+v", reasons, doc.DeadLetters)
	}
}

// TestFleetNames: hostile names of points and chains leave neither their subject nor their folder.
func TestFleetNames(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	files := b.pieces("dp8/unsigned-lossy.pcap", 2, 1)
	for _, name := range []string{"../../x", "*", ">", "a.b.>", "=2E", "-rf", "ü ~", strings.Repeat("/", 70)} {
		b.do("submit", append([]string{"--point=" + name, "--chain=" + name, "--end"}, files...)...)
		b.expect(name, name, files)
	}
	b.drain()
	b.compare()
	err := filepath.WalkDir(b.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasPrefix(path, b.rows()) {
			t.Errorf("%s is outside", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "a\x00b", strings.Repeat("x", 129), strings.Repeat("/", 77)} {
		if _, _, code := call(t, b.on("submit", "--point=p", "--chain="+name, files[0])...); code != exit.Usage {
			t.Errorf("%q: exit code %d", name, code)
		}
	}
}

// TestFleetAway: a queue that can't be reached, or is full, is exit code 7.
func TestFleetAway(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.pcap")
	os.WriteFile(file, []byte("x"), 0o600)
	for _, args := range [][]string{{"status"}, {"dead", "list"}, {"submit", "--chain", "c", file}, {"work", "--out", t.TempDir(), "--drain"}} {
		if _, errs, code := call(t, append(args, "--server", "nats://127.0.0.1:1", "--wait", "300ms")...); code != exit.Queue || !strings.Contains(errs, "can't be reached") {
			t.Errorf("%q: exit code %d: %s", args, code, errs)
		}
	}
	b := newBed(t)
	if _, errs, code := call(t, b.on("status")...); code != exit.Queue || !strings.Contains(errs, "no queue") {
		t.Errorf("status: exit code %d: %s", code, errs)
	}
	b.begin("a", 2)
	ctx, js := context.Background(), b.open()
	s, err := js.Stream(ctx, "DPD_WORK")
	if err != nil {
		t.Fatal(err)
	}
	cfg := s.CachedInfo().Config
	if cfg.MaxMsgs != 1_000_000 || cfg.Discard != jetstream.DiscardNew || cfg.Retention != jetstream.WorkQueuePolicy || cfg.Storage != jetstream.FileStorage {
		t.Errorf("%+v", cfg)
	}
	cfg.MaxMsgs = 2
	if _, err := js.UpdateStream(ctx, cfg); err != nil {
		t.Fatal(err)
	}
	more := b.on("submit", "--chain", "b", file)
	if _, errs, code := call(t, append(more, "--no-wait")...); code != exit.Queue || !strings.Contains(errs, "is full") {
		t.Errorf("full: exit code %d: %s", code, errs)
	}
	done := make(chan int)
	go func() {
		_, _, code := call(t, more...)
		done <- code
	}()
	time.Sleep(200 * time.Millisecond)
	b.drain()
	if code := <-done; code != exit.OK {
		t.Errorf("submit, which waited: exit code %d", code)
	}
	b.drain()
	if s := b.status(); s.Done != 2 || s.Dead != 1 {
		t.Errorf("%+v", s)
	}
}

// TestFleetSubmit: a FILE that does not exist queues nothing of the call, files are batched by their times,
// and a folder is followed.
func TestFleetSubmit(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	files := b.pieces("dp8/unsigned-lossy.pcap", 4, 1)
	if _, errs, code := call(t, b.on("submit", "--chain", "c", files[0], files[0]+"x")...); code != exit.Input || !strings.Contains(errs, "no such file") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	for i, f := range files {
		at := time.Date(2026, 1, 1, 12, 10*i, 0, 0, time.UTC)
		os.Chtimes(f, at, at)
	}
	if out := b.do("submit", append([]string{"--chain", "c", "--batch", "15m"}, files...)...); !strings.Contains(out, "3 steps queued") {
		t.Error(out)
	}
	if out := b.do("submit", append([]string{"--chain", "c", "--batch", "15m"}, files...)...); !strings.Contains(out, "0 steps queued, 4 inputs were submitted before") {
		t.Error(out)
	}
	w := start(t, b.on("submit", "--chain", "d", "--watch", filepath.Dir(files[0]), "--every", "100ms")...)
	defer w.Process.Kill()
	b.until("what is in the folder is queued", func() bool { return b.status().Queued >= 6 })
	if s := b.status(); s.Queued != 6 || s.Chains != 2 {
		t.Errorf("%+v", s)
	}
}

// TestFleetDiedInSubmit: a step whose number was taken by a submit that died is queued by the next one, before its own.
func TestFleetDiedInSubmit(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	files := b.begin("c", 3)
	js, ctx := b.open(), context.Background()
	work, err := js.Stream(ctx, "DPD_WORK")
	if err == nil {
		err = work.Purge(ctx)
	}
	r, kv := b.record("local.c")
	r.Submitted = 0
	text, _ := json.Marshal(&r)
	if _, e := kv.Put(ctx, "local.c", text); err != nil || e != nil {
		t.Fatal(err, e)
	}
	cfg := work.CachedInfo().Config
	cfg.Duplicates = 100 * time.Millisecond // as if it had been long ago
	if _, err := js.UpdateStream(ctx, cfg); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	b.do("submit", "--chain", "c", "--end", "--", files[2])
	b.expect("local", "c", files)
	b.drain()
	b.compare()
	if s := b.status(); s.Done != 3 || s.Dead != 0 {
		t.Errorf("%+v", s)
	}
}

// TestFleetServe: a server that others reach needs TLS and users; what it keeps is encrypted with a key;
// credentials are never in the command line.
func TestFleetServe(t *testing.T) {
	t.Parallel()
	if _, errs, code := call(t, "serve", "--listen", "0.0.0.0:0", "--store", t.TempDir()); code != exit.Usage || !strings.Contains(errs, "not loopback") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if _, errs, code := call(t, "status", "--server", "nats://me:secret@127.0.0.1:1"); code != exit.Usage || strings.Contains(errs, "secret") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	for _, key := range []string{"", strings.Repeat("k", 32)} {
		store := t.TempDir()
		args := []string{"serve", "--listen", "127.0.0.1:0", "--store", store, "--partitions", "3"}
		if key != "" {
			file := filepath.Join(t.TempDir(), "key")
			os.WriteFile(file, []byte(key), 0o600)
			args = append(args, "--store-key", file)
		}
		b := &bed{t: t, dir: t.TempDir(), url: serve(t, args...)}
		b.begin("plainly-written", 1)
		found := false
		filepath.WalkDir(store, func(path string, d fs.DirEntry, err error) error {
			if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte("plainly-written")) {
				found = true
			}
			return nil
		})
		if found != (key == "") {
			t.Errorf("with a key of %d bytes the name of a chain is on the disk: %v", len(key), found)
		}
	}
}

// serve starts a server as a program, and gives its URL.
func serve(t testing.TB, args ...string) string {
	t.Helper()
	s := start(t, args...)
	told := s.Stderr.(*lines)
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if _, url, ok := strings.Cut(told.String(), "serving on "); ok {
			return strings.TrimSpace(url)
		}
	}
	t.Fatalf("%q: %s", args, told)
	return ""
}

// TestFleetHTTPS: inputs of a server are read from it, from where it was cut off.
func TestFleetHTTPS(t *testing.T) {
	b := newBed(t)
	files := b.pieces("dp8/unsigned-lossy.pcap", 1, 1)
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	cuts := 0
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && r.Header.Get("Range") == "" {
			cuts++
			w.Header().Set("Content-Length", "1000")
			w.Write(text[:500])
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
		http.ServeContent(w, r, "x.pcap", time.Unix(1e9, 0), bytes.NewReader(text))
	}))
	defer s.Close()
	s.Config.ErrorLog = nil
	defer fleet.TrustForTest(s.Client().Transport)()
	b.do("submit", "--chain", "c", "--end", s.URL+"/x.pcap")
	b.expect("local", "c", files)
	b.drain()
	b.compare()
	if cuts != 1 {
		t.Errorf("it was cut off %d times", cuts)
	}
}
