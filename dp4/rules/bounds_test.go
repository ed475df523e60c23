package rules

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/internal/testbed/sessiontest"
	"github.com/dpdissect/dpdissect/session"
)

// TestClaimsAreBounded: acknowledgements of what was not sent yet wait for their proof. Of more
// than there is room for the oldest ends without a verdict.
func TestClaimsAreBounded(t *testing.T) {
	p := New()
	p.NewProbe = func() session.Probe { return certain{} }
	s := sessiontest.New(t, sessiontest.Hosts("10.4.0.1:2301", "10.4.0.2:2302"),
		session.Config{Protocols: []*session.Protocol{p}, Force: sessiontest.Force(p, "")})
	send := func(from dissect.Dir, flags dp4.Flags, n uint8) {
		f := dp4.Frame{Flags: flags, MessageID: n, Sequence: n, From: dp4.Index{Value: uint32(1 + from)}, To: dp4.Index{Value: uint32(2 - from)}}
		if flags&dp4.CMD != 0 {
			f.Data = []byte("x")
		}
		s.Raw(from, f.Append(nil))
	}
	send(0, dp4.CMD|dp4.RLY|dp4.WholeMessage, 1)
	send(1, dp4.CMD|dp4.RLY|dp4.WholeMessage, 1)
	open := func() (n uint64) {
		for _, x := range s.Table.Tallies(p) {
			n += x.Inconclusive
		}
		return n
	}
	before := open()
	for n := range uint8(maxClaims + 2) {
		send(1, dp4.ACK, 3+n)
		if got, want := open()-before, max(int(n)+1-maxClaims, 0); got != uint64(want) {
			t.Errorf("%d claims: %d ended without a verdict, want %d", n+1, got, want)
		}
	}
}

// certain is a probe that needs no evidence.
type certain struct{}

func (certain) Reset() {}

func (certain) Observe(*dissect.Datagram, dissect.Dir) float64 { return session.LockBits }
