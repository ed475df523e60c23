package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of header data.
const headerBase = 0

const (
	rHdrEmpty = headerBase + iota
	rHdrReservedHi
	rHdrReserved4
	rHdrCode
	rHdrRelid
	rHdrBigendian
	rHdrFragrel
	rHdrFraglayout
	rHdrFragCount
	rHdrFragComplete
	rHdrAcklen
	rHdrHellolen
	rHdrPinglen
	rHdrUnrelEmpty
	rHdrMsgwrap
)

var headerRules = [...]conform.Rule{
	rHdrEmpty - headerBase: {
		ID: "HZ-HDR-EMPTY", Clause: "Hazel page, Header Data", Level: conform.Must, Severity: conform.Error, Scope: "F", Operation: true,
		Statement: "a datagram has at least the Type byte",
		Care:      "empty datagrams are also sent to keep a NAT binding alive, so they count only within a recognised connection",
		Example:   "empty payload",
	},
	rHdrReservedHi - headerBase: {
		ID: "HZ-HDR-RESERVED-HI", Clause: "Hazel page, Header Data", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "the four high bits of Type are reserved: zero",
		Care:      "not in the dialects of 2016-05, which have their own types",
		Example:   "81 00 05 …",
	},
	rHdrReserved4 - headerBase: {
		ID: "HZ-HDR-RESERVED-4", Clause: "Hazel page, Header Data", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "bit 4 is reserved and zero when Control is clear",
		Care:      "when Control is set bit 4 belongs to the 3-bit code (AMB-HZ-01)",
		Example:   "05 00 07 …",
	},
	rHdrCode - headerBase: {
		ID: "HZ-HDR-CODE", Clause: "Hazel page, Header Data", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "with Control set the code is 0, 1 or 2",
		Care:      "3 (fragment), 4 (ping) and 5 (MTU test) are extensions of later releases: they pass where the sender may speak such a dialect, and 5 only if the datagram has the length it states; 3 and 4 are a note where the sender speaks the page's dialect (AMB-HZ-02)",
		Example:   "0F …",
	},
	rHdrRelid - headerBase: {
		ID: "HZ-HDR-RELID", Clause: "Hazel page, Header Data", Level: conform.Must, Severity: conform.Error, Scope: "F", Operation: true,
		Statement: "a reliable packet (Type 1, 8; 2, 3, 11, 12, 13 in their dialects) carries the 2-byte ID",
		Care:      "also Type 3 in spec, 12 from ack3 on, 11 and 13 in fork36; a fragment of 0.1 that is too short is HZ-HDR-FRAGLAYOUT",
		Example:   "01 00",
	},
	rHdrBigendian - headerBase: {
		ID: "HZ-HDR-BIGENDIAN", Clause: "Hazel page, Header Data", Level: conform.Must, Severity: conform.Error, Scope: "D", Operation: true,
		Guards:    conform.Of(conform.GuardSample),
		Statement: "IDs are big-endian",
		Care:      "8 new IDs in a row that step by 256",
		Example:   "IDs 0100, 0200, 0300 read big-endian",
	},
	rHdrFragrel - headerBase: {
		ID: "HZ-HDR-FRAGREL", Clause: "Hazel page, Header Data", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "Fragmented is a flag next to Reliable; 0.1 sends 2 alone and treats it as reliable",
		Care:      "not applicable in spec, where both flags are legal; no released code sends 3 with an ID, and from ack3 on there is no 2 either (AMB-HZ-06)",
		Example:   "03 00 05 …",
	},
	rHdrFraglayout - headerBase: {
		ID: "HZ-HDR-FRAGLAYOUT", Clause: "Hazel page, Header Data", Level: conform.Impl, Severity: conform.Warn, Scope: "F", Operation: true,
		Statement: "fragment header: message id, count/index, ID (7 bytes with Type)",
		Care:      "judged only for a side known to speak 0.1",
		Example:   "02 00 01 00",
	},
	rHdrFragCount - headerBase: {
		ID: "HZ-HDR-FRAG-COUNT", Clause: "Hazel page, Header Data", Level: conform.Impl, Severity: conform.Warn, Scope: "D", Operation: true,
		Guards:    conform.Of(conform.GuardClean),
		Statement: "the fragment count is at least 1 (the library sends a single part with count 1), the index is from 1 to count − 1 (fork36 from 0), and no index repeats with different data",
		Care:      "judged only for a side known to speak 0.1 or fork36",
		Example:   "index 9 of 4",
	},
	rHdrFragComplete - headerBase: {
		ID: "HZ-HDR-FRAG-COMPLETE", Clause: "Hazel page, Header Data", Level: conform.Impl, Severity: conform.Note, Scope: "D",
		Guards:    conform.Of(conform.GuardClean, conform.GuardHold),
		Statement: "a fragmented message is completed",
		Care:      "judged 6 s after its last part, if the capture misses no ID since the first part",
		Example:   "2 of 5 fragments ever seen",
	},
	rHdrAcklen - headerBase: {
		ID: "HZ-HDR-ACKLEN", Clause: "Hazel page, Reliable Delivery", Level: conform.Must, Severity: conform.Error, Scope: "F", Operation: true,
		Statement: "an acknowledgement is Type + ID: 3 bytes; 4 in current and fork36",
		Care:      "a length of 3 or 4 that belongs to a dialect other than the sender's is at most a note (AMB-HZ-10)",
		Example:   "0A 00 or 0A 00 05 FF FF",
	},
	rHdrHellolen - headerBase: {
		ID: "HZ-HDR-HELLOLEN", Clause: "Hazel page, Header Data", Level: conform.Impl, Severity: conform.Warn, Scope: "F",
		Statement: "Hello = Type, ID, at least one byte (version)",
		Care:      "3 bytes pass in the 2016 dialects, including spec, and as a keepalive of late 2018; at the start the verdict waits until the dialect is known",
		Example:   "08 00 01",
	},
	rHdrPinglen - headerBase: {
		ID: "HZ-HDR-PINGLEN", Clause: "Hazel library", Level: conform.Impl, Severity: conform.Warn, Scope: "F",
		Statement: "Ping = Type, ID",
		Example:   "0C 00 05 00",
	},
	rHdrUnrelEmpty - headerBase: {
		ID: "HZ-HDR-UNREL-EMPTY", Clause: "Hazel page, Header Data", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "an unreliable packet has data",
		Example:   "00",
	},
	rHdrMsgwrap - headerBase: {
		ID: "HZ-HDR-MSGWRAP", Clause: "Hazel library", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "payload of Type 0/1 is a chain of length-prefixed messages (u16 little-endian length, tag byte) that ends exactly at the datagram's end",
		Care:      "applications are free to write anything: judged only for a side with at least 20 such payloads, which are 95% of all its payloads",
		Example:   "length prefix beyond the end",
	},
}
