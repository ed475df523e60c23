package rules

import (
	"fmt"
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// judgeMalformed judges a frame that could not be decoded: no frame of the
// protocol, a command frame that is too short, or a coalesced payload that does not
// fit.
func (j commandJudge) judgeMalformed() {
	b := j.Frame.Payload
	ours := j.Packet.Type != dp8.TypeDFrame || len(b) < 4 || j.Packet.DFrame.Coalesced
	if !ours || len(b) == 0 || j.Damaged || j.Frame.Words.Has(duplicate) {
		return
	}
	rules := &j.c.Rules
	switch {
	case j.Packet.Type == dp8.TypeDFrame && len(b) >= 4:
		j.content().judgeUnfitParts(rules)
	case dp8.Command(b[0])&dp8.Data != 0:
		rules.Broken(r315Dispatch, fmt.Sprintf("a data frame has at least 4 bytes; this one has %d", len(b)))
	case dp8.Command(b[0])&^dp8.Poll != dp8.CFrame:
		j.judgeFirstByte(rules, b)
	case len(b) < 12:
		rules.Broken(r315Dispatch, fmt.Sprintf("a command frame has at least 12 bytes; this one has %d", len(b)))
	case j.Packet.Type == dp8.TypeNone:
		rules.Broken(r3151Opcode, fmt.Sprintf("bExtOpCode is 0x%02x, which is no known command frame", b[1]))
	case j.Packet.Type == dp8.TypeSACK:
		rules.Broken(r2215Len, fmt.Sprintf("bFlags 0x%02x announces masks that do not fit into %d bytes", b[2], len(b)))
	default:
		rules.Broken(r3151Short, fmt.Sprintf("a %s of %d bytes lacks some of its fields", j.Packet.Type, len(b)))
	}
}

// cmdRules are the rules on the flags of command frames, by opcode.
var cmdRules = map[byte]int{dp8.OpConnect: r2211Cmd, dp8.OpConnected: r2212Cmd, dp8.OpConnectedSigned: r2213Cmd, dp8.OpHardDisconnect: r2214Cmd, dp8.OpSACK: r2215Cmd}

// judgeFirstByte judges a frame whose first byte is none of the three that
// DirectPlay 8 knows. When all else shows which command frame it is, its flags are
// at fault. A zero first byte belongs to host enumeration.
func (j commandJudge) judgeFirstByte(rules *session.Evaluation, b []byte) {
	if b[0] == 0 {
		return
	}
	if looksLikeCommand(b) {
		rules.Broken(cmdRules[b[1]], fmt.Sprintf("bCommand is 0x%02x: only 0x80 and 0x08 may be set", b[0]))
	}
	rules.Broken(r315Dispatch, fmt.Sprintf("first byte 0x%02x: neither a data frame nor a command frame", b[0]))
}

// looksLikeCommand reports a datagram that is a command frame in all but its first
// byte.
func looksLikeCommand(b []byte) bool {
	if len(b) < 12 {
		return false
	}
	switch n := len(b); b[1] {
	case dp8.OpConnect, dp8.OpConnected:
		return n == 16 && b[6] == 1 && b[7] == 0
	case dp8.OpConnectedSigned:
		return n == 48 && b[6] == 1 && b[7] == 0
	case dp8.OpHardDisconnect:
		return (n == 16 || n == 24) && b[6] == 1 && b[7] == 0
	case dp8.OpSACK:
		left := n - 12 - 4*bits.OnesCount8(b[2]>>1&15)
		return b[2] <= 0x1f && (left == 0 || left == 8) && b[6]|b[7] == 0
	}
	return false
}

// judgeTrailing judges bytes after the last field of a handshake frame.
func (j commandJudge) judgeTrailing(rules *session.Evaluation, h *dp8.Handshake) {
	switch n := len(h.Trailing); {
	case n == 0:
		rules.Pass(r3151Trail)
	case h.Opcode == dp8.OpHardDisconnect && n == 8 && j.Signing() == dp8.Unsigned:
		// SIG-ABSENT
	default:
		rules.Broken(r3151Trail, fmt.Sprintf("%d bytes follow the last field of the %s", n, j.Packet.Type))
	}
}

// judgeTick judges the tick count of a command frame: it does not run back.
func (j commandJudge) judgeTick(dir dissect.Dir) {
	rules, x := &j.c.Rules, &j.Ticking
	for range x.Onward {
		rules.Pass(r221TickMono)
	}
	if x.Between {
		rules.Judge(conform.Case{Rule: r221TickMono, Dir: dir, Frame: x.FarIn, Time: x.FarAt, HasTime: true, Proof: []uint64{x.WasIn, j.Frame.Frame},
			Message: fmt.Sprintf("tTimestamp is %d, between %d in the frame before and %d in the frame after", x.Far, x.Was, j.tickOf())})
	}
	switch {
	case !x.Back:
	case x.Other:
		rules.Unclear(r221TickMono, conform.GuardLife, "tTimestamp is lower than before; the frame may belong to the previous connection", x.WasIn)
	case j.opensLate(dir), !j.c.Complete && int32(j.tickOf()-j.side[dir].Ticks.First) < 0:
		rules.Unclear(r221TickMono, conform.GuardReord, "tTimestamp is lower than before; the frame may be a late copy of one that was not captured", x.WasIn)
	default:
		rules.Broken(r221TickMono, fmt.Sprintf("tTimestamp is %d, %d ms after it was %d", j.tickOf(), x.Since/1e6, x.Was), x.WasIn)
	}
}

// opensLate reports a frame of the handshake from a side that has sent data: it was sent
// before that.
func (j commandJudge) opensLate(dir dissect.Dir) bool {
	switch _, sent := j.c.Dir[dir].Window().Highest(); j.Packet.Type {
	case dp8.TypeConnect, dp8.TypeConnected, dp8.TypeConnectedSigned:
		return sent
	}
	return false
}

// tickOf is the tick count of the command frame at hand.
func (j commandJudge) tickOf() uint32 {
	if j.Packet.Type == dp8.TypeSACK {
		return j.Packet.SACK.Timestamp
	}
	return j.Packet.Handshake.Timestamp
}

// tickStep is the coarsest step of tick counts, in ms.
const tickStep = 16

// Bounds of a tick rate that can be told from one per millisecond, and the least
// that shows it.
const (
	tickSamples = 20
	tickSpan    = 10e9 // ns
	tickSlack   = 0.05
	tickGrain   = 2e9 // ns by which coarse times may be off
)

// judgeTickRate judges, at the end, how fast a side's ticks ran.
func (j commandJudge) judgeTickRate(dir dissect.Dir) {
	t, rules := &j.side[dir].Ticks, &j.c.Rules
	span := t.At - t.FirstAt
	if t.N < tickSamples || span < tickSpan || t.Contradicts {
		return
	}
	rate, slack := float64(int64(t.Tick-t.First))*1e6/float64(span), tickSlack+tickGrain/float64(span)
	if rate > 1-slack && rate < 1+slack {
		rules.Pass(r221TickRate)
		return
	}
	rules.Judge(conform.Case{Rule: r221TickRate, Dir: dir, Frame: t.Frame, Time: t.At, HasTime: true, Since: t.FirstAt,
		Message: fmt.Sprintf("tTimestamp advances %.2f per millisecond over %d s", rate, int64(span/1e9))})
}
