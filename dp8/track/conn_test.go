package track_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/rules"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/internal/testbed/sessiontest"
	"github.com/dpdissect/dpdissect/session"
)

var hosts = sessiontest.Hosts("10.0.0.1:2302", "10.0.0.2:2302")

// A scene is a capture of host 0, which connects, and host 1.
type scene struct{ *sessiontest.Scene }

// newScene takes every address pair for DirectPlay 8 from the start when forced. What was known of the
// frame before says nothing of the next one (track.Spoil).
func newScene(t *testing.T, opts track.Options, forced bool) *scene {
	p := track.Spoil(rules.New(opts))
	cfg := session.Config{Protocols: []*session.Protocol{p}, Links: true, Messages: session.CollectPayload, Incomplete: true}
	if forced {
		cfg.Force = sessiontest.Force(p, "")
	}
	s := &scene{sessiontest.New(t, hosts, cfg)}
	t.Cleanup(func() {
		s.same(t, "without rules", track.New(opts, nil), forced)
		s.same(t, "the long way", rules.New(opts.Long()), forced)
	})
	return s
}

// same holds that who follows the scene by p counts the same: rules steer nothing, and the short way leaves
// nothing out.
func (s *scene) same(t *testing.T, how string, p *session.Protocol, forced bool) {
	cfg := session.Config{Protocols: []*session.Protocol{p}, Messages: session.CollectPayload, Incomplete: true}
	if forced {
		cfg.Force = sessiontest.Force(p, "")
	}
	if apart := s.Apart(cfg); apart != "" {
		t.Errorf("%s: %s", how, apart)
	}
}

func (s *scene) send(from dissect.Dir, f dp8.Frame) { s.Raw(from, f.Append(nil)) }

// findings are those that accuse an endpoint, but for what every signed handshake breaks.
func (s *scene) findings() []session.Finding {
	return slices.DeleteFunc(s.Accusations(), func(f session.Finding) bool { return f.Rule.ID == "DP8-SIG-SECRETLEAK" })
}

func command(op uint8, poll bool, id, version uint32) dp8.Frame {
	h := dp8.Handshake{Command: dp8.CFrame, Opcode: op, Version: version, SessionID: id}
	if poll {
		h.Command |= dp8.Poll
	}
	return dp8.Frame{Type: dp8.Type(op), Handshake: h}
}

func signedAnswer(poll bool, id uint32, connector, listener dp8.Secret, mode uint32) dp8.Frame {
	f := command(dp8.OpConnectedSigned, poll, id, dp8.Version16)
	f.Handshake.SigningOpts, f.Handshake.ConnectSig = mode, [8]byte{1}
	if !poll {
		f.Handshake.SenderSecret, f.Handshake.ReceiverSecret = connector, listener
	}
	return f
}

// meet plays an unsigned handshake, up to the confirmation.
func (s *scene) meet(id, connector, listener uint32) {
	s.send(0, command(dp8.OpConnect, true, id, connector))
	s.send(1, command(dp8.OpConnected, true, id, listener))
	s.send(0, command(dp8.OpConnected, false, id, connector))
}

const whole = dp8.Data | dp8.Reliable | dp8.Sequential | dp8.NewMsg | dp8.EndMsg

func data(seq, nrcv uint8, text string) dp8.Frame { return dataAs(whole, 0, seq, nrcv, text) }

func dataAs(cmd dp8.Command, ctl dp8.Control, seq, nrcv uint8, text string) dp8.Frame {
	return dp8.Frame{Type: dp8.TypeDFrame, DFrame: dp8.DFrame{Command: cmd | dp8.Data, Control: ctl, Seq: seq, NRcv: nrcv, Payload: []byte(text)}}
}

func masked(f dp8.Frame, sacked, dropped uint64) dp8.Frame {
	d := &f.DFrame
	if d.SACKMask = sacked; sacked != 0 {
		d.Control |= dp8.CtlSACK1 | dp8.CtlSACK2
	}
	if d.SendMask = dropped; dropped != 0 {
		d.Control |= dp8.CtlSend1 | dp8.CtlSend2
	}
	return f
}

func keepAlive(seq, nrcv uint8, id uint32) dp8.Frame {
	return dp8.Frame{Type: dp8.TypeDFrame, DFrame: dp8.DFrame{Command: whole | dp8.Poll, Control: dp8.CtlKeepAlive, Seq: seq, NRcv: nrcv, KeepAlive: true, SessionID: id}}
}

func sack(nseq, nrcv uint8, mask uint64) dp8.Frame {
	k := dp8.SACK{Command: dp8.CFrame, Flags: dp8.SACKResponse, NSeq: nseq, NRcv: nrcv, SACKMask: mask}
	if mask != 0 {
		k.Flags |= dp8.SACKMask1 | dp8.SACKMask2
	}
	return dp8.Frame{Type: dp8.TypeSACK, SACK: k}
}

func coalesced(ctl dp8.Control, seq uint8, parts ...dp8.Part) dp8.Frame {
	f := dataAs(whole, ctl|dp8.CtlCoalesce, seq, 0, "")
	d := &f.DFrame
	d.Coalesced = true
	for i, p := range parts {
		p.SetSize(len(p.Data))
		if i == len(parts)-1 {
			p.Command |= dp8.PartEnd
		}
		d.Coalesce.Parts[i] = p
		d.Coalesce.N++
	}
	return f
}

func part(command uint8, text string) dp8.Part { return dp8.Part{Command: command, Data: []byte(text)} }

func TestMC_DPL8R_3_1_5_1_Handshake(t *testing.T) {
	const id = 0x79c9aec6
	for _, c := range []struct {
		name     string
		play     func(s *scene)
		version  uint32
		roles    [2]string
		state    session.State
		signing  string
		complete bool
	}{
		{"unsigned", func(s *scene) { s.meet(id, dp8.Version16, dp8.Version16) }, dp8.Version16, [2]string{"connector", "listener"}, session.Established, "none", true},
		{"the lower version", func(s *scene) { s.meet(id, 0x10004, dp8.Version16) }, 0x10004, [2]string{"connector", "listener"}, session.Established, "none", true},
		{"the lower version is the listener's", func(s *scene) { s.meet(id, dp8.Version16, dp8.Version15) }, dp8.Version15, [2]string{"connector", "listener"}, session.Established, "none", true},
		{"CONNECT alone", func(s *scene) { s.send(0, command(dp8.OpConnect, true, id, dp8.Version16)) }, 0, [2]string{"connector", "listener"}, session.Opening, "", true},
		{"no CONNECT", func(s *scene) {
			s.send(1, command(dp8.OpConnected, true, id, dp8.Version16))
			s.send(0, command(dp8.OpConnected, false, id, dp8.Version16))
		}, dp8.Version16, [2]string{"listener", "connector"}, session.Established, "none", true},
		{"confirmation alone, then data", func(s *scene) {
			s.send(0, command(dp8.OpConnected, false, id, dp8.Version16))
			s.send(1, data(0, 0, "hello"))
		}, 0, [2]string{"connector", "listener"}, session.Established, "none", true},
		{"no confirmation, then data", func(s *scene) {
			s.send(0, command(dp8.OpConnect, true, id, dp8.Version16))
			s.send(1, command(dp8.OpConnected, true, id, dp8.Version16))
			s.send(0, keepAlive(0, 0, id))
		}, dp8.Version16, [2]string{"connector", "listener"}, session.Established, "none", true},
		{"fast", func(s *scene) {
			s.send(0, command(dp8.OpConnect, true, id, dp8.Version16))
			s.send(1, signedAnswer(true, id, connectorSecret, listenerSecret, dp8.SigningFast))
			s.send(0, signedAnswer(false, id, connectorSecret, listenerSecret, dp8.SigningFast))
		}, dp8.Version16, [2]string{"connector", "listener"}, session.Established, "fast", true},
		{"full", func(s *scene) {
			s.send(0, command(dp8.OpConnect, true, id, dp8.Version16))
			s.send(1, signedAnswer(true, id, connectorSecret, listenerSecret, dp8.SigningFull))
		}, dp8.Version16, [2]string{"connector", "listener"}, session.Opening, "full", true},
		{"in the middle", func(s *scene) { s.send(0, data(9, 9, "hello")) }, 0, [2]string{}, session.StateUnknown, "", false},
	} {
		s := newScene(t, track.Options{}, true)
		c.play(s)
		got := s.One()
		have := fmt.Sprintf("%x %v %s %q %v", got.Version, got.Roles, got.State, got.Signing, got.Complete)
		if want := fmt.Sprintf("%x %v %s %q %v", c.version, c.roles, c.state, c.signing, c.complete); have != want {
			t.Errorf("%s: %s, want %s", c.name, have, want)
		}
		if got.SessionID != id && got.State != session.StateUnknown {
			t.Errorf("%s: session %x", c.name, got.SessionID)
		}
	}
}

func TestPairs(t *testing.T) {
	type frame struct {
		from dissect.Dir
		f    dp8.Frame
	}
	meet := func(id uint32) []frame {
		return []frame{{0, command(dp8.OpConnect, true, id, dp8.Version16)}, {1, command(dp8.OpConnected, true, id, dp8.Version16)}, {0, command(dp8.OpConnected, false, id, dp8.Version16)}}
	}
	for _, c := range []struct {
		name   string
		play   []frame
		groups string // the place of each frame's connection
	}{
		{"one", append(meet(7), frame{0, data(0, 0, "x")}), "0000"},
		{"repeated CONNECTs are one attempt", append([]frame{{0, command(dp8.OpConnect, true, 7, dp8.Version16)}}, meet(7)...), "0000"},
		{"a new CONNECT on a live pair", slices.Concat(meet(7), []frame{{0, data(0, 0, "x")}, {0, command(dp8.OpConnect, true, 8, dp8.Version16)}, {0, data(1, 0, "old")}},
			meet(8)[1:], []frame{{0, data(0, 0, "new")}, {1, sack(0, 1, 0)}}), "0000101111"},
		{"an unanswered CONNECT leaves the old one alone", slices.Concat(meet(7), []frame{{0, command(dp8.OpConnect, true, 8, dp8.Version16)}, {0, data(0, 0, "x")}, {1, sack(0, 1, 0)}}), "000100"},
		{"a stray answer with another id", slices.Concat(meet(7), []frame{{0, data(0, 0, "x")}, {1, command(dp8.OpConnected, true, 9, dp8.Version16)}, {0, data(1, 0, "y")}}), "000000"},
		{"a foreign HARD_DISCONNECT", slices.Concat(meet(7), []frame{{1, command(dp8.OpHardDisconnect, false, 9, dp8.Version16)}, {0, data(0, 0, "x")}}), "00000"},
		{"a late HARD_DISCONNECT of the old session", slices.Concat(meet(7), []frame{{0, command(dp8.OpHardDisconnect, false, 7, dp8.Version16)}}, meet(8),
			[]frame{{1, command(dp8.OpHardDisconnect, false, 7, dp8.Version16)}, {0, data(0, 0, "x")}}), "000011101"},
		{"a new attempt after an unanswered one", slices.Concat([]frame{{0, command(dp8.OpConnect, true, 7, dp8.Version16)}}, meet(8), []frame{{0, data(0, 0, "x")}}), "01111"},
		{"roles change", slices.Concat(meet(7), []frame{{0, command(dp8.OpHardDisconnect, false, 7, dp8.Version16)},
			{1, command(dp8.OpConnect, true, 8, dp8.Version16)}, {0, command(dp8.OpConnected, true, 8, dp8.Version16)}, {1, command(dp8.OpConnected, false, 8, dp8.Version16)}, {1, data(0, 0, "x")}}), "00001111"},
	} {
		s := newScene(t, track.Options{}, true)
		for _, x := range c.play {
			s.send(x.from, x.f)
		}
		if got := s.Groups(); got != c.groups {
			t.Errorf("%s: %s, want %s", c.name, got, c.groups)
		}
	}
}

// A foreign HARD_DISCONNECT, a stray answer and a foreign KeepAlive change nothing.
func TestMC_DPL8R_3_1_5_StrangersChangeNothing(t *testing.T) {
	s := newScene(t, track.Options{}, true)
	s.meet(7, dp8.Version16, dp8.Version16)
	s.send(0, keepAlive(0, 0, 7))
	s.send(1, command(dp8.OpHardDisconnect, false, 9, dp8.Version16))
	s.send(1, command(dp8.OpConnected, true, 9, 0x10004))
	s.send(1, keepAlive(90, 0, 9))
	s.send(1, keepAlive(0, 1, 7))
	c := s.One()
	if c.State != session.Established || c.Version != dp8.Version16 || c.SessionID != 7 || c.Dir[1].Gaps != 0 || c.Dir[1].Missing() != 0 {
		t.Errorf("%s, version %x, session %x, %d gaps", c.State, c.Version, c.SessionID, c.Dir[1].Gaps)
	}
	if f := &c.Dir[1]; f.Frames != 5 || f.KeepAlives != 2 {
		t.Errorf("%d frames, %d KeepAlives, want 5 and 2: all are counted", f.Frames, f.KeepAlives)
	}
}

func TestCounts(t *testing.T) {
	s := newScene(t, track.Options{}, true)
	s.meet(7, dp8.Version16, dp8.Version16)
	s.send(0, keepAlive(0, 0, 7))
	s.send(0, data(1, 0, "x"))
	s.send(0, data(2, 0, ""))
	s.send(0, dataAs(whole, dp8.CtlEndStream, 3, 0, ""))
	s.send(0, dataAs(whole, dp8.CtlEndStream|dp8.CtlRetry, 3, 0, ""))
	s.send(1, sack(0, 4, 0))
	s.send(1, sack(0, 4, 0))
	if got := s.Words(); got != "duplicate-ack" {
		t.Errorf("the second SACK: %q", got)
	}
	s.Raw(0, []byte{0x3f, 0x10, 4, 0}) // a mask is announced and missing
	s.Raw(0, []byte{0x42})
	d := &s.One().Dir[0]
	if got, want := fmt.Sprint(d.Frames, d.KeepAlives, d.DataFrames, d.Retries, d.Messages), "9 1 2 1 2"; got != want {
		t.Errorf("frames, KeepAlives, data frames, retries, messages: %s, want %s", got, want)
	}
	if _, malformed, _ := s.Table.Totals(); malformed != 2 {
		t.Errorf("%d malformed, want 2", malformed)
	}
}

func TestMC_DPL8R_3_1_6_6_KeepAliveOfOldVersions(t *testing.T) {
	s := newScene(t, track.Options{}, true)
	s.meet(7, 0x10004, 0x10004)
	s.send(0, data(0, 0, "")) // a KeepAlive
	s.send(0, dataAs(whole, dp8.CtlKeepAlive, 1, 0, "ping"))
	s.send(0, dataAs(whole, dp8.CtlKeepAlive, 2, 0, "more than four bytes"))
	d := &s.One().Dir[0]
	if got, want := fmt.Sprint(d.KeepAlives, d.DataFrames, s.Texts(0)), "1 2 [ping more than four bytes]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestWindowFull(t *testing.T) {
	s := newScene(t, track.Options{}, true)
	s.meet(7, dp8.Version16, dp8.Version16)
	s.send(0, data(0, 0, "x"))
	s.send(1, sack(0, 1, 0))
	for n := range uint8(64) {
		s.send(0, data(1+n, 0, "x"))
		if got, want := s.Words(), n == 63; strings.Contains(got, "window-full") != want {
			t.Errorf("%d outstanding: %q", n+1, got)
		}
	}
}

// Secrets of a handshake.
var (
	connectorSecret = dp8.Secret{0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11} // 0x1122334455667788
	listenerSecret  = dp8.Secret{0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88}
)
