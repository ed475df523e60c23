package events

import (
	"cmp"
	"strconv"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/dissect/stable"
	"github.com/dpdissect/dpdissect/internal/report"
)

// A kind is what an event is. Of one frame they come in this order.
type kind uint8

const (
	started kind = iota
	sent
	received
	retransmitted
	acked
	metrics
	lost
	finding
	closed
)

var names = [...]string{
	started: "connectivity:connection_started", sent: "transport:packet_sent", received: "transport:packet_received",
	retransmitted: "recovery:packet_retransmitted", acked: "transport:packets_acked", metrics: "recovery:metrics_updated",
	lost: "recovery:packet_lost", finding: "dpdissect:finding", closed: "connectivity:connection_closed",
}

// An event is one of the output.
type event struct {
	time  int64 // ns since 1970, by the capture
	frame uint64
	conn  int32 // -1 for none
	kind  kind
	dir   byte   // 'a' or 'b', 0 for none
	data  []byte // an object of JSON
}

// inOrder puts events in the order of time, those of a time in that of frames.
func inOrder(all []event) {
	stable.Sort(all, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.frame, b.frame), cmp.Compare(a.kind, b.kind))
	})
}

// append appends a line. first is the time of the capture's first packet.
func (e *event) append(dst []byte, first int64) []byte {
	dst = append(dst, `{"schema":"`+report.EventSchema+`","time_ms":`...)
	dst = render.AppendMillis(dst, e.time-first)
	dst = append(append(append(dst, `,"name":"`...), names[e.kind]...), '"')
	if e.conn >= 0 {
		dst = strconv.AppendInt(append(dst, `,"connection":`...), int64(e.conn), 10)
	}
	if e.dir != 0 {
		dst = append(append(append(dst, `,"direction":"`...), e.dir), '"')
	}
	dst = strconv.AppendUint(append(dst, `,"frame":`...), e.frame, 10)
	dst = append(append(dst, `,"data":`...), e.data...)
	return append(dst, "}\n"...)
}

// An object is made key by key.
type object []byte

func (o object) key(k string) object {
	if len(o) == 0 {
		return append(append(append(o, `{"`...), k...), `":`...)
	}
	return append(append(append(o, `,"`...), k...), `":`...)
}

func (o object) text(k, v string) object { return render.AppendJSONString(o.key(k), v) }

func (o object) number(k string, v uint64) object { return strconv.AppendUint(o.key(k), v, 10) }

func (o object) is(k string, v bool) object { return strconv.AppendBool(o.key(k), v) }

func (o object) numbers(k string, list []uint64) object {
	o = append(o.key(k), '[')
	for i, v := range list {
		if i > 0 {
			o = append(o, ',')
		}
		o = strconv.AppendUint(o, v, 10)
	}
	return append(o, ']')
}

func (o object) texts(k string, list []string) object {
	o = append(o.key(k), '[')
	for i, v := range list {
		if i > 0 {
			o = append(o, ',')
		}
		o = render.AppendJSONString(o, v)
	}
	return append(o, ']')
}

func (o object) end() []byte { return append(o, '}') }
