//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/excerpt"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
)

// TestTablesDay lets a run follow the file of a server with 64 players for 24 hours, in minutes: each hour is
// the same. It is stopped and started again with its state every eight hours. State, memory and rows are what they
// were after the first hours.
func TestTablesDay(t *testing.T) {
	program := os.Getenv("DPDISSECT_DAY")
	if program == "" {
		t.Skip("make tables-day")
	}
	dir := t.TempDir()
	path, held, out := filepath.Join(dir, "game.pcap"), filepath.Join(dir, "state"), filepath.Join(dir, "rows")
	grows, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer grows.Close()
	var cmd *exec.Cmd
	stop := func() {
		cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	state, memory, rows := make([]int64, 24), make([]int64, 24), make([]int, 24)
	had := 0
	for h := range 24 {
		if _, err := grows.Write(excerpt.AsFile(hourOf64(t, dir, h))); err != nil { // each hour is a section of a pcapng file
			t.Fatal(err)
		}
		if h%8 == 0 {
			args := []string{"tables", "--follow", "--chain", "day", "--out", out, "--state-out", held, path}
			if h > 0 {
				stop()
				args = append(args, "--state-in", held)
			}
			cmd = exec.Command(program, args...)
			cmd.Stderr = os.Stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Process.Kill()
		}
		untilIdle(cmd)
		st, err := os.Stat(held)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
		fmt.Sscan(string(regexp.MustCompile(`VmRSS:\s*(\d+)`).FindSubmatch(text)[1]), &memory[h])
		n := 0
		for _, f := range filesBelow(t, out) {
			b, _ := os.ReadFile(f)
			n += bytes.Count(b, []byte("\n"))
		}
		state[h], rows[h], had = st.Size(), n-had, n
		t.Logf("hour %d: state of %d bytes, %d KiB of memory, %d rows more", h, state[h], memory[h], rows[h])
	}
	stop()
	for h := 4; h < 24; h++ {
		if state[h] > state[3]*5/4 || rows[h] > rows[3]*5/4 {
			t.Errorf("hour %d: more than a quarter above hour 3", h)
		}
	}
	// between two collections of garbage memory rises and falls
	if most := slices.Max(memory[:8]); slices.Max(memory[16:]) > most*5/4 {
		t.Errorf("memory in the last hours is more than a quarter above that in the first: %d", memory)
	}
	whole := filepath.Join(dir, "whole")
	output(t, "tables", "-q", "--out", whole, "--chain", "day", path)
	cmd = exec.Command(program, "tables", "--follow", "--chain", "day", "--out", out, "--state-in", held, path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	untilIdle(cmd)
	stop()
	for _, table := range []string{"connections", "ends", "findings", "rollup"} {
		sameRows(t, table, withoutStep(rowsIn(t, out, table)), withoutStep(rowsIn(t, whole, table)))
	}
}

// hourOf64 gives the packets of 64 players in an hour of the day.
func hourOf64(t *testing.T, dir string, h int) []excerpt.Packet {
	t.Helper()
	var b bytes.Buffer
	if err := tracegen.Many(&b, 64, 100_000, 1); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "hour")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	packets := excerpt.Read(t, path)
	first, length := packets[0].Time, packets[len(packets)-1].Time-packets[0].Time
	for i := range packets {
		packets[i].Time = first + uint64(h)*3600e9 + uint64(float64(packets[i].Time-first)*3600e9/float64(length))
	}
	return packets
}

// untilIdle waits until a process has nothing to do.
func untilIdle(cmd *exec.Cmd) {
	for quiet, before := 0, int64(-1); quiet < 3; {
		time.Sleep(time.Second)
		now := processorTime(cmd)
		if quiet++; now-before > 1 {
			quiet = 0
		}
		before = now
	}
}

// processorTime is what a process used, in hundredths of a second.
func processorTime(cmd *exec.Cmd) (n int64) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
	if f := strings.Fields(string(text)); len(f) > 14 {
		var user, system int64
		fmt.Sscan(f[13], &user)
		fmt.Sscan(f[14], &system)
		n = user + system
	}
	return n
}
