package render

import _ "embed"

//go:embed frame.schema.json
var frameSchema []byte

// Schema is the JSON Schema (2020-12) of the frame record.
func Schema() []byte { return frameSchema }
