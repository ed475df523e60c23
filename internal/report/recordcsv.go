package report

import (
	"encoding/json"
	"strings"
)

// A RecordTable writes JSON records as lines of CSV, a column for each path.
type RecordTable struct{ paths []string }

// FrameTable is of frame records: the fields of a datagram, which differ by protocol, stand in
// one cell, as JSON.
func FrameTable() *RecordTable {
	return &RecordTable{strings.Fields(`connection frame file time src dst length protocol direction type summary fields analysis notes
		retry_of acked_in acks ack_rtt_ms error.field error.offset error.message`)}
}

// MessageTable is of message records.
func MessageTable() *RecordTable {
	return &RecordTable{strings.Fields(`connection direction index first_frame last_frame time frames number reliable ordered complete size sha256 payload`)}
}

// AppendHeader appends the line of the names of the columns.
func (t *RecordTable) AppendHeader(dst []byte) []byte {
	return appendCSVRow(dst, ColumnNames(t.paths))
}

// AppendRow appends the line of a record, which must be one that this program wrote.
func (t *RecordTable) AppendRow(dst, record []byte) []byte {
	var top map[string]json.RawMessage
	values := map[string]string{}
	if err := json.Unmarshal(record, &top); err != nil {
		panic(err) // a record is JSON
	}
	if fields, ok := top["fields"]; ok {
		values["fields"] = string(fields)
		delete(top, "fields")
	}
	rest, err := json.Marshal(top)
	if err == nil {
		err = flatten(values, "", rest)
	}
	if err != nil {
		panic(err)
	}
	cells := make([]string, len(t.paths))
	for i, path := range t.paths {
		cells[i] = values[path]
	}
	return appendCSVRow(dst, cells)
}
