package lab

import (
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
)

// A dialog is a DirectPlay 8 connection made by hand, unsigned or signed with the
// secrets themselves. Numbers are bytes.
type dialog struct {
	steps   []Step
	signed  bool
	version uint32
	now     time.Duration
	wait    time.Duration // before the next step
	seq     [2]uint8      // sent next
	rcv     [2]uint8      // expected next
	fault   bool          // of the next step
}

const dialogSession = 0x51C5997D

var dialogSecrets = [2]dp8.Secret{{1, 2, 3, 4, 5, 6, 7, 8}, {8, 7, 6, 5, 4, 3, 2, 1}}

// newDialog begins with handshake and KeepAlives of two sides of a version.
func newDialog(signed bool, version uint32) *dialog {
	t := &dialog{signed: signed, version: version}
	t.hand(0, dp8.Handshake{Command: dp8.CFrame | dp8.Poll, Opcode: dp8.OpConnect})
	if signed {
		cookie := [8]byte{9, 9, 9, 9, 9, 9, 9, 9}
		t.hand(1, dp8.Handshake{Command: dp8.CFrame | dp8.Poll, Opcode: dp8.OpConnectedSigned, ConnectSig: cookie, SigningOpts: dp8.SigningFast})
		t.hand(0, dp8.Handshake{Command: dp8.CFrame, Opcode: dp8.OpConnectedSigned, MsgID: 1, ConnectSig: cookie,
			SenderSecret: dialogSecrets[0], ReceiverSecret: dialogSecrets[1], SigningOpts: dp8.SigningFast, EchoTimestamp: uint32((t.now - 20*time.Millisecond) / time.Millisecond)})
	} else {
		t.hand(1, dp8.Handshake{Command: dp8.CFrame | dp8.Poll, Opcode: dp8.OpConnected})
		t.hand(0, dp8.Handshake{Command: dp8.CFrame, Opcode: dp8.OpConnected, MsgID: 1})
	}
	t.keepAlive(0)
	t.keepAlive(1)
	return t
}

func (t *dialog) say(side dissect.Dir, p []byte) *dialog {
	after := 20*time.Millisecond + t.wait
	t.now, t.wait = t.now+after, 0
	t.steps = append(t.steps, Step{From: side, After: after, Payload: p, Fault: t.fault})
	t.fault = false
	return t
}

// pause waits before the next step.
func (t *dialog) pause(d time.Duration) *dialog {
	t.wait = d
	return t
}

// wrong marks the next step as the one that breaks the rule.
func (t *dialog) wrong() *dialog {
	t.fault = true
	return t
}

func (t *dialog) hand(side dissect.Dir, h dp8.Handshake) *dialog {
	if h.Version == 0 {
		h.Version = t.version
	}
	h.SessionID, h.Timestamp = dialogSession, uint32((t.now+t.wait+20*time.Millisecond)/time.Millisecond)
	return t.say(side, h.Append(nil))
}

// frame sends a data frame with its number as it stands, signed.
func (t *dialog) frame(side dissect.Dir, d dp8.DFrame) *dialog {
	if t.signed && !d.HasSignature && d.Signature == ([8]byte{}) {
		d.HasSignature, d.Signature = true, dialogSecrets[side]
	}
	return t.say(side, d.Append(nil))
}

// next sends a data frame with the next number.
func (t *dialog) next(side dissect.Dir, d dp8.DFrame) *dialog {
	if d.Command == 0 {
		d.Command = dp8.Reliable | dp8.Sequential | dp8.NewMsg | dp8.EndMsg
	}
	d.Command |= dp8.Data
	d.Seq, d.NRcv = t.seq[side], t.rcv[side]
	t.seq[side]++
	t.rcv[side.Other()] = t.seq[side]
	return t.frame(side, d)
}

func (t *dialog) text(side dissect.Dir, s string) *dialog {
	return t.next(side, dp8.DFrame{Payload: []byte(s)})
}

// part sends a part of a split message with the flags given.
func (t *dialog) part(side dissect.Dir, flags dp8.Command, size int) *dialog {
	return t.next(side, dp8.DFrame{Command: dp8.Reliable | dp8.Sequential | flags, Payload: make([]byte, size)})
}

func (t *dialog) keepAlive(side dissect.Dir) *dialog {
	if t.version < dp8.Version15 {
		return t.next(side, dp8.DFrame{})
	}
	return t.next(side, dp8.DFrame{Control: dp8.CtlKeepAlive, KeepAlive: true, SessionID: dialogSession})
}

func (t *dialog) end(side dissect.Dir) *dialog {
	return t.next(side, dp8.DFrame{Control: dp8.CtlEndStream})
}

// ack sends a SACK for all there is.
func (t *dialog) ack(side dissect.Dir) *dialog { return t.ackTo(side, t.rcv[side]) }

func (t *dialog) ackTo(side dissect.Dir, nrcv uint8) *dialog {
	k := dp8.SACK{Command: dp8.CFrame, Flags: dp8.SACKResponse, NSeq: t.seq[side], NRcv: nrcv, Timestamp: uint32((t.now + t.wait + 20*time.Millisecond) / time.Millisecond)}
	if t.signed {
		k.HasSignature, k.Signature = true, dialogSecrets[side]
	}
	return t.say(side, k.Append(nil))
}

// chat goes on for so many exchanges.
func (t *dialog) chat(n int) *dialog {
	for range n {
		t.text(0, "how are you?").text(1, "fine")
	}
	return t
}
