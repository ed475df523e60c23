package lab

import (
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/dp8peer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A shot is one frame of a DirectPlay 8 endpoint on its way out.
type shot struct {
	*dp8peer.Note
	f     dp8.Frame
	d     *dp8.DFrame // of f
	key   dp8.Secret  // signs it
	with  []byte      // sent instead, when set
	lost  bool        // not sent
	after time.Duration
	extra []sim.Tampered // sent besides
	kept  bool           // the signature stays as it is
}

// eachShot lets change look at every frame with signs, and sign it again.
// change is made again for each play; it reports whether it broke the rule.
func eachShot(start func() func(x *shot) bool) func() func(*sim.Datagram) []sim.Tampered {
	return func() func(*sim.Datagram) []sim.Tampered {
		change := start()
		return func(d *sim.Datagram) []sim.Tampered {
			n, ok := d.Note.(*dp8peer.Note)
			if !ok {
				return sim.Untouched(d)
			}
			x := &shot{Note: n}
			if x.f.Decode(slices.Clone(d.Payload), n.Conn.Params(), nil) != nil {
				return sim.Untouched(d)
			}
			x.d = &x.f.DFrame
			if n.KeyEpoch >= 0 && n.Conn.Peers[n.Side] != nil {
				x.key, _ = n.Conn.Peers[n.Side].LocalKey(n.Seq)
			}
			fault := change(x)
			return x.out(fault)
		}
	}
}

// out is what is sent.
func (x *shot) out(fault bool) []sim.Tampered {
	if x.lost {
		return x.extra
	}
	p := x.with
	if p == nil {
		p = x.encode()
	}
	return append([]sim.Tampered{{Payload: p, Fault: fault, After: x.after}}, x.extra...)
}

// encode gives the frame signed with key.
func (x *shot) encode() []byte {
	b := x.f.Append(nil)
	off := len(b) - 8
	switch {
	case x.kept || x.Conn.Signing() == dp8peer.Unsigned || x.KeyEpoch < 0:
		return b
	case x.IsData():
		if !x.d.HasSignature {
			return b
		}
		off = 4 + 4*maskWords(x.d.Control)
	}
	sig := [8]byte(x.key)
	if x.Conn.Signing() == dp8peer.Full {
		sig, _ = dp8.Digest(nil, b, off, x.key)
	}
	copy(b[off:], sig[:])
	return b
}

func maskWords(c dp8.Control) (n int) {
	for _, bit := range []dp8.Control{dp8.CtlSACK1, dp8.CtlSACK2, dp8.CtlSend1, dp8.CtlSend2} {
		if c&bit != 0 {
			n++
		}
	}
	return n
}

// firstShot changes the first frame that change takes, and no other.
func firstShot(change func(x *shot) bool) func() func(*sim.Datagram) []sim.Tampered {
	return eachShot(func() func(*shot) bool {
		done := false
		return func(x *shot) bool {
			if done {
				return false
			}
			done = change(x)
			return done
		}
	})
}

// always changes every frame that change takes.
func always(change func(x *shot) bool) func() func(*sim.Datagram) []sim.Tampered {
	return eachShot(func() func(*shot) bool { return change })
}

// plain reports a data frame of side 0, from the second on, that is no retry and
// holds one whole message.
func (x *shot) plain() bool {
	const whole = dp8.NewMsg | dp8.EndMsg
	return x.IsData() && x.Side == 0 && x.Seq > 0 && !x.Retry && !x.KeepAlive && !x.EndStream && !x.d.Coalesced && x.d.Command&whole == whole
}

// middle reports a first transmission of a part of a split message that is neither its
// first nor its last.
func (x *shot) middle() bool {
	return x.IsData() && !x.Retry && !x.KeepAlive && !x.d.Coalesced && x.d.Command&(dp8.NewMsg|dp8.EndMsg) == 0
}
