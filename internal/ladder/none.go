package ladder

import (
	"fmt"
	"io"
	"strings"
)

// WriteNone writes a ladder of nothing in a format: text, svg, mermaid or json. why is the
// line that text says, and a picture.
func WriteNone(w io.Writer, format, why string) error {
	why = strings.TrimSuffix(why, "\n")
	var err error
	switch format {
	case "json":
		_, err = io.WriteString(w, "{\n  \"schema\": \""+Schema+"\",\n  \"rows\": []\n}\n")
	case "mermaid":
		_, err = fmt.Fprintf(w, "sequenceDiagram\n  participant none as %s\n", why)
	case "svg":
		_, err = fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="40"><text x="10" y="25">%s</text></svg>`+"\n", why)
	default:
		_, err = fmt.Fprintln(w, why)
	}
	return err
}
