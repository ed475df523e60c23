package report

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/internal/verdict"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// WriteJSON writes the analysis document in pieces, indented by two spaces, with a
// newline at its end.
func WriteJSON(w io.Writer, a *Analysis) error {
	var in render.Indenter
	var text []byte
	return writePieces(w, a, func(compact []byte) []byte {
		text = in.Append(text[:0], compact)
		return text
	})
}

// WriteRecord writes the same document on one line.
func WriteRecord(w io.Writer, a *Analysis) error {
	return writePieces(w, a, func(compact []byte) []byte { return compact })
}

// writePieces writes a document as it comes, and a newline.
func writePieces(w io.Writer, a *Analysis, form func([]byte) []byte) (err error) {
	put := func(b []byte) {
		if err == nil {
			_, err = w.Write(b)
		}
	}
	e := encoder{out: func(b []byte) []byte {
		put(form(b))
		return b[:0]
	}}
	e.analysis(a)
	put(append(form(e.b), '\n'))
	return err
}

// Numbers are a walk through the numbers of the document as it stands there, but those of its
// findings: what budgets are about.
func Numbers(a *Analysis) verdict.Walk {
	return func(t verdict.Teller) error {
		e := encoder{tell: t}
		e.numbers(a)
		return nil
	}
}

// AppendRecord appends the document on one line, without a newline: the record of an
// interval of a live run.
func AppendRecord(dst []byte, a *Analysis) []byte {
	e := encoder{b: dst}
	e.analysis(a)
	return e.b
}

func (e *encoder) analysis(a *Analysis) {
	e.b = append(e.b, '{')
	e.text("schema", AnalysisSchema)
	e.numbers(a)
	e.open("findings", '[')
	for i := range a.Findings {
		e.comma()
		e.b = AppendFindingJSON(e.b, &a.Findings[i])
		e.flush()
	}
	e.close(']')
	e.close('}')
}

// numbers writes the part of the document that numbers stand in.
func (e *encoder) numbers(a *Analysis) {
	objects(e, "captures", a.Captures, e.capture)
	e.totals(&a.Totals)
	e.open("connections", '[')
	for c := range session.Unpacked(a.Conns) {
		e.conn(c, a.Story)
		e.flush()
	}
	e.close(']')
}

func (e *encoder) capture(in *capture.Info) {
	e.text("path", in.Path)
	e.known("format", in.Format)
	e.known("compression", in.Compression)
	e.texts("link_types", in.LinkTypes)
	e.count("packets", in.Packets)
	e.count("bytes", in.Bytes)
	if in.HasTime {
		e.time("first_time", in.FirstTime)
		e.time("last_time", in.LastTime)
	}
	if in.Live {
		e.boolean("live", true)
		e.count("received", in.Received)
	}
	if in.HasDropped {
		e.count("dropped", in.Dropped)
	}
	e.boolean("cut_short", in.CutShort)
	e.known("problem", in.Problem)
}

func (e *encoder) totals(t *Totals) {
	e.open("totals", '{')
	e.count("packets", t.Packets)
	e.count("udp_datagrams", t.UDPDatagrams)
	e.count("decoded", t.Decoded)
	e.count("malformed", t.Malformed)
	e.count("other_udp", t.OtherUDP)
	e.count("not_udp", t.NotUDP)
	e.count("ip_fragments", t.IPFragments)
	e.count("bad_checksums", t.BadChecksums)
	if n := t.LeftOut + t.SummedUp; n > 0 {
		e.count("connections_left_out", n)
	}
	if t.Findings > 0 {
		e.count("findings_left_out", t.Findings)
	}
	if t.Undecided > 0 {
		e.count("undecided_left_out", t.Undecided)
	}
	e.close('}')
}

func (e *encoder) conn(c *session.Conn, story *explain.Story) {
	e.item()
	e.integer("id", int64(c.ID))
	e.text("protocol", c.Protocol.Name)
	e.known("dialect", c.Dialect)
	if len(c.Dialects) > 0 {
		e.texts("dialects", c.Dialects)
	}
	e.text("detected_by", c.DetectedBy.String())
	e.float("confidence_bits", confidence(c.Bits))
	e.endpoint("a", c.A, c.Roles[0])
	e.endpoint("b", c.B, c.Roles[1])
	e.span(c)
	e.boolean("complete", c.Complete)
	state, closedBy := c.StateNow()
	e.text("state", state.String())
	e.known("closed_by", closedBy.String())
	e.known("reason", c.Reason)
	if n := c.Unreachable.N; n > 0 {
		e.open("icmp", '{')
		e.count("notices", n)
		e.count("first_frame", c.Unreachable.Frame)
		e.close('}')
	}
	e.properties(c)
	e.open("directions", '{')
	e.direction("a", c, 0)
	e.direction("b", c, 1)
	e.close('}')
	e.end(c, story)
	e.open("findings", '{')
	for s, n := range c.Findings {
		e.count(conform.Severity(s).String(), n)
	}
	e.close('}')
	e.close('}')
}

// end says how the connection ended, where that is known.
func (e *encoder) end(c *session.Conn, story *explain.Story) {
	if e.tell != nil {
		return
	}
	v, ok := story.Verdict(c)
	if !ok {
		return
	}
	if b, err := marshalled(v); err == nil {
		e.key("end")
		e.b = append(e.b, b...)
	}
}

// confidence is the evidence in tenths of a bit; evidence beyond all measure is
// not written as infinity, which JSON does not have.
func confidence(bits float64) float64 {
	const most = 1e6
	if !(bits > 0) {
		return 0
	}
	return math.Round(min(bits, most)*10) / 10
}

func (e *encoder) endpoint(k string, p dissect.Endpoint, role string) {
	e.open(k, '{')
	e.text("address", p.String())
	e.known("role", role)
	e.close('}')
}

// span says from where to where the connection was seen. Its duration leaves out by
// how much the clock was set back meanwhile.
func (e *encoder) span(c *session.Conn) {
	e.count("first_frame", c.FirstFrame)
	e.count("last_frame", c.LastFrame)
	if !c.HasTime {
		return
	}
	e.time("first_time", c.FirstStamp)
	e.time("last_time", c.LastStamp)
	e.ms("duration_ms", c.LastTime-c.FirstTime)
}

func (e *encoder) properties(c *session.Conn) {
	if c.HasSessionID {
		e.text("session_id", sessionID(c))
	}
	if c.Version != 0 {
		e.text("version", terminal.Version(c))
	}
	e.known("signing", c.Signing)
	if c.HasPlayers {
		e.counts("players", []uint64{uint64(c.Players[0]), uint64(c.Players[1])})
	}
	if len(c.Inferred) > 0 {
		e.texts("inferred", inferred(c))
	}
	if c.SummedUp {
		e.boolean("summed_up", true)
	}
	if c.Internal != nil {
		e.open("internal_error", '{')
		e.count("frame", c.Internal.Frame)
		e.text("message", c.Internal.Message)
		e.close('}')
	}
}

func sessionID(c *session.Conn) string { return fmt.Sprintf("0x%08x", c.SessionID) }

func inferred(c *session.Conn) []string {
	return slices.Sorted(slices.Values(c.Inferred))
}
