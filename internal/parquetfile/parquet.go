// Package parquetfile writes rows of tables as Parquet files, compressed with zstd.
package parquetfile

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/tables"
)

// Bounds of a row group: what of it is in memory until it is written.
const (
	mostRows  = 128 << 10
	mostBytes = 16 << 20 // of JSON
)

// Format is Parquet. All columns exist in every file.
type Format struct{}

// Extension implements tables.Format.
func (Format) Extension() string { return "parquet" }

// Write implements tables.Format.
func (Format) Write(w io.Writer, t *tables.Table, rows func(row func(json []byte) error) error) error {
	out := parquet.NewWriter(w, schemaOf(t), parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault}),
		parquet.CreatedBy("dpdissect", "", ""), parquet.MaxRowsPerRowGroup(mostRows), parquet.PageBufferSize(64<<10))
	e := newEncoder(t)
	held := 0
	err := rows(func(json []byte) error {
		if err := e.fill(json); err != nil {
			return err
		}
		if _, err := out.WriteRows([]parquet.Row{e.row}); err != nil {
			return err
		}
		if held += len(json); held < mostBytes {
			return nil
		}
		held = 0
		return out.Flush()
	})
	if err != nil {
		return err
	}
	return out.Close()
}

// columns are the fields of a table in their order; a parquet.Group sorts them by name.
type columns struct {
	parquet.Group
	table *tables.Table
}

// Fields implements parquet.Node.
func (c columns) Fields() (list []parquet.Field) {
	named := map[string]parquet.Field{}
	for _, f := range c.Group.Fields() {
		named[f.Name()] = f
	}
	for i := range c.table.Columns {
		list = append(list, named[c.table.Columns[i].Name])
	}
	return list
}

func schemaOf(t *tables.Table) *parquet.Schema {
	g := parquet.Group{}
	for i := range t.Columns {
		g[t.Columns[i].Name] = nodeOf(&t.Columns[i])
	}
	return parquet.NewSchema(t.Name, columns{g, t})
}

func nodeOf(c *tables.Column) parquet.Node {
	var n parquet.Node
	switch c.Type {
	case tables.Text:
		if n = parquet.String(); c.Few {
			n = parquet.Encoded(n, &parquet.RLEDictionary)
		}
	case tables.BigInt:
		n = parquet.Int(64)
	case tables.Integer:
		n = parquet.Int(32)
	case tables.Double:
		n = parquet.Leaf(parquet.DoubleType)
	case tables.Boolean:
		n = parquet.Leaf(parquet.BooleanType)
	case tables.Time:
		n = parquet.TimestampAdjusted(parquet.Nanosecond, false)
	case tables.BigInts:
		n = parquet.List(parquet.Int(64))
	case tables.Texts:
		n = parquet.List(parquet.String())
	case tables.CellMap:
		n = parquet.Map(parquet.Int(32), parquet.Int(64))
	}
	if c.Key {
		return n
	}
	return parquet.Optional(n)
}

// An encoder makes rows of Parquet of rows of JSON.
type encoder struct {
	table  *tables.Table
	at     map[string]int // the place of a column in the table
	first  []int          // the first leaf of each column
	values [][]byte       // of a row, by column; nil is NULL
	row    parquet.Row
}

func newEncoder(t *tables.Table) *encoder {
	e := &encoder{table: t, at: map[string]int{}, values: make([][]byte, len(t.Columns))}
	leaf := 0
	for i := range t.Columns {
		e.at[t.Columns[i].Name] = i
		e.first = append(e.first, leaf)
		if leaf++; t.Columns[i].Type == tables.CellMap {
			leaf++
		}
	}
	return e
}

// fill makes a row of the JSON of one.
func (e *encoder) fill(row []byte) error {
	clear(e.values)
	report.EachFlat(row, func(string) bool { return true }, func(name string, value []byte) { e.values[e.at[name]] = value })
	e.row = e.row[:0]
	for i := range e.table.Columns {
		if err := e.column(&e.table.Columns[i], e.first[i], e.values[i]); err != nil {
			return fmt.Errorf("column %s: %w", e.table.Columns[i].Name, err)
		}
	}
	return nil
}

// column appends the values of a column. A definition level of 0 is NULL; that of a value is 1, 0
// where the column has no NULL, and 2 within a list or map.
func (e *encoder) column(c *tables.Column, leaf int, text []byte) error {
	switch c.Type {
	case tables.BigInts, tables.Texts:
		return e.list(c, leaf, text)
	case tables.CellMap:
		return e.cells(leaf, text)
	}
	if text == nil {
		e.row = append(e.row, parquet.NullValue().Level(0, 0, leaf))
		return nil
	}
	v, err := value(c.Type, text)
	defined := 1
	if c.Key {
		defined = 0
	}
	e.row = append(e.row, v.Level(0, defined, leaf))
	return err
}

func value(t tables.Type, text []byte) (v parquet.Value, err error) {
	switch t {
	case tables.BigInt:
		n, err := strconv.ParseInt(string(text), 10, 64)
		return parquet.Int64Value(n), err
	case tables.Integer:
		n, err := strconv.ParseInt(string(text), 10, 32)
		return parquet.Int32Value(int32(n)), err
	case tables.Double:
		x, err := strconv.ParseFloat(string(text), 64)
		return parquet.DoubleValue(x), err
	case tables.Boolean:
		return parquet.BooleanValue(string(text) == "true"), nil
	}
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return v, err
	}
	if t != tables.Time {
		return parquet.ByteArrayValue([]byte(s)), nil
	}
	at, err := time.Parse(time.RFC3339Nano, s)
	return parquet.Int64Value(at.UnixNano()), err
}

func (e *encoder) list(c *tables.Column, leaf int, text []byte) error {
	of := tables.BigInt
	if c.Type == tables.Texts {
		of = tables.Text
	}
	var list []json.RawMessage
	if text != nil {
		if err := json.Unmarshal(text, &list); err != nil {
			return err
		}
	}
	if len(list) == 0 {
		return e.none(leaf, text)
	}
	for i, element := range list {
		v, err := value(of, element)
		if err != nil {
			return err
		}
		e.row = append(e.row, v.Level(min(i, 1), 2, leaf))
	}
	return nil
}

// none is NULL, or an empty list or map.
func (e *encoder) none(leaf int, text []byte) error {
	e.row = append(e.row, parquet.NullValue().Level(0, min(len(text), 1), leaf))
	return nil
}

// cells are keys in one leaf and values in the next one.
func (e *encoder) cells(leaf int, text []byte) error {
	if text == nil {
		e.none(leaf, nil)
		return e.none(leaf+1, nil)
	}
	var counts parquet.Row
	var err error
	report.EachFlat(text, nil, func(cell string, count []byte) {
		k, e1 := value(tables.Integer, []byte(cell))
		v, e2 := value(tables.BigInt, count)
		if e1 != nil || e2 != nil {
			err = fmt.Errorf("cell %q: %s", cell, count)
		}
		e.row = append(e.row, k.Level(min(len(counts), 1), 2, leaf))
		counts = append(counts, v.Level(min(len(counts), 1), 2, leaf+1))
	})
	e.row = append(e.row, counts...)
	return err
}
