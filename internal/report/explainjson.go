package report

import (
	"io"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/explain"
)

// WriteExplainJSON writes what happened to the connections of captures, as one document.
func WriteExplainJSON(w io.Writer, captures []capture.Info, d *explain.Document) error {
	out := pieces{w: w}
	var in render.Indenter
	var text []byte
	e := encoder{out: func(compact []byte) []byte {
		text = in.Append(text[:0], compact)
		out.write(text)
		return compact[:0]
	}}
	e.b = append(e.b, '{')
	e.text("schema", explain.Schema)
	objects(&e, "captures", captures, e.capture)
	e.open("connections", '[')
	for c := range d.All() {
		if err := e.value(c); err != nil {
			return err
		}
		e.flush()
	}
	e.close(']')
	e.open("unrecognised", '[')
	for i := range d.Unrecognised {
		if err := e.value(&d.Unrecognised[i]); err != nil {
			return err
		}
		e.flush()
	}
	e.close(']')
	if len(d.Groups) > 0 {
		e.open("groups", '[')
		for i := range d.Groups {
			if err := e.value(&d.Groups[i]); err != nil {
				return err
			}
			e.flush()
		}
		e.close(']')
	}
	if d.LeftOut > 0 {
		e.count("unrecognised_left_out", d.LeftOut)
	}
	if d.Asked != nil {
		e.key("asked")
		b, err := marshalled(d.Asked)
		if err != nil {
			return err
		}
		e.b = append(e.b, b...)
	}
	e.close('}')
	return out.end(append(in.Append(nil, e.b), '\n'))
}

// value writes an element of an array.
func (e *encoder) value(v any) error {
	b, err := marshalled(v)
	if err == nil {
		e.comma()
		e.b = append(e.b, b...)
	}
	return err
}
