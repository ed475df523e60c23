package track_test

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/dp4/rules"
	"github.com/dpdissect/dpdissect/dp4/track"
	"github.com/dpdissect/dpdissect/internal/testbed/sessiontest"
	"github.com/dpdissect/dpdissect/session"
)

var hosts = sessiontest.Hosts("10.4.0.1:2301", "10.4.0.2:2302")

// A scene is a capture of player 1 at host 0 and player 2 at host 1.
type scene struct{ *sessiontest.Scene }

// newScene takes every address pair for DirectPlay 4 from the start when forced.
func newScene(t testing.TB, forced bool, mode session.MessageMode) *scene {
	p := rules.New()
	cfg := session.Config{Protocols: []*session.Protocol{p}, Links: true, Messages: mode, Incomplete: true}
	if forced {
		p.NewProbe = func() session.Probe { return track.Certain{} }
		cfg.Force = sessiontest.Force(p, "")
	}
	s := &scene{sessiontest.New(t, hosts, cfg)}
	t.Cleanup(func() { s.sameWithoutRules(t, forced, mode) })
	return s
}

// sameWithoutRules holds that rules steer nothing: who follows the scene without them counts
// the same.
func (s *scene) sameWithoutRules(t testing.TB, forced bool, mode session.MessageMode) {
	p := track.New(nil)
	cfg := session.Config{Protocols: []*session.Protocol{p}, Messages: mode, Incomplete: true}
	if forced {
		p.NewProbe = func() session.Probe { return track.Certain{} }
		cfg.Force = sessiontest.Force(p, "")
	}
	if apart := s.Apart(cfg); apart != "" {
		t.Errorf("without rules: %s", apart)
	}
}

func scenes(t testing.TB) *scene { return newScene(t, true, session.CollectPayload) }

// send captures a frame; its players are those of the hosts when it names none.
func (s *scene) send(from dissect.Dir, f dp4.Frame) {
	if f.From.Value == 0 && f.To.Value == 0 {
		f.From.Value, f.To.Value = uint32(1+from), uint32(2-from)
	}
	s.Raw(from, f.Append(nil))
}

// data is a reliable message of one packet.
func data(msg, seq, serial uint8, text string) dp4.Frame {
	return dataAs(dp4.RLY|dp4.STA|dp4.EOM, msg, seq, serial, text)
}

func dataAs(flags dp4.Flags, msg, seq, serial uint8, text string) dp4.Frame {
	return dp4.Frame{Flags: flags | dp4.CMD, MessageID: msg, Sequence: seq, Serial: serial, Data: []byte(text)}
}

// ack acknowledges; bytes and ticks are of no meaning.
func ack(msg, seq, serial uint8) dp4.Frame {
	return dp4.Frame{Flags: dp4.ACK, MessageID: msg, Sequence: seq, Serial: serial}
}

func nack(msg, seq uint8, mask uint32, size uint8) dp4.Frame {
	return dp4.Frame{Flags: dp4.ACK | dp4.EXT, MessageID: msg, Sequence: seq, Mask: mask, MaskSize: size, ExtFlags: dp4.LSBFirst.ExtFlags(int(size))}
}
