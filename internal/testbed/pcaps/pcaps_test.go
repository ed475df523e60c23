package pcaps

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// families are the folders of committed captures, with how many each has at least and how
// many of them have a truth file.
var families = map[string]struct{ captures, truths int }{
	"directplay": {5, 4}, "ends": {14, 14}, "foreign": {5, 0}, "formats": {39, 0}, "hazel": {4, 4}, "knet": {2, 2}, "offload": {1, 0},
}

// mostBytes bounds the captures that every clone of the project carries.
const mostBytes = 2_000_000

// TestCapturedFamilies: a clone has captures of every family, with what is true of them,
// told on testdata/captured/README.md. `go test -v` prints how many a run compares with.
func TestCapturedFamilies(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(Root(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for family, want := range families {
		t.Run(family, func(t *testing.T) {
			truths, committed := 0, 0
			for _, file := range Files(t, family+"/*") {
				if !strings.HasPrefix(file, Root(t)) {
					continue
				}
				committed++
				if HasTruth(file) {
					truths++
				}
				if stem, _, _ := strings.Cut(Name(file), "."); family != "formats" && !strings.Contains(string(page), "`"+stem) {
					t.Errorf("README.md does not tell of %s", filepath.Base(file))
				}
			}
			if committed < want.captures || truths != want.truths {
				t.Errorf("%d captures with %d truth files, want %d with %d", committed, truths, want.captures, want.truths)
			}
		})
	}
	total := int64(0)
	err = filepath.WalkDir(Root(t), func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			info, err := e.Info()
			if err != nil {
				return err
			}
			total += info.Size()
		}
		return err
	})
	if err != nil || total > mostBytes {
		t.Errorf("%d bytes in testdata/captured, want at most %d: %v", total, mostBytes, err)
	}
}

// TestFurtherCaptures: captures of DPDISSECT_PCAPS come beside the committed ones, without
// those that are committed under the same name.
func TestFurtherCaptures(t *testing.T) {
	own := len(Files(t, "hazel/*"))
	dir := t.TempDir()
	for _, name := range []string{"hazel/clean_current.pcap", "hazel/more.pcapng", "hazel/more.truth.json", "knet/other.pcap"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("{}"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(Variable, "")
	before := Files(t, "hazel/*")
	t.Setenv(Variable, dir)
	after := Files(t, "hazel/*")
	if len(after) != len(before)+1 || Name(after[len(before)]) != "more" || !HasTruth(after[len(before)]) {
		t.Errorf("%d captures, then %d, with the environment as it was %d", len(before), len(after), own)
	}
}

// A refusal is a test that notes that it failed.
type refusal struct {
	testing.TB
	failed bool
}

func (r *refusal) Fatalf(string, ...any) {
	r.failed = true
	panic(r)
}

// TestMissingCaptureFails: a test that finds no committed capture fails, whatever
// DPDISSECT_PCAPS holds.
func TestMissingCaptureFails(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "absent"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "absent", "x.pcap"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv(Variable, dir)
	r := &refusal{TB: t}
	func() {
		defer func() { _ = recover() }()
		Files(r, "absent/*")
	}()
	if !r.failed {
		t.Error("a family without a committed capture passes")
	}
}
