package lab

import (
	"time"

	"github.com/dpdissect/dpdissect/dp8"
)

// dp8Connect break the rules of CONNECT.
func dp8Connect() []Mutant {
	// asks is a connector whose CONNECT is wrong.
	asks := func(rule, name string, spoil func(h *dp8.Handshake), also ...string) Mutant {
		return newTalk().bad(spoilHandshake(spoil)).connect().answer().confirm().alive().chat(4).breaks(rule, name, also...)
	}
	// again repeats it in mid-connection.
	again := func(rule, name string, spoil func(h *dp8.Handshake), also ...string) Mutant {
		return newTalk().meet().chat(4).bad(spoilHandshake(spoil)).connect().chat(4).breaks(rule, name+", in mid-connection", also...)
	}
	fine := func(rule string) Mutant { return newTalk().meet().chat(4).nearly(rule, "asks as it should") }
	retried := func(spoil func(h *dp8.Handshake)) *talk {
		t := newTalk().connect().wait(200 * time.Millisecond)
		t.bad(spoilHandshake(spoil)).connect()
		t.asked = t.steps[1].Payload[2]
		return t
	}
	twice := func() *talk { return newTalk().connect().wait(200 * time.Millisecond).connect() }
	return []Mutant{
		newTalk().badBytes(first(0xc8)).connect().answer().confirm().alive().chat(4).breaks("DP8-2.2.1.1-CMD", "sets a user flag"),
		newTalk().meet().chat(3).badBytes(first(0x98)).connect().chat(3).breaks("DP8-2.2.1.1-CMD", "sets another flag in mid-connection"),
		fine("DP8-2.2.1.1-CMD"),
		asks("DP8-2.2.1.1-POLL", "clears POLL", func(h *dp8.Handshake) { h.Command = dp8.CFrame }),
		fine("DP8-2.2.1.1-POLL"),
		asks("DP8-2.2.1.1-MSGID-INIT", "counts from 77", func(h *dp8.Handshake) { h.MsgID = 77 }),
		fine("DP8-2.2.1.1-MSGID-INIT"),
		retried(func(h *dp8.Handshake) { h.MsgID = 0 }).answer().confirm().alive().chat(4).breaks("DP8-2.2.1.1-MSGID-INC", "counts retries not"),
		twice().answer().confirm().alive().chat(4).nearly("DP8-2.2.1.1-MSGID-INC", "counts retries"),
		asks("DP8-2.2.1.1-RSPID", "sets bRspId", func(h *dp8.Handshake) { h.RspID = 5 }),
		again("DP8-2.2.1.1-RSPID", "sets bRspId", func(h *dp8.Handshake) { h.RspID, h.SessionID, h.MsgID = 5, 99, 0 }),
		again("DP8-2.2.1.1-RSPID", "sets bRspId, same session", func(h *dp8.Handshake) { h.RspID, h.MsgID = 5, 0 }),
		fine("DP8-2.2.1.1-RSPID"),
		asks("DP8-2.2.1.1-MAJOR", "says 2.6", func(h *dp8.Handshake) { h.Version = 0x20006 }, "DP8-3.1.5.1.1-VER-IGNORE"),
		again("DP8-2.2.1.1-MAJOR", "says 0.6", func(h *dp8.Handshake) { h.Version, h.SessionID, h.MsgID = 6, 99, 0 }),
		fine("DP8-2.2.1.1-MAJOR"),
		newTalk().minors(4, 6).bad(spoilHandshake(func(*dp8.Handshake) {})).connect().answer().confirm().chat(4).breaks("DP8-2.2.1.1-MINOR", "an old system"),
		fine("DP8-2.2.1.1-MINOR"),
		newTalk().minors(9, 6).bad(spoilHandshake(func(*dp8.Handshake) {})).connect().answer().confirm().alive().chat(4).breaks("DP8-2.2.1.1-MINOR-HIGH", "a new system"),
		fine("DP8-2.2.1.1-MINOR-HIGH"),
		asks("DP8-2.2.1.1-SESSID-ZERO", "session 0", func(h *dp8.Handshake) { h.SessionID = 0 }),
		again("DP8-2.2.1.1-SESSID-ZERO", "session 0", func(h *dp8.Handshake) { h.SessionID, h.MsgID = 0, 0 }),
		newTalk().minors(4, 4).odd(spoilHandshake(func(h *dp8.Handshake) { h.SessionID = 0 })).connect().odd(spoilHandshake(func(h *dp8.Handshake) { h.SessionID = 0 })).answer().
			odd(spoilHandshake(func(h *dp8.Handshake) { h.SessionID = 0 })).confirm().chat(4).nearly("DP8-2.2.1.1-SESSID-ZERO", "an old system without session id"),
		retried(func(h *dp8.Handshake) { h.SessionID = 99 }).answer().confirm().alive().chat(4).breaks("DP8-2.2.1.1-SESSID-CONST", "retries under another session"),
		twice().answer().confirm().alive().chat(4).nearly("DP8-2.2.1.1-SESSID-CONST", "retries under the same session"),
		newTalk().meet().chat(4).wait(1200*time.Millisecond).odd(spoilHandshake(func(h *dp8.Handshake) { h.SessionID, h.MsgID = 99, 0 })).connect().
			bad(spoilHandshake(func(h *dp8.Handshake) { h.SessionID, h.RspID = 99, 0 })).answer().chat(4).breaks("DP8-3.1.5.1.1-EST", "answers a second CONNECT", "DP8-2.2.1.2-SESSID"),
		newTalk().connect().answer().odd(spoilHandshake(func(h *dp8.Handshake) { h.SessionID, h.MsgID = 99, 0 })).connect().
			bad(spoilHandshake(func(h *dp8.Handshake) { h.SessionID, h.RspID, h.MsgID = 99, 0, 0 })).answer().confirm().alive().chat(4).breaks("DP8-3.1.5.1.1-OTHERID", "answers another session", "DP8-2.2.1.2-SESSID"),
		newTalk().meet().chat(4).wait(1200*time.Millisecond).odd(spoilHandshake(func(h *dp8.Handshake) { h.SessionID, h.MsgID = 99, 0 })).connect().chat(6).
			nearly("DP8-3.1.5.1.1-EST", "ignores a second CONNECT"),
		newTalk().connect().answer().odd(spoilHandshake(func(h *dp8.Handshake) { h.SessionID, h.MsgID = 99, 0 })).connect().confirm().alive().chat(4).
			nearly("DP8-3.1.5.1.1-OTHERID", "ignores another session"),
		newTalk().odd(spoilHandshake(func(h *dp8.Handshake) { h.Version = 0x20006 })).connect().bad(func(*dp8.Frame) {}).answer().confirm().alive().chat(4).
			breaks("DP8-3.1.5.1.1-VER-IGNORE", "answers 2.6", "DP8-2.2.1.1-MAJOR"),
		fine("DP8-3.1.5.1.1-VER-IGNORE"),
		newTalk().minors(5, 6).signed(dp8.SigningFull).connect().bad(spoilHandshake(func(*dp8.Handshake) {})).answer().breaks("DP8-3.1.5.1.1-SIGN-VER", "signs with 1.5"),
		newTalk().signed(dp8.SigningFull).meet().chat(4).nearly("DP8-3.1.5.1.1-SIGN-VER", "signs with 1.6"),
		newTalk().signed(dp8.SigningFull).odd(spoilHandshake(func(h *dp8.Handshake) { h.SessionID = 0 })).connect().bad(spoilHandshake(func(h *dp8.Handshake) { h.SessionID = 0 })).answer().
			breaks("DP8-3.1.5.1.1-SIGN-SESSID0", "signs session 0", "DP8-2.2.1.1-SESSID-ZERO"),
		newTalk().signed(dp8.SigningFull).meet().chat(4).nearly("DP8-3.1.5.1.1-SIGN-SESSID0", "signs a session"),
		missesRepeats(6).breaks("DP8-3.1.5.1.1-DUPREPLY", "answers the first CONNECT and the last"),
		missesRepeats(3).nearly("DP8-3.1.5.1.1-DUPREPLY", "misses two CONNECTs"),
	}
}

// missesRepeats is a listener that does not answer repeated CONNECTs.
func missesRepeats(n int) *talk {
	t := newTalk().connect().answer()
	for range n {
		t.wait(200 * time.Millisecond).connect()
	}
	return t.bad(func(*dp8.Frame) {}).answer().confirm().alive().chat(4)
}
