package track_test

import (
	"fmt"
	"testing"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
)

// connect makes a CONNECT of a version and a bMsgID.
func connect(id, version uint32, msg uint8) dp8.Frame {
	f := command(dp8.OpConnect, true, id, version)
	f.Handshake.MsgID = msg
	return f
}

// TestMC_DPL8R_Gates_Connect: a CONNECT that is a copy (gate 34), that receivers ignore (gate 36), or
// that names another session (gate 37) is no try to connect. Who tried 15 times without an answer has given up.
func TestMC_DPL8R_Gates_Connect(t *testing.T) {
	for _, c := range []struct {
		name  string
		meet  bool // the connection is established
		first dp8.Frame
		again func(s *scene, n uint8)
		want  string
	}{
		{"retries", false, connect(7, dp8.Version16, 0), func(s *scene, n uint8) { s.send(0, connect(7, dp8.Version16, n)) }, "timed-out"},
		{"copies", false, connect(7, dp8.Version16, 0), func(s *scene, n uint8) { s.Again() }, "opening"},
		{"the attempt goes on under another id", false, connect(7, dp8.Version16, 0), func(s *scene, n uint8) { s.send(0, connect(8, dp8.Version16, n)) }, "opening"},
		{"bRspID, while it opens", false, connect(7, dp8.Version16, 0), func(s *scene, n uint8) { s.send(0, wrongRspID(connect(7, dp8.Version16, n))) }, "timed-out"},
		{"bRspID", true, connect(7, dp8.Version16, 0), func(s *scene, n uint8) { s.send(0, wrongRspID(connect(7, dp8.Version16, n))) }, "established"},
		{"no POLL", true, connect(7, dp8.Version16, 0), func(s *scene, n uint8) {
			f := connect(7, dp8.Version16, n)
			f.Handshake.Command &^= dp8.Poll
			s.send(0, f)
		}, "established"},
		{"another major version", true, connect(7, dp8.Version16, 0), func(s *scene, n uint8) { s.send(0, connect(7, 0x20006, n)) }, "established"},
		{"session 0", true, connect(0, dp8.Version16, 0), func(s *scene, n uint8) { s.send(0, connect(0, dp8.Version16, n)) }, "established"},
		{"session 0 before 1.5", true, connect(0, 0x10004, 0), func(s *scene, n uint8) { s.send(0, connect(0, 0x10004, n)) }, "timed-out"},
		{"another session and bRspID", true, connect(7, dp8.Version16, 0), func(s *scene, n uint8) { s.send(0, wrongRspID(connect(8, dp8.Version16, n))) }, "established"},
	} {
		s := newScene(t, track.Options{}, true)
		h := c.first.Handshake
		s.send(0, c.first)
		if c.meet {
			s.send(1, command(dp8.OpConnected, true, h.SessionID, h.Version))
			s.send(0, command(dp8.OpConnected, false, h.SessionID, h.Version))
		}
		for n := range uint8(14) {
			c.again(s, n+1)
		}
		if got := s.One().State.String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func wrongRspID(f dp8.Frame) dp8.Frame {
	f.Handshake.RspID = 3
	return f
}

// TestMC_DPL8R_Gates_Answer: answers of another major version or another session are none (gate 38);
// of one that the capture cut, what is there counts, but for another session's (gate 35).
func TestMC_DPL8R_Gates_Answer(t *testing.T) {
	for _, c := range []struct {
		name string
		play func(s *scene)
		want string // state, roles, version
	}{
		{"it is right", func(s *scene) { s.send(1, command(dp8.OpConnected, true, 7, dp8.Version15)) }, "established 10005"},
		{"another major version", func(s *scene) { s.send(1, command(dp8.OpConnected, true, 7, 0x20005)) }, "opening 0"},
		{"another session", func(s *scene) { s.send(1, command(dp8.OpConnected, true, 9, dp8.Version15)) }, "opening 0"},
		{"cut behind the id", func(s *scene) { s.cut(1, command(dp8.OpConnected, true, 7, dp8.Version15), 4) }, "established 10005"},
		{"cut behind the id of another session", func(s *scene) { s.cut(1, command(dp8.OpConnected, true, 9, dp8.Version15), 4) }, "opening 0"},
		{"cut within the id", func(s *scene) { s.cut(1, command(dp8.OpConnected, true, 7, dp8.Version15), 6) }, "established 0"},
	} {
		s := newScene(t, track.Options{}, true)
		s.send(0, connect(7, dp8.Version16, 0))
		c.play(s)
		s.send(0, data(0, 0, "x"))
		x := s.One()
		if got := fmt.Sprintf("%s %x", x.State, x.Version); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestMC_DPL8R_Gates_Version: of a side that contradicts itself the higher version counts, and
// nothing that other majors, a HARD_DISCONNECT or a signed answer below 1.5 say (gate 41).
func TestMC_DPL8R_Gates_Version(t *testing.T) {
	answer := command(dp8.OpConnected, true, 7, dp8.Version16)
	for _, c := range []struct {
		name  string
		frame dp8.Frame
		want  uint32
	}{
		{"higher", command(dp8.OpConnected, false, 7, dp8.Version15), dp8.Version15},
		{"lower", command(dp8.OpConnected, false, 7, 0x10003), 0x10004},
		{"another major version, while it opens", connect(7, 0x20006, 1), 0x10004},
		{"HARD_DISCONNECT", command(dp8.OpHardDisconnect, false, 7, dp8.Version16), 0x10004},
	} {
		s := newScene(t, track.Options{}, true)
		s.send(0, connect(7, 0x10004, 0))
		s.send(0, c.frame)
		s.send(1, answer)
		if got := s.One().Version; got != c.want {
			t.Errorf("%s: %x, want %x", c.name, got, c.want)
		}
	}
	s := newScene(t, track.Options{}, true)
	s.send(0, connect(7, dp8.Version16, 0))
	f := signedAnswer(true, 7, dp8.Secret{}, dp8.Secret{}, dp8.SigningFast)
	f.Handshake.Version = 0x10004
	s.send(1, f)
	if got := s.One().Version; got != 0 {
		t.Errorf("signed, below 1.5: %x, want none known", got)
	}
}

// TestMC_DPL8R_Gates_HardDisconnect: one that was cut before its tick closes nothing (gate 42), nor
// does a second one of its side (gate 43).
func TestMC_DPL8R_Gates_HardDisconnect(t *testing.T) {
	hard := command(dp8.OpHardDisconnect, false, 7, dp8.Version16)
	for _, c := range []struct {
		name string
		play func(s *scene)
		want string
	}{
		{"cut", func(s *scene) { s.cut(0, hard, 4) }, "established"},
		{"a second one, behind the other side's END_STREAM", func(s *scene) {
			s.send(0, hard)
			s.send(1, dataAs(whole, dp8.CtlEndStream, 0, 0, ""))
			f := hard
			f.Handshake.MsgID = 1
			s.send(0, f)
		}, "reset"},
		{"one, behind the other side's END_STREAM", func(s *scene) {
			s.send(1, dataAs(whole, dp8.CtlEndStream, 0, 0, ""))
			s.send(0, hard)
		}, "closed"},
	} {
		s := newScene(t, track.Options{}, true)
		s.meet(7, dp8.Version16, dp8.Version16)
		c.play(s)
		if got := s.One().State.String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestMC_DPL8R_Gates_Routing: which connection of the pair a command frame is of (gate 1).
func TestMC_DPL8R_Gates_Routing(t *testing.T) {
	tick := func(f dp8.Frame, tick uint32) dp8.Frame {
		f.Handshake.Timestamp = tick
		return f
	}
	answer := func(id uint32) dp8.Frame { return command(dp8.OpConnected, true, id, dp8.Version16) }
	confirm := func(id uint32) dp8.Frame { return command(dp8.OpConnected, false, id, dp8.Version16) }
	hard := func(id uint32) dp8.Frame { return command(dp8.OpHardDisconnect, false, id, dp8.Version16) }
	for _, c := range []struct {
		name   string
		play   func(s *scene)
		groups string // the place of each frame's connection
	}{
		{"an answer to a session that the other side named", func(s *scene) { s.meet(7, dp8.Version16, dp8.Version16); s.send(1, answer(9)); s.send(0, confirm(9)) }, "00001"},
		{"HARD_DISCONNECT of another session, once it is over", func(s *scene) { s.meet(7, dp8.Version16, dp8.Version16); s.send(0, hard(7)); s.send(1, hard(9)) }, "00000"},
		{"an answer while no id is known, though it is over", func(s *scene) {
			s.send(0, dataAs(whole, dp8.CtlEndStream, 9, 9, ""))
			s.send(1, dataAs(whole, dp8.CtlEndStream, 9, 10, ""))
			s.send(1, answer(9))
		}, "000"},
		{"an answer of another session, once it is over: data is of that", func(s *scene) {
			s.meet(7, dp8.Version16, dp8.Version16)
			s.send(0, hard(7))
			s.send(1, answer(9))
			s.send(0, data(0, 0, "x"))
		}, "000011"},
		{"… while it closes", func(s *scene) {
			s.meet(7, dp8.Version16, dp8.Version16)
			s.send(0, dataAs(whole, dp8.CtlEndStream, 0, 0, ""))
			s.send(1, answer(9))
		}, "00000"},
		{"… while it closes, after a long silence", func(s *scene) {
			s.meet(7, dp8.Version16, dp8.Version16)
			s.send(0, dataAs(whole, dp8.CtlEndStream, 0, 0, ""))
			s.Wait(20e3)
			s.send(1, answer(9))
		}, "00001"},
		{"… while it opens and is awaited", func(s *scene) { s.send(0, connect(7, dp8.Version16, 0)); s.send(1, answer(9)) }, "00"},
		{"… while it opens, from the one who connects", func(s *scene) { s.send(0, connect(7, dp8.Version16, 0)); s.send(0, confirm(9)) }, "01"},
		{"… while it opens and was answered", func(s *scene) {
			s.send(0, connect(7, dp8.Version16, 0))
			s.send(1, answer(7))
			s.send(1, answer(9))
		}, "000"},
		{"… while it opens and was answered, after a long silence", func(s *scene) {
			s.send(0, connect(7, dp8.Version16, 0))
			s.send(1, answer(7))
			s.Wait(20e3)
			s.send(1, answer(9))
		}, "001"},
		{"a CONNECT that receivers ignore", func(s *scene) {
			s.meet(7, dp8.Version16, dp8.Version16)
			s.send(0, wrongRspID(connect(8, dp8.Version16, 0)))
		}, "0000"},
		{"a CONNECT in the middle of a capture", func(s *scene) { s.send(0, sack(0, 0, 0)); s.send(0, connect(8, dp8.Version16, 0)) }, "00"},
		{"the same session again", func(s *scene) {
			s.meet(7, dp8.Version16, dp8.Version16)
			s.Wait(2000)
			s.send(0, tick(connect(7, dp8.Version16, 0), 99))
		}, "0001"},
		{"the same session again, of a busy connection", func(s *scene) {
			s.meet(7, dp8.Version16, dp8.Version16)
			s.send(0, tick(connect(7, dp8.Version16, 0), 99))
		}, "0000"},
		{"… that receivers ignore", func(s *scene) {
			s.meet(7, dp8.Version16, dp8.Version16)
			s.Wait(2000)
			s.send(0, wrongRspID(tick(connect(7, dp8.Version16, 0), 99)))
		}, "0000"},
		{"… with an old tick", func(s *scene) {
			s.meet(7, dp8.Version16, dp8.Version16)
			s.Wait(2000)
			s.send(0, connect(7, dp8.Version16, 0))
		}, "0000"},
		{"… with an old tick, much later", func(s *scene) {
			s.meet(7, dp8.Version16, dp8.Version16)
			s.Wait(20e3)
			s.send(0, connect(7, dp8.Version16, 0))
		}, "0001"},
		{"… as a retry", func(s *scene) {
			s.meet(7, dp8.Version16, dp8.Version16)
			s.Wait(2000)
			s.send(0, tick(connect(7, dp8.Version16, 1), 99))
		}, "0000"},
		{"… while it opens", func(s *scene) {
			s.send(0, connect(7, dp8.Version16, 0))
			s.Wait(2000)
			s.send(0, tick(connect(7, dp8.Version16, 0), 99))
		}, "00"},
		{"… of which no CONNECT was captured", func(s *scene) {
			s.send(1, answer(7))
			s.send(0, confirm(7))
			s.Wait(2000)
			s.send(0, tick(connect(7, dp8.Version16, 0), 99))
		}, "000"},
	} {
		s := newScene(t, track.Options{}, true)
		c.play(s)
		if got := s.Groups(); got != c.groups {
			t.Errorf("%s: %s, want %s", c.name, got, c.groups)
		}
	}
}
