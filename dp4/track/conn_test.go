package track_test

import (
	"fmt"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/dissecttest"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/dp4/track"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// The example of the text: message 3 is dropped before the capture point, the
// NACK makes its sender repeat it.
func TestMC_DPL4R_4_1_Example(t *testing.T) {
	for _, secondSerial := range []uint8{1, 0} { // 4.1.3 and 4.1.4 differ (AMB-DP4-13)
		s := scenes(t)
		s.send(0, dataAs(dp4.STA|dp4.RLY, 0, 0, 0, "one, "))
		s.send(0, dataAs(dp4.RLY, 0, 1, 1, "two, "))
		s.send(0, dataAs(dp4.EOM|dp4.RLY, 0, 2, 2, "three"))
		s.send(1, ack(0, 2, 2))
		s.send(0, dataAs(dp4.STA|dp4.EOM, 1, 3, 0, "unreliable"))
		s.send(0, dataAs(dp4.STA, 3, 5, 0, "four, "))
		if got := s.Words(); got != "gap" {
			t.Errorf("behind the dropped message: %q", got)
		}
		s.send(0, dataAs(dp4.EOM, 3, 6, secondSerial, "five"))
		s.send(1, nack(2, 4, 0, 0))
		if got := s.Words(); got != "ack" {
			t.Errorf("the NACK: %q", got)
		}
		s.send(0, data(2, 4, 1, "dropped"))
		if got := s.Words(); got != "retry gap-filled" {
			t.Errorf("the retry: %q", got)
		}
		c := s.One()
		if !c.Complete || c.State != session.Established || c.Players != [2]uint32{1, 2} || !c.HasPlayers {
			t.Errorf("complete %v, %v, players %v", c.Complete, c.State, c.Players)
		}
		d := &c.Dir[0]
		if got, want := fmt.Sprint(d.DataFrames, d.Retries, d.Gaps, d.Missing(), d.Messages, d.MessageBytes, c.Dir[1].Acks), "7 1 1 0 4 42 2"; got != want {
			t.Errorf("data frames, retries, gaps, missing, messages, bytes, acks: %s, want %s", got, want)
		}
		if got, want := fmt.Sprint(s.Texts(0)), "[one, two, three unreliable four, five dropped]"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if l := d.Lost(); l != (seq.Lost{}) { // the capture may have lost it: no counts of bytes say that it didn't
			t.Errorf("lost %+v", l)
		}
	}
}

// A first frame with number 0 or 1 is the start (AMB-DP4-01, AMB-DP4-02).
func TestMC_DPL4R_3_1_3_Start(t *testing.T) {
	for _, c := range []struct {
		name     string
		first    dp4.Frame
		complete bool
	}{
		{"1", data(1, 1, 0, "x"), true}, {"0", data(0, 0, 0, "x"), true}, {"1, sent again", data(1, 1, 1, "x"), true},
		{"7", data(7, 7, 0, "x"), false}, {"1 in the middle of the messages", data(7, 1, 0, "x"), false},
		{"not the start of a message", dataAs(dp4.EOM, 1, 1, 1, "x"), false},
		{"an acknowledgement", ack(1, 1, 0), false}, {"ignored", dp4.Frame{Flags: dp4.CMD | dp4.EXT | dp4.STA | dp4.EOM, MessageID: 1, Sequence: 1}, false},
	} {
		s := scenes(t)
		s.send(0, c.first)
		s.send(1, data(1, 1, 0, "y"))
		if got := s.One(); got.Complete != c.complete || (got.State == session.Established) != c.complete {
			t.Errorf("%s: complete %v, %v", c.name, got.Complete, got.State)
		}
	}
	s := scenes(t) // overtaken on its way
	s.send(0, data(2, 2, 0, "b"))
	s.send(0, data(1, 1, 0, "a"))
	if c := s.One(); !c.Complete || c.State != session.Established {
		t.Errorf("overtaken: complete %v, %v", c.Complete, c.State)
	}
}

func TestPlayerPairs(t *testing.T) {
	of := func(f dp4.Frame, from, to uint32) dp4.Frame { f.From.Value, f.To.Value = from, to; return f }
	type frame struct {
		from dissect.Dir
		f    dp4.Frame
	}
	for _, c := range []struct {
		name   string
		play   []frame
		groups string // the place of each frame's connection
	}{
		{"one pair", []frame{{0, of(data(1, 1, 0, "x"), 1, 2)}, {1, of(ack(1, 1, 0), 2, 1)}}, "00"},
		{"two pairs", []frame{{0, of(data(1, 1, 0, "x"), 1, 2)}, {0, of(data(1, 1, 0, "y"), 3, 2)}, {1, of(ack(1, 1, 0), 2, 3)}, {1, of(ack(1, 1, 0), 2, 1)}}, "0110"},
		{"the same indexes, other hosts", []frame{{0, of(data(1, 1, 0, "x"), 1, 2)}, {1, of(data(1, 1, 0, "y"), 1, 2)}, {0, of(ack(1, 1, 0), 2, 1)}}, "011"},
		{"nobody's acknowledgement", []frame{{0, of(data(1, 1, 0, "x"), 1, 2)}, {0, of(data(1, 1, 0, "y"), 5, 6)}, {1, of(ack(1, 1, 0), 3, 1)}}, "010"},
		{"a broken frame", []frame{{0, of(data(1, 1, 0, "x"), 1, 2)}, {1, dp4.Frame{Flags: dp4.ACK}}}, "00"},
		{"BIG starts nothing", []frame{{0, of(data(1, 1, 0, "x"), 1, 2)}, {0, of(dp4.Frame{Flags: dp4.CMD | dp4.BIG | dp4.STA | dp4.EOM}, 7, 8)}}, "00"},
		{"an index too large starts nothing", []frame{{0, of(data(1, 1, 0, "x"), 1, 2)}, {0, of(data(1, 1, 0, "x"), 0x10000, 2)}}, "00"},
		{"a longer index starts nothing", []frame{{0, of(data(1, 1, 0, "x"), 1, 2)}, {0, dp4.Frame{From: dp4.Index{Value: 3, Width: 2}, To: dp4.Index{Value: 2, Width: 1}, Flags: dp4.CMD | dp4.STA | dp4.EOM}}}, "00"},
		{"a longer index of a known player", []frame{{0, of(data(1, 1, 0, "x"), 1, 2)}, {0, dp4.Frame{From: dp4.Index{Value: 1, Width: 2}, To: dp4.Index{Value: 2, Width: 1}, Flags: dp4.CMD | dp4.STA | dp4.EOM, MessageID: 2, Sequence: 2}}}, "00"},
	} {
		s := scenes(t)
		for _, x := range c.play {
			if x.f.From.Value == 0 {
				x.f.From.Value, x.f.To.Value = 2, 1
				s.Raw(x.from, x.f.Append(nil)[:5])
				continue
			}
			s.send(x.from, x.f)
		}
		if got := s.Groups(); got != c.groups {
			t.Errorf("%s: %s, want %s", c.name, got, c.groups)
		}
	}
}

// Numbers of two pairs of players have nothing to do with each other.
func TestPlayerPairsCountApart(t *testing.T) {
	s := scenes(t)
	for n := range uint8(40) {
		f, g := data(1+n, 1+n, 0, "a"), data(200+n, 100+n, 0, "bb")
		g.From.Value, g.To.Value = 9, 300
		s.send(0, f)
		s.send(0, g)
	}
	conns := s.End()
	if len(conns) != 2 {
		t.Fatalf("%d connections", len(conns))
	}
	for i, players := range [][2]uint32{{1, 2}, {9, 300}} {
		d := &conns[i].Dir[0]
		if got := fmt.Sprint(conns[i].Players, d.Messages, d.MessageBytes, d.Gaps, d.Missing(), d.Retries); got != fmt.Sprint(players, 40, 40*(i+1), 0, 0, 0) {
			t.Error(got)
		}
	}
	if conns[0].Complete == conns[1].Complete {
		t.Error("only one was captured from its start")
	}
}

// Two players may begin again.
func TestNumbersThatBeginAgain(t *testing.T) {
	talk := func(s *scene, n int, text string) {
		for i := range n {
			s.send(0, data(uint8(1+i), uint8(1+i), 0, fmt.Sprint(text, i)))
		}
	}
	for _, c := range []struct {
		name  string
		play  func(s *scene)
		conns int
	}{
		{"after a minute", func(s *scene) { talk(s, 10, "old"); s.Wait(60_000); talk(s, 10, "new") }, 2},
		{"at once, far behind", func(s *scene) { talk(s, 60, "old"); talk(s, 60, "new") }, 2},
		{"a copy of the first frame", func(s *scene) { talk(s, 60, "old"); talk(s, 1, "old") }, 1},
		{"a wrap", func(s *scene) { talk(s, 256, "old"); s.Wait(60_000); talk(s, 20, "new") }, 1},
		{"a retry of the first frame after a minute", func(s *scene) {
			talk(s, 10, "old")
			s.Wait(60_000)
			s.send(0, data(1, 1, 1, "old0"))
		}, 1},
	} {
		s := scenes(t)
		c.play(s)
		if got := len(s.End()); got != c.conns {
			t.Errorf("%s: %d connections, want %d", c.name, got, c.conns)
		}
	}
}

func TestMC_DPL4R_2_2_2_Wraps(t *testing.T) {
	s := scenes(t)
	for n := range 1000 {
		s.send(0, data(uint8(1+n), uint8(1+n), 0, fmt.Sprint(n)))
		if n%5 == 4 {
			s.send(1, ack(uint8(1+n), uint8(1+n), 0))
		}
	}
	c := s.One()
	d := &c.Dir[0]
	if got := fmt.Sprint(d.Messages, d.Gaps, d.Missing(), d.Duplicates, d.OutOfOrder, d.RTT().Samples); got != "1000 0 0 0 0 1000" {
		t.Error(got)
	}
	if m := s.Messages[999]; m.Number != 1000 || m.Index != 999 || string(m.Payload) != "999" {
		t.Errorf("%+v", m)
	}
}

// The serial tells a copy from a retry, whatever the identification says.
func TestMC_DPL4R_2_2_2_Serial(t *testing.T) {
	for _, c := range []struct {
		name  string
		play  []dp4.Frame
		words string // of the last frame
		again uint64
	}{
		{"a later serial", []dp4.Frame{data(1, 1, 0, "x"), data(1, 1, 1, "x")}, "retry", 1},
		{"the same serial", []dp4.Frame{data(1, 1, 0, "x"), data(1, 1, 0, "x")}, "duplicate", 0},
		{"the same later serial", []dp4.Frame{data(1, 1, 0, "x"), data(1, 1, 1, "x"), data(1, 1, 1, "x")}, "duplicate", 1},
		{"a retry whose first sending was not captured", []dp4.Frame{data(1, 1, 0, "x"), data(2, 2, 1, "y")}, "retry", 1},
		{"overtaken by its retry", []dp4.Frame{data(1, 1, 0, "x"), data(2, 2, 1, "y"), data(2, 2, 0, "y")}, "", 1},
		{"retries the wrong way round", []dp4.Frame{data(1, 1, 0, "x"), data(2, 2, 2, "y"), data(2, 2, 1, "y")}, "retry", 2},
		{"part of a message", []dp4.Frame{dataAs(dp4.RLY|dp4.STA, 1, 1, 0, "x"), dataAs(dp4.RLY|dp4.EOM, 1, 2, 1, "y")}, "", 0},
		{"a part again", []dp4.Frame{dataAs(dp4.RLY|dp4.STA, 1, 1, 0, "x"), dataAs(dp4.RLY|dp4.EOM, 1, 2, 1, "y"), dataAs(dp4.RLY|dp4.STA, 1, 1, 2, "x")}, "retry", 1},
		{"a lost part again, behind a later one", []dp4.Frame{dataAs(dp4.RLY|dp4.STA, 1, 1, 0, "x"), dataAs(dp4.RLY|dp4.EOM, 1, 3, 2, "z"), dataAs(dp4.RLY, 1, 2, 3, "y")}, "retry gap-filled", 1},
		{"a part overtaken", []dp4.Frame{dataAs(dp4.RLY|dp4.STA, 1, 1, 0, "x"), dataAs(dp4.RLY|dp4.EOM, 1, 3, 2, "z"), dataAs(dp4.RLY, 1, 2, 1, "y")}, "out-of-order gap-filled", 0},
		{"the first part again, never captured before", []dp4.Frame{data(1, 1, 0, "x"), dataAs(dp4.RLY|dp4.EOM, 2, 3, 1, "z"), dataAs(dp4.RLY|dp4.STA, 2, 2, 2, "y")}, "retry gap-filled", 1},
		{"each packet by itself", []dp4.Frame{dataAs(dp4.RLY|dp4.STA, 1, 1, 0, "x"), dataAs(dp4.RLY, 1, 2, 0, "y"), dataAs(dp4.RLY|dp4.EOM, 1, 3, 1, "z")}, "retry", 1},
		{"each packet by itself, again", []dp4.Frame{dataAs(dp4.RLY|dp4.STA, 1, 1, 0, "x"), dataAs(dp4.RLY|dp4.EOM, 1, 2, 0, "y"), dataAs(dp4.RLY|dp4.EOM, 1, 2, 1, "y")}, "retry", 1},
		{"serials that a captured retry explains", []dp4.Frame{dataAs(dp4.RLY|dp4.STA, 1, 1, 0, "x"), dataAs(dp4.RLY|dp4.STA, 1, 1, 1, "x"), dataAs(dp4.RLY|dp4.EOM, 1, 2, 2, "y")}, "", 1},
		{"the same serial, other bytes", []dp4.Frame{data(1, 1, 0, "x"), dataAs(dp4.RLY|dp4.STA|dp4.EOM|dp4.SAK, 1, 1, 0, "x")}, "", 0},
	} {
		s := scenes(t)
		for _, f := range c.play {
			s.send(0, f)
		}
		if got := s.Words(); got != c.words {
			t.Errorf("%s: %q, want %q", c.name, got, c.words)
		}
		if got := s.One().Dir[0].Retries; got != c.again {
			t.Errorf("%s: %d retries, want %d", c.name, got, c.again)
		}
	}
}

// The last part of a message comes late: serials that nothing explains are those
// of transmissions that were not captured. In time, it may be a first one.
func TestMC_DPL4R_2_2_2_SerialOfLastPart(t *testing.T) {
	for _, c := range []struct {
		wait   int64
		serial uint8
		want   uint64
	}{{400, 2, 1}, {400, 1, 0}, {0, 2, 0}} {
		s := scenes(t)
		s.send(0, dataAs(dp4.RLY|dp4.STA, 1, 1, 0, "x"))
		s.Wait(c.wait)
		s.send(0, dataAs(dp4.RLY|dp4.EOM, 1, 2, c.serial, "y"))
		if got := s.One().Dir[0].Retries; got != c.want {
			t.Errorf("after %d ms with serial %d: %d retries, want %d", c.wait, c.serial, got, c.want)
		}
	}
}

func TestMC_DPL4R_2_2_2_IgnoredFrames(t *testing.T) {
	s := scenes(t)
	s.send(0, data(1, 1, 0, "x"))
	s.send(0, dp4.Frame{Flags: dp4.CMD | dp4.EXT | dp4.STA | dp4.EOM | dp4.RLY, MessageID: 90, Sequence: 90, Data: []byte("no")})
	s.send(0, dp4.Frame{Flags: dp4.EXT | dp4.STA | dp4.EOM, MessageID: 91, Sequence: 91, Data: []byte("no")})
	s.send(1, dp4.Frame{Flags: dp4.CMD | dp4.EXT | dp4.ACK, MessageID: 1, Sequence: 1})
	s.send(0, data(2, 2, 0, "y"))
	d := &s.One().Dir[0]
	if got := fmt.Sprint(d.Frames, d.DataFrames, d.Messages, d.Gaps, d.Missing(), s.One().Dir[1].Acks, s.Texts(0)); got != "4 4 2 0 0 1 [x y]" {
		t.Error(got)
	}
}

func TestMC_DPL4R_2_2_4_Acknowledgements(t *testing.T) {
	s := scenes(t)
	for n := range uint8(4) {
		s.send(0, data(1+n, 1+n, 0, "x"))
	}
	s.send(1, ack(3, 3, 0))
	if got := fmt.Sprint(s.Words(), s.Last().Acks); got != "ack[1 2 3]" {
		t.Errorf("cumulative: %s", got)
	}
	s.send(1, ack(3, 3, 0))
	if got := s.Words(); got != "duplicate-ack" {
		t.Errorf("again: %q", got)
	}
	s.send(1, ack(2, 2, 0))
	if got := s.Words(); got != "" {
		t.Errorf("behind: %q", got)
	}
	s.send(1, ack(4, 4, 0))
	s.Again()
	if got := s.Words(); got != "duplicate duplicate-ack" {
		t.Errorf("a copy by its identification: %q", got)
	}
	if got := s.One().Dir[0].RTT().Samples; got != 4 {
		t.Errorf("%d round trips", got)
	}
}

// Below the NACK's own number everything was received, and what its mask leaves
// out up to the last one missing (AMB-DP4-15); the rest is not known.
func TestMC_DPL4R_2_2_3_NACKAcknowledges(t *testing.T) {
	for _, mirrored := range []bool{false, true} {
		s := scenes(t)
		for n := range uint8(9) {
			s.send(0, data(1+n, 1+n, 0, "x"))
		}
		f := nack(3, 3, 0b101, 1) // 3, 4 and 6 are missing
		if mirrored {
			f.ExtFlags = dp4.MSBFirst.ExtFlags(1)
		}
		s.send(1, f)
		if got := fmt.Sprint(s.Words(), s.Last().Acks); got != "ack[1 2 5]" {
			t.Errorf("%s", got)
		}
		s.send(0, data(3, 3, 1, "x"))
		s.send(0, data(5, 5, 1, "x"))
		if got := s.Words(); got != "retry unneeded-retry" {
			t.Errorf("what was received: %q", got)
		}
		d := &s.One().Dir[0]
		if d.Retries != 2 || d.UnneededRetries != 1 {
			t.Errorf("%d retries, %d unneeded", d.Retries, d.UnneededRetries)
		}
	}
}

// A receiver passes over what is lost and not reliable: that it acknowledges
// what lies after proves nothing.
func TestMC_DPL4R_2_2_4_PassedOver(t *testing.T) {
	s := scenes(t)
	s.send(0, data(1, 1, 0, "x"))
	s.send(0, data(3, 3, 0, "z"))
	s.send(1, ack(3, 3, 0))
	if got := s.Words(); got != "ack ack-of-uncaptured" {
		t.Errorf("%q", got)
	}
	s.send(0, data(4, 4, 0, "z"))
	if l := s.One().Dir[0].Lost(); l != (seq.Lost{}) {
		t.Errorf("lost %+v", l)
	}
}

func TestMC_DPL4R_2_2_2_WindowFull(t *testing.T) {
	s := scenes(t)
	s.send(0, data(1, 1, 0, "x"))
	s.send(1, ack(1, 1, 0))
	for n := range uint8(26) {
		s.send(0, data(2+n, 2+n, 0, "x"))
		if got, want := s.Words(), n >= 23; (got == "window-full") != want {
			t.Errorf("%d outstanding: %q", n+1, got)
		}
	}
}

func TestCounts(t *testing.T) {
	s := scenes(t)
	s.send(0, data(1, 1, 0, "x"))
	s.send(0, data(2, 2, 0, ""))
	s.Cut(0, []byte("\x01\x02\x39\x03\x03\x00hello"), 2)
	s.Raw(0, []byte{1, 2, 0x39, 4})
	s.Raw(0, []byte{1, 0x80, 0x80, 0x80})
	s.Raw(1, []byte{2, 1, 2, 1, 1, 0})
	d := &s.One().Dir[0]
	if got, want := fmt.Sprint(d.Frames, d.Bytes, d.DataFrames, d.Messages, d.MessageBytes, d.IncompleteMessages), "5 32 3 2 1 1"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := s.Texts(0); fmt.Sprint(got) != "[x  [hel]]" {
		t.Errorf("%q", got)
	}
	if _, malformed, _ := s.Table.Totals(); malformed != 3 {
		t.Errorf("%d malformed, want 3", malformed)
	}
	if m := s.Messages[2]; m.Size != 5 || m.Complete {
		t.Errorf("%+v", m)
	}
}

// What was damaged on its way is counted and changes nothing.
func TestDamagedFrames(t *testing.T) {
	s := scenes(t)
	add := func(f dp4.Frame, bad bool) {
		f.From.Value, f.To.Value = 1, 2
		n := len(s.Sent) + 1
		s.Add(0, dissect.Datagram{Payload: f.Append(nil), IPID: uint16(n), Sum: uint64(n), BadChecksum: bad})
	}
	add(data(1, 1, 0, "x"), false)
	add(data(99, 99, 0, "no"), true)
	add(dp4.Frame{From: dp4.Index{Value: 1}, Flags: dp4.CMD | dp4.STA | dp4.EOM, MessageID: 5, Sequence: 77}, true)
	add(data(2, 2, 0, "y"), false)
	d := &s.One().Dir[0]
	if got := fmt.Sprint(d.Frames, d.DataFrames, d.Messages, d.Gaps, d.Missing()); got != "4 4 2 0 0" {
		t.Error(got)
	}
}

// A core datagram between the ports is no frame of the connection.
func TestCoreDatagramsAreNeighbours(t *testing.T) {
	s := scenes(t)
	s.send(0, data(1, 1, 0, "x"))
	s.Raw(1, dissecttest.Unhex(t, "3400b0fa 020008fc 00000000 0000000000000000 706c6179 0200 0b00 4433221166558877 99aabbccddeeff00 0000000000000000"))
	if s.ConnOf[1] != nil || s.Last().Protocol != "dpl4cs" || s.Last().Type != "ENUMSESSIONS" {
		t.Errorf("%s %s", s.Last().Protocol, s.Last().Type)
	}
	if c := s.One(); c.Dir[1].Frames != 0 {
		t.Error("counted")
	}
}

// TestPlayerPairsAreBounded: of more pairs of players of two hosts than are followed the one
// that was silent the longest ends, and what comes of it is another connection.
func TestPlayerPairsAreBounded(t *testing.T) {
	s := scenes(t)
	for i := range uint32(track.MaxConns + 1) {
		f := data(1, 1, 0, "x")
		f.From.Value, f.To.Value = 100+i, 2
		s.send(0, f)
		if i == 0 { // the first one speaks last
			continue
		}
		f = data(2, 2, 0, "y")
		f.From.Value, f.To.Value = 100, 2
		s.send(0, f)
	}
	conns := s.Table.Conns()
	ended := 0
	for i, c := range conns {
		if c.Closed() {
			ended++
			if i != 1 {
				t.Errorf("connection %d ended", i)
			}
		}
	}
	if len(conns) != track.MaxConns+1 || ended != 1 {
		t.Fatalf("%d connections, %d ended; want %d and 1", len(conns), ended, track.MaxConns+1)
	}
	f := data(9, 9, 5, "z")
	f.From.Value, f.To.Value = 101, 2
	s.send(0, f)
	if conns = s.Table.Conns(); len(conns) != track.MaxConns+2 || conns[track.MaxConns+1].Complete {
		t.Errorf("%d connections after it came back, want another that is not complete", len(conns))
	}
}
