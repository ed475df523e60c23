package track

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/internal/testbed/sessiontest"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Messages that wait for an earlier one are delivered without it once there are too many, also
// those that say they were one.
func TestWaitingMessagesAreBounded(t *testing.T) {
	s := ofTwo(t, nil)
	s.send(0, message(1, 0, "a"))
	a := &s.Sessions[0].(*pair).active.side[0].asm
	for n := range maxWaiting + 1 { // message 2 is missing
		a.add(&piece{num: seq.Num(3 + n), msg: 3, flags: dp4.RLY | dp4.WholeMessage, size: 1, data: []byte("x"), fr: &dissect.Frame{Datagram: s.Sent[0]}})
		if len(s.Messages) > 1 != (n == maxWaiting) || len(a.waiting) > maxWaiting {
			t.Fatalf("%d messages came, %d wait, %d are delivered", n+1, len(a.waiting), len(s.Messages))
		}
	}
}

// A pairScene is a capture of player 1 at host 0 and player 2 at host 1, for tests that look into
// what follows them.
type pairScene struct{ *sessiontest.Scene }

func ofTwo(t *testing.T, judge func() Judge) pairScene {
	p := New(judge)
	p.NewProbe = func() session.Probe { return Certain{} }
	return pairScene{sessiontest.New(t, sessiontest.Hosts("10.4.0.1:2301", "10.4.0.2:2302"),
		session.Config{Protocols: []*session.Protocol{p}, Force: sessiontest.Force(p, ""), Messages: session.CollectPayload, Incomplete: true})}
}

func (s pairScene) send(from dissect.Dir, f dp4.Frame) {
	f.From.Value, f.To.Value = uint32(1+from), uint32(2-from)
	s.Raw(from, f.Append(nil))
}

// message is a reliable message of one packet, with the same number as that.
func message(n, serial uint8, text string) dp4.Frame {
	return dp4.Frame{Flags: dp4.CMD | dp4.RLY | dp4.WholeMessage, MessageID: n, Sequence: n, Serial: serial, Data: []byte(text)}
}
