package report

import "strings"

// A RecordTable writes JSON records as lines of CSV, a column for each path.
type RecordTable struct {
	paths []string
	cells *cellPath
}

func newRecordTable(paths ...string) *RecordTable { return &RecordTable{paths, cellsOf(paths)} }

// FrameTable is of frame records: the fields of a datagram, which differ by protocol, stand in
// one cell, as JSON, and what the decoder knew beyond the bytes in another.
func FrameTable() *RecordTable {
	return newRecordTable(strings.Fields(`connection frame file time src dst length protocol direction type summary fields analysis notes
		retry_of acked_in acks ack_rtt_ms error.field error.offset error.message layout`)...)
}

// MessageTable is of message records.
func MessageTable() *RecordTable {
	return newRecordTable(strings.Fields(`connection direction index first_frame last_frame time frames number reliable ordered complete size sha256 payload`)...)
}

// AppendHeader appends the line of the names of the columns.
func (t *RecordTable) AppendHeader(dst []byte) []byte {
	return appendCSVRow(dst, ColumnNames(t.paths))
}

// AppendRow appends the line of a record, which must be one that this program wrote.
func (t *RecordTable) AppendRow(dst, record []byte) []byte {
	cells := make([][]byte, len(t.paths))
	t.cells.fill(cells, record)
	return appendCSVRow(dst, cells)
}
