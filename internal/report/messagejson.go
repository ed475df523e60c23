package report

import (
	"encoding/hex"
	"strconv"

	"github.com/dpdissect/dpdissect/session"
)

// MessageSchema is the name and version of the message record.
const MessageSchema = "dpdissect/message/1"

// AppendMessageJSON appends the record of a message, compact and without a
// newline. A record is AppendMessageHead + AppendMessageBody: the body can be
// encoded while the message is valid, the head once the connection has its id.
func AppendMessageJSON(dst []byte, m *session.Message, id int, payload bool) []byte {
	return AppendMessageBody(AppendMessageHead(dst, id), m, payload)
}

// AppendMessageHead appends the record up to the connection's id.
func AppendMessageHead(dst []byte, id int) []byte {
	dst = append(dst, `{"schema":"`+MessageSchema+`","connection":`...)
	return strconv.AppendInt(dst, int64(id), 10)
}

// AppendMessageBody appends the record after the connection's id. The digest
// and the payload of a message that lacks a part are not known; its size is
// that of the parts captured.
func AppendMessageBody(dst []byte, m *session.Message, payload bool) []byte {
	e := encoder{b: dst}
	e.b = append(append(append(e.b, `,"direction":"`...), 'a'+byte(m.Dir)), '"')
	e.count("index", m.Index)
	e.count("first_frame", m.FirstFrame)
	e.count("last_frame", m.LastFrame)
	if m.HasTime {
		e.time("time", m.Time)
	}
	e.integer("frames", int64(m.Frames))
	if !m.Unnumbered {
		e.integer("number", int64(m.Number))
	}
	e.boolean("reliable", m.Reliable)
	e.boolean("ordered", m.Ordered)
	e.boolean("complete", m.Complete)
	e.integer("size", int64(m.Size))
	if m.Complete {
		e.hex("sha256", m.SHA256[:])
		if payload {
			e.hex("payload", m.Payload)
		}
	}
	e.close('}')
	return e.b
}

func (e *encoder) hex(k string, b []byte) {
	e.key(k)
	e.b = append(hex.AppendEncode(append(e.b, '"'), b), '"')
}
