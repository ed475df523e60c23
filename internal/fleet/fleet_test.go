package fleet

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestTokens: whatever a name is, its token is one part of a subject and gives the name back; what is encoded in
// another way is no token.
func TestTokens(t *testing.T) {
	for _, name := range []string{"a", "A-b_9", "a.b", "*", ">", "=", "=2E", "%2E", "../..", "ü ~", strings.Repeat("/", 76), "$JS.API.>"} {
		s := token(name)
		if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=") != "" {
			t.Errorf("%q: %s", name, s)
		}
		if back, err := untoken(s); err != nil || back != name {
			t.Errorf("%q: %q, %v", name, back, err)
		}
	}
	for _, s := range []string{"", "=zz", "=", "=2e", "=41", "a.b", "=00", "a%2E"} {
		if name, err := untoken(s); err == nil {
			t.Errorf("%q is the token of %q", s, name)
		}
	}
}

// TestPartitions: all chains of a point are spread over the partitions, each always to the same one.
func TestPartitions(t *testing.T) {
	seen := map[int]int{}
	for i := range 6400 {
		chain := strings.Repeat("x", i%100) + string(rune('a'+i/100))
		p := partition("p", chain, Partitions)
		if p != partition("p", chain, Partitions) {
			t.Fatal(p)
		}
		seen[p]++
	}
	for p := range Partitions {
		if seen[p] < 50 || seen[p] > 150 {
			t.Errorf("partition %d has %d of 6400", p, seen[p])
		}
	}
}

// TestOwn: a chain that goes on by itself has a name that is one, however long that of its chain is.
func TestOwn(t *testing.T) {
	for _, name := range []string{"c", strings.Repeat("x", 128), strings.Repeat("ü", 38)} {
		own := Own(name, 12345678)
		if err := CheckName(own); err != nil || !strings.HasSuffix(own, "~12345678") {
			t.Errorf("%q: %v", own, err)
		}
	}
}

// TestBatch: files of a span of time make a step, in their order, of at most 1,000.
func TestBatch(t *testing.T) {
	var inputs []Input
	for i := range 2500 {
		inputs = append(inputs, Input{Time: time.Unix(int64(i), 0)})
	}
	for _, c := range []struct {
		span time.Duration
		want []int
	}{{15 * time.Minute, []int{900, 900, 700}}, {time.Hour, []int{1000, 1000, 500}}} {
		var got []int
		var all []Input
		for _, s := range Batch(inputs, c.span) {
			got = append(got, len(s))
			all = append(all, s...)
		}
		if !slices.Equal(got, c.want) || !slices.Equal(all, inputs) {
			t.Errorf("%v: %v, want %v", c.span, got, c.want)
		}
	}
	if n := len(Batch(inputs, 0)); n != len(inputs) {
		t.Errorf("without a span: %d steps", n)
	}
}

// TestRing: files are in the order in which they were written, and hidden ones are none.
func TestRing(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"b", "a", ".tmp", "c"} {
		path := filepath.Join(dir, name)
		os.WriteFile(path, nil, 0o600)
		at := time.Unix(int64(1000+i/3), 0)
		os.Chtimes(path, at, at)
	}
	os.Mkdir(filepath.Join(dir, "d"), 0o700)
	paths, err := Ring(dir)
	if err != nil || len(paths) != 3 || filepath.Base(paths[0]) != "a" || filepath.Base(paths[2]) != "c" {
		t.Errorf("%q, %v", paths, err)
	}
}

// TestLook: names are absolute, or those below a root, which no file may leave; what is no regular file is refused.
func TestLook(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "a", "x.pcap")
	os.Mkdir(filepath.Dir(path), 0o700)
	os.WriteFile(path, []byte("x"), 0o600)
	ctx := context.Background()
	in, err := Look(ctx, "", []string{path})
	if err != nil || in[0].Path != path || in[0].Size != 1 {
		t.Errorf("%+v, %v", in, err)
	}
	if in, err = Look(ctx, root, []string{path}); err != nil || in[0].Path != "a/x.pcap" {
		t.Errorf("%+v, %v", in, err)
	}
	for _, c := range [][2]string{{filepath.Join(root, "b"), path}, {"", root}, {"", os.DevNull}, {"", path + "-none"}} {
		if _, err := Look(ctx, c[0], []string{c[1]}); err == nil {
			t.Errorf("%s below %q is taken", c[1], c[0])
		}
	}
}

// TestLocal: a worker reads nothing but regular files below its root that are as they were submitted, also not by a link.
func TestLocal(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(dir, "outside")
	os.WriteFile(outside, []byte("secret"), 0o600)
	folder := filepath.Join(dir, "root")
	os.Mkdir(folder, 0o700)
	os.WriteFile(filepath.Join(folder, "x"), []byte("x"), 0o600)
	os.Symlink(outside, filepath.Join(folder, "link"))
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	w := &Worker{root: root}
	st, _ := os.Stat(filepath.Join(folder, "x"))
	good := Input{Path: "x", Size: 1, Time: st.ModTime()}
	for _, path := range []string{"x", filepath.Join(folder, "x"), "./x"} {
		in := good
		in.Path = path
		if got, err := w.local(&in); err != nil || got != filepath.Join(folder, "x") {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	changed, grown := good, good
	changed.Time, grown.Size = changed.Time.Add(time.Minute), 2
	for _, in := range []Input{changed, grown, {Path: "../outside", Size: 6}, {Path: outside, Size: 6}, {Path: "link", Size: 6}, {Path: "."}, {Path: "-"}, {Path: "none"}, {Path: "s3:/x"}, {Path: "http://127.0.0.1/x"}} {
		if got, err := w.local(&in); err == nil {
			t.Errorf("%s is read as %s", in.Path, got)
		}
	}
}

// FuzzStep: no message and no record makes a worker fail, and what is taken for one is in its bounds.
func FuzzStep(f *testing.F) {
	q := &Queue{o: Options{Prefix: "dpd"}, partitions: Partitions}
	s, _ := json.Marshal(&Step{Schema: stepSchema, Point: "p", Chain: "c", Step: 3, Inputs: []Input{{Path: "x"}}})
	r, _ := json.Marshal(&Record{Submitted: 5, Done: 3, Dead: 1, State: stateName("p", "c", 3, make([]byte, 32))})
	f.Add(s, q.workSubject("p", "c"))
	f.Add(r, "dpd.work.1.p.c")
	f.Add([]byte(`{"schema":"dpdissect/fleet-step/1","step":-1}`), "x")
	f.Fuzz(func(t *testing.T, b []byte, subject string) {
		if s, err := q.parseStep(subject, b); err == nil {
			if s.Step < 0 || s.Step >= maxSteps || len(s.Inputs) > maxInputs || subject != q.workSubject(s.Point, s.Chain) || strings.Count(subject, ".") != 4 {
				t.Errorf("%+v", s)
			}
		}
		if r, err := parseRecord("p", "c", b); err == nil {
			if r.next() < 0 || r.next() > maxSteps || r.State != "" && stateStep(r.State) < 0 {
				t.Errorf("%+v", r)
			}
		}
		chainOf(subject)
	})
}
