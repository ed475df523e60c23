package report

import (
	_ "embed"

	"github.com/dpdissect/dpdissect/dissect/render"
)

var (
	//go:embed analysis.schema.json
	analysisSchema []byte
	//go:embed message.schema.json
	messageSchema []byte
	//go:embed explain.schema.json
	explainSchema []byte
	//go:embed points.schema.json
	pointsSchema []byte
	//go:embed compare.schema.json
	compareSchema []byte
	//go:embed passage.schema.json
	passageSchema []byte
	//go:embed finding.schema.json
	findingSchema []byte
	//go:embed interval.schema.json
	intervalSchema []byte
	//go:embed ladder.schema.json
	ladderSchema []byte
	//go:embed check.schema.json
	checkSchema []byte
	//go:embed event.schema.json
	eventSchema []byte
	//go:embed reduce.schema.json
	reduceSchema []byte
	//go:embed redact.schema.json
	redactSchema []byte
	//go:embed expect.schema.json
	expectSchema []byte
	//go:embed wireshark.schema.json
	wiresharkSchema []byte
)

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
	case "analysis":
		return measuresOfDirection(analysisSchema), true
	case "frame":
		return render.Schema(), true
	case "message":
		return messageSchema, true
	case "explain":
		return explainSchema, true
	case "interval":
		return measuresOfInterval(intervalSchema), true
	case "points":
		return pointsSchema, true
	case "compare":
		return compareSchema, true
	case "passage":
		return passageSchema, true
	case "ladder":
		return ladderSchema, true
	case "event":
		return eventSchema, true
	case "reduce":
		return reduceSchema, true
	case "redact":
		return redactSchema, true
	case "expect":
		return expectSchema, true
	case "wireshark":
		return wiresharkSchema, true
	case "finding":
		return findingSchema, true
	case "check", "checks":
		return checkSchema, true
	}
	return nil, false
}
