package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/fleet"
	"github.com/dpdissect/dpdissect/internal/testbed/excerpt"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
)

// TestSimulation plays an hour of many servers in minutes, end to end: each has four pieces of a quarter of an hour,
// which all come at once. It tells what it cost, and holds the rows of some chains to those of one process.
func TestSimulation(t *testing.T) {
	chains, err := strconv.Atoi(os.Getenv("DPDISSECT_CHAINS"))
	if err != nil {
		t.Skip("make fleet-simulation")
	}
	binary := os.Getenv("DPDISSECT_PROGRAM")
	store, rows := t.TempDir(), t.TempDir()
	_, url, _ := strings.Cut(runProgram(t, binary, "serving on ", "serve", "--listen", "127.0.0.1:0", "--store", store), "serving on ")
	url = strings.TrimSpace(url)
	hour := hourOf(t)
	ctx := context.Background()
	q, err := fleet.Connect(ctx, fleet.Options{Server: url, Prefix: "dpd", Create: true, Tell: func(text string) { t.Log(text) }})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	runProgram(t, binary, "", "work", "--server", url, "--out", rows, "--format", "ndjson", "--root", "/", "--interval", "60s", "--workers", "4")
	begun := time.Now()
	for piece := range 5 { // the last one is the end
		round := time.Now()
		submitAll(t, q, chains, func(c int) [][]fleet.Input {
			if piece == 4 {
				return nil
			}
			return [][]fleet.Input{{hour[c%len(hour)][piece]}}
		})
		submitted := time.Since(round)
		lag := int64(0)
		for {
			s, err := q.Status(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if s.LagMS != nil {
				lag = max(lag, *s.LagMS)
			}
			if s.ChainsWaiting == 0 {
				break
			}
			time.Sleep(time.Second)
		}
		took := time.Since(round)
		t.Logf("piece %d: submitted in %v, done in %v (%.0f steps/s), oldest waited %v", piece, submitted.Round(time.Second), took.Round(time.Second),
			float64(chains)/took.Seconds(), (time.Duration(lag) * time.Millisecond).Round(time.Second))
	}
	s, err := q.Status(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d chains in %v: %d steps done, %d dead, %d given out again", s.Chains, time.Since(begun).Round(time.Second), s.Done, s.Dead, s.Redelivered)
	if s.Done != 4*chains || s.Dead != 0 {
		t.Errorf("%+v", s)
	}
	for _, p := range programs {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
		t.Logf("%s: most memory %s", p.Args[1], regexp.MustCompile(`VmHWM:\s*(.*)`).FindSubmatch(text))
	}
	t.Logf("the queue has %d MiB on disk, rows %d MiB", sizeOf(store)>>20, sizeOf(rows)>>20)
	for c := 0; c < chains; c += max(1, chains/20) {
		sameRows(t, rows, c, hour[c%len(hour)])
	}
}

var programs []*exec.Cmd

// runProgram starts a program, and waits until it says something.
func runProgram(t *testing.T, binary, says string, args ...string) string {
	t.Helper()
	cmd, told := exec.Command(binary, args...), &lines{}
	cmd.Stderr = told
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	programs = append(programs, cmd)
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		t.Log(told)
	})
	for begun := time.Now(); !strings.Contains(told.String(), says); time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > 20*time.Second {
			t.Fatal(told)
		}
	}
	return told.String()
}

// hourOf makes eight captures of an hour, each in four pieces.
func hourOf(t *testing.T) (all [8][4]fleet.Input) {
	t.Helper()
	dir := t.TempDir()
	for i := range all {
		var b bytes.Buffer
		if err := tracegen.Many(&b, 4, 4000, uint64(i)); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "whole")
		os.WriteFile(path, b.Bytes(), 0o600)
		packets := excerpt.Read(t, path)
		length := packets[len(packets)-1].Time - packets[0].Time
		for k := range packets {
			packets[k].Time = packets[0].Time + (packets[k].Time-packets[0].Time)*(3600e9/length)
		}
		for k := range all[i] {
			name := filepath.Join(dir, fmt.Sprintf("%d-%d.pcap", i, k))
			os.WriteFile(name, excerpt.AsFile(packets[len(packets)*k/4:len(packets)*(k+1)/4]), 0o600)
			inputs, err := fleet.Look(context.Background(), "", []string{name})
			if err != nil {
				t.Fatal(err)
			}
			all[i][k] = inputs[0]
		}
	}
	return all
}

// submitAll submits something of all chains, or their ends.
func submitAll(t *testing.T, q *fleet.Queue, chains int, lists func(chain int) [][]fleet.Input) {
	t.Helper()
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for c := w; c < chains; c += 8 {
				steps := lists(c)
				if _, _, err := q.Submit(context.Background(), fmt.Sprint("site ", c%20), fmt.Sprint("server ", c), steps, steps == nil); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}

// sameRows holds the rows of a chain to those of one process.
func sameRows(t *testing.T, dir string, chain int, pieces [4]fleet.Input) {
	t.Helper()
	one := t.TempDir()
	args := []string{"tables", "--out", one, "--format", "ndjson", "--interval", "60s", "--point", fmt.Sprint("site ", chain%20), "--chain", fmt.Sprint("server ", chain)}
	for _, p := range pieces {
		args = append(args, p.Path)
	}
	good(t, args...)
	var got []string
	name := fmt.Sprintf("server%%20%d.", chain)
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasPrefix(d.Name(), name) {
			table, _, _ := strings.Cut(strings.TrimPrefix(path, dir+string(filepath.Separator)), string(filepath.Separator))
			text, _ := os.ReadFile(path)
			for line := range strings.Lines(string(text)) {
				got = append(got, table+" "+plainRow(line))
			}
		}
		return nil
	})
	var want []string
	for _, row := range rowsBelow(t, one) {
		table, line, _ := strings.Cut(row, " ")
		want = append(want, table+" "+plainRow(line))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || len(want) == 0 {
		t.Errorf("chain %d: %d rows, want the %d of one process", chain, len(got), len(want))
	}
}

// plainRow is a row without what two programs say differently.
func plainRow(line string) string {
	var row map[string]any
	if json.Unmarshal([]byte(line), &row) != nil {
		return line
	}
	delete(row, "step")
	delete(row, "build")
	b, _ := json.Marshal(row)
	return string(b)
}

func sizeOf(dir string) (n int64) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if st, e := d.Info(); err == nil && e == nil && !d.IsDir() {
			n += st.Size()
		}
		return nil
	})
	return n
}
