package record

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// leave makes a file as an earlier run left it.
func leave(t *testing.T, dir, name string, size int, age time.Duration) string {
	t.Helper()
	path := filepath.Join(dir, name)
	must(t, os.WriteFile(path, make([]byte, size), 0o600))
	then := time.Now().Add(-age)
	must(t, os.Chtimes(path, then, then))
	return path
}

// The oldest files are deleted, in order, and never one more is there than asked for.
func TestRingDeletes(t *testing.T) {
	dir := t.TempDir()
	r := create(t, Options{Path: filepath.Join(dir, "r.pcapng"), Ring: Ring{Packets: 3, Keep: Retention{Files: 4}}})
	for i := range 30 {
		must(t, r.Write(packet(i)))
		if n := len(files(t, dir)); n > 4 {
			t.Fatalf("%d files", n)
		}
	}
	must(t, r.Close())
	if got := checkRing(t, files(t, dir), 7, 18); !slices.Equal(got, []int{3, 3, 3, 3}) {
		t.Errorf("%v", got)
	}
	if c := r.Counters(); c.Files != 10 || c.Deleted != 6 || c.Packets != 30 {
		t.Errorf("%+v", c)
	}
}

// A ring that is started again counts the files of the run before, and nothing else:
// neither other names, nor folders and links, nor dumps.
func TestRingCountsEarlierRuns(t *testing.T) {
	dir := t.TempDir()
	var gone, stays []string
	for i := range 3 {
		gone = append(gone, leave(t, dir, "r_0000"+string(rune('1'+i))+"_20200101000000.pcapng", 10, time.Hour-time.Duration(i)))
	}
	for _, name := range []string{"r.pcapng", "q_00001_20200101000000.pcapng", "r_00001_20200101000000.pcapng.gz",
		"r_dump_00001_20200101000000.pcapng", "r_00001_2020.pcapng", "r_1_20200101000000.pcapng"} {
		stays = append(stays, leave(t, dir, name, 10, time.Hour))
	}
	stays = append(stays, filepath.Join(dir, "r_00008_20200101000000.pcapng"), filepath.Join(dir, "r_00009_20200101000000.pcapng"))
	must(t, os.Mkdir(stays[len(stays)-1], 0o700))
	if err := os.Symlink(stays[0], stays[len(stays)-2]); err != nil {
		t.Skip(err)
	}
	r := create(t, Options{Path: filepath.Join(dir, "r.pcapng"), Ring: Ring{Packets: 1, Keep: Retention{Files: 3}}})
	if _, err := os.Stat(gone[0]); err == nil {
		t.Error("the oldest file of the earlier run is there beside two younger and the new one")
	}
	if _, err := os.Stat(gone[1]); err != nil {
		t.Error("a file of the earlier run went too early")
	}
	for i := range 4 {
		must(t, r.Write(packet(i)))
	}
	must(t, r.Close())
	for _, path := range gone {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is there", path)
		}
	}
	for _, path := range stays {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
	if c := r.Counters(); c.Files != 4 || c.Deleted != 4 {
		t.Errorf("%+v", c)
	}
}

// All files of a ring together take no more than asked for, but for one packet, in any
// number of runs.
func TestRingTotal(t *testing.T) {
	dir := t.TempDir()
	const most, packetSize = 20 << 10, 300
	for run := range 3 {
		r := create(t, Options{Path: filepath.Join(dir, "r.pcapng"), Ring: Ring{Keep: Retention{Bytes: most}}})
		for i := range 500 {
			must(t, r.Write(packet(i)))
			must(t, r.Flush())
			total := int64(0)
			for _, path := range files(t, dir) {
				st, err := os.Stat(path)
				must(t, err)
				total += st.Size()
			}
			if total > most+packetSize {
				t.Fatalf("run %d, packet %d: %d bytes", run, i, total)
			}
		}
		must(t, r.Close())
		if n := len(files(t, dir)); n < filesOfTotal-1 || run > 0 && r.Counters().Deleted < 5 {
			t.Errorf("run %d: %d files are left, %+v", run, n, r.Counters())
		}
		must(t, os.Rename(r.Path(), r.Path()+".kept")) // names are of a second
		must(t, os.Remove(r.Path()+".kept"))
	}
	if _, err := Create(Options{Path: filepath.Join(dir, "r.pcapng"), Ring: Ring{FileSize: 11 << 10, Keep: Retention{Bytes: most}}}); err == nil {
		t.Error("a total without room for two files is taken")
	}
}

// A file that someone deleted or moved away does no harm; one that can't be deleted is
// tried again.
func TestRetentionTriesAgain(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		leave(t, dir, "r_0000"+string(rune('1'+i))+"_20200101000000.pcapng", 10, time.Hour-time.Duration(i))
	}
	names := Numbered(filepath.Join("elsewhere", "r"), ".pcapng")
	if n := (Retention{Files: 3}).MakeRoom(names, filepath.Join(dir, "none"), 0); n != 0 {
		t.Errorf("%d deleted in a folder that is not there", n)
	}
	keep := Retention{Files: 2}
	failing := matching(names, dir)[0].path
	remove = func(path string) error {
		if path == failing {
			return os.ErrPermission
		}
		return os.Remove(path)
	}
	defer func() { remove = os.Remove }()
	if n := keep.MakeRoom(names, dir, 0); n != 2 || len(files(t, dir)) != 1 {
		t.Errorf("%d deleted beside one that is held, %d left", n, len(files(t, dir)))
	}
	remove = os.Remove
	if n := (Retention{Files: 1}).MakeRoom(names, dir, 0); n != 1 || len(files(t, dir)) != 0 {
		t.Errorf("%d deleted", n)
	}
}
