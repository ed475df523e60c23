package sessiontest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

var hosts = Hosts("10.0.0.1:1", "10.0.0.2:2")

// A talk is a session of one connection, which begins again with each payload "new". What
// is empty belongs to none.
type talk struct {
	flow  *session.Flow
	conn  *session.Conn
	icmps int
}

func (x *talk) Input(fr *dissect.Frame) *session.Conn {
	switch {
	case len(fr.Payload) == 0:
		return nil
	case string(fr.Payload) == "new":
		x.finish()
		x.conn = x.flow.Open(fr)
	}
	x.conn.Count(fr)
	fr.Words |= dissect.Retry | dissect.Gap
	return x.conn
}

func (x *talk) finish() {
	if x.conn != nil {
		x.flow.Finish(x.conn)
	}
}

func (x *talk) Unreachable(*dissect.Datagram) { x.icmps++ }
func (*talk) Sweep(int64)                     {}
func (x *talk) Close(int64)                   { x.finish() }

// convincing is a probe that one payload convinces; every one does when it is "".
type convincing string

func (convincing) Reset() {}
func (p convincing) Observe(d *dissect.Datagram, side dissect.Dir) float64 {
	if side == dissect.Dir(d.Src.Port)-1 && (p == "" || string(d.Payload) == string(p)) {
		return session.LockBits
	}
	return 0
}

func newTalk(t *testing.T) *Scene {
	p := &session.Protocol{
		Protocol:   &dissect.Protocol{Name: "talk"},
		NewProbe:   func() session.Probe { return convincing("") },
		NewSession: func(f *session.Flow, _ session.Probe) session.Session { return &talk{flow: f} },
	}
	return New(t, hosts, session.Config{Protocols: []*session.Protocol{p}, Force: Force(p, "")})
}

// TestDatagrams: what is captured, when, and under which identification.
func TestDatagrams(t *testing.T) {
	s := newTalk(t)
	s.Raw(0, []byte("new"))
	s.Wait(100)
	s.Cut(1, []byte("hello"), 2)
	s.Again()
	s.ICMP(0)
	s.Copy(s.Sent[0])
	s.NoIPID = true
	s.Raw(0, []byte("x"))
	s.Add(1, dissect.Datagram{Payload: []byte("sum"), BadChecksum: true})
	var got []string
	for i, d := range s.Sent {
		if d.Frame != uint64(i+1) || !d.HasTime || (d.Kind == dissect.Unreachable) != (i == 3) || d.BadChecksum != (i == 6) {
			t.Errorf("datagram %d: %+v", i, d)
		}
		got = append(got, fmt.Sprintf("%d %d>%d %q %d %d", (d.Time-Start)/1e6, d.Src.Port, d.Dst.Port, d.Payload, d.Length, d.IPID))
	}
	want := []string{`5 1>2 "new" 3 1`, `110 2>1 "hel" 5 2`, `115 2>1 "hel" 5 2`, `120 1>2 "" 0 0`, `125 1>2 "new" 3 1`, `130 1>2 "x" 1 0`, `135 2>1 "sum" 3 0`}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if x := s.Sessions[0].(*talk); len(s.Sessions) != 1 || x.icmps != 1 {
		t.Errorf("%d sessions, %d notices", len(s.Sessions), x.icmps)
	}
	if n := s.RecognisedAfter(convincing("sure")); n != 0 {
		t.Errorf("recognised after %d", n)
	}
	s.Raw(1, []byte("sure"))
	s.Raw(0, []byte("sure"))
	if n := s.RecognisedAfter(convincing("sure")); n != 8 {
		t.Errorf("recognised after %d, want 8", n)
	}
}

// TestFrames: frames and their connections, which are there when the capture ends.
func TestFrames(t *testing.T) {
	s := newTalk(t)
	s.Raw(0, []byte("new"))
	if got := s.Words(); got != "retry gap" || string(s.Last().Payload) != "new" {
		t.Errorf("%q of %q", got, s.Last().Payload)
	}
	s.Raw(0, nil)
	if c := s.One(); c.Dir[0].Frames != 1 || c != s.ConnOf[0] || s.ConnOf[1] != nil || s.Words() != "" {
		t.Errorf("%d frames, words %q", c.Dir[0].Frames, s.Words())
	}
	s = newTalk(t)
	for _, text := range []string{"new", "old", "", "new", "old"} {
		s.Raw(0, []byte(text))
	}
	if got := s.Groups(); got != "00-111" || len(s.End()) != 2 {
		t.Errorf("groups %s of %d connections", got, len(s.End()))
	}
}

// TestSink: what the tracker says is kept when the tracker uses its memory again.
func TestSink(t *testing.T) {
	s := newTalk(t)
	x := (*sink)(s)
	payload := []byte("abc")
	m := session.Message{Complete: true, Payload: payload}
	for range 2 {
		x.Message(&m)
		clear(payload)
		copy(payload, "d")
		m.Complete = false
	}
	m.Dir = 1
	x.Message(&m)
	if got := fmt.Sprintf("%q", s.Texts(0)); got != `["abc" "[d\x00\x00]"]` {
		t.Error(got)
	}
	for _, id := range []string{"CAP-DROPS", "XY-RULE"} {
		x.Finding(&session.Finding{Rule: &conform.Rule{ID: id}})
	}
	if got := s.Accusations(); len(s.Findings) != 2 || len(got) != 1 || got[0].Rule.ID != "XY-RULE" {
		t.Errorf("%d findings, accused by %v", len(s.Findings), got)
	}
	fr := dissect.Frame{Datagram: &dissect.Datagram{Payload: payload}, Acks: []uint64{7}, Summary: []byte("s"), Notes: []dissect.Note{{Rule: "R"}}}
	x.Frame(&fr, nil)
	payload[0], fr.Acks[0], fr.Summary[0], fr.Notes[0].Rule = 'e', 8, 't', "S"
	if f := s.Last(); f.Payload[0] != 'd' || f.Acks[0] != 7 || f.Summary[0] != 's' || f.Notes[0].Rule != "R" {
		t.Errorf("%+v", f)
	}
	if x.Acked(seq.Position{Frame: 3}, 9); s.AckedBy[3] != 9 {
		t.Errorf("%v", s.AckedBy)
	}
}
