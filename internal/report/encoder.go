package report

import (
	"strconv"
	"time"

	"github.com/dpdissect/dpdissect/dissect/render"
)

// An encoder appends compact JSON. It puts commas where they belong: before
// everything but the first element of an object or array.
type encoder struct {
	b    []byte
	last byte                // in front of b
	out  func([]byte) []byte // takes what is there and gives a buffer for more; nil collects everything
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
	e.key(k)
	e.b = append(e.b, bracket)
}

// item begins an object within an array.
func (e *encoder) item() {
	e.comma()
	e.b = append(e.b, '{')
}

func (e *encoder) close(bracket byte) { e.b = append(e.b, bracket) }

func (e *encoder) text(k, s string) {
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
	e.open(k, '[')
	for _, s := range list {
		e.comma()
		e.b = render.AppendJSONString(e.b, s)
	}
	e.close(']')
}

func (e *encoder) count(k string, v uint64) {
	e.key(k)
	e.b = strconv.AppendUint(e.b, v, 10)
}

func (e *encoder) counts(k string, list []uint64) {
	e.open(k, '[')
	for _, v := range list {
		e.comma()
		e.b = strconv.AppendUint(e.b, v, 10)
	}
	e.close(']')
}

func (e *encoder) integer(k string, v int64) {
	e.key(k)
	e.b = strconv.AppendInt(e.b, v, 10)
}

func (e *encoder) boolean(k string, v bool) {
	e.key(k)
	e.b = strconv.AppendBool(e.b, v)
}

// time is nanoseconds since 1970, with all nine digits as in frame records.
func (e *encoder) time(k string, ns int64) {
	e.key(k)
	e.b = time.Unix(0, ns).UTC().AppendFormat(e.b, `"2006-01-02T15:04:05.000000000Z"`)
}

// ms is a duration in nanoseconds, written exactly in milliseconds.
func (e *encoder) ms(k string, ns int64) {
	e.key(k)
	u := uint64(ns)
	if ns < 0 {
		e.b, u = append(e.b, '-'), -u
	}
	e.b = strconv.AppendUint(e.b, u/1e6, 10)
	if u %= 1e6; u == 0 {
		return
	}
	start := len(e.b)
	e.b = strconv.AppendUint(e.b, 1e6+u, 10)
	e.b[start] = '.'
	for e.b[len(e.b)-1] == '0' {
		e.b = e.b[:len(e.b)-1]
	}
}
