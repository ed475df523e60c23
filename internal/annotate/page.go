package annotate

import "fmt"

// AppendTable appends the keys of the line for machines as a table in Markdown.
func AppendTable(dst []byte) []byte {
	for _, k := range Keys() {
		dst = fmt.Appendf(dst, "| `%s` | `%s` | %s |\n", k.Name, k.Record, k.Doc)
	}
	return dst
}
