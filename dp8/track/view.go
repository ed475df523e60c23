package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A View is what a Judge may read of a connection. What it points to is there to be read only.
type View struct{ c *conn }

// Conn is the connection. A Judge writes nothing of it but its Rules.
func (v View) Conn() *session.Conn { return v.c.c }

// Profile is what the user said of the implementations.
func (v View) Profile() *conform.Profile { return &v.c.wants.Profile }

// Supplied are the secrets that the user gave.
func (v View) Supplied() []dp8.SuppliedSecrets { return v.c.pair.opts.Secrets }

// Side is what is known of one sender.
func (v View) Side(dir dissect.Dir) *Side { return &v.c.side[dir] }

// Handshake is how far the handshake has come.
func (v View) Handshake() *Handshake { return &v.c.hs }

// Signed is what was captured of a signed handshake.
func (v View) Signed() *Signed { return &v.c.signed }

// Connector is the side that opened the connection, -1 when that is not known.
func (v View) Connector() dissect.Dir { return v.c.connector }

// Version is the lower one of the sides' versions, or what was concluded, 0 when it is not known.
func (v View) Version() uint32 { return v.c.params.Version }

// Signing tells whether frames are signed.
func (v View) Signing() dp8.Signing { return v.c.params.Signing }

// Mode is how frames are signed.
func (v View) Mode() Mode { return v.c.mode }

// State is how far the connection has come.
func (v View) State() session.State { return v.c.life.state }

// Resets tells of which sides a HARD_DISCONNECT was captured.
func (v View) Resets() [2]bool { return v.c.life.hard }

// Blind reports that the capture cut a frame of the handshake.
func (v View) Blind() bool { return v.c.blind }

// Grain is how coarse the times of the capture are, as far as can be told, ns.
func (v View) Grain() int64 { return v.c.grain }

// Trusted is since when numbers are beyond doubt, ns, 0 for always.
func (v View) Trusted() int64 { return v.c.trusted }

// HeardAt is when the latest frame of a side with a number, or a SACK, was captured, ns.
func (v View) HeardAt(dir dissect.Dir) int64 { return v.c.numbered[dir] }

// MayBeOther reports whether frames of the address pair may be of another connection.
func (v View) MayBeOther() bool {
	return len(v.c.pair.conns) > 1 || v.c.alive.other != 0 || len(v.c.strays) > 0
}

// OtherSession is the latest session id of a KeepAlive that is not the connection's, 0 for none; again
// tells that the one before it had it, too.
func (v View) OtherSession() (id uint32, again bool) { return v.c.alive.other, v.c.alive.again }

// PassedOver reports that nobody answered the CONNECT with which the connection began, and that the
// one of the address pair before it went on; pending tells that this one's handshake, without
// signatures, was going on then.
func (v View) PassedOver() (pending, ok bool) {
	c, o := v.c, v.c.rival
	if o == nil || c.hs.Connects == 0 || c.hs.Answered || o.c.LastTime <= c.c.FirstTime {
		return false, false
	}
	return c.rivalOpen, !c.rivalOpen || o.hs.plain
}

// After reports whether the frame at hand was certainly sent after another one, which was captured
// before it (guard REORD).
func (v View) After(x *Stamp) bool { return v.c.after(x) }

// Apart is how far apart two frames of one side were captured that were certainly sent in this
// order, ns (guard REORD).
func (v View) Apart() int64 { return v.c.apart() }

// InOrder is Apart for times by AtLeast, ns.
func (v View) InOrder() int64 { return v.c.inOrder() }

// StepOf is the step of a coarse clock by two times of the connection, ns.
func (v View) StepOf(a, b int64) int64 { return v.c.stepOf(a, b) }

// AtLeast is the time from an earlier one to the frame at hand that has passed for sure, ns.
func (v View) AtLeast(at int64) int64 { return v.c.atLeast(at) }

// AtMost is what may have passed.
func (v View) AtMost(at int64) int64 { return v.c.atMost(at) }

// MayHaveBegun reports whether another connection may have begun, unseen, since a time.
func (v View) MayHaveBegun(since int64) bool { return v.c.atMost(since) > longSilence }

// Remembered gives what was captured of a number of a side, nothing where it may be of another number.
func (v View) Remembered(dir dissect.Dir, num seq.Num) Record { return v.c.remembered(dir, num) }

// Carried is the same where it is known what its first sending carried.
func (v View) Carried(dir dissect.Dir, num seq.Num) Record { return v.c.carried(dir, num) }

// OutOfTurn reports that the data frame at hand was sent after one with a higher number: that it is not
// marked as a retry does not show that its number is new.
func (v View) OutOfTurn(dir dissect.Dir, num seq.Num) bool { return v.c.outOfTurn(dir, num) }

// Cumulative is the number of a side up to which all are acknowledged.
func (v View) Cumulative(dir dissect.Dir) (next seq.Num, ok bool) { return v.c.cumulative(dir) }

// Received is the number behind a bNRcv of a side; ok is false when nothing is certain of the other
// side.
func (v View) Received(dir dissect.Dir, nrcv uint8) (next seq.Num, ok bool) {
	return v.c.received(dir, nrcv)
}

// ToldMore is the earliest frame of a side that is remembered to have told of more than a bNRcv;
// nil for none.
func (v View) ToldMore(dir dissect.Dir, next seq.Num) *Told {
	n := &v.c.side[dir].Numbers
	for i := range n.queue[:n.queued] {
		if x := &n.queue[i]; x.Next > next {
			return x
		}
	}
	return nil
}

// ToldBefore reports that an earlier frame than the given one says that its side had received a
// number.
func (v View) ToldBefore(dir dissect.Dir, frame uint64, num seq.Num) bool {
	n := &v.c.side[dir].Numbers
	for i := range n.queue[:n.queued] {
		if x := &n.queue[i]; x.Frame < frame && x.Next > num {
			return true
		}
	}
	return false
}

// SameContent reports whether a frame carries what another sending of its number did; a retry may
// lack the unreliable ones of coalesced payloads.
func (v View) SameContent(d *dp8.DFrame, f Record) bool { return v.c.sameContent(d, f) }

// Unchanged reports whether a frame holds the bytes that were sent under its number before, or the
// same reliable parts.
func (v View) Unchanged(d *dp8.DFrame, f Record) bool { return v.c.unchanged(d, f) }

// Unwrapped reports whether the full number behind that of the frame at hand is beyond doubt,
// compared with those of the frames since a time, ns (guard UNWRAP).
func (v View) Unwrapped(dir dissect.Dir, since int64) bool { return v.c.unwrapped(dir, since) }

// Unwraps reports whether that of a side is by the time since its latest number.
func (v View) Unwraps(dir dissect.Dir) bool { return v.c.unwraps(dir) }

// UnwrapsAfter is Unwraps for the time since a number was the highest.
func (v View) UnwrapsAfter(highest seq.Num, at int64) bool { return v.c.unwrapsAfter(highest, at) }

// SurelySigned reports whether it is beyond doubt that the connection is signed.
func (v View) SurelySigned() bool { return v.c.surelySigned() }

// ShowsSigning reports whether the lengths of a side's own frames tell whether it signs.
func (v View) ShowsSigning(dir dissect.Dir) bool { return v.c.showsSigning(dir) }

// Signs reports whether a genuine frame of a side is surely of this connection: it is signed, and the
// secret is known.
func (v View) Signs(dir dissect.Dir) bool {
	return (v.c.mode == ModeFast || v.c.mode == ModeFull) && v.c.secretKnown(dir)
}

// SignedByOther reports whether the frame at hand verifies with the secret of the other side.
func (v View) SignedByOther(dir dissect.Dir) bool { return v.c.signedByOther(dir) }
