package report

import (
	"bytes"
	"strings"

	"github.com/dpdissect/dpdissect/dissect/render"
)

// appendCell appends a value of a CSV line (RFC 4180) after a comma where it is not the
// first. Text may be of anybody's making: what would drive a terminal is escaped, so that a
// line of the file is one of the table, and text that a spreadsheet would take for a formula,
// and run, has a ' before it. Numbers of this program are never negative, and pass as they are.
func appendCell[S []byte | string](dst []byte, first bool, text S) []byte {
	if !first {
		dst = append(dst, ',')
	}
	if len(text) == 0 {
		return dst
	}
	start := len(dst)
	dst = render.Disarm(render.AppendEscaped(dst, text), start)
	if !bytes.ContainsAny(dst[start:], ",\"") {
		return dst
	}
	quoted := bytes.ReplaceAll(dst[start:], []byte(`"`), []byte(`""`))
	return append(append(append(dst[:start], '"'), quoted...), '"')
}

// sqlWords are the names that SQL does not take unquoted.
var sqlWords = map[string]bool{"from": true, "to": true, "index": true}

// ColumnNames are the names of columns of such paths: SQL takes them unquoted, those that are
// words of its own with _ after them. The id of a connection is called so in all tables.
func ColumnNames(paths []string) []string {
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = strings.ReplaceAll(path, ".", "_")
		if path == "id" {
			names[i] = "connection"
		} else if sqlWords[names[i]] {
			names[i] += "_"
		}
	}
	return names
}

// appendCSVRow appends a line of CSV.
func appendCSVRow[S []byte | string](dst []byte, cells []S) []byte {
	for i, text := range cells {
		dst = appendCell(dst, i == 0, text)
	}
	return append(dst, '\r', '\n')
}
