package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/excerpt"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
)

// TestRowCost tells what rows of 64 connections cost, by the length of steps and intervals, and what a packet and a
// step take of a processor.
func TestRowCost(t *testing.T) {
	if os.Getenv("DPDISSECT_FLEET") == "" {
		t.Skip("make fleet-cost")
	}
	var b bytes.Buffer
	if err := tracegen.Many(&b, 64, 256_000, 1); err != nil {
		t.Fatal(err)
	}
	dense := filepath.Join(t.TempDir(), "dense.pcap")
	os.WriteFile(dense, b.Bytes(), 0o600)
	packets := excerpt.Read(t, dense)
	length := packets[len(packets)-1].Time - packets[0].Time
	for i := range packets {
		packets[i].Time = packets[0].Time + (packets[i].Time-packets[0].Time)*(2*3600e9/length)
	}
	hours := filepath.Join(t.TempDir(), "hours.pcap")
	os.WriteFile(hours, excerpt.AsFile(packets), 0o600)
	for _, interval := range []string{"10s", "60s"} {
		for _, every := range []string{"1m", "5m", "15m", "60m"} {
			args := []string{"--every", every, "--interval", interval, "--idle", "0", hours}
			rows, files := countRows(t, args), parquetBytes(t, args)
			var text []string
			for _, table := range []string{"intervals", "rollup", "connections", "ends", "findings"} {
				if n := rows[table]; n > 0 {
					text = append(text, fmt.Sprintf("%s %d rows of %d", table, n, files[table]/int64(n)))
				}
			}
			t.Logf("steps of %s, intervals of %s, bytes a row: %s", every, interval, strings.Join(text, ", "))
		}
	}
	program := os.Getenv("DPDISSECT_PROGRAM")
	for range 3 {
		cpu, wall := timeOf(t, program, "tables", "--out", t.TempDir(), dense)
		t.Logf("%d packets: %.2f µs of processor a packet, %v", len(packets), cpu.Seconds()*1e6/float64(len(packets)), wall.Round(time.Millisecond))
	}
	for range 3 {
		small := filepath.Join("..", "..", "testdata", "pcaps", "dp8", "unsigned-lossy.pcap")
		state := filepath.Join(t.TempDir(), "state")
		timeOf(t, program, "tables", "--out", t.TempDir(), "--format", "ndjson", "--state-out", state, small)
		cpu, wall := timeOf(t, program, "tables", "--out", t.TempDir(), "--format", "ndjson", "--state-in", state, "--state-out", state, small)
		t.Logf("a step of hardly any packets: %v of processor, %v", cpu.Round(time.Millisecond), wall.Round(time.Millisecond))
	}
}

func countRows(t *testing.T, args []string) map[string]int {
	dir := t.TempDir()
	good(t, append([]string{"tables", "--out", dir, "--format", "ndjson"}, args...)...)
	rows := map[string]int{}
	for _, row := range rowsBelow(t, dir) {
		table, _, _ := strings.Cut(row, " ")
		rows[table]++
	}
	return rows
}

func parquetBytes(t *testing.T, args []string) map[string]int64 {
	dir := t.TempDir()
	good(t, append([]string{"tables", "--out", dir}, args...)...)
	sizes := map[string]int64{}
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			table, _, _ := strings.Cut(strings.TrimPrefix(path, dir+string(filepath.Separator)), string(filepath.Separator))
			st, err := d.Info()
			if err != nil {
				return err
			}
			sizes[table] += st.Size()
		}
		return nil
	})
	return sizes
}

// timeOf runs a program, and tells what it took.
func timeOf(t *testing.T, program string, args ...string) (cpu, wall time.Duration) {
	t.Helper()
	cmd := exec.Command(program, args...)
	begun := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), time.Since(begun)
}
