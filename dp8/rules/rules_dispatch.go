package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of dispatch and what all command frames share.
const dispatchBase = 0

const (
	r315Dispatch = dispatchBase + iota
	r3151Opcode
	r3151Short
	r3151Trail
	r221TickMono
	r221TickRate
	r221LowerVer
)

var dispatchRules = [...]conform.Rule{
	r315Dispatch - dispatchBase: {
		ID: "DP8-3.1.5-DISPATCH", Clause: "MC-DPL8R 3.1.5, 1.4", Level: conform.Must, Severity: conform.Warn, Scope: "F",
		Statement: "a DP8 datagram is a data frame (≥ 4 bytes, low bit of byte 0 set) or a CFRAME (≥ 12 bytes, byte 0 = 80 or 88); anything else is not DP8",
		Care:      "a first byte of zero is the host/port enumeration protocol and is legal on the same port; other bytes are reported only on a recognised connection",
		Example:   "90 02 00 00 …",
	},
	r3151Opcode - dispatchBase: {
		ID: "DP8-3.1.5.1-OPCODE", Clause: "MC-DPL8R 3.1.5.1", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "extended opcode is 01, 02, 03, 04 or 06",
		Example:   "80 05 00 00 … (12+ bytes)",
	},
	r3151Short - dispatchBase: {
		ID: "DP8-3.1.5.1-SHORT", Clause: "MC-DPL8R 3.1.5, 2.2.1.x", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "a CFRAME has the full size of its type, although dispatch admits 12 bytes",
		Example:   "12-byte CONNECT",
	},
	r3151Trail - dispatchBase: {
		ID: "DP8-3.1.5.1-TRAIL", Clause: "MC-DPL8R 2.2.1.x", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "no bytes follow the fields of the type",
		Care:      "a tail of exactly 8 bytes on SACK/HDISC with unknown signing state is a signature: no finding",
		Example:   "CONNECT of 20 bytes",
	},
	r221TickMono - dispatchBase: {
		ID: "DP8-2.2.1-TICK-MONO", Clause: "MC-DPL8R 2.2.1.1–2.2.1.5", Level: conform.Impl, Severity: conform.Warn, Scope: "D",
		Guards:    conform.Of(conform.GuardReord),
		Statement: "the sender's millisecond tick never decreases from one CFRAME to the next (mod 2^32)",
		Care:      "REORD (≤ reorder horizon), LIFE",
		Example:   "SACK tick 90,000 then 2,000",
	},
	r221TickRate - dispatchBase: {
		ID: "DP8-2.2.1-TICK-RATE", Clause: "MC-DPL8R 2.2.1.1–2.2.1.5", Level: conform.Impl, Severity: conform.Note, Scope: "DT",
		Guards:    conform.Of(conform.GuardClock, conform.GuardSample),
		Statement: "the tick advances 1 per millisecond",
		Care:      "CLOCK, SAMPLE ≥ 20 over ≥ 10 s, 16 ms granularity",
		Example:   "tick advances 500 per second",
	},
	r221LowerVer - dispatchBase: {
		ID: "DP8-2.2.1-LOWER-VER", Clause: "MC-DPL8R 2.2.1.1–2.2.1.3", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardVer),
		Statement: "both sides use only formats of the lower of the two versions",
		Care:      "VER; covers COAL-VER, KA-VER and SIG-VER: the specific rule is reported",
		Example:   "peer reports 1.4, coalesced frame sent",
		Alias:     "DP8-2.2.3-VER",
	},
}
