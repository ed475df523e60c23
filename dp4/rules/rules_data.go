package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of data frames.
const dataBase = headerBase + len(headerRules)

const (
	r222Cmd = dataBase + iota
	r222Noack
	r222Cmdext
	r222CmdextActed
	r222Big
	r222Extcmd
	r222Extzero
	r222Maskfit
	r222ExtProduct
	r222MsgidFirst
	r222MsgidSeq
	r222MsgidWindow
	r222SeqUnique
	r222SeqInc
	r222StaFirst
	r222StaOnce
	r222EomLast
	r222RlyConst
	r222SerialSingle
	r222SerialMulti
	r222SerialStart
	r222RetrySame
	r222UnrelRetry
	r222Datalen
)

var dataRules = [...]conform.Rule{
	r222Cmd - dataBase: {
		ID: "DP4-2.2.2-CMD", Clause: "MC-DPL4R 2.2.2", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "CMD is set in every data frame",
		Example:   "01 02 18 05 05 00 'x'",
	},
	r222Noack - dataBase: {
		ID: "DP4-2.2.2-NOACK", Clause: "MC-DPL4R 2.2.2", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "CMD and ACK are never both set: CMD marks data frames, in which ACK must not be set",
		Example:   "01 02 22 05 05 00",
	},
	r222Cmdext - dataBase: {
		ID: "DP4-2.2.2-CMDEXT", Clause: "MC-DPL4R 2.2.2", Level: conform.Must, Severity: conform.Warn, Scope: "F",
		Statement: "a frame with CMD and EXT must be ignored by its receiver; sending one is pointless",
		Care:      "decoded for display, but kept out of the session state",
		Example:   "01 02 B1 …",
	},
	r222CmdextActed - dataBase: {
		ID: "DP4-2.2.2-CMDEXT-ACTED", Clause: "MC-DPL4R 2.2.2", Level: conform.Must, Severity: conform.Error, Scope: "B", Seldom: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardHold),
		Statement: "a frame with CMD and EXT must not be acknowledged",
		Care:      "BIDIR, CLEAN, HOLD (a clean copy may have been missed)",
		Example:   "CMD+EXT frame q=9 followed by A q=9 with no other q=9",
	},
	r222Big - dataBase: {
		ID: "DP4-2.2.2-BIG", Clause: "MC-DPL4R 2.2.2–2.2.4", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "BIG is 0 in all frame types",
		Example:   "01 02 71 …",
	},
	r222Extcmd - dataBase: {
		ID: "DP4-2.2.2-EXTCMD", Clause: "MC-DPL4R 2.2.2, 2.2.3", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "COMMAND bits (1F) of the extended flags are 0",
		Care:      "bit order: AMB-DP4-05; fails only if the mirrored reading breaks a field rule too",
		Example:   "extended flags 28 (COMMAND 08; mirrored 28)",
	},
	r222Extzero - dataBase: {
		ID: "DP4-2.2.2-EXTZERO", Clause: "MC-DPL4R 2.2.2, 2.2.3", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "the zero bit (80) of the extended flags is 0",
		Care:      "as above",
		Example:   "extended flags 80 (mirrored: COMMAND 80)",
	},
	r222Maskfit - dataBase: {
		ID: "DP4-2.2.2-MASKFIT", Clause: "MC-DPL4R 2.2.2, 2.2.3", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "the mask length announced by nNACK fits in the frame",
		Care:      "as above",
		Example:   "extended flags 60 (nNACK=3) with one byte left",
	},
	r222ExtProduct - dataBase: {
		ID: "DP4-2.2.2-EXT-PRODUCT", Clause: "MC-DPL4R app. A <3>,<5>", Level: conform.Rec, Severity: conform.Note, Scope: "F", Summed: true, Seldom: true,
		Statement: "the Windows product neither sets nor expects EXT",
		Care:      "DIAL (profile windows)",
		Example:   "any EXT frame from a Windows peer",
	},
	r222MsgidFirst - dataBase: {
		ID: "DP4-2.2.2-MSGID-FIRST", Clause: "MC-DPL4R 2.2.2", Level: conform.Must, Severity: conform.Warn, Scope: "D",
		Guards:    conform.Of(conform.GuardStart),
		Statement: "the first message of a link has messageid 1",
		Care:      "START; 0 is also accepted by default (AMB-DP4-01), the profile strict-text requires 1",
		Example:   "session starts with m=7",
	},
	r222MsgidSeq - dataBase: {
		ID: "DP4-2.2.2-MSGID-SEQ", Clause: "MC-DPL4R 2.2.2", Level: conform.Must, Severity: conform.Error, Scope: "D", Operation: true,
		Guards:    conform.Of(conform.GuardClean, conform.GuardHold, conform.GuardUnwrap),
		Statement: "each new message takes the next messageid (mod 256)",
		Care:      "CLEAN, HOLD, UNWRAP: a jump is treated as loss at first; it fails only when the peer later acknowledges past the jump with a byte count that leaves no room for the skipped messages, or when the number goes back",
		Example:   "m=5 new, then m=4 new with other content",
	},
	r222MsgidWindow - dataBase: {
		ID: "DP4-2.2.2-MSGID-WINDOW", Clause: "MC-DPL4R 2.2.2", Level: conform.Must, Severity: conform.Error, Scope: "B", Operation: true,
		Guards:    conform.Of(conform.GuardBidir, conform.GuardHold, conform.GuardOdds),
		Statement: "at most 24 outstanding messageids: highest sent − lowest unacknowledged reliable ≤ 23",
		Care:      "BIDIR, HOLD, ODDS (ACKs are unnumbered)",
		Example:   "m=1 reliable never acknowledged, m=25 sent",
	},
	r222SeqUnique - dataBase: {
		ID: "DP4-2.2.2-SEQ-UNIQUE", Clause: "MC-DPL4R 2.2.2", Level: conform.Must, Severity: conform.Error, Scope: "D", Operation: true,
		Guards:    conform.Of(conform.GuardUnwrap),
		Statement: "within the live window one sequence names one packet: same sequence ⇒ same messageid, STA/EOM/RLY and payload",
		Care:      "UNWRAP, AUTH n/a",
		Example:   "q=40 m=8 \"abc\", later q=40 m=9 \"xyz\" 50 ms apart",
	},
	r222SeqInc - dataBase: {
		ID: "DP4-2.2.2-SEQ-INC", Clause: "MC-DPL4R 2.2.2, 1.1", Level: conform.Must, Severity: conform.Error, Scope: "D", Operation: true,
		Guards:    conform.Of(conform.GuardClean, conform.GuardHold),
		Statement: "new packets take consecutive sequence numbers",
		Care:      "CLEAN, HOLD; a forward gap is evidence of loss, not a failure; a new packet below the highest is the failure",
		Example:   "new packet (serial 0, new messageid) with q lower than the highest sent",
	},
	r222StaFirst - dataBase: {
		ID: "DP4-2.2.2-STA-FIRST", Clause: "MC-DPL4R 2.2.2, 3.1.5.2", Level: conform.Must, Severity: conform.Error, Scope: "D", Operation: true,
		Guards:    conform.Of(conform.GuardClean, conform.GuardHold),
		Statement: "the lowest sequence of a message has STA",
		Care:      "CLEAN, HOLD (the first part may be lost)",
		Example:   "complete range q=10..12 of m=4 seen, none with STA",
	},
	r222StaOnce - dataBase: {
		ID: "DP4-2.2.2-STA-ONCE", Clause: "MC-DPL4R 2.2.2", Level: conform.Must, Severity: conform.Error, Scope: "D",
		Guards:    conform.Of(conform.GuardUnwrap),
		Statement: "only one sequence of a message carries STA, and only one carries EOM",
		Example:   "m=4 q=10 STA and m=4 q=11 STA",
	},
	r222EomLast - dataBase: {
		ID: "DP4-2.2.2-EOM-LAST", Clause: "MC-DPL4R 2.2.2, 3.1.5.2", Level: conform.Must, Severity: conform.Error, Scope: "D", Operation: true,
		Guards:    conform.Of(conform.GuardUnwrap),
		Statement: "no packet of a message follows its EOM packet in sequence",
		Example:   "m=4 EOM at q=12, then m=4 q=13",
	},
	r222RlyConst - dataBase: {
		ID: "DP4-2.2.2-RLY-CONST", Clause: "MC-DPL4R 2.2.2", Level: conform.Must, Severity: conform.Error, Scope: "D", Operation: true,
		Guards:    conform.Of(conform.GuardUnwrap),
		Statement: "all packets and copies of a message agree on RLY",
		Example:   "m=4 q=10 RLY, m=4 q=11 without",
	},
	r222SerialSingle - dataBase: {
		ID: "DP4-2.2.2-SERIAL-SINGLE", Clause: "MC-DPL4R 2.2.2", Level: conform.Must, Severity: conform.Warn, Scope: "D", Operation: true,
		Guards:    conform.Of(conform.GuardReord),
		Statement: "in a single-packet message, the serial is the number of earlier transmissions (0, 1, 2 …)",
		Care:      "REORD; missing serials are evidence of loss; fails only when a later copy carries a serial ≤ an earlier one with a different send time, or a copy known to be a repeat carries 0",
		Example:   "sent twice, 400 ms apart, both times with serial 0",
	},
	r222SerialMulti - dataBase: {
		ID: "DP4-2.2.2-SERIAL-MULTI", Clause: "MC-DPL4R 2.2.2", Level: conform.Must, Severity: conform.Warn, Scope: "D",
		Guards:    conform.Of(conform.GuardReord),
		Statement: "in a multi-packet message, the serial starts at 0 with the first packet and grows by one with every further transmission of any packet of the message, retries included",
		Care:      "REORD; see AMB-DP4-13: if all parts carry 0 it is a note; the failure is a non-zero serial that different packets share",
		Example:   "m=1: s=0, s=1, s=1 (different packets)",
	},
	r222SerialStart - dataBase: {
		ID: "DP4-2.2.2-SERIAL-START", Clause: "MC-DPL4R 2.2.2, 3.1.3", Level: conform.Must, Severity: conform.Warn, Scope: "D",
		Guards:    conform.Of(conform.GuardClean),
		Statement: "the first packet of a message has serial 0 when first sent",
		Care:      "START or a history without gaps, CLEAN (a lost first copy looks the same and needs proof by byte count), otherwise inconclusive",
		Example:   "STA packet first seen with s=3, although the receiver's byte count shows that nothing arrived or was lost before",
	},
	r222RetrySame - dataBase: {
		ID: "DP4-2.2.2-RETRY-SAME", Clause: "MC-DPL4R 2.2.2", Level: conform.Impl, Severity: conform.Error, Scope: "D", Operation: true,
		Guards:    conform.Of(conform.GuardUnwrap),
		Statement: "a retry repeats messageid, sequence, flags (except SAK) and data; only the serial changes",
		Example:   "retry of q=4 with one payload byte changed",
	},
	r222UnrelRetry - dataBase: {
		ID: "DP4-2.2.2-UNREL-RETRY", Clause: "MC-DPL4R 2.2.2", Level: conform.Impl, Severity: conform.Note, Scope: "D",
		Statement: "unreliable packets are not retried",
		Example:   "m=2 without RLY seen with s=0 and s=1",
	},
	r222Datalen - dataBase: {
		ID: "DP4-2.2.2-DATALEN", Clause: "MC-DPL4R 2.2.2", Level: conform.Must, Severity: conform.Note, Scope: "F",
		Statement: "data length = remaining bytes (frame minus index header minus 4, or 5 + mask with EXT)",
		Care:      "data of length zero is legal, so only a note",
		Example:   "STA+EOM+RLY frame with no data",
	},
}
