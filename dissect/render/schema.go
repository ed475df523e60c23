package render

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
)

// frameSchema has valuesHere in place of the generated fields.
//
//go:embed frame.schema.json
var frameSchema []byte

const valuesHere = `"$values": true`

// Schema is the JSON Schema (2020-12) of the frame record.
func Schema() []byte {
	var properties []string
	for i := range dissect.GeneratedFields {
		v := &dissect.GeneratedFields[i]
		kind := `"$ref": "#/$defs/frame"`
		switch {
		case v.All != nil:
			kind = `"type": "array", "minItems": 1, "items": { "$ref": "#/$defs/frame" }`
		case v.Time:
			kind = `"type": "number", "exclusiveMinimum": 0`
		}
		doc := v.In("milliseconds")
		properties = append(properties, fmt.Sprintf(`%q: { %s, "description": %q }`, v.Record(), kind, strings.ToUpper(doc[:1])+doc[1:]+"."))
	}
	return bytes.Replace(frameSchema, []byte(valuesHere), []byte(strings.Join(properties, ",\n    ")), 1)
}
