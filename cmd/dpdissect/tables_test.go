package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/internal/tables"
	"github.com/dpdissect/dpdissect/internal/testbed/excerpt"
)

// A ndRow is a row of NDJSON.
type ndRow = map[string]any

// rowsIn reads the rows of a table, of all files below a folder, in the order of their paths.
func rowsIn(t testing.TB, dir, table string) (rows []ndRow) {
	t.Helper()
	for _, path := range filesBelow(t, filepath.Join(dir, table)) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			var r ndRow
			d := json.NewDecoder(bytes.NewReader(line))
			d.UseNumber()
			if err := d.Decode(&r); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			rows = append(rows, r)
		}
	}
	return rows
}

func filesBelow(t testing.TB, dir string) (files []string) {
	t.Helper()
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return nil
	})
	return files
}

// document reads JSON with its numbers as they are written.
func document(t testing.TB, text string) (v map[string]any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// flatRow is a record as a row of a table has it, without some of its members.
func flatRow(record map[string]any, without ...string) ndRow {
	row := ndRow{}
	var walk func(m map[string]any, prefix string)
	walk = func(m map[string]any, prefix string) {
		for k, v := range m {
			if prefix == "" && slices.Contains(without, k) {
				continue
			}
			if inner, ok := v.(map[string]any); ok {
				walk(inner, prefix+k+"_")
				continue
			}
			name := strings.TrimPrefix(prefix+k, "directions_")
			if name == "from" || name == "to" {
				name += "_time"
			}
			row[name] = v
		}
	}
	walk(record, "")
	return row
}

// without is a row without what every table has, and some more.
func without(row ndRow, names ...string) ndRow {
	row = maps.Clone(row)
	for _, n := range append(names, "point", "chain", "step", "build") {
		delete(row, n)
	}
	return row
}

var connNumber = regexp.MustCompile(`#\d+`)

// TestTablesEqualDocuments: rows say what the documents of analyze, timeline and messages say.
// Connections are called by the number of their first frame, also in sentences.
func TestTablesEqualDocuments(t *testing.T) {
	t.Parallel()
	files := captures(t)
	for i, file := range files {
		if os.Getenv("DPDISSECT_FORMS") != "all" && i%9 != 0 && !strings.Contains(file, "/ends/") {
			continue
		}
		equalDocuments(t, file)
	}
}

func equalDocuments(t *testing.T, file string, flags ...string) {
	t.Helper()
	dir := t.TempDir()
	if out, errs, code := call(t, append([]string{"tables", "-q", "--interval", "1", "--out", dir, file}, flags...)...); code != exit.OK {
		t.Fatalf("%s: exit code %d, %s%s", file, code, out, errs)
	}
	analysis := document(t, output(t, "analyze", "--format", "json", file))
	frames := map[string]any{}
	for _, c := range analysis["connections"].([]any) {
		c := c.(map[string]any)
		frames[fmt.Sprint(c["id"])] = c["first_frame"]
	}
	renumber := func(row ndRow) ndRow {
		for k, v := range row {
			if s, ok := v.(string); ok {
				row[k] = connNumber.ReplaceAllStringFunc(s, func(n string) string { return "#" + fmt.Sprint(frames[n[1:]]) })
			}
		}
		return row
	}
	var conns, ends, findings, intervals []ndRow
	for _, c := range analysis["connections"].([]any) {
		c := c.(map[string]any)
		row := flatRow(c, "id", "end")
		row["conn"] = c["first_frame"]
		conns = append(conns, renumber(row))
		if end, ok := c["end"]; ok {
			row := flatRow(end.(map[string]any))
			row["conn"] = c["first_frame"]
			ends = append(ends, renumber(row))
		}
	}
	for _, f := range analysis["findings"].([]any) {
		f := f.(map[string]any)
		row := flatRow(f, "schema", "connection")
		if id, ok := f["connection"]; ok {
			row["conn"] = frames[fmt.Sprint(id)]
		}
		findings = append(findings, row)
	}
	for line := range strings.Lines(output(t, "timeline", "--format", "ndjson", "--interval", "1", file)) {
		v := document(t, line)
		row := flatRow(v, "schema", "connection")
		row["conn"] = frames[fmt.Sprint(v["connection"])]
		intervals = append(intervals, row)
	}
	all := map[string][]ndRow{"connections": conns, "ends": ends, "findings": findings, "intervals": intervals}
	if len(flags) > 0 { // of long ones some round trips are known late
		delete(all, "intervals")
	}
	once(t, "intervals", rowsIn(t, dir, "intervals"))
	for table, want := range all {
		var got []ndRow
		for _, r := range rowsIn(t, dir, table) {
			got = append(got, without(r, "fingerprint", "rtt_cells"))
		}
		sameRows(t, filepath.Base(file)+" "+table, got, want)
	}
	rowSums(t, filepath.Base(file), dir)
}

// once checks that no key comes twice.
func once(t *testing.T, table string, rows []ndRow) {
	t.Helper()
	keys := map[string]bool{}
	for _, r := range rows {
		key := table
		for _, c := range tables.Named(table).Columns {
			if c.Key {
				key += fmt.Sprint("/", r[c.Name])
			}
		}
		if keys[key] {
			t.Errorf("%s comes again", key)
		}
		keys[key] = true
	}
}

// sameRows compares rows in any order.
func sameRows(t *testing.T, what string, got, want []ndRow) {
	t.Helper()
	texts := func(rows []ndRow) (list []string) {
		for _, r := range rows {
			b, _ := json.Marshal(r)
			list = append(list, string(b))
		}
		slices.Sort(list)
		return list
	}
	g, w := texts(got), texts(want)
	if len(g) != len(w) {
		t.Errorf("%s: %d rows, want %d", what, len(g), len(w))
		return
	}
	for i := range g {
		if g[i] != w[i] {
			t.Errorf("%s:\n%s, want\n%s", what, g[i], w[i])
			return
		}
	}
}

// rowSums checks that cells add up to the round trips of each side, and rollups to the intervals.
func rowSums(t *testing.T, what, dir string) {
	t.Helper()
	cells, frames := map[string]int64{}, int64(0)
	counts := map[string]int64{}
	for _, v := range rowsIn(t, dir, "intervals") {
		side := fmt.Sprint(v["conn"], v["direction"])
		for _, i := range measure.InInterval {
			counts[side+measure.Table[i].Key] += integer(v[measure.Table[i].Key])
		}
		frames += integer(v["frames"])
		for _, n := range cellsOf(v) {
			cells[side] += n
		}
	}
	begun := 0
	for _, c := range rowsIn(t, dir, "connections") {
		for _, side := range []string{"a", "b"} {
			for _, i := range measure.InInterval {
				key := measure.Table[i].Key
				if got, want := counts[fmt.Sprint(c["conn"], side)+key], integer(c[side+"_"+key]); got != want && c["first_time"] != nil {
					t.Errorf("%s: %s of %v%s add up to %d, want %d", what, key, c["conn"], side, got, want)
				}
			}
			if got, want := cells[fmt.Sprint(c["conn"], side)], integer(c[side+"_rtt_samples"]); got != want {
				t.Errorf("%s: cells of %v%s add up to %d, want %d", what, c["conn"], side, got, want)
			}
		}
		if c["first_time"] != nil {
			begun++
		}
	}
	for _, r := range rowsIn(t, dir, "rollup") {
		frames -= integer(r["frames"])
		begun -= int(integer(r["connections_begun"]))
	}
	if frames != 0 || begun != 0 {
		t.Errorf("%s: intervals have %d frames more than the rollup, connections %d more begun", what, frames, begun)
	}
}

func integer(v any) int64 {
	if v == nil {
		return 0
	}
	n, err := v.(json.Number).Int64()
	must(err)
	return n
}

func cellsOf(row ndRow) map[int]int64 {
	all := map[int]int64{}
	m, _ := row["rtt_cells"].(map[string]any)
	for k, v := range m {
		cell, err := strconv.Atoi(k)
		must(err)
		all[cell] = integer(v)
	}
	return all
}

// later gives a capture again, some time later.
func later(packets []excerpt.Packet, ns uint64) []excerpt.Packet {
	out := slices.Clone(packets)
	for i := range out {
		out[i].Data = bytes.Clone(out[i].Data)
		out[i].Time += ns
	}
	return out
}

// stretched gives a capture in which everything takes so many times as long.
func stretched(packets []excerpt.Packet, times uint64) []excerpt.Packet {
	out := slices.Clone(packets)
	for i := range out {
		out[i].Time = out[0].Time + (out[i].Time-packets[0].Time)*times
	}
	return out
}

// TestTablesLongConnections: the intervals of a connection that are written while it goes on add up
// to what its row says, each is written once, and the other tables are what documents say.
func TestTablesLongConnections(t *testing.T) {
	for _, name := range []string{"dp8/unsigned-lossy.pcap", "dp4/windows-lossy.pcap", "knet/lossy-reference.pcap", "hazel/lossy-current.pcap"} {
		packets := excerpt.Read(t, filepath.Join("..", "..", "testdata", "pcaps", filepath.FromSlash(name)))
		length := packets[len(packets)-1].Time - packets[0].Time
		equalDocuments(t, captureFile(t, filepath.Base(name), stretched(packets, 1+3600e9/length)), "--idle", "0")
	}
}

// captureFile writes packets to a file.
func captureFile(t testing.TB, name string, packets []excerpt.Packet) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, excerpt.AsFile(packets), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTablesRowsAreFinal: what a step writes is the same whatever comes after it, a connection is
// closed after the silence of --idle, and each row comes once.
func TestTablesRowsAreFinal(t *testing.T) {
	const hour = uint64(3600e9)
	first := excerpt.Read(t, capturePath(t, "unsigned-lossy.pcap"))
	var all []excerpt.Packet
	for i := range uint64(4) {
		all = append(all, later(first, i*hour)...)
	}
	texts := func(n int) map[string][]string {
		dir := t.TempDir()
		file := captureFile(t, "x.pcap", all[:n])
		if _, errs, code := call(t, "tables", "-q", "--every", "15m", "--out", dir, file); code != exit.OK {
			t.Fatal(errs)
		}
		text := map[string][]string{}
		for _, f := range filesBelow(t, dir) {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			name, _ := filepath.Rel(dir, f)
			text[name] = slices.Collect(strings.Lines(string(b)))
		}
		return text
	}
	whole := texts(len(all))
	for _, n := range []int{2*len(first) + 1, 3*len(first) + 7} {
		cut := texts(n)
		steps := 0
		for name, text := range cut {
			step := name[len(name)-len("00000000.ndjson"):]
			if last := fmt.Sprintf("%08d.ndjson", lastStep(cut)); step == last {
				continue
			}
			steps++
			if !slices.Equal(text, whole[name]) {
				t.Errorf("%s is other when %d packets come, not %d", name, len(all), n)
			}
		}
		if steps == 0 {
			t.Errorf("%d packets: nothing was written on the way", n)
		}
	}
	rows := map[string][]ndRow{}
	for name, text := range whole {
		table, _, _ := strings.Cut(filepath.ToSlash(name), "/")
		for _, line := range text {
			rows[table] = append(rows[table], document(t, line))
		}
	}
	for table := range rows {
		once(t, table, rows[table])
	}
	if n := len(rows["connections"]); n != 4 {
		t.Errorf("%d connections, want one an hour", n)
	}
}

func lastStep(files map[string][]string) (last int) {
	for name := range files {
		step, err := strconv.Atoi(name[len(name)-len("00000000.ndjson") : len(name)-len(".ndjson")])
		must(err)
		last = max(last, step)
	}
	return last
}

// TestTablesRollupCountsConnections: every connection begins and ends in a minute of the rollup,
// whichever second that is, and is open in those between.
func TestTablesRollupCountsConnections(t *testing.T) {
	first := excerpt.Read(t, capturePath(t, "unsigned-lossy.pcap"))
	var all []excerpt.Packet
	const n = 12
	for i := range uint64(n) {
		all = append(all, later(first, i*305e9)...)
	}
	noise := first[:1]
	noise[0].Data = bytes.Clone(noise[0].Data)
	clear(noise[0].Data[noise[0].Payload:])
	noise[0].Data[26] ^= 1 // of another address
	for at := uint64(0); at < n*305e9; at += 20e9 {
		all = append(all, later(noise, at)...)
	}
	slices.SortStableFunc(all, func(a, b excerpt.Packet) int { return cmp.Compare(a.Time, b.Time) })
	dir := t.TempDir()
	output(t, "tables", "-q", "--out", dir, captureFile(t, "x.pcap", all))
	var begun, ended, open int64
	for _, r := range rowsIn(t, dir, "rollup") {
		begun, ended, open = begun+integer(r["connections_begun"]), ended+integer(r["connections_ended"]), max(open, integer(r["connections_open"]))
	}
	conns := rowsIn(t, dir, "connections")
	going := int64(0) // when the capture ended
	if last := conns[len(conns)-1]; last["state"] == "established" || last["state"] == "opening" || last["state"] == "closing" {
		going = 1
	}
	if len(conns) != n || begun != n || ended != n-going || open != 1 {
		t.Errorf("%d connections, of which %d go on: %d begun, %d ended, %d open at a time", len(conns), going, begun, ended, open)
	}
}

// TestTablesRepeated: the same step again replaces its files by the same bytes, and leaves nothing
// else.
func TestTablesRepeated(t *testing.T) {
	dir := t.TempDir()
	read := func() map[string]string {
		output(t, "tables", "-q", "--out", dir, capturePath(t, "unsigned-lossy.pcap"))
		all := map[string]string{}
		for _, f := range filesBelow(t, dir) {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			all[f] = string(b)
		}
		return all
	}
	first := read()
	if again := read(); len(first) != 5 || !maps.Equal(first, again) {
		t.Errorf("%d files, then %d, equal: %v", len(first), len(again), maps.Equal(first, again))
	}
}

// TestTablesInputsAreOneChain: several inputs are read one after the other, whatever their times,
// and frames are numbered through them.
func TestTablesInputsAreOneChain(t *testing.T) {
	all := excerpt.Read(t, capturePath(t, "unsigned-lossy.pcap"))
	half := len(all) / 2
	one, two, whole := captureFile(t, "x.1.pcap", all[:half]), captureFile(t, "y.pcap", all[half:]), captureFile(t, "x.pcap", all)
	var dirs []string
	for _, files := range [][]string{{one, two}, {whole}} {
		dirs = append(dirs, t.TempDir())
		output(t, append([]string{"tables", "-q", "--out", dirs[len(dirs)-1]}, files...)...)
	}
	for _, x := range tables.All() {
		sameRows(t, x.Name, rowsIn(t, dirs[0], x.Name), rowsIn(t, dirs[1], x.Name))
	}
	swapped := t.TempDir()
	output(t, "tables", "-q", "--out", swapped, two, one)
	if n := integer(rowsIn(t, swapped, "connections")[0]["first_frame"]); n != 1 {
		t.Errorf("the first connection begins at frame %d: what was given first was not read first", n)
	}
}

// TestTablesNamesStayInTheirFolder: names of points and chains are any text, and no path.
func TestTablesNamesStayInTheirFolder(t *testing.T) {
	dir := t.TempDir()
	output(t, "tables", "-q", "--out", dir, "--tables", "ends", "--point", "../a b", "--chain", "ü/.%", "--step", "7", capturePath(t, "unsigned-lossy.pcap"))
	want := filepath.Join(dir, "ends", "point=%2E%2E%2Fa%20b", "date=2024-05-01", "%C3%BC%2F%2E%25.00000007.ndjson")
	if files := filesBelow(t, dir); len(files) != 1 || files[0] != want {
		t.Errorf("%q, want %s", files, want)
	}
	if r := rowsIn(t, dir, "ends")[0]; r["point"] != "../a b" || r["chain"] != "ü/.%" || integer(r["step"]) != 7 {
		t.Errorf("%v", r)
	}
}

// TestTablesKeyedAddresses: no address stays anywhere, equal ones stay equal, ports stay.
func TestTablesKeyedAddresses(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, bytes.Repeat([]byte{7}, 32), 0o600); err != nil {
		t.Fatal(err)
	}
	address := regexp.MustCompile(`\d+\.\d+\.\d+\.\d+|\[[0-9a-f:]+\]`)
	for _, file := range captures(t) {
		if !strings.Contains(file, "/ends/") && !strings.Contains(file, "ipv6") {
			continue
		}
		dir := t.TempDir()
		output(t, "tables", "-q", "--out", dir, "--tables", "connections,ends,findings", "--addresses", "keyed", "--address-key", key, file)
		for _, table := range []string{"connections", "ends", "findings"} {
			for _, r := range rowsIn(t, dir, table) {
				for _, name := range []string{"a_address", "b_address", "sentence", "would_refute", "message"} {
					if s, _ := r[name].(string); address.MatchString(s) {
						t.Errorf("%s: %s has an address: %s", filepath.Base(file), name, s)
					}
				}
				if s, ok := r["a_address"].(string); ok && !regexp.MustCompile(`^[0-9a-f]{16}:\d+$`).MatchString(s) {
					t.Errorf("%s: %s", filepath.Base(file), s)
				}
			}
		}
	}
}

// TestTablesRefuse: what can't be done is refused before anything is written, and what can't be
// read leaves no rows.
func TestTablesRefuse(t *testing.T) {
	file, dir := capturePath(t, "unsigned-lossy.pcap"), t.TempDir()
	short := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(short, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		tell string
	}{
		{"tables " + file, exit.Usage, "--out DIR"},
		{"tables --out " + dir + " --format parquet " + file, exit.Usage, "dpdissect-fleet"},
		{"tables --out s3://bucket/x " + file, exit.Usage, "dpdissect-fleet"},
		{"tables --out " + dir + " --format csv " + file, exit.Usage, "want ndjson"},
		{"tables --out " + dir + " --tables players " + file, exit.Usage, `unknown table "players"`},
		{"tables --out " + dir + " --addresses keyed " + file, exit.Usage, "--address-key"},
		{"tables --out " + dir + " --addresses keyed --address-key " + short + " " + file, exit.Usage, "5 bytes"},
		{"tables --out " + dir + " --chain " + strings.Repeat("x", 129) + " " + file, exit.Usage, "longer than 128"},
		{"tables --out " + dir + " --step -1 " + file, exit.Usage, "--step"},
		{"tables --out " + dir + " --follow one two", exit.Usage, "one INPUT"},
		{"tables --out " + dir + " " + short, exit.Input, "not a capture"},
		{"tables --out " + dir + " " + short + "-none", exit.Input, "no such file"},
		{"tables --out " + filepath.Join(short, "x") + " " + file, exit.Usage, "not a directory"},
	} {
		_, errs, code := call(t, strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(errs, c.tell) {
			t.Errorf("%s: exit code %d, want %d and %q in: %s", c.args, code, c.code, c.tell, errs)
		}
	}
	if files := filesBelow(t, dir); len(files) > 0 {
		t.Errorf("there are %q", files)
	}
}

// TestTablesOfACutFile: what was readable is in the rows, and the exit code says that not all was.
func TestTablesOfACutFile(t *testing.T) {
	whole, err := os.ReadFile(capturePath(t, "unsigned-lossy.pcap"))
	if err != nil {
		t.Fatal(err)
	}
	file, dir := filepath.Join(t.TempDir(), "cut.pcap"), t.TempDir()
	if err := os.WriteFile(file, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, code := call(t, "tables", "-q", "--out", dir, file); code != exit.Input || len(rowsIn(t, dir, "connections")) == 0 {
		t.Errorf("exit code %d, %d connections", code, len(rowsIn(t, dir, "connections")))
	}
}
