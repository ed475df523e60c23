package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/tables"
)

// databases is where `make databases` puts what reads tables back.
func databases(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("DPDISSECT_DATABASES")
	if dir == "" {
		dir = filepath.Join(os.TempDir(), "dpdissect-databases")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
		t.Skip("DuckDB and ClickHouse are not there: make databases")
	}
	return dir
}

// What runs statements and prints the rows of the last one as JSON, a line each.
const (
	duckdb = `const { DuckDBInstance } = require('@duckdb/node-api');
(async () => {
  const c = await (await DuckDBInstance.create(':memory:')).connect();
  let r;
  for (const q of input) r = await c.runAndReadAll(q);
  for (const row of r.getRowObjectsJson()) console.log(JSON.stringify(row));
})().catch(e => { console.error(String(e)); process.exit(1); });`

	clickhouse = `const { Session } = require('chdb');
const s = new Session(process.env.STORE);
let out = '';
for (const q of input) out = s.query(q, 'JSONEachRow');
process.stdout.write(out);
s.cleanup();`
)

// ask runs statements in a folder, in a database of their own.
func ask(t *testing.T, script, folder string, statements []string) (rows []map[string]any) {
	t.Helper()
	modules := databases(t)
	head := fmt.Sprintf("const require = require_(%q);\nconst input = JSON.parse(require('fs').readFileSync(0));\n", filepath.Join(modules, "x.js"))
	file := filepath.Join(t.TempDir(), "ask.mjs")
	text := "import { createRequire as require_ } from 'module';\n" + head + script
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	in, _ := json.Marshal(statements)
	cmd := exec.Command("node", file)
	cmd.Dir, cmd.Stdin = folder, bytes.NewReader(in)
	cmd.Env = append(os.Environ(), "STORE="+t.TempDir())
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	for line := range bytes.Lines(out) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var r map[string]any
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		rows = append(rows, r)
	}
	return rows
}

// script gives the statements of a file of deploy.
func script(t *testing.T, path string) (list []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", path))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "--") {
			b.WriteString(line)
		}
	}
	for s := range strings.SplitSeq(b.String(), ";\n") {
		if strings.TrimSpace(s) != "" {
			list = append(list, s)
		}
	}
	return list
}

// rowsOf writes the rows of captures, each a chain, as a format into a folder, and gives it.
func rowsOf(t *testing.T, format string, files ...string) string {
	t.Helper()
	folder := t.TempDir()
	for i, f := range files {
		var errs bytes.Buffer
		args := []string{"tables", "--format", format, "--tables", strings.Join(tables.Names(), ","), "--interval", "1", "--chain", fmt.Sprint("c", i), "--out", filepath.Join(folder, "rows"), f}
		if code := run(args, os.Stdout, &errs); code != exit.OK {
			t.Fatalf("%q: exit code %d: %s", args, code, errs.String())
		}
	}
	return folder
}

func captures(t *testing.T) (files []string) {
	for _, pattern := range []string{"ends/*.pcap", "dp8/unsigned-lossy.pcap", "dp4/windows-lossy.pcap", "knet/lossy-reference.pcap", "hazel/lossy-current.pcap"} {
		found, err := filepath.Glob(filepath.Join("..", "..", "testdata", "pcaps", filepath.FromSlash(pattern)))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d captures, %v", pattern, len(found), err)
		}
		files = append(files, found...)
	}
	return files
}

// selected asks a database for a table so that every value is a text, a number or nothing.
func selected(t *tables.Table, from string, as func(c *tables.Column) string) string {
	var list []string
	for i := range t.Columns {
		list = append(list, as(&t.Columns[i])+` AS "`+t.Columns[i].Name+`"`)
	}
	return "SELECT " + strings.Join(list, ", ") + " FROM " + from
}

func inDuckDB(c *tables.Column) string {
	name := `"` + c.Name + `"`
	switch c.Type {
	case tables.Time:
		return "epoch_ns(" + name + ")::VARCHAR"
	case tables.BigInt, tables.Integer, tables.Boolean:
		return name + "::VARCHAR"
	case tables.BigInts, tables.Texts, tables.CellMap:
		return "to_json(" + name + ")::VARCHAR"
	}
	return name
}

func inClickHouse(c *tables.Column) string {
	name := "x.`" + c.Name + "`"
	switch c.Type {
	case tables.Time:
		return "toString(toUnixTimestamp64Nano(" + name + "))"
	case tables.BigInt, tables.Integer, tables.Boolean:
		return "toString(" + name + ")"
	case tables.BigInts, tables.Texts, tables.CellMap:
		return "toJSONString(" + name + ")"
	}
	return name
}

// plain is a value of a database, or of NDJSON, as text; "" for none.
func plain(c *tables.Column, v any) string {
	if v == nil {
		return ""
	}
	switch c.Type {
	case tables.Time:
		if at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(v)); err == nil {
			return fmt.Sprint(at.UnixNano())
		}
	case tables.Double:
		x, err := strconv.ParseFloat(fmt.Sprint(v), 64)
		if err != nil {
			return err.Error()
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	case tables.BigInts, tables.Texts, tables.CellMap:
		text, ok := v.(string)
		if !ok {
			b, _ := json.Marshal(v)
			text = string(b)
		}
		var inner any
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&inner); err != nil {
			return text
		}
		b, _ := json.Marshal(inner)
		if s := strings.ReplaceAll(string(b), `"`, ""); s != "[]" && s != "{}" && s != "null" {
			return s
		}
		return ""
	}
	return fmt.Sprint(v)
}

func texts(t *tables.Table, rows []map[string]any) (list []string) {
	for _, r := range rows {
		var b strings.Builder
		for i := range t.Columns {
			c := &t.Columns[i]
			fmt.Fprintf(&b, "%s=%s ", c.Name, plain(c, r[c.Name]))
		}
		list = append(list, b.String())
	}
	slices.Sort(list)
	return list
}

// written reads the rows of a table in NDJSON.
func written(t *testing.T, folder, table string) (rows []map[string]any) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "rows", table, "*", "*", "*.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			var r map[string]any
			d := json.NewDecoder(bytes.NewReader(line))
			d.UseNumber()
			if err := d.Decode(&r); err != nil {
				t.Fatal(err)
			}
			rows = append(rows, r)
		}
	}
	return rows
}

func compare(t *testing.T, what string, got, want []string) {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 {
		t.Errorf("%s: %d rows, want %d", what, len(got), len(want))
		return
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("%s:\n%s, want\n%s", what, got[i], want[i])
			return
		}
	}
}

// TestDuckDBReadsTheRows: what DuckDB reads of the Parquet files is what the documents say, in the
// types of the contract.
func TestDuckDBReadsTheRows(t *testing.T) {
	databases(t)
	files := captures(t)
	parquet, ndjson := rowsOf(t, "parquet", files...), rowsOf(t, "ndjson", files...)
	for _, x := range tables.All() {
		from := fmt.Sprintf("read_parquet('rows/%s/**/*.parquet', hive_partitioning = true, union_by_name = true)", x.Name)
		compare(t, x.Name, texts(x, ask(t, duckdb, parquet, []string{selected(x, from, inDuckDB)})), texts(x, written(t, ndjson, x.Name)))
	}
	types := map[string]string{"from_time": "TIMESTAMP_NS", "rtt_cells": "MAP(INTEGER, BIGINT)", "conn": "BIGINT", "rtt_p95_ms": "DOUBLE", "step": "INTEGER", "date": "DATE"}
	for _, r := range ask(t, duckdb, parquet, []string{"DESCRIBE SELECT * FROM read_parquet('rows/intervals/**/*.parquet', hive_partitioning = true, union_by_name = true)"}) {
		if want := types[fmt.Sprint(r["column_name"])]; want != "" && r["column_type"] != want {
			t.Errorf("%v is %v, want %s", r["column_name"], r["column_type"], want)
		}
	}
}

// filled are the statements that make the tables of ClickHouse and fill them from files.
func filled(t *testing.T, folder string) (list []string) {
	list = script(t, "clickhouse/tables.sql")
	for _, x := range tables.All() {
		list = append(list, fmt.Sprintf("INSERT INTO %s SELECT * FROM file('%s/rows/%s/**/*.parquet', Parquet) SETTINGS use_hive_partitioning = 0", x.Name, folder, x.Name))
	}
	return append(list, script(t, "clickhouse/views.sql")...)
}

// TestClickHouseReadsTheRows: what ClickHouse has in its tables is what the documents say, and a step
// that comes twice is there once.
func TestClickHouseReadsTheRows(t *testing.T) {
	databases(t)
	files := captures(t)
	parquet, ndjson := rowsOf(t, "parquet", files...), rowsOf(t, "ndjson", files...)
	for _, x := range tables.All() {
		statements := append(filled(t, parquet), filled(t, parquet)...)
		statements = append(statements, selected(x, x.Name+" AS x FINAL", inClickHouse)+" SETTINGS output_format_json_quote_64bit_integers = 0")
		compare(t, x.Name, texts(x, ask(t, clickhouse, parquet, statements)), texts(x, written(t, ndjson, x.Name)))
	}
}

// TestMergedPercentile: the 95th percentile of cells that are merged over all minutes and connections
// is within 1% of the exact one, in both databases.
func TestMergedPercentile(t *testing.T) {
	databases(t)
	file := filepath.Join("..", "..", "testdata", "pcaps", "dp8", "unsigned-lossy.pcap")
	parquet, ndjson := rowsOf(t, "parquet", file), rowsOf(t, "ndjson", file)
	exact := map[string]float64{}
	for _, c := range written(t, ndjson, "connections") {
		for _, side := range []string{"a", "b"} {
			if n, _ := c[side+"_rtt_samples"].(json.Number).Int64(); n < 100 || n > 4096 {
				t.Fatalf("%d samples: too few, or their percentile is not exact", n)
			}
			exact[c[side+"_role"].(string)], _ = c[side+"_rtt_p95_ms"].(json.Number).Float64()
		}
	}
	for name, rows := range map[string][]map[string]any{
		"DuckDB":     ask(t, duckdb, parquet, append(script(t, "duckdb/views.sql"), "SELECT role, rtt_ms FROM rtt_percentile(95)")),
		"ClickHouse": ask(t, clickhouse, parquet, append(filled(t, parquet), "SELECT role, rtt_ms FROM rtt_percentile(p = 95)")),
	} {
		if len(rows) != len(exact) {
			t.Errorf("%s: %v", name, rows)
		}
		for _, r := range rows {
			if got, want := r["rtt_ms"].(float64), exact[r["role"].(string)]; math.Abs(got-want) > 0.01*want {
				t.Errorf("%s, %v: %v ms, want %v", name, r["role"], got, want)
			}
		}
	}
}

// TestViews: the views for operators run, and both databases say the same.
func TestViews(t *testing.T) {
	databases(t)
	parquet := rowsOf(t, "parquet", captures(t)...)
	for _, q := range []string{
		"SELECT point, server, connections, cut_off, round(share, 6) AS share, round(lost_of_1000, 6) AS lost FROM worst_servers ORDER BY server",
		"SELECT server, cause, side, connections, proved, round(share, 6) AS share, example FROM why_they_left ORDER BY server, cause, side, example",
	} {
		var said [][]string
		for _, rows := range [][]map[string]any{
			ask(t, duckdb, parquet, append(script(t, "duckdb/views.sql"), q)),
			ask(t, clickhouse, parquet, append(filled(t, parquet), q)),
		} {
			var list []string
			for _, r := range rows {
				list = append(list, fmt.Sprint(r))
			}
			slices.Sort(list)
			said = append(said, list)
		}
		compare(t, q, said[1], said[0])
	}
}
