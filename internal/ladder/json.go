package ladder

import (
	"bytes"
	"encoding/json"
	"io"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/session/seq"
)

// text is a string as records have it: nothing in it speaks to a terminal.
type text string

func (t text) MarshalJSON() ([]byte, error) { return render.AppendJSONString(nil, string(t)), nil }

// document is the ladder as JSON.
type document struct {
	Schema     string `json:"schema"`
	Connection int    `json:"connection"`
	Protocol   string `json:"protocol"`
	A          side   `json:"a"`
	B          side   `json:"b"`
	Near       string `json:"capture_point,omitempty"`
	Rows       []any  `json:"rows"`
}

type side struct {
	Address string `json:"address"`
	Name    text   `json:"name,omitempty"`
	Role    text   `json:"role,omitempty"`
}

// record is a row as JSON.
type record struct {
	Kind      Kind            `json:"kind"`
	Frame     uint64          `json:"frame,omitempty"`
	Frames    []uint64        `json:"frames,omitempty"`
	From      string          `json:"from,omitempty"`
	Time      string          `json:"time,omitempty"`
	Until     string          `json:"until,omitempty"`
	Label     text            `json:"label"`
	Type      text            `json:"type,omitempty"`
	Number    *uint64         `json:"number,omitempty"`
	Last      *uint64         `json:"last_number,omitempty"`
	Datagrams int             `json:"datagrams,omitempty"`
	Acked     *int            `json:"acknowledged,omitempty"`
	Length    *int            `json:"length,omitempty"`
	Words     []string        `json:"analysis,omitempty"`
	RetryOf   uint64          `json:"retry_of,omitempty"`
	AckedIn   uint64          `json:"acked_in,omitempty"`
	Acks      []uint64        `json:"acks,omitempty"`
	Lost      string          `json:"lost,omitempty"`
	Num       *seq.Num        `json:"lost_number,omitempty"`
	Before    uint64          `json:"before_frame,omitempty"`
	Again     uint64          `json:"sent_again_in,omitempty"`
	MS        *float64        `json:"ms,omitempty"`
	Remarks   []text          `json:"remarks,omitempty"`
	Findings  []findingRecord `json:"findings,omitempty"`
	Proof     []string        `json:"proof,omitempty"`
	Notices   []noticeRecord  `json:"notices,omitempty"`
	Focus     bool            `json:"focus,omitempty"`
	Members   []member        `json:"members,omitempty"`

	wayRecord
}

// member is a frame of a run.
type member struct {
	Frame uint64 `json:"frame"`
	Time  string `json:"time,omitempty"`
	Label text   `json:"label"`
}

func members(r *Row) (all []member) {
	for i := range r.Members {
		m := &r.Members[i]
		x := member{Frame: m.Frame(), Label: text(m.Label)}
		if m.HasTime {
			x.Time = stamp(m.Time)
		}
		all = append(all, x)
	}
	return all
}

type findingRecord struct {
	Rule     text   `json:"rule"`
	Severity string `json:"severity"`
	Message  text   `json:"message"`
}

type noticeRecord struct {
	Frame uint64   `json:"frame"`
	Time  string   `json:"time,omitempty"`
	Label text     `json:"label"`
	Proof []string `json:"proof,omitempty"`
}

// lostNames are the places of losses, by their keys in the analysis.
var lostNames = map[seq.LostAt]string{seq.BeforeCapture: "before_capture", seq.AfterCapture: "after_capture", seq.NotCaptured: "not_captured"}

// WriteJSON writes the ladder as one document. It holds all that a drawing needs.
func WriteJSON(w io.Writer, l *Ladder, names func(dissect.Endpoint) string) error {
	return write(w, l, names, false)
}

// WriteWhole writes the same document, with the frames that each run puts together as its
// "members": who draws it can open them.
func WriteWhole(w io.Writer, l *Ladder) error { return write(w, l, nil, true) }

func write(w io.Writer, l *Ladder, names func(dissect.Endpoint) string, whole bool) error {
	c := l.Conn
	d := &document{Schema: Schema, Connection: c.ID, Protocol: c.Protocol.Name, Rows: make([]any, 0, len(l.Rows)),
		A: side{c.A.String(), nameOf(c.A, names), text(c.Roles[0])}, B: side{c.B.String(), nameOf(c.B, names), text(c.Roles[1])}}
	if l.Story != nil {
		d.Near = l.Story.CapturePoint.Near
	}
	for i := range l.Rows {
		x := l.Rows[i].record()
		if whole {
			x.Members = members(&l.Rows[i])
		}
		d.Rows = append(d.Rows, x)
	}
	return writeIndented(w, d)
}

// writeIndented writes a document, and a newline.
func writeIndented(w io.Writer, d any) error {
	var plain bytes.Buffer
	e := json.NewEncoder(&plain)
	e.SetEscapeHTML(false)
	if err := e.Encode(d); err != nil {
		return err
	}
	var in render.Indenter
	_, err := w.Write(append(in.Append(nil, bytes.TrimSpace(plain.Bytes())), '\n'))
	return err
}

func nameOf(e dissect.Endpoint, names func(dissect.Endpoint) string) text {
	if names == nil {
		return ""
	}
	return text(names(e))
}

// record is the row as JSON. What does not belong to its kind is left out.
func (r *Row) record() *record {
	x := &record{Kind: r.Kind, Label: text(r.Label), Focus: r.Focus}
	if r.HasTime {
		x.Time = stamp(r.Time)
	}
	if r.Kind == Pause {
		ms := float64(r.Until-r.Time) / 1e6
		x.Until, x.MS = stamp(r.Until), &ms
		return x
	}
	x.From = "ab"[r.From : r.From+1]
	if x.Frame = r.Frame(); r.Kind == Run {
		x.Frame, x.Frames, x.Acked = 0, r.Frames, &r.Acked
		if r.HasTime {
			x.Until = stamp(r.Until)
		}
		if r.HasNumber {
			x.Last = &r.Last
		}
	}
	if r.HasNumber {
		x.Number = &r.Number
	}
	if len(r.Frames) > 0 {
		x.Type, x.Length, x.Datagrams, x.Words = text(r.Type), &r.Length, r.Datagrams, wordsOf(r.Words)
	}
	r.recordLoss(x)
	r.recordWay(x)
	x.RetryOf, x.AckedIn, x.Acks, x.Proof = r.RetryOf, r.AckedIn, r.Acks, r.Proof
	for _, m := range r.remarks() {
		x.Remarks = append(x.Remarks, text(m.text))
	}
	for _, f := range r.Findings {
		x.Findings = append(x.Findings, findingRecord{text(f.Rule), f.Severity, text(f.Message)})
	}
	for i := range r.Notices {
		n := &r.Notices[i]
		y := noticeRecord{Frame: n.Frame, Label: text(n.Label), Proof: n.Proof}
		if n.HasTime {
			y.Time = stamp(n.Time)
		}
		x.Notices = append(x.Notices, y)
	}
	return x
}

func (r *Row) recordLoss(x *record) {
	if r.Kind != Loss {
		return
	}
	x.Lost, x.Num, x.Again = lostNames[r.Lost], &r.Num, r.Again
	if len(r.Frames) == 0 {
		x.Before = r.Before
	}
}

func stamp(ns int64) string { return time.Unix(0, ns).UTC().Format("2006-01-02T15:04:05.000000000Z") }
