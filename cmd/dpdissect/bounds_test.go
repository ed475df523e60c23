package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/inputs"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/timeline"
	"github.com/dpdissect/dpdissect/session"
)

// TestBoundsHaveTests: each row of the table of bounds names a test, and every test that one
// names is in the tree.
func TestBoundsHaveTests(t *testing.T) {
	there := definedTests(t)
	rows := boundRows(page(t, "docs/architecture.md"))
	if len(rows) < 40 {
		t.Fatalf("the table has %d rows", len(rows))
	}
	for _, row := range rows {
		for _, fault := range rowFaults(row, there) {
			t.Errorf("%s: %s", row[0], fault)
		}
	}
}

// TestBoundsAreRead shows that the check can fail.
func TestBoundsAreRead(t *testing.T) {
	const head = "## State and its bounds\n\n| what | Test |\n|---|---|\n"
	for text, want := range map[string]int{
		"| a | b | c | d | e | f | `TestA` |\n":          0,
		"| a | b | c | d | e | f | `TestA`, `TestB` |\n": 1,
		"| a | b | c | d | e | f | |\n":                  1,
		"| a | b | c | d | e | f | – |\n":                1,
		"| a | b | c | d | e | `TestA` |\n":              1,
	} {
		n := 0
		for _, row := range boundRows(head + text + "\nmore | text\n") {
			n += len(rowFaults(row, map[string]bool{"TestA": true}))
		}
		if n != want {
			t.Errorf("%q: %d faults, want %d", text, n, want)
		}
	}
}

// boundRows are the cells of each row of the table of bounds.
func boundRows(page string) (rows [][]string) {
	_, section, _ := strings.Cut(page, "## State and its bounds\n")
	_, table, _ := strings.Cut(section, "---|\n")
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	return rows
}

// rowFaults lists what is wrong with the tests that a row names.
func rowFaults(row []string, there map[string]bool) (faults []string) {
	if len(row) != 7 {
		return []string{"does not have 7 cells"}
	}
	names := strings.FieldsFunc(row[6], func(r rune) bool { return r == ',' || r == ' ' })
	if len(names) == 0 {
		faults = append(faults, "names no test")
	}
	for _, name := range names {
		if !there[strings.Trim(name, "`")] {
			faults = append(faults, "there is no test "+name)
		}
	}
	return faults
}

// TestCrowdIsToldByCheck: frames of a connection that was summed up are why a check does not
// pass; a connection that was summed up and of which nothing came is none.
func TestCrowdIsToldByCheck(t *testing.T) {
	of := func(frames ...uint64) *report.Analysis {
		a := &report.Analysis{}
		for _, n := range frames {
			a.Conns = append(a.Conns, &session.Conn{SummedUp: true, Unjudged: n})
		}
		return a
	}
	if list := unjudged(of(0, 0)); len(list) != 0 {
		t.Errorf("nothing came, but %q", list)
	}
	list := unjudged(of(0, 3, 1))
	if len(list) != 1 || !strings.HasPrefix(list[0], "2 connections not judged to the end") {
		t.Errorf("%q", list)
	}
}

// TestBoundedFiles: a file that is read whole may have as many bytes as it says and no more.
func TestBoundedFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rules")
	const most = 1 << 20
	for size, want := range map[int64]bool{0: true, most: true, most + 1: false} {
		if err := os.WriteFile(path, make([]byte, size), 0o666); err != nil {
			t.Fatal(err)
		}
		text, err := inputs.ReadBounded(path, most)
		if (err == nil) != want || err == nil && int64(len(text)) != size || err != nil && err.Error() != path+": has more than 1 MiB: is it the right file?" {
			t.Errorf("%d bytes: %d are read, %v", size, len(text), err)
		}
	}
}

// TestTooManyIntervals: a timeline of more intervals than are kept ends with an error that
// says what to do.
func TestTooManyIntervals(t *testing.T) {
	defer func(n int) { timeline.MaxIntervals = n }(timeline.MaxIntervals)
	timeline.MaxIntervals = 5
	path := filepath.Join(root(t), "testdata", "pcaps", "dp8", "unsigned-clean.pcap")
	if _, errs, code := call(t, "timeline", "--interval", "1s", path); code != exit.OK {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if _, errs, code := call(t, "timeline", "--interval", "10ms", path); code == exit.OK || !strings.Contains(errs, "more than 5 intervals of 10ms: take longer ones with --interval") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}

// TestOtherBlocksLeftOutAreTold: blocks that are no packets, of which there were too many between
// two packets, are counted on standard error; the packets are written all the same.
func TestOtherBlocksLeftOutAreTold(t *testing.T) {
	le := binary.LittleEndian
	block := func(typ uint32, body []byte) []byte {
		size := uint32(12 + len(body))
		return le.AppendUint32(append(le.AppendUint32(le.AppendUint32(nil, typ), size), body...), size)
	}
	section := block(0x0a0d0d0a, []byte("\x4d\x3c\x2b\x1a\x01\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff"))
	iface := block(1, []byte{1, 0, 0, 0, 0, 0, 4, 0})
	packet := block(6, slices.Concat(make([]byte, 12), []byte{60, 0, 0, 0, 60, 0, 0, 0}, make([]byte, 60)))
	for blocks, told := range map[int]bool{15: false, 20: true} {
		path := filepath.Join(t.TempDir(), "in.pcapng")
		text := slices.Concat(section, iface, packet, bytes.Repeat(block(0x80001234, make([]byte, 1<<20-12)), blocks), packet)
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		_, errs, code := call(t, "annotate", "-w", filepath.Join(t.TempDir(), "out.pcapng"), path)
		if code != exit.OK || strings.Contains(errs, "4 blocks that are no packets were left out") != told || !strings.Contains(errs, "2 packets written") {
			t.Errorf("%d blocks: exit code %d, %q", blocks, code, errs)
		}
	}
}
