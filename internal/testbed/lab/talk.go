package lab

import (
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
)

// A talk is a connection of two DirectPlay 8 endpoints, written down frame by
// frame: side 0 connects to side 1.
type talk struct {
	steps []Step
	at    time.Duration
	gap   time.Duration         // before the next frame
	spoil func(f *dp8.Frame)    // changes the next frame
	bytes func(b []byte) []byte // changes its bytes, after its signature
	fault bool                  // the next frame breaks the rule
	minor [2]uint32
	opts  uint32 // of signing, 0 for none
	seq   [2]uint8
	msg   [2]uint8
	lastM [2]uint8
	asked uint8  // bMsgID of the latest CONNECT
	offer uint32 // tick of the latest offer
	known bool   // secrets are exchanged
}

const talkID = 0x51c5997d

var (
	talkSecrets = [2]dp8.Secret{{0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11}, {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88}}
	talkCookie  = [8]byte{9, 8, 7, 6, 5, 4, 3, 2}
)

func newTalk() *talk {
	return &talk{gap: 20 * time.Millisecond, minor: [2]uint32{6, 6}}
}

// signed makes the talk a signed one.
func (t *talk) signed(opts uint32) *talk { t.opts = opts; return t }

// minors are the versions both sides report.
func (t *talk) minors(a, b uint32) *talk { t.minor = [2]uint32{a, b}; return t }

// wait lets time pass before the next frame.
func (t *talk) wait(d time.Duration) *talk { t.gap = d; return t }

// wrong marks the next frame as the one that breaks the rule.
func (t *talk) wrong() *talk { t.fault = true; return t }

// odd changes the next frame without breaking a rule.
func (t *talk) odd(spoil func(f *dp8.Frame)) *talk { t.spoil = spoil; return t }

// bad makes the next frame a faulty one.
func (t *talk) bad(spoil func(f *dp8.Frame)) *talk { return t.odd(spoil).wrong() }

// oddBytes changes the bytes of the next frame, after its signature, without breaking a rule.
func (t *talk) oddBytes(change func(b []byte) []byte) *talk { t.bytes = change; return t }

// badBytes makes the next frame a faulty one by its bytes, after its signature.
func (t *talk) badBytes(change func(b []byte) []byte) *talk { return t.oddBytes(change).wrong() }

// tick is a side's tick count now.
func (t *talk) tick(side dissect.Dir) uint32 {
	return [2]uint32{7e6, 42e6}[side] + uint32((t.at+t.gap)/time.Millisecond)
}

// put sends a frame.
func (t *talk) put(side dissect.Dir, f dp8.Frame) *talk {
	t.gap += 123 * time.Microsecond // or the capture's times would look coarse
	if t.spoil != nil {
		t.spoil(&f)
	}
	b := t.sign(side, &f)
	if t.bytes != nil {
		b = t.bytes(b)
	}
	t.spoil, t.bytes = nil, nil
	return t.putBytes(side, b)
}

// putBytes sends a datagram as it is.
func (t *talk) putBytes(side dissect.Dir, b []byte) *talk {
	t.steps = append(t.steps, Step{From: side, After: t.gap, Payload: b, Fault: t.fault})
	t.at += t.gap
	t.gap, t.fault = 20*time.Millisecond, false
	return t
}

// sign encodes a frame, signed where the talk is.
func (t *talk) sign(side dissect.Dir, f *dp8.Frame) []byte {
	b := f.Append(nil)
	if t.opts == 0 || !t.known {
		return b
	}
	off := len(b) - 8
	switch f.Type {
	case dp8.TypeDFrame:
		if !f.DFrame.HasSignature {
			return b
		}
		off = 4
		for _, c := range []dp8.Control{dp8.CtlSACK1, dp8.CtlSACK2, dp8.CtlSend1, dp8.CtlSend2} {
			if f.DFrame.Control&c != 0 {
				off += 4
			}
		}
	case dp8.TypeSACK:
		if !f.SACK.HasSignature {
			return b
		}
	case dp8.TypeHardDisconnect:
		if !f.Handshake.HasSignature {
			return b
		}
	default:
		return b
	}
	sum := [8]byte(talkSecrets[side])
	if t.opts == dp8.SigningFull {
		sum, _ = dp8.Digest(nil, b, off, talkSecrets[side])
	}
	copy(b[off:], sum[:])
	return b
}

func (t *talk) handshake(side dissect.Dir, op uint8, cmd dp8.Command, rsp uint8) dp8.Frame {
	f := dp8.Frame{Type: dp8.Type(op), Handshake: dp8.Handshake{Command: cmd, Opcode: op, MsgID: t.msg[side], RspID: rsp,
		Version: 0x10000 | t.minor[side], SessionID: talkID, Timestamp: t.tick(side)}}
	t.lastM[side] = t.msg[side]
	t.msg[side]++
	return f
}

func (t *talk) connect() *talk {
	t.asked = t.msg[0]
	return t.put(0, t.handshake(0, dp8.OpConnect, dp8.CFrame|dp8.Poll, 0))
}

// answer is the listener's.
func (t *talk) answer() *talk {
	if t.opts == 0 {
		return t.put(1, t.handshake(1, dp8.OpConnected, dp8.CFrame|dp8.Poll, t.asked))
	}
	f := t.handshake(1, dp8.OpConnectedSigned, dp8.CFrame|dp8.Poll, t.asked)
	f.Handshake.MsgID, t.msg[1], t.lastM[1] = 0, 0, 0
	f.Handshake.ConnectSig, f.Handshake.SigningOpts = talkCookie, t.opts
	t.offer = f.Handshake.Timestamp
	return t.put(1, f)
}

// confirm is the connector's.
func (t *talk) confirm() *talk {
	if t.opts == 0 {
		return t.put(0, t.handshake(0, dp8.OpConnected, dp8.CFrame, t.lastM[1]))
	}
	f := t.handshake(0, dp8.OpConnectedSigned, dp8.CFrame, t.lastM[1])
	h := &f.Handshake
	h.ConnectSig, h.SigningOpts, h.EchoTimestamp = talkCookie, t.opts, t.offer
	h.SenderSecret, h.ReceiverSecret = talkSecrets[0], talkSecrets[1]
	t.known = true
	return t.put(0, f)
}

func (t *talk) frame(side dissect.Dir, cmd dp8.Command, ctl dp8.Control) dp8.Frame {
	f := dp8.Frame{Type: dp8.TypeDFrame, DFrame: dp8.DFrame{Command: dp8.Data | cmd, Control: ctl, Seq: t.seq[side], NRcv: t.seq[side.Other()], HasSignature: t.opts != 0}}
	t.seq[side]++
	return f
}

const wholeMsg = dp8.Reliable | dp8.Sequential | dp8.NewMsg | dp8.EndMsg

func (t *talk) keepAlive(side dissect.Dir) *talk {
	f := t.frame(side, wholeMsg, dp8.CtlKeepAlive)
	f.DFrame.KeepAlive, f.DFrame.SessionID = true, talkID
	return t.put(side, f)
}

func (t *talk) data(side dissect.Dir) *talk {
	f := t.frame(side, wholeMsg, 0)
	f.DFrame.Payload = []byte("hello, world")
	return t.put(side, f)
}

// parts sends coalesced payloads.
func (t *talk) parts(side dissect.Dir, texts ...string) *talk {
	f := t.frame(side, wholeMsg, dp8.CtlCoalesce)
	f.DFrame.Coalesced = true
	c := &f.DFrame.Coalesce
	for i, s := range texts {
		p := &c.Parts[i]
		p.Data, p.Command = []byte(s), dp8.PartReliable|dp8.PartSequential
		p.SetSize(len(s))
		if i == len(texts)-1 {
			p.Command |= dp8.PartEnd
		}
		c.N++
	}
	return t.put(side, f)
}

func (t *talk) sack(side dissect.Dir) *talk {
	return t.put(side, dp8.Frame{Type: dp8.TypeSACK, SACK: dp8.SACK{Command: dp8.CFrame, Flags: dp8.SACKResponse,
		NSeq: t.seq[side], NRcv: t.seq[side.Other()], Timestamp: t.tick(side), HasSignature: t.opts != 0}})
}

func (t *talk) hard(side dissect.Dir) *talk {
	f := t.handshake(side, dp8.OpHardDisconnect, dp8.CFrame, 0)
	f.Handshake.HasSignature = t.opts != 0
	if t.opts == dp8.SigningFull {
		f.Handshake.RspID = t.seq[side]
	}
	return t.put(side, f)
}

// meet is a handshake and the KeepAlives after it.
func (t *talk) meet() *talk {
	return t.connect().answer().confirm().alive()
}

func (t *talk) alive() *talk {
	if t.minor[0] < 5 || t.minor[1] < 5 {
		return t
	}
	return t.keepAlive(0).keepAlive(1)
}

// chat is n rounds of data both ways.
func (t *talk) chat(n int) *talk {
	for range n {
		t.data(0).data(1).sack(0)
	}
	return t
}

// turns is n rounds of data both ways without a SACK.
func (t *talk) turns(n int) *talk {
	for range n {
		t.data(0).data(1)
	}
	return t
}

// bye is an abrupt end.
func (t *talk) bye() *talk {
	return t.hard(0).wait(30 * time.Millisecond).hard(0).wait(30 * time.Millisecond).hard(0).hard(1).wait(time.Millisecond).hard(1).wait(time.Millisecond).hard(1)
}

// breaks makes a mutant of the talk.
func (t *talk) breaks(rule, name string, also ...string) Mutant {
	return Mutant{Rule: rule, Name: name, As: "dp8", Steps: t.steps, Also: also}
}

// nearly makes a near miss of it.
func (t *talk) nearly(rule, name string) Mutant {
	return Mutant{Rule: rule, Name: name, As: "dp8", Steps: t.steps, Near: true}
}

// spoilHandshake spoils a handshake frame.
func spoilHandshake(spoil func(h *dp8.Handshake)) func(f *dp8.Frame) {
	return func(f *dp8.Frame) { spoil(&f.Handshake) }
}

// first sets the first byte.
func first(v byte) func([]byte) []byte {
	return func(b []byte) []byte { b[0] = v; return b }
}
