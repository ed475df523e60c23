package report

import (
	"embed"

	"github.com/dpdissect/dpdissect/dissect/render"
)

//go:embed *.schema.json
var schemas embed.FS

// EventSchema is the name and version of the record of an event.
const EventSchema = "dpdissect/event/1"

// SchemaNames are the names that Schema knows, in the order of help texts. The schema
// of check is that of checks, too.
func SchemaNames() []string {
	return []string{"analysis", "frame", "message", "finding", "check", "checks", "explain", "interval", "points", "compare", "passage", "ladder", "event", "reduce", "redact", "expect", "wireshark"}
}

// Schema gives the JSON Schema (2020-12) of a record by its short name.
func Schema(name string) ([]byte, bool) {
	switch name {
	case "frame":
		return render.Schema(), true
	case "checks":
		name = "check"
	}
	text, err := schemas.ReadFile(name + ".schema.json")
	switch name {
	case "analysis":
		text = measuresOfDirection(text)
	case "interval":
		text = measuresOfInterval(text)
	}
	return text, err == nil
}
