package report

import (
	"io"
	"strconv"
	"time"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/verdict"
)

// An encoder appends compact JSON. It puts commas where they belong: before
// everything but the first element of an object or array.
type encoder struct {
	b    []byte
	last byte                // in front of b
	out  func([]byte) []byte // takes what is there and gives a buffer for more; nil collects everything
	tell verdict.Teller      // told of the numbers alone, of which no JSON is made then; nil makes JSON
}

func (e *encoder) comma() {
	last := e.last
	if n := len(e.b); n > 0 {
		last = e.b[n-1]
	}
	if last != '{' && last != '[' {
		e.b = append(e.b, ',')
	}
}

// pieces writes a text as it comes.
type pieces struct {
	w   io.Writer
	err error
}

// put writes what is there when it is much, and gives a buffer for more.
func (p *pieces) put(b []byte) []byte {
	if len(b) < piece {
		return b
	}
	p.write(b)
	return b[:0]
}

func (p *pieces) write(b []byte) {
	if p.err == nil {
		_, p.err = p.w.Write(b)
	}
}

// end writes the rest.
func (p *pieces) end(b []byte) error {
	p.write(b)
	return p.err
}

// piece is how much of a document is written at a time.
const piece = 64 << 10

// flush hands out what is there when it is much. It is called between the elements of
// an array.
func (e *encoder) flush() {
	if e.out != nil && len(e.b) >= piece {
		e.last = e.b[len(e.b)-1]
		e.b = e.out(e.b)
	}
}

func (e *encoder) key(k string) {
	e.comma()
	e.b = append(append(append(e.b, '"'), k...), '"', ':')
}

// open begins the object or array of a key.
func (e *encoder) open(k string, bracket byte) {
	if e.tell != nil {
		e.tell.Open(k)
		return
	}
	e.key(k)
	e.b = append(e.b, bracket)
}

// item begins an object within an array.
func (e *encoder) item() {
	if e.tell != nil {
		e.tell.Open("")
		return
	}
	e.comma()
	e.b = append(e.b, '{')
}

func (e *encoder) close(bracket byte) {
	if e.tell != nil {
		e.tell.Close()
		return
	}
	e.b = append(e.b, bracket)
}

// objects writes an array of objects, whose keys each writes.
func objects[T any](e *encoder, k string, list []T, each func(*T)) {
	e.open(k, '[')
	for i := range list {
		e.item()
		each(&list[i])
		e.close('}')
	}
	e.close(']')
}

func (e *encoder) text(k, s string) {
	if e.tell != nil {
		return
	}
	e.key(k)
	e.b = render.AppendJSONString(e.b, s)
}

// known is text that is absent when it is empty.
func (e *encoder) known(k, s string) {
	if s != "" {
		e.text(k, s)
	}
}

func (e *encoder) texts(k string, list []string) {
	if e.tell != nil {
		return
	}
	e.open(k, '[')
	for _, s := range list {
		e.comma()
		e.b = render.AppendJSONString(e.b, s)
	}
	e.close(']')
}

func (e *encoder) count(k string, v uint64) {
	if e.tell != nil {
		e.tell.Number(k, float64(v))
		return
	}
	e.key(k)
	e.b = strconv.AppendUint(e.b, v, 10)
}

func (e *encoder) counts(k string, list []uint64) {
	if e.tell != nil {
		return
	}
	e.open(k, '[')
	for _, v := range list {
		e.comma()
		e.b = strconv.AppendUint(e.b, v, 10)
	}
	e.close(']')
}

func (e *encoder) integer(k string, v int64) {
	if e.tell != nil {
		e.tell.Number(k, float64(v))
		return
	}
	e.key(k)
	e.b = strconv.AppendInt(e.b, v, 10)
}

func (e *encoder) boolean(k string, v bool) {
	if e.tell != nil {
		return
	}
	e.key(k)
	e.b = strconv.AppendBool(e.b, v)
}

// time is nanoseconds since 1970, with all nine digits as in frame records.
func (e *encoder) time(k string, ns int64) {
	if e.tell != nil {
		return
	}
	e.key(k)
	e.b = time.Unix(0, ns).UTC().AppendFormat(e.b, `"2006-01-02T15:04:05.000000000Z"`)
}

// ms is a duration in nanoseconds, written exactly in milliseconds.
func (e *encoder) ms(k string, ns int64) {
	if e.tell != nil {
		e.tell.Number(k, inMillis(ns))
		return
	}
	e.key(k)
	e.b = render.AppendMillis(e.b, ns)
}

// inMillis is the number that reads from what AppendMillis writes.
func inMillis(ns int64) float64 {
	if -1<<53 <= ns && ns <= 1<<53 {
		return float64(ns) / 1e6
	}
	v, _ := strconv.ParseFloat(string(render.AppendMillis(nil, ns)), 64) // it is a number
	return v
}
