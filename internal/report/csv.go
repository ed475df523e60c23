package report

import "strings"

// appendCell appends a value of a CSV line (RFC 4180) behind a comma where it is not the
// first. Text that a spreadsheet would take for a formula, and run, has a ' before it:
// numbers of this program are never negative, and pass as they are.
func appendCell(dst []byte, first bool, text string) []byte {
	if !first {
		dst = append(dst, ',')
	}
	if text != "" && strings.IndexByte("=+-@\t\r", text[0]) >= 0 {
		text = "'" + text
	}
	if !strings.ContainsAny(text, ",\"\r\n") {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	dst = append(dst, strings.ReplaceAll(text, `"`, `""`)...)
	return append(dst, '"')
}

// appendCSVRow appends a line of CSV.
func appendCSVRow(dst []byte, cells []string) []byte {
	for i, text := range cells {
		dst = appendCell(dst, i == 0, text)
	}
	return append(dst, '\r', '\n')
}
