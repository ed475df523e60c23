package report

import (
	"encoding/json"
	"io"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/compare"
)

// CaptureRecords are what records say of captures.
func CaptureRecords(captures []capture.Info) (out []any) {
	for i := range captures {
		e := encoder{b: []byte{'{'}}
		e.capture(&captures[i])
		out = append(out, json.RawMessage(append(e.b, '}')))
	}
	return out
}

// WriteCompareJSON writes what two captures of one session show together, as one document.
func WriteCompareJSON(w io.Writer, d *compare.Document) error {
	b, err := marshalled(d)
	if err != nil {
		return err
	}
	var in render.Indenter
	_, err = w.Write(append(in.Append(nil, b), '\n'))
	return err
}

// AppendCompare appends the document on one line.
func AppendCompare(dst []byte, d *compare.Document) ([]byte, error) {
	b, err := marshalled(d)
	return append(append(dst, b...), '\n'), err
}
