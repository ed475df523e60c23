package lab

import (
	"time"

	"github.com/dpdissect/dpdissect/dp8"
)

// dp8Connected break the rules of CONNECTED.
func dp8Connected() []Mutant {
	answers := func(rule, name string, spoil func(h *dp8.Handshake), also ...string) Mutant {
		return newTalk().connect().bad(spoilHandshake(spoil)).answer().confirm().alive().chat(4).breaks(rule, name, also...)
	}
	confirms := func(rule, name string, spoil func(h *dp8.Handshake), also ...string) Mutant {
		return newTalk().connect().answer().bad(spoilHandshake(spoil)).confirm().alive().chat(4).breaks(rule, name, also...)
	}
	later := func(rule, name string, spoil func(h *dp8.Handshake), also ...string) Mutant {
		return newTalk().meet().chat(4).bad(spoilHandshake(spoil)).answer().chat(4).breaks(rule, name+", in mid-connection", also...)
	}
	fine := func(rule string) Mutant { return newTalk().meet().chat(4).nearly(rule, "meets as it should") }
	return []Mutant{
		newTalk().connect().badBytes(first(0xa8)).answer().confirm().alive().chat(4).breaks("DP8-2.2.1.2-CMD", "sets another flag"),
		fine("DP8-2.2.1.2-CMD"),
		{Rule: "DP8-2.2.1.2-POLL-LISTENER", Name: "listener clears POLL", On: "dp8/unsigned-clean",
			Tamper: eachDatagram(func(p []byte, side int) bool {
				return side == 1 && isOpcode(p, dp8.OpConnected) && flip(p, 0, byte(dp8.Poll))
			})},
		{Rule: "DP8-2.2.1.2-POLL-LISTENER", Name: "leaves all as it is", Near: true, On: "dp8/unsigned-clean"},
		{Rule: "DP8-2.2.1.2-POLL-CONNECTOR", Name: "connector sets POLL", On: "dp8/unsigned-clean",
			Tamper: eachDatagram(func(p []byte, side int) bool {
				return side == 0 && isOpcode(p, dp8.OpConnected) && flip(p, 0, byte(dp8.Poll))
			})},
		fine("DP8-2.2.1.2-POLL-CONNECTOR"),
		answers("DP8-2.2.1.2-MSGID-INIT", "listener counts from 9", func(h *dp8.Handshake) { h.MsgID = 9 }),
		confirms("DP8-2.2.1.2-MSGID-INIT", "connector counts from 9", func(h *dp8.Handshake) { h.MsgID = 9 }),
		fine("DP8-2.2.1.2-MSGID-INIT"),
		newTalk().connect().answer().wait(200*time.Millisecond).bad(spoilHandshake(func(h *dp8.Handshake) { h.MsgID = 0 })).answer().confirm().alive().chat(4).
			breaks("DP8-2.2.1.2-MSGID-INC", "counts retries not"),
		newTalk().connect().answer().wait(200*time.Millisecond).answer().confirm().alive().chat(4).nearly("DP8-2.2.1.2-MSGID-INC", "counts retries"),
		answers("DP8-2.2.1.2-RSPID", "listener answers number 7", func(h *dp8.Handshake) { h.RspID = 7 }),
		confirms("DP8-2.2.1.2-RSPID", "connector answers number 3", func(h *dp8.Handshake) { h.RspID = 3 }),
		later("DP8-2.2.1.2-RSPID", "listener answers number 7", func(h *dp8.Handshake) { h.RspID = 7 }),
		newTalk().connect().wait(200*time.Millisecond).connect().odd(spoilHandshake(func(h *dp8.Handshake) { h.RspID = 0 })).answer().confirm().alive().chat(4).
			nearly("DP8-2.2.1.2-RSPID", "answers the CONNECT before"),
		answers("DP8-2.2.1.2-MAJOR", "says 0.6", func(h *dp8.Handshake) { h.Version = 6 }),
		later("DP8-2.2.1.2-MAJOR", "says 2.6", func(h *dp8.Handshake) { h.Version = 0x20006 }),
		fine("DP8-2.2.1.2-MAJOR"),
		newTalk().minors(6, 4).connect().bad(func(*dp8.Frame) {}).answer().confirm().chat(4).breaks("DP8-2.2.1.2-MINOR", "an old system"),
		fine("DP8-2.2.1.2-MINOR"),
		answers("DP8-2.2.1.2-SESSID", "listener names session 0", func(h *dp8.Handshake) { h.SessionID = 0 }),
		confirms("DP8-2.2.1.2-SESSID", "connector names another session", func(h *dp8.Handshake) { h.SessionID = 99 }),
		later("DP8-2.2.1.2-SESSID", "listener names another session", func(h *dp8.Handshake) { h.SessionID = 99 }),
		fine("DP8-2.2.1.2-SESSID"),
		confirms("DP8-2.2.1.2-VER-STABLE", "says 1.5 behind 1.6", func(h *dp8.Handshake) { h.Version = dp8.Version15 }),
		fine("DP8-2.2.1.2-VER-STABLE"),
		unconfirmed(false).breaks("DP8-3.1.5.1.2-CONFIRM", "never confirms"),
		fine("DP8-3.1.5.1.2-CONFIRM"),
		unconfirmed(true).breaks("DP8-3.1.5.1.2-RECONFIRM", "confirms once"),
		newTalk().connect().answer().confirm().wait(180*time.Millisecond).answer().confirm().alive().chat(4).nearly("DP8-3.1.5.1.2-RECONFIRM", "confirms again"),
		newTalk().connect().answer().bad(func(*dp8.Frame) {}).data(listener).wait(100*time.Millisecond).confirm().alive().chat(4).breaks("DP8-3.1-EST", "listener sends before it is confirmed"),
		fine("DP8-3.1-EST"),
	}
}

// unconfirmed is a connector that does not confirm, or not again.
func unconfirmed(once bool) *talk {
	t := newTalk().connect().answer()
	if once {
		t.confirm()
	}
	t.keepAlive(connector)
	for range 10 {
		t.wait(300 * time.Millisecond).answer().data(connector).data(connector).data(connector).data(connector).data(connector)
	}
	for i := range t.steps {
		if t.steps[i].From == 0 && t.steps[i].Payload[0]&1 != 0 {
			t.steps[i].Fault = true
			break
		}
	}
	return t
}

func isOpcode(p []byte, op byte) bool {
	return len(p) > 1 && p[0]&byte(dp8.Data) == 0 && p[0]&byte(dp8.CFrame) != 0 && p[1] == op
}
