package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of the datagram format.
const datagramBase = 0

const (
	rDgMinlen = datagramBase + iota
	rDgFill
	rDgEmpty
	rDgIodfit
	rDgIodzero
	rDgInorderNeed
	rDgInorderIdle
	rDgVleMin
	rDgVleFit
	rDgSize
	rDgIdInc
	rDgIdUnique
	rDgIdBack
)

var datagramRules = [...]conform.Rule{
	rDgMinlen - datagramBase: {
		ID: "KN-DG-MINLEN", Clause: "kNet page, Datagram Byte Format", Level: conform.Must, Severity: conform.Error, Scope: "F", Operation: true,
		Statement: "a datagram has at least 3 bytes",
		Example:   "05 00",
	},
	rDgFill - datagramBase: {
		ID: "KN-DG-FILL", Clause: "kNet page, Datagram Byte Format", Level: conform.Must, Severity: conform.Error, Scope: "F", Operation: true,
		Guards:    conform.Of(conform.GuardDial),
		Statement: "message blocks fill the datagram exactly",
		Example:   "1 byte left after the last message",
	},
	rDgEmpty - datagramBase: {
		ID: "KN-DG-EMPTY", Clause: "kNet page, Datagram Byte Format", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "a datagram carries at least one message",
		Care:      "\"as many as there are\": legal",
		Example:   "05 00 00",
	},
	rDgIodfit - datagramBase: {
		ID: "KN-DG-IODFIT", Clause: "kNet page, Datagram Byte Format", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Guards:    conform.Of(conform.GuardDial),
		Statement: "both delta arrays fit",
		Care:      "DIAL; spec only",
		Example:   "count 9, 3 bytes left",
	},
	rDgIodzero - datagramBase: {
		ID: "KN-DG-IODZERO", Clause: "kNet page, Datagram Byte Format; InOrder Datagrams and Messages", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "the count is not 0 when InOrder is set",
		Care:      "legal for Disconnect (AMB-KN-20)",
		Example:   "05 00 80 00 …",
	},
	rDgInorderNeed - datagramBase: {
		ID: "KN-DG-INORDER-NEED", Clause: "kNet page, InOrder Datagrams and Messages", Level: conform.Must, Severity: conform.Error, Scope: "F", Operation: true,
		Statement: "a message with an InOrder code ≠ 0 needs the InOrder flag",
		Care:      "spec only",
		Example:   "flag clear, code 1",
	},
	rDgInorderIdle - datagramBase: {
		ID: "KN-DG-INORDER-IDLE", Clause: "kNet page, InOrder Datagrams and Messages", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "InOrder is set only if some code is not 0",
		Care:      "Disconnect and DisconnectAck are exempt",
		Example:   "flag set, codes 0",
	},
	rDgVleMin - datagramBase: {
		ID: "KN-DG-VLE-MIN", Clause: "kNet page, Datagram Byte Format", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "VLE values use the shortest form",
		Care:      "encoders assert it; decoders accept longer forms",
		Example:   "value 5 as 85 00",
	},
	rDgVleFit - datagramBase: {
		ID: "KN-DG-VLE-FIT", Clause: "kNet page, Datagram Byte Format; Message Block Format; Content Block Format", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "VLE values do not run past their container",
		Example:   "85 as last byte",
	},
	rDgSize - datagramBase: {
		ID: "KN-DG-SIZE", Clause: "kNet page, Datagram Byte Format", Level: conform.Rec, Severity: conform.Note, Scope: "F", Summed: true,
		Statement: "datagrams stay below about 1,400 bytes, without IP fragments",
		Example:   "3,000-byte datagram",
	},
	rDgIdInc - datagramBase: {
		ID: "KN-DG-ID-INC", Clause: "kNet page, InOrder Datagrams and Messages", Level: conform.Must, Severity: conform.Error, Scope: "D", Operation: true,
		Guards:    conform.Of(conform.GuardReord),
		Statement: "PacketID grows by one per datagram sent (mod 2^22)",
		Care:      "forward gaps are evidence of loss; REORD; fails when steps other than 1 dominate (> 50% over ≥ 50 datagrams, with no acknowledged gaps)",
		Example:   "PacketIDs 1, 3, 5, 7, all acknowledged by the peer",
	},
	rDgIdUnique - datagramBase: {
		ID: "KN-DG-ID-UNIQUE", Clause: "kNet page, InOrder Datagrams and Messages; Reliable Datagrams", Level: conform.Must, Severity: conform.Error, Scope: "D", Operation: true,
		Guards:    conform.Of(conform.GuardUnwrap),
		Statement: "a PacketID is never used for two contents (reference: nor is a reliable message number)",
		Care:      "UNWRAP, DUP, LIFE (a second series of the same endpoint is a new connection); an identical resend is allowed in spec (AMB-KN-10)",
		Example:   "PacketID 9 with two contents",
	},
	rDgIdBack - datagramBase: {
		ID: "KN-DG-ID-BACK", Clause: "kNet page, InOrder Datagrams and Messages", Level: conform.Must, Severity: conform.Warn, Scope: "D", Operation: true,
		Guards:    conform.Of(conform.GuardReord),
		Statement: "no new PacketID is below the highest by more than the reorder horizon",
		Care:      "REORD, LIFE (restart)",
		Example:   "5,000 then 4,200 with new content",
	},
}
