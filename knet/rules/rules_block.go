package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of message and content blocks.
const blockBase = datagramBase + len(datagramRules)

const (
	rMbLen = blockBase + iota
	rMbLen0
	rMbFstart
	rMbCode15
	rMbSingle
	rMbSingleShort
	rMbMulti
	rMbMultiCount
	rMbMultiDup
	rMbFragcount
	rMbFragnum
	rMbFragsize
	rCtMsgid
	rCtReservedShape
)

var blockRules = [...]conform.Rule{
	rMbLen - blockBase: {
		ID: "KN-MB-LEN", Clause: "kNet page, Message Block Format", Level: conform.Must, Severity: conform.Error, Scope: "F", Operation: true,
		Guards:    conform.Of(conform.GuardDial),
		Statement: "ContentLength ≤ remaining bytes",
		Example:   "length 200 with 50 left",
	},
	rMbLen0 - blockBase: {
		ID: "KN-MB-LEN0", Clause: "kNet page, Message Block Format; Content Block Format", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "ContentLength ≥ size of the MessageID it must contain (≥ 1)",
		Care:      "fragments after the first have no MessageID, so there 0 is a warning in spec",
		Example:   "length 0, not a fragment",
	},
	rMbFstart - blockBase: {
		ID: "KN-MB-FSTART", Clause: "kNet page, Fragmented Transfers; Message Block Format", Level: conform.Should, Severity: conform.Warn, Scope: "F",
		Statement: "FragmentStart is set only together with Fragment",
		Care:      "the parser accepts FragmentStart alone (AMB-KN-12)",
		Example:   "bits 15–14 = 10",
	},
	rMbCode15 - blockBase: {
		ID: "KN-MB-CODE15", Clause: "kNet page, InOrder Datagrams and Messages", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "codes 1–5 name an existing delta: code − 1 < count",
		Example:   "count 2, code 4",
	},
	rMbSingle - blockBase: {
		ID: "KN-MB-SINGLE", Clause: "kNet page, Message Block Format; InOrder Datagrams and Messages", Level: conform.Must, Severity: conform.Error, Scope: "F", Seldom: true,
		Statement: "SingleInOrderIndex < count",
		Example:   "count 6, index 6",
	},
	rMbSingleShort - blockBase: {
		ID: "KN-MB-SINGLE-SHORT", Clause: "kNet page, InOrder Datagrams and Messages", Level: conform.Impl, Severity: conform.Note, Scope: "F", Summed: true, Seldom: true,
		Statement: "indexes 0–4 are written as codes 1–5",
		Example:   "code 6, index 2",
	},
	rMbMulti - blockBase: {
		ID: "KN-MB-MULTI", Clause: "kNet page, Message Block Format; InOrder Datagrams and Messages", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "every MultiInOrder index < count",
		Example:   "count 3, indexes 0, 5",
	},
	rMbMultiCount - blockBase: {
		ID: "KN-MB-MULTI-COUNT", Clause: "kNet page, Message Block Format", Level: conform.Impl, Severity: conform.Warn, Scope: "F",
		Statement: "code 7 lists at least one index, normally two or more",
		Care:      "0 is a warning, 1 a note",
		Example:   "code 7, count 0",
	},
	rMbMultiDup - blockBase: {
		ID: "KN-MB-MULTI-DUP", Clause: "kNet page, InOrder Datagrams and Messages", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "no index is listed twice",
		Example:   "indexes 1, 1",
	},
	rMbFragcount - blockBase: {
		ID: "KN-MB-FRAGCOUNT", Clause: "kNet page, Message Block Format; Fragmented Transfers", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "FragmentCount is at least 1, and sensibly at least 2",
		Care:      "0 is an error, 1 a note",
		Example:   "FragmentCount 0",
	},
	rMbFragnum - blockBase: {
		ID: "KN-MB-FRAGNUM", Clause: "kNet page, Message Block Format; Fragmented Transfers", Level: conform.Must, Severity: conform.Error, Scope: "D",
		Guards:    conform.Of(conform.GuardHold),
		Statement: "FragmentNumber is between 1 and FragmentCount − 1",
		Care:      "the start may come later: HOLD; 0 on a fragment other than the start is a warning (AMB-KN-13)",
		Example:   "number 7 of 5",
	},
	rMbFragsize - blockBase: {
		ID: "KN-MB-FRAGSIZE", Clause: "kNet page, Characteristic Values; Fragmented Transfers", Level: conform.Rec, Severity: conform.Note, Scope: "F",
		Statement: "fragment content is at most 470 bytes",
		Care:      "the value is configurable",
		Example:   "fragment of 900 bytes",
	},
	rCtMsgid - blockBase: {
		ID: "KN-CT-MSGID", Clause: "kNet page, Content Block Format", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "the MessageID fits in the content",
		Example:   "length 1, MessageID needs 4 bytes",
	},
	rCtReservedShape - blockBase: {
		ID: "KN-CT-RESERVED-SHAPE", Clause: "kNet page, Reserved Messages", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "a message with a reserved id has the reserved layout",
		Care:      "the specific RM rule is reported",
		Example:   "ack id with 3 bytes",
		Alias:     "KN-RM-ACK-LEN",
	},
}
