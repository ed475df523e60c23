package tables

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the script that makes the tables of ClickHouse")

// TestClickHouseTables: the script that makes the tables of ClickHouse has all columns, with their
// types; `make golden` writes it.
func TestClickHouseTables(t *testing.T) {
	const path = "../../deploy/clickhouse/tables.sql"
	want := clickHouse()
	got, err := os.ReadFile(path)
	if err != nil && !*update {
		t.Fatal(err)
	}
	if string(got) == want {
		return
	}
	if !*update {
		t.Fatalf("%s differs: make golden writes it", path)
	}
	if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
		t.Fatal(err)
	}
}

func clickHouse() string {
	var b strings.Builder
	b.WriteString(`-- The tables of ` + "`dpdissect tables`" + `, for ClickHouse. A row that comes twice, by a step that was
-- repeated, is kept once. This file is generated: make golden.
--
-- Filled from files, in user_files, or from a bucket by s3('https://…/rows/ends/**/*.parquet'):
--   INSERT INTO ends SELECT * FROM file('rows/ends/**/*.parquet', Parquet) SETTINGS use_hive_partitioning = 0;
-- As files come, from a bucket:
--   CREATE TABLE ends_queue AS ends ENGINE = S3Queue('https://…/rows/ends/**/*.parquet', 'Parquet') SETTINGS mode = 'unordered';
--   CREATE MATERIALIZED VIEW ends_in TO ends AS SELECT * FROM ends_queue;
`)
	for _, table := range All() {
		var columns, key []string
		for i := range table.Columns {
			c := &table.Columns[i]
			columns = append(columns, "  `"+c.Name+"` "+clickHouseType(c))
			if c.Key {
				key = append(key, c.Name)
			}
		}
		fmt.Fprintf(&b, "\nCREATE TABLE IF NOT EXISTS %s (\n%s\n) ENGINE = ReplacingMergeTree(step) ORDER BY (%s);\n", table.Name, strings.Join(columns, ",\n"), strings.Join(key, ", "))
	}
	return b.String()
}

func clickHouseType(c *Column) string {
	name := map[Type]string{Text: "String", BigInt: "Int64", Integer: "Int32", Double: "Float64", Boolean: "Bool", Time: "DateTime64(9, 'UTC')",
		BigInts: "Array(Int64)", Texts: "Array(String)", CellMap: "Map(Int32, Int64)"}[c.Type]
	if !c.Key && c.Type != BigInts && c.Type != Texts && c.Type != CellMap && c.Name != "step" {
		name = "Nullable(" + name + ")"
	}
	if c.Few {
		name = "LowCardinality(" + name + ")"
	}
	return name
}
