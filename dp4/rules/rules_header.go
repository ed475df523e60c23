package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of frame types and the player index header.
const headerBase = 0

const (
	r2Type = headerBase + iota
	r2HdrShort
	r2Ipfrag
	r221Term
	r221Third
	r221Max
	r221Minimal
	r221Pair
	r3151Player
)

var headerRules = [...]conform.Rule{
	r2Type - headerBase: {
		ID: "DP4-2-TYPE", Clause: "MC-DPL4R 2", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "ACK clear + EXT clear = data; ACK set + EXT clear = ACK; ACK set + EXT set = NACK. ACK clear + EXT set is not a defined type",
		Care:      "only once the connection is recognised as DP4 (3.5% of random payloads look like a DP4 frame)",
		Example:   "01 02 90 05 05 00 … (EXT without ACK, CMD clear)",
	},
	r2HdrShort - headerBase: {
		ID: "DP4-2-HDR-SHORT", Clause: "MC-DPL4R 2.2.1, 2.2.2", Level: conform.Must, Severity: conform.Error, Scope: "F", Operation: true,
		Statement: "at least 4 more bytes follow the two indexes (flags, messageid, sequence, serial)",
		Example:   "01 02 30 07",
	},
	r2Ipfrag - headerBase: {
		ID: "DP4-2-IPFRAG", Clause: "MC-DPL4R 2", Level: conform.Rec, Severity: conform.Note, Scope: "F",
		Statement: "a frame respects the MTU; one carried in IP fragments exceeds it",
		Example:   "4,000-byte data frame in three IP fragments",
	},
	r221Term - headerBase: {
		ID: "DP4-2.2.1-TERM", Clause: "MC-DPL4R 2.2.1", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "an index takes at most three bytes; the top bit of the third byte must be clear",
		Example:   "FE FF 83 …",
	},
	r221Third - headerBase: {
		ID: "DP4-2.2.1-THIRD", Clause: "MC-DPL4R 2.2.1", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "only the two lowest bits of a third byte may be set",
		Example:   "80 80 04 …",
	},
	r221Max - headerBase: {
		ID: "DP4-2.2.1-MAX", Clause: "MC-DPL4R 2.2.1", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "decoded index ≤ 0xFFFF",
		Care:      "arithmetically equivalent to THIRD, under which it is reported",
		Example:   "FF FF 07 → 0x1FFFF",
		Alias:     "DP4-2.2.1-THIRD",
	},
	r221Minimal - headerBase: {
		ID: "DP4-2.2.1-MINIMAL", Clause: "MC-DPL4R 2.2.1", Level: conform.Must, Severity: conform.Warn, Scope: "F",
		Statement: "the value determines the shortest form: < 128 one byte, < 16,384 two bytes, otherwise three",
		Care:      "decoded anyway; for index 16,384 itself see AMB-DP4-17",
		Example:   "index 1 sent as 81 00",
	},
	r221Pair - headerBase: {
		ID: "DP4-2.2.1-PAIR", Clause: "MC-DPL4R 2.2.1, 3.1.5.1", Level: conform.Impl, Severity: conform.Note, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean),
		Statement: "the index pair of an ACK or NACK is the reverse of that of the frame it answers",
		Care:      "BIDIR, CLEAN; several players may share an address, so the reverse of any pair seen is accepted",
		Example:   "D[1>2], answered by A[3>1]",
	},
	r3151Player - headerBase: {
		ID: "DP4-3.1.5.1-PLAYER", Clause: "MC-DPL4R 3.1.5.1", Level: conform.Must, Severity: conform.Warn, Scope: "B",
		Statement: "both indexes must belong to players of the session; a receiver must check this",
		Care:      "evaluated only when the join was captured",
		Example:   "index 9 used, session has players 1–4, and the frame is acknowledged",
		Unchecked: "the players of a session are announced in core messages (MC-DPL4CS), whose bodies are not decoded",
	},
}
