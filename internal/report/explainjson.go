package report

import (
	"io"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/explain"
)

// WriteExplainJSON writes what happened to the connections of captures, as one document.
func WriteExplainJSON(w io.Writer, captures []capture.Info, d *explain.Document) error {
	rest, err := marshalled(d)
	if err != nil {
		return err
	}
	var e encoder
	e.b = append(e.b, '{')
	e.text("schema", explain.Schema)
	e.open("captures", '[')
	for i := range captures {
		e.capture(&captures[i])
	}
	e.close(']')
	e.b = append(append(e.b, ','), rest[1:]...)
	var in render.Indenter
	_, err = w.Write(append(in.Append(nil, e.b), '\n'))
	return err
}
