package lab

import (
	"time"

	"github.com/dpdissect/dpdissect/dp8"
)

// dp8Dispatch break the rules of dispatch and what all command frames share.
func dp8Dispatch() []Mutant {
	whole := func() *talk { return newTalk().meet().chat(4) }
	long := func(rate func(n uint32) uint32) *talk {
		t := newTalk().meet()
		for i := range uint32(30) {
			t.wait(400 * time.Millisecond).data(connector).odd(func(f *dp8.Frame) { f.SACK.Timestamp = 42e6 + rate(i) + 150 }).sack(listener)
		}
		return t
	}
	return []Mutant{
		whole().badBytes(func(b []byte) []byte { return []byte{0x90, 2, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9} }).sack(connector).chat(3).breaks("DP8-3.1.5-DISPATCH", "sends something else"),
		whole().badBytes(func(b []byte) []byte { return b[:3] }).data(connector).chat(3).breaks("DP8-3.1.5-DISPATCH", "sends three bytes"),
		whole().badBytes(func(b []byte) []byte { return b[:8] }).sack(connector).chat(3).breaks("DP8-3.1.5-DISPATCH", "sends a command frame of eight bytes"),
		whole().nearly("DP8-3.1.5-DISPATCH", "sends frames of all kinds"),
		whole().badBytes(func(b []byte) []byte { b[1] = 5; return b }).sack(connector).chat(3).breaks("DP8-3.1.5.1-OPCODE", "sends opcode 5"),
		whole().nearly("DP8-3.1.5.1-OPCODE", "sends known opcodes"),
		whole().badBytes(func(b []byte) []byte { return b[:12] }).connect().chat(3).breaks("DP8-3.1.5.1-SHORT", "CONNECT of 12 bytes in mid-connection"),
		newTalk().connect().answer().badBytes(func(b []byte) []byte { return b[:14] }).confirm().alive().chat(3).breaks("DP8-3.1.5.1-SHORT", "CONNECTED of 14 bytes"),
		newTalk().signed(dp8.SigningFull).connect().badBytes(func(b []byte) []byte { return b[:44] }).answer().confirm().alive().chat(3).breaks("DP8-3.1.5.1-SHORT", "CONNECTED_SIGNED of 44 bytes"),
		whole().nearly("DP8-3.1.5.1-SHORT", "sends whole frames"),
		newTalk().bad(spoilHandshake(func(h *dp8.Handshake) { h.Trailing = []byte("more") })).connect().answer().confirm().alive().chat(3).breaks("DP8-3.1.5.1-TRAIL", "CONNECT of 20 bytes"),
		whole().nearly("DP8-3.1.5.1-TRAIL", "adds nothing"),
		whole().bad(func(f *dp8.Frame) { f.SACK.Timestamp -= 5000 }).sack(listener).chat(4).breaks("DP8-2.2.1-TICK-MONO", "tick runs back once"),
		whole().bad(func(f *dp8.Frame) { f.SACK.Timestamp += 500000 }).sack(connector).chat(4).breaks("DP8-2.2.1-TICK-MONO", "tick is far ahead once"),
		whole().nearly("DP8-2.2.1-TICK-MONO", "tick goes on"),
		long(func(n uint32) uint32 { return 10 * n }).breaks("DP8-2.2.1-TICK-RATE", "tick advances 25 a second"),
		long(func(n uint32) uint32 { return 420 * n / 16 * 16 }).nearly("DP8-2.2.1-TICK-RATE", "tick advances in steps of 16"),
	}
}
