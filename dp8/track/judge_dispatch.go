package track

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
// fit. It reports whether the frame was one of these.
func (c commandJudge) judgeMalformed(dir int) bool {
	b := c.fr.Payload
	ours := c.f.Type != dp8.TypeDFrame || len(b) < 4 || c.f.DFrame.Coalesced
	if !ours || len(b) == 0 || c.c.Damaged(c.fr.Datagram) || c.fr.Words.Has(duplicate) {
		return ours
	}
	rules := &c.c.Rules
	switch {
	case c.f.Type == dp8.TypeDFrame && len(b) >= 4:
		c.content().judgeUnfitParts(rules)
	case dp8.Command(b[0])&dp8.Data != 0:
		rules.Broken(r315Dispatch, fmt.Sprintf("a data frame has at least 4 bytes; this one has %d", len(b)))
	case dp8.Command(b[0])&^dp8.Poll != dp8.CFrame:
		c.judgeFirstByte(rules, b)
	case len(b) < 12:
		rules.Broken(r315Dispatch, fmt.Sprintf("a command frame has at least 12 bytes; this one has %d", len(b)))
	case c.f.Type == dp8.TypeNone:
		rules.Broken(r3151Opcode, fmt.Sprintf("bExtOpCode is 0x%02x, which is no known command frame", b[1]))
	case c.f.Type == dp8.TypeSACK:
		rules.Broken(r2215Len, fmt.Sprintf("bFlags 0x%02x announces masks that do not fit into %d bytes", b[2], len(b)))
	default:
		rules.Broken(r3151Short, fmt.Sprintf("a %s of %d bytes lacks some of its fields", c.f.Type, len(b)))
	}
	return true
}

// cmdRules are the rules on the flags of command frames, by opcode.
var cmdRules = map[byte]int{dp8.OpConnect: r2211Cmd, dp8.OpConnected: r2212Cmd, dp8.OpConnectedSigned: r2213Cmd, dp8.OpHardDisconnect: r2214Cmd, dp8.OpSACK: r2215Cmd}

// judgeFirstByte judges a frame whose first byte is none of the three that
// DirectPlay 8 knows. When all else shows which command frame it is, its flags are
// at fault. A zero first byte belongs to host enumeration.
func (c commandJudge) judgeFirstByte(rules *session.Evaluation, b []byte) {
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
func (c commandJudge) judgeTrailing(rules *session.Evaluation, h *dp8.Handshake) {
	switch n := len(h.Trailing); {
	case n == 0:
		rules.Pass(r3151Trail)
	case h.Opcode == dp8.OpHardDisconnect && n == 8 && c.params.Signing == dp8.Unsigned:
		// SIG-ABSENT
	default:
		rules.Broken(r3151Trail, fmt.Sprintf("%d bytes follow the last field of the %s", n, c.f.Type))
	}
}

// A tickWatch follows the tick count in one side's command frames.
type tickWatch struct {
	any         bool
	tick        uint32
	at          int64
	frame       uint64
	first       uint32 // and its time, for the rate
	firstAt     int64
	n           int
	suspect     bool // a tick far ahead of time, not yet believed
	sTick       uint32
	sAt         int64
	sFrame      uint64
	back        bool // the latest one went back to backTick
	backTick    uint32
	contradicts bool
}

// tickStep is the coarsest step of tick counts, in ms.
const tickStep = 16

// tickJump is how far, in ms, a tick may run ahead of the capture's time and be
// believed at once; behind it, one more must confirm it.
const tickJump = 2000

// judgeTick judges the tick count of a command frame against the ones before: it
// never runs back (MC-DPL8R 2.2.1).
func (c commandJudge) judgeTick(dir int, tick uint32) {
	t, fr := &c.side[dir].ticks, c.fr
	if !fr.HasTime {
		return
	}
	if !t.any {
		t.any, t.first, t.firstAt = true, tick, fr.Time
		t.take(tick, fr)
		return
	}
	if ahead := int32(tick - t.tick); ahead >= 0 && ahead <= tickJump && fr.Time >= t.at && !t.suspect {
		c.c.Rules.Pass(r221TickMono) // the short way
		t.take(tick, fr)
		return
	}
	if t.suspect {
		c.resolveTick(dir, tick)
	}
	rules, ahead, since := &c.c.Rules, int64(int32(tick-t.tick)), c.atLeast(t.at)
	switch {
	case ahead >= 0 && ahead > 4*c.atMost(t.at)/1e6+tickJump && !t.suspect:
		t.suspect, t.sTick, t.sAt, t.sFrame = true, tick, fr.Time, fr.Frame
	case ahead >= 0 && ahead > 4*c.atMost(t.at)/1e6+tickJump: // one is looked at already
	case ahead >= 0:
		rules.Pass(r221TickMono)
		t.take(tick, fr)
	case since-t.inTime(ahead) <= 3*rules.Horizon(): // overtaken
	case t.back && int32(tick-t.backTick) >= 0: // it went back once, and on from there
		t.take(tick, fr)
	case !c.c.Complete && len(c.pair.conns) > 1:
		rules.Unclear(r221TickMono, conform.GuardLife, "tTimestamp is lower than before; the frame may belong to the previous connection", t.frame)
	default:
		rules.Broken(r221TickMono, fmt.Sprintf("tTimestamp is %d, %d ms after it was %d", tick, since/1e6, t.tick), t.frame)
		t.back, t.backTick, t.contradicts = true, tick, true
	}
}

// inTime is how long, in ns, a number of ticks takes at the rate seen so far, which
// is one a millisecond or faster.
func (t *tickWatch) inTime(ticks int64) int64 {
	rate := 1.0
	if span := t.at - t.firstAt; span > 0 {
		rate = max(1, float64(int64(t.tick-t.first))*1e6/float64(span))
	}
	return int64(float64(ticks) * 1e6 / rate)
}

// passed reports whether the side has sent a later tick: what carries this one was sent
// before.
func (t *tickWatch) passed(tick uint32) bool { return t.any && int32(t.tick-tick) > 0 }

func (t *tickWatch) take(tick uint32, fr *dissect.Frame) {
	t.tick, t.at, t.frame, t.back = tick, fr.Time, fr.Frame, false
	t.n++
}

// resolveTick decides about a tick far ahead: the next one confirms it, or shows
// that it was the wrong one.
func (c commandJudge) resolveTick(dir int, tick uint32) {
	t, rules := &c.side[dir].ticks, &c.c.Rules
	x := conform.Case{Rule: r221TickMono, Dir: dir, Frame: t.sFrame, Time: t.sAt, HasTime: true, Proof: []uint64{t.frame, c.fr.Frame}}
	switch {
	case int32(tick-t.sTick) >= 0:
		rules.Pass(r221TickMono)
		t.suspect = false
		t.tick, t.at, t.frame = t.sTick, t.sAt, t.sFrame
		if t.n++; t.n <= 2 { // the first was the wrong one
			t.first, t.firstAt = t.sTick, t.sAt
		}
	case c.atLeast(t.sAt) <= 2*rules.Horizon(): // it may have been overtaken
	case int32(tick-t.tick) >= 0:
		t.suspect = false
		x.Message = fmt.Sprintf("tTimestamp is %d, between %d in the frame before and %d in the frame after", t.sTick, t.tick, tick)
		t.contradicts = true
		rules.Judge(x)
	default:
		t.suspect = false
	}
}

// Bounds of a tick rate that can be told from one per millisecond, and the least
// that shows it.
const (
	tickSamples = 20
	tickSpan    = 10e9 // ns
	tickSlack   = 0.05
	tickGrain   = 2e9 // ns by which coarse times may be off
)

// judgeTickRate judges, at the end, how fast a side's ticks ran.
func (c commandJudge) judgeTickRate(dir int) {
	t, rules := &c.side[dir].ticks, &c.c.Rules
	span := t.at - t.firstAt
	if t.n < tickSamples || span < tickSpan || t.contradicts {
		return
	}
	rate, slack := float64(int64(t.tick-t.first))*1e6/float64(span), tickSlack+tickGrain/float64(span)
	if rate > 1-slack && rate < 1+slack {
		rules.Pass(r221TickRate)
		return
	}
	rules.Judge(conform.Case{Rule: r221TickRate, Dir: dir, Frame: t.frame, Time: t.at, HasTime: true, Since: t.firstAt,
		Message: fmt.Sprintf("tTimestamp advances %.2f per millisecond over %d s", rate, int64(span/1e9))})
}
