package parquetfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/dpdissect/dpdissect/internal/tables"
)

func written(t *testing.T, table *tables.Table, rows ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	err := Format{}.Write(&b, table, func(row func([]byte) error) error {
		for _, r := range rows {
			if err := row([]byte(r)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestColumns: every file has all columns in the order of the table, with their types, and the
// same rows make the same bytes.
func TestColumns(t *testing.T) {
	for _, table := range tables.All() {
		row := `{"point":"p","chain":"c","conn":1,"direction":"a","from_time":"2024-05-01T12:00:00.000000001Z","fingerprint":"00","protocol":"dp8","role":"","index":0,"step":0,"build":"x"}`
		row = keep(t, table, row)
		b := written(t, table, row)
		if !bytes.Equal(b, written(t, table, row)) {
			t.Errorf("%s: two times other bytes", table.Name)
		}
		f, err := parquet.OpenFile(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range f.Schema().Fields() {
			want := &table.Columns[i]
			if c.Name() != want.Name || c.Optional() == want.Key {
				t.Errorf("%s: column %d is %s, optional: %v; want %s, %v", table.Name, i, c.Name(), c.Optional(), want.Name, !want.Key)
			}
			if want.Type == tables.Time && c.Type().String() != "TIMESTAMP(isAdjustedToUTC=false,unit=NANOS)" {
				t.Errorf("%s: %s is %s", table.Name, c.Name(), c.Type())
			}
		}
	}
}

// keep keeps of a row what the table has columns for.
func keep(t *testing.T, table *tables.Table, row string) string {
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(row), &all); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, c := range table.Columns {
		names[c.Name] = true
	}
	for n := range all {
		if !names[n] {
			delete(all, n)
		}
	}
	b, _ := json.Marshal(all)
	return string(b)
}

// TestValues: values of every type come back as they were written, also those that are absent or
// empty.
func TestValues(t *testing.T) {
	table := tables.Named("connections")
	b := written(t, table,
		`{"point":"p","chain":"c","conn":5,"dialects":["x","y"],"duration_ms":0.25,"complete":true,"players":[3,18446744],"first_time":"2024-05-01T12:00:00.000000007Z","reason":"a\u0001\"b","step":4}`,
		`{"point":"p","chain":"c","conn":6,"players":[]}`)
	type row struct {
		Conn     int64    `parquet:"conn"`
		Dialects []string `parquet:"dialects,list,optional"`
		Duration *float64 `parquet:"duration_ms,optional"`
		Complete *bool    `parquet:"complete,optional"`
		Players  []int64  `parquet:"players,list,optional"`
		First    *int64   `parquet:"first_time,optional"`
		Reason   *string  `parquet:"reason,optional"`
		Step     *int32   `parquet:"step,optional"`
	}
	r := parquet.NewGenericReader[row](bytes.NewReader(b))
	got := make([]row, 3)
	if n, err := r.Read(got); n != 2 || err != io.EOF {
		t.Fatalf("%d rows, %v", n, err)
	}
	text := func(v any) string { b, _ := json.Marshal(v); return string(b) }
	if want := `{"Conn":5,"Dialects":["x","y"],"Duration":0.25,"Complete":true,"Players":[3,18446744],"First":1714564800000000007,"Reason":"a\u0001\"b","Step":4}`; text(got[0]) != want {
		t.Errorf("%s, want %s", text(got[0]), want)
	}
	if got[1].Reason != nil || got[1].Step != nil || len(got[1].Players) != 0 {
		t.Errorf("%s", text(got[1]))
	}
}

// TestCells: histograms come back.
func TestCells(t *testing.T) {
	b := written(t, tables.Named("intervals"),
		`{"point":"p","chain":"c","conn":5,"direction":"a","from_time":"2024-05-01T12:00:00.000000000Z","rtt_cells":{"7":2,"1200":3}}`,
		`{"point":"p","chain":"c","conn":5,"direction":"b","from_time":"2024-05-01T12:00:00.000000000Z"}`)
	type row struct {
		Direction string          `parquet:"direction"`
		Cells     map[int32]int64 `parquet:"rtt_cells,optional"`
	}
	r := parquet.NewGenericReader[row](bytes.NewReader(b))
	got := make([]row, 3)
	n, err := r.Read(got)
	if err != io.EOF || n != 2 || !reflect.DeepEqual(got[0].Cells, map[int32]int64{7: 2, 1200: 3}) || len(got[1].Cells) != 0 {
		t.Errorf("%d rows, %v: %v", n, err, got)
	}
}

// TestRowGroups: a row group has at most 128 Ki rows.
func TestRowGroups(t *testing.T) {
	table := tables.Named("ends")
	var b bytes.Buffer
	err := Format{}.Write(&b, table, func(row func([]byte) error) error {
		for i := range mostRows + 5 {
			if err := row(fmt.Appendf(nil, `{"point":"p","chain":"c","conn":%d}`, i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(f.RowGroups()); n < 2 || f.RowGroups()[0].NumRows() > mostRows || f.NumRows() != mostRows+5 {
		t.Errorf("%d row groups, the first of %d rows, of %d", n, f.RowGroups()[0].NumRows(), f.NumRows())
	}
}
