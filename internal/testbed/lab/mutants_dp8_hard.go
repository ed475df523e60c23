package lab

import (
	"time"

	"github.com/dpdissect/dpdissect/dp8"
)

// dp8Hard break the rules of HARD_DISCONNECT.
func dp8Hard() []Mutant {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	on := func() *talk { return newTalk().meet().wait(ms(1500)).data(connector).chat(20) }
	full := func() *talk { return newTalk().signed(dp8.SigningFull).meet().wait(ms(1500)).data(connector).chat(20) }
	ends := func(t *talk, rule, name string, spoil func(h *dp8.Handshake), also ...string) Mutant {
		t.bad(spoilHandshake(spoil)).hard(0).wait(ms(30)).hard(0).wait(ms(30)).hard(0)
		return t.hard(1).wait(ms(1)).hard(1).wait(ms(1)).hard(1).breaks(rule, name, also...)
	}
	fine := func(t *talk, rule string) Mutant { return t.bye().nearly(rule, "ends as it should") }
	goesOn := func() *talk {
		t := on().hard(0).wait(ms(30)).hard(0).wait(ms(30)).hard(0).wait(ms(1100))
		for range 3 {
			t.data(listener).wait(ms(300))
		}
		return t.bad(func(*dp8.Frame) {}).data(listener).data(listener)
	}
	pingPong := func(n int) *talk {
		t := on()
		for range n {
			t.wait(ms(50)).hard(0).wait(ms(50)).hard(1)
		}
		return t
	}
	return []Mutant{
		on().badBytes(first(0xc0)).hard(0).chat(3).breaks("DP8-2.2.1.4-CMD", "sets a user flag"),
		fine(on(), "DP8-2.2.1.4-CMD"),
		ends(on(), "DP8-2.2.1.4-POLL", "sets POLL", func(h *dp8.Handshake) { h.Command |= dp8.Poll }),
		on().bad(spoilHandshake(func(h *dp8.Handshake) { h.Command |= dp8.Poll })).hard(0).chat(4).breaks("DP8-2.2.1.4-POLL", "sets POLL, in mid-connection"),
		fine(on(), "DP8-2.2.1.4-POLL"),
		ends(on(), "DP8-2.2.1.4-MSGID", "counts from 77", func(h *dp8.Handshake) { h.MsgID = 77 }),
		fine(on(), "DP8-2.2.1.4-MSGID"),
		ends(on(), "DP8-2.2.1.4-RSPID-ZERO", "sets bRspId", func(h *dp8.Handshake) { h.RspID = 9 }),
		fine(on(), "DP8-2.2.1.4-RSPID-ZERO"),
		ends(full(), "DP8-2.2.1.4-RSPID-SEQ", "an old number", func(h *dp8.Handshake) { h.RspID = 12 }),
		fine(full(), "DP8-2.2.1.4-RSPID-SEQ"),
		ends(on(), "DP8-2.2.1.4-VERSION", "says 1.5", func(h *dp8.Handshake) { h.Version = dp8.Version15 }),
		fine(on(), "DP8-2.2.1.4-VERSION"),
		ends(on(), "DP8-2.2.1.4-SESSID", "another session", func(h *dp8.Handshake) { h.SessionID = 99 }),
		on().bad(spoilHandshake(func(h *dp8.Handshake) { h.SessionID = 99 })).hard(0).chat(4).breaks("DP8-2.2.1.4-SESSID", "another session, in mid-connection"),
		fine(on(), "DP8-2.2.1.4-SESSID"),
		ends(full(), "DP8-2.2.1.4-SIG-PRESENT", "no signature", func(h *dp8.Handshake) { h.HasSignature = false }),
		fine(full(), "DP8-2.2.1.4-SIG-PRESENT"),
		ends(on(), "DP8-2.2.1.4-SIG-ABSENT", "a signature", func(h *dp8.Handshake) { h.HasSignature = true }),
		fine(on(), "DP8-2.2.1.4-SIG-ABSENT"),
		on().hard(0).wait(ms(1)).hard(0).wait(ms(1)).bad(func(*dp8.Frame) {}).hard(0).wait(ms(100)).hard(1).hard(1).hard(1).breaks("DP8-3.1.2.4-SPACING", "three at once"),
		fine(on(), "DP8-3.1.2.4-SPACING"),
		on().hard(0).wait(2*time.Second).bad(func(*dp8.Frame) {}).hard(0).hard(1).breaks("DP8-3.1.2.4-SPACING-MAX", "two seconds apart"),
		fine(on(), "DP8-3.1.2.4-SPACING-MAX"),
		on().hard(0).wait(ms(300)).bad(func(*dp8.Frame) {}).data(connector).breaks("DP8-3.1.4.5-NODATA", "data behind it"),
		on().hard(0).wait(ms(300)).badBytes(func(b []byte) []byte { return b }).sack(connector).breaks("DP8-3.1.4.5-NODATA", "a SACK behind it"),
		fine(on(), "DP8-3.1.4.5-NODATA"),
		goesOn().breaks("DP8-3.1.5.1.4-REPLY", "goes on with data"),
		fine(on(), "DP8-3.1.5.1.4-REPLY"),
		goesOn().breaks("DP8-3.1.5.1.4-IGNORED", "goes on with data"),
		fine(on(), "DP8-3.1.5.1.4-IGNORED"),
		pingPong(15).breaks("DP8-3.1.5.1.4-ONCE", "answers each"),
		pingPong(4).nearly("DP8-3.1.5.1.4-ONCE", "answers four"),
	}
}
