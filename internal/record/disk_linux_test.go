package record

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// onSmallDisk runs f in a file system of its own with so many bytes. Its mount is
// seen by f's thread alone, which ends with f.
func onSmallDisk(t *testing.T, size string, f func(dir string)) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("mounting a small disk needs root")
	}
	dir := t.TempDir()
	done := make(chan string)
	go func() {
		skip := "the test failed"
		defer func() { done <- skip }()
		runtime.LockOSThread() // never unlocked: the thread is not used again
		if err := syscall.Unshare(syscall.CLONE_NEWNS); err != nil {
			skip = "no mount namespace: " + err.Error()
			return
		}
		if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
			skip = "no private mounts: " + err.Error()
			return
		}
		if err := syscall.Mount("none", dir, "tmpfs", 0, "size="+size); err != nil {
			skip = "no tmpfs: " + err.Error()
			return
		}
		skip = ""
		f(dir)
	}()
	if skip := <-done; skip != "" && !t.Failed() {
		t.Skip(skip)
	}
}

// When the disk is full the file keeps its whole records and reads without a
// complaint, and the error says what is in it.
func TestFullDisk(t *testing.T) {
	for _, name := range []string{"a.pcapng", "a.pcap", "a.pcapng.gz", "a.pcapng.zst", "a.pcapng.lz4"} {
		onSmallDisk(t, "1m", func(dir string) {
			path := filepath.Join(dir, name)
			r := create(t, Options{Path: path, Nanoseconds: true})
			var err error
			written := 0
			for ; err == nil && written < 1_000_000; written++ {
				err = r.Write(packet(written))
			}
			var e *Error
			if !errors.As(err, &e) || !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("%s: %v after %d packets", name, err, written)
				return
			}
			if r.Write(packet(0)) != err || r.Flush() != err || r.Close() != err {
				t.Errorf("%s: the error does not stick", name)
			}
			if _, err2 := r.AddInterface(ether[0]); err2 != err {
				t.Error(err2)
			}
			c := readFile(t, path)
			if want := path + ": no space left on device; "; !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), " packets are in it") {
				t.Error(err)
			}
			if n := uint64(len(c.recs)); n != e.Packets || n != r.Counters().Packets || written-len(c.recs) > plainBuffer/45 || len(c.recs) < 9000 {
				t.Errorf("%s: %d packets can be read of %d, the error says %d, counted are %d", name, n, written, e.Packets, r.Counters().Packets)
			}
			for i := range c.recs {
				if !same(&c.recs[i], packet(i)) {
					t.Errorf("%s: packet %d differs", name, i)
					return
				}
			}
			st, err2 := os.Stat(path)
			if err2 != nil || st.Size() != r.Counters().FileBytes || st.Size() < 1<<20-packedBuffer {
				t.Errorf("%s: %d bytes of a mebibyte, said %d", name, st.Size(), r.Counters().FileBytes)
			}
		})
	}
}

// The files of a ring that were there stay.
func TestFullDiskRing(t *testing.T) {
	onSmallDisk(t, "1m", func(dir string) {
		r := create(t, Options{Path: filepath.Join(dir, "r.pcapng"), Ring: Ring{Packets: 1000}})
		var err error
		for i := 0; err == nil; i++ {
			err = r.Write(packet(i))
		}
		var e *Error
		if !errors.As(err, &e) || e.Before < 3000 || !strings.Contains(err.Error(), " in it, ") || !strings.HasSuffix(err.Error(), " in the earlier files") {
			t.Error(err)
			return
		}
		n := uint64(0)
		paths := files(t, dir)
		for i, count := range checkRing(t, paths[:len(paths)-1], 1, 0) {
			n += uint64(count)
			if count != 1000 {
				t.Errorf("%s has %d packets", paths[i], count)
			}
		}
		last, _ := os.ReadFile(paths[len(paths)-1])
		if n != e.Before || uint64(len(read(last).recs)) != e.Packets || r.Counters().Packets != n+e.Packets {
			t.Errorf("%v: %d packets", err, n)
		}
	})
}

// A file of a ring for which there was no room at all is not a capture, and does not stay.
func TestFullDiskRingEmpty(t *testing.T) {
	onSmallDisk(t, "16k", func(dir string) {
		r := create(t, Options{Path: filepath.Join(dir, "r.pcapng"), Ring: Ring{Packets: 1}})
		var err error
		for i := 0; err == nil; i++ {
			if err = r.Write(packet(i)); err == nil {
				err = r.Flush()
			}
		}
		var e *Error
		if !errors.As(err, &e) || e.Packets != 0 || e.Before == 0 {
			t.Errorf("%v", err)
			return
		}
		for _, path := range files(t, dir) {
			if st, err := os.Stat(path); err != nil || st.Size() == 0 {
				t.Errorf("%s: %v, empty", path, err)
			}
		}
	})
}

// A disk with no room at all is told by Create. What was there stays, and nothing else.
func TestFullDiskAtOnce(t *testing.T) {
	onSmallDisk(t, "4k", func(dir string) {
		if err := os.WriteFile(filepath.Join(dir, "x"), make([]byte, 4096), 0o600); err != nil {
			t.Error(err)
		}
		for _, name := range []string{"a.pcapng", "a.pcap.gz", "x"} {
			if _, err := Create(Options{Path: filepath.Join(dir, name), Interfaces: ether}); !errors.Is(err, syscall.ENOSPC) {
				t.Error(err)
			}
		}
		if st, err := os.Stat(filepath.Join(dir, "x")); err != nil || st.Size() != 4096 || len(files(t, dir)) != 1 {
			t.Errorf("what was there is %v, %v, beside %v", st, err, files(t, dir))
		}
	})
}
