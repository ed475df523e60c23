package session

import (
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/seq"
)

// The protocol of these tests is called yes: a datagram that says yes is worth
// 16 bits, one that says no makes it impossible, "side" is a neighbour. A connection
// begins with "hello".
func yes() *Protocol {
	beside := &dissect.Protocol{Name: "beside", Decode: func(*dissect.Tree) (string, *dissect.Error) { return "BESIDE", nil }}
	return &Protocol{
		Protocol:      &dissect.Protocol{Name: "yes"},
		NewProbe:      func() Probe { return &yesProbe{} },
		NewSession:    func(f *Flow, p Probe) Session { return &yesSession{flow: f, probe: p} },
		Neighbours:    []*dissect.Protocol{beside},
		NeighbourLead: []byte("s"),
		Neighbour: func(d *dissect.Datagram, s Standing) *dissect.Protocol {
			if string(d.Payload) == "side" || s == Ours && string(d.Payload) == "side if locked" ||
				s == Stranger && string(d.Payload) == "side if given up" {
				return beside
			}
			return nil
		},
	}
}

type yesProbe struct{ bits float64 }

func (p *yesProbe) Reset() { *p = yesProbe{} }

func (p *yesProbe) Observe(d *dissect.Datagram, side dissect.Dir) float64 {
	switch string(d.Payload) {
	case "yes":
		p.bits += 16
	case "no":
		return math.Inf(-1)
	}
	return p.bits
}

type yesSession struct {
	flow  *Flow
	probe Probe
	conn  *Conn
}

func (s *yesSession) Input(fr *dissect.Frame) *Conn {
	if s.conn == nil {
		s.conn = s.flow.Open(fr)
		s.conn.Complete = string(fr.Payload) == "hello"
	}
	s.conn.Count(fr)
	if strings.HasPrefix(string(fr.Payload), "bad") {
		s.conn.Malform(fr, &dissect.Error{})
	}
	return s.conn
}

func (s *yesSession) Unreachable(*dissect.Datagram) {
	if s.conn != nil {
		s.conn.State = Reset
	}
}

func (*yesSession) Sweep(int64) {}

func (s *yesSession) Close(int64) {
	if s.conn != nil {
		s.flow.Finish(s.conn)
	}
}

// A story is a table under test and what it shows.
type story struct {
	tab   *Table
	now   int64
	frame uint64
	shown []string // "frame:protocol:connection's first frame"
}

func newStory(cfg Config) *story {
	s := &story{now: 1e9}
	cfg.Sink = s
	s.tab = NewTable(cfg)
	return s
}

func (s *story) Frame(fr *dissect.Frame, c *Conn) {
	text := fmt.Sprintf("%d:%s", fr.Frame, fr.Protocol)
	if c != nil {
		text += fmt.Sprintf(":%d%c", c.FirstFrame, fr.Direction)
	}
	s.shown = append(s.shown, text)
}
func (*story) Acked(seq.Position, uint64) {}
func (*story) Message(*Message)           {}
func (*story) Finding(*Finding)           {}

func endpoint(host byte, port uint16) dissect.Endpoint {
	return dissect.MakeEndpoint(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, host}), port))
}

// say captures a datagram from one host to another, 1 ms after the last.
func (s *story) say(from, to byte, text string) {
	s.frame++
	s.now += ms
	s.tab.Add(&dissect.Datagram{Frame: s.frame, Time: s.now, HasTime: true, Src: endpoint(from, 2302), Dst: endpoint(to, 2302),
		Payload: []byte(text), Length: len(text)})
}

func (s *story) icmp(from, to byte) {
	s.frame++
	s.tab.Add(&dissect.Datagram{Frame: s.frame, Time: s.now, HasTime: true, Kind: dissect.Unreachable, Src: endpoint(from, 2302), Dst: endpoint(to, 2302)})
}

func (s *story) ends(t *testing.T, want ...string) {
	t.Helper()
	s.tab.Close(s.now)
	if !slices.Equal(s.shown, want) {
		t.Errorf("shown %q\nwant  %q", s.shown, want)
	}
}

// A neighbour that probes must see first is held, and shown as what it is when
// the pair was given up; a pair that has its protocol asks no neighbour of others.
func TestNeighbourOfStranger(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	s.say(1, 2, "side if given up")
	s.say(1, 2, "hm")
	s.say(1, 2, "side")
	s.ends(t, "3:beside", "1:beside", "2:udp")
}

// What a pair may be is told from PossibleBits on, and only while it was not
// recognised.
func TestPossible(t *testing.T) {
	for text, want := range map[string]string{"hm": "", "yes": "yes", "no": ""} {
		s := newStory(Config{Protocols: []*Protocol{yes()}})
		s.say(1, 2, text)
		s.ends(t, "1:udp")
		if got := s.tab.fr.Possible; got != want {
			t.Errorf("%q: possibly %q, want %q", text, got, want)
		}
	}
}

// A story keeps what a probe saw until the pair was decided; those of pairs that are
// recognised stay only where they are asked for.
func TestStories(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}, Explain: true})
	for range 5 {
		s.say(1, 2, "yes")
	}
	s.say(5, 6, "side")
	s.say(3, 4, "no")
	s.tab.Close(s.now)
	if got := s.tab.Stories(); len(got) != 1 || got[0].Protocol != "" || got[0].First != 6 && got[0].First != 7 {
		t.Fatalf("%d stories of pairs that were not recognised, the first %+v", len(got), got[0])
	}
	s = newStory(Config{Protocols: []*Protocol{yes()}, Explain: true, Recognised: true})
	for range 5 {
		s.say(1, 2, "yes")
	}
	s.say(3, 4, "no")
	s.say(5, 6, "side")
	s.tab.Close(s.now)
	got := s.tab.Stories()
	if len(got) != 2 || got[0].Protocol != "yes" || got[0].Datagrams != 4 || got[0].Frame != 4 || got[0].Tries[0].Hopeless {
		t.Fatalf("%d stories, the first %+v", len(got), got[0])
	}
	if got[1].Protocol != "" || got[1].First != 6 || !got[1].Tries[0].Hopeless {
		t.Errorf("the second story is %+v", got[1])
	}
}

// Evidence counts its reasons, and never falls below its floor.
func TestEvidence(t *testing.T) {
	var e Evidence
	e.Add("not yet explained", 3)
	e.Explain()
	e.Add("seen", 5)
	e.Add("seen", 5)
	e.Add("against", -1000)
	e.Add("seen", 5)
	if want := []Reason{{"seen", 3, 15}, {"against", 1, -1000}}; !slices.Equal(e.Reasons(), want) || e.Held() != EvidenceFloor+5 {
		t.Errorf("%v with %v bits, want %v with %d", e.Reasons(), e.Held(), want, EvidenceFloor+5)
	}
}

func TestTableRecognises(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	s.say(1, 2, "hm")
	s.say(2, 1, "yes")
	s.say(3, 4, "hm") // another pair
	s.say(1, 2, "yes")
	s.say(2, 1, "side") // a neighbour is shown at once
	s.say(2, 1, "yes")
	s.say(1, 2, "yes")
	s.say(2, 1, "bad")
	s.say(2, 1, "side if locked")
	s.ends(t, "5:beside", "1:yes:1a", "2:yes:1b", "4:yes:1a", "6:yes:1b", "7:yes:1a", "8:yes:1b", "9:beside", "3:udp")
	decoded, malformed, other := s.tab.Totals()
	if decoded != 6 || malformed != 1 || other != 3 {
		t.Errorf("totals %d %d %d, want 6 1 3", decoded, malformed, other)
	}
	c := s.tab.Conns()[0]
	if c.A != endpoint(1, 2302) || c.B != endpoint(2, 2302) || c.LastFrame != 8 || c.DetectedBy != ByBehaviour || c.Bits != 64 {
		t.Errorf("connection %+v", c)
	}
	if c.Dir[0].Frames != 3 || c.Dir[1].Frames != 3 || c.Dir[0].Bytes != 2+3+3 {
		t.Errorf("directions %d, %d frames, %d bytes", c.Dir[0].Frames, c.Dir[1].Frames, c.Dir[0].Bytes)
	}
}

// a is the sender of the first frame, whichever endpoint is the lower one.
func TestTableSides(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	for i := range 5 {
		s.say(2-byte(i&1), 1+byte(i&1), "yes")
	}
	s.ends(t, "1:yes:1a", "2:yes:1b", "3:yes:1a", "4:yes:1b", "5:yes:1a")
}

func TestTableHoldsNoMore(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	for range HoldDatagrams + 10 {
		s.say(1, 2, "hm")
	}
	if n := len(s.shown); n != HoldDatagrams+10 {
		t.Fatalf("%d datagrams are shown, want all %d", n, HoldDatagrams+10)
	}
	for range 5 { // recognised late: what was shown stays as it was
		s.say(1, 2, "yes")
	}
	if got := s.shown[len(s.shown)-2:]; !slices.Equal(got, []string{fmt.Sprintf("%d:yes:%d%c", s.frame-1, s.frame-1, 'a'), fmt.Sprintf("%d:yes:%d%c", s.frame, s.frame-1, 'a')}) {
		t.Errorf("shown %q", got)
	}
}

func TestTableHoldBytes(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	big := strings.Repeat("x", 60_000)
	for i := range byte(100) {
		s.say(1, 100+i, big)
	}
	if s.tab.allHeld() > HoldBytes {
		t.Errorf("%d bytes are held", s.tab.allHeld())
	}
	if len(s.shown) == 0 || len(s.shown) == 100 {
		t.Errorf("%d of 100 are shown", len(s.shown))
	}
	s.tab.Close(0)
	if s.tab.allHeld() != 0 || len(s.shown) != 100 {
		t.Errorf("%d bytes stay held, %d are shown", s.tab.allHeld(), len(s.shown))
	}
}

// TestGivenUpForBytesIsTold: pairs of which more was held than there is room for count as left
// out once they come back, and their connections say so.
func TestGivenUpForBytesIsTold(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	big := strings.Repeat("x", 60_000)
	for range 2 {
		if n := s.tab.LeftOut(); n != 0 {
			t.Errorf("%d left out before any came back", n)
		}
		for i := range byte(100) {
			s.say(1, 100+i, big)
		}
	}
	if s.tab.LeftOut() == 0 {
		t.Error("nobody is told of pairs that came back")
	}
	for range 4 {
		s.say(1, 100, "yes")
	}
	if conns := s.tab.Conns(); len(conns) != 1 || conns[0].crowded != 2 {
		t.Errorf("%d connections", len(conns))
	}
}

// Pairs that can't be the protocol hold nothing back from those that can.
func TestTableHopeless(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	s.say(1, 2, "hm")
	s.say(1, 2, "no")
	s.say(1, 2, "no")
	if s.tab.allHeld() != 0 || !slices.Equal(s.shown, []string{"1:udp", "2:udp", "3:udp"}) {
		t.Errorf("%d bytes held, shown %q", s.tab.allHeld(), s.shown)
	}
	for range 4 {
		s.say(2, 1, "yes")
	}
	s.ends(t, "1:udp", "2:udp", "3:udp", "4:yes:4a", "5:yes:4a", "6:yes:4a", "7:yes:4a")
}

func TestTableSilence(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	for range 3 {
		s.say(1, 2, "yes")
	}
	s.now += HoldTime + 1
	for range 3 {
		s.say(1, 2, "yes") // evidence from before does not count
	}
	s.ends(t, "1:udp", "2:udp", "3:udp", "4:udp", "5:udp", "6:udp")

	s = newStory(Config{Protocols: []*Protocol{yes()}})
	s.say(1, 2, "yes")
	s.now += HoldTime - ms
	for range 3 {
		s.say(1, 2, "yes")
	}
	s.ends(t, "1:yes:1a", "2:yes:1a", "3:yes:1a", "4:yes:1a")
}

// Silent pairs are forgotten while others go on.
func TestTableSweeps(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	for i := range byte(100) {
		s.say(1, 100+i, "hm")
	}
	for range 3 {
		s.now += HoldTime/2 + 1
		s.say(1, 2, "hm")
	}
	if n := len(s.tab.flows); n != 1 {
		t.Errorf("%d pairs are remembered, want 1", n)
	}
	if s.tab.undecided() != 1 || len(s.shown) != 100 {
		t.Errorf("%d undecided, %d shown", s.tab.undecided(), len(s.shown))
	}
}

func TestTableDecodeAs(t *testing.T) {
	p := yes()
	s := newStory(Config{Protocols: []*Protocol{p}, Force: []Force{{Lo: 2300, Hi: 2302, Protocol: p, Dialect: "odd"}}})
	s.say(1, 2, "hm")
	s.say(2, 1, "no")
	s.ends(t, "1:yes:1a", "2:yes:1b")
	c := s.tab.Conns()[0]
	if c.DetectedBy != ByDecodeAs {
		t.Errorf("detected by %s", c.DetectedBy)
	}

	s = newStory(Config{Protocols: []*Protocol{p}, Force: []Force{{Lo: 2303, Hi: 2400, Protocol: p}}})
	s.say(1, 2, "hm")
	s.ends(t, "1:udp")
}

func TestTableUnreachable(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	s.icmp(1, 2) // about a pair nobody knows
	for range 3 {
		s.say(1, 2, "yes")
	}
	s.icmp(1, 2) // before the pair is recognised: it waits its turn
	s.say(1, 2, "yes")
	s.ends(t, "2:yes:2a", "3:yes:2a", "4:yes:2a", "6:yes:2a")
	if st := s.tab.Conns()[0].State; st != Reset {
		t.Errorf("state %s, want reset", st)
	}
}

// Address pairs by the hundred thousand cost neither memory nor time without
// bound.
func TestTableFlood(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	start := time.Now()
	d := dissect.Datagram{HasTime: true, Payload: []byte("hm"), Length: 2, Dst: endpoint(1, 2302)}
	for i := range 300_000 {
		d.Frame, d.Time = uint64(i+1), int64(i)*10_000 // 3 s of a port scan
		d.Src = endpoint(byte(i>>16), uint16(i))
		s.tab.Add(&d)
	}
	if s.tab.undecided() > MaxSingle+MaxOneWay+MaxAnswered || s.tab.allHeld() > HoldBytes {
		t.Errorf("%d pairs undecided, %d bytes held", s.tab.undecided(), s.tab.allHeld())
	}
	s.tab.Close(0)
	if len(s.shown) != 300_000 {
		t.Errorf("%d of 300000 are shown", len(s.shown))
	}
	if took := time.Since(start); took > 2*time.Minute {
		t.Errorf("took %s", took)
	}
}

func TestTableWithoutTimes(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	for i := range 5 {
		s.tab.Add(&dissect.Datagram{Frame: uint64(i + 1), Src: endpoint(1, 1), Dst: endpoint(2, 2), Payload: []byte("yes"), Length: 3})
	}
	s.ends(t, "1:yes:1a", "2:yes:1a", "3:yes:1a", "4:yes:1a", "5:yes:1a")
	if c := s.tab.Conns()[0]; c.HasTime {
		t.Error("a connection without times has a time")
	}
}

// The probes of a pair that looks like no protocol rest, and look again: a connection that
// begins on the pair is recognised, at once behind a pause and soon enough without one.
func TestForeignPairsRest(t *testing.T) {
	for _, pause := range []int64{0, 2 * restSilence} {
		s := newStory(Config{Protocols: []*Protocol{yes()}})
		for range foreignAfter + restFor/2 {
			s.say(1, 2, "foreign")
		}
		a, b := endpoint(1, 2302), endpoint(2, 2302)
		f := s.tab.flows[keyOf(&a, &b)]
		if f.rest == 0 || f.probes != nil {
			t.Fatalf("%d datagrams later its probes do not rest", foreignAfter+restFor/2)
		}
		s.now += pause
		n := 0
		for ; f.session == nil && n <= restFor; n++ {
			s.say(1, 2, "yes")
		}
		if pause > 0 && n > 8 || f.session == nil {
			t.Errorf("behind a pause of %d ns: recognised after %d datagrams: %v", pause, n, f.session != nil)
		}
	}
}
