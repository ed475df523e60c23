package report

import (
	"bytes"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/timeline"
	"github.com/dpdissect/dpdissect/session"
)

// What follows are the records of documents one by one, for tables.

// AppendConnectionJSON appends the record of a connection, compact. It is unpacked.
func AppendConnectionJSON(dst []byte, c *session.Conn, story *explain.Story) []byte {
	e := encoder{b: append(dst, '[')} // in front of an element stands no comma
	e.conn(c, story)
	return append(dst, e.b[len(dst)+1:]...)
}

// AppendIntervalJSON appends the record of an interval, compact.
func AppendIntervalJSON(dst []byte, c *session.Conn, dir dissect.Dir, v *timeline.Interval) []byte {
	e := encoder{b: append(dst, '[')}
	e.interval(c, dir, v)
	return append(dst, e.b[len(dst)+1:]...)
}

// EachFlat gives the members of a record that this program wrote, compact, with their paths:
// those of objects in it one by one, "a.address". Members for which whole reports true are given
// as they are.
func EachFlat(record []byte, whole func(path string) bool, f func(path string, value []byte)) {
	eachFlat(record, "", whole, f)
}

func eachFlat(record []byte, prefix string, whole func(path string) bool, f func(path string, value []byte)) {
	for at := 1; record[at] != '}'; {
		if record[at] == ',' {
			at++
		}
		key := record[at : at+valueLen(record[at:])]
		at += len(key) + len(":")
		v := record[at : at+valueLen(record[at:])]
		at += len(v)
		path := prefix + string(bytes.Trim(key, `"`))
		if v[0] == '{' && (whole == nil || !whole(path)) {
			eachFlat(v, path+".", whole, f)
		} else {
			f(path, v)
		}
	}
}
