package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of coalesced payloads.
const coalesceBase = dframeBase + len(dframeRules)

const (
	r223Flags = coalesceBase + iota
	r223Ver
	r223Count
	r223End
	r223Hdrpad
	r223Paypad
	r223Fit
	r223Trail
	r223Zero
	r223Mtu
	r223Outer
	r223Solo
	r31526CoalNew
	r31526CoalMid
)

var coalesceRules = [...]conform.Rule{
	r223Flags - coalesceBase: {
		ID: "DP8-2.2.3-FLAGS", Clause: "MC-DPL8R 2.2.2, 2.2.3", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Guards:    conform.Of(conform.GuardVer),
		Statement: "COALESCE implies NEW and END on the outer frame",
		Example:   "17 04 … (END missing)",
	},
	r223Ver - coalesceBase: {
		ID: "DP8-2.2.3-VER", Clause: "MC-DPL8R 1.7, 2.2.1.1", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardVer),
		Statement: "COALESCE is set only if both sides are ≥ 1.5",
		Example:   "peer 1.4",
	},
	r223Count - coalesceBase: {
		ID: "DP8-2.2.3-COUNT", Clause: "MC-DPL8R 2.2.3", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "a coalesced frame has 1 to 32 sub-headers",
		Example:   "33 headers",
	},
	r223End - coalesceBase: {
		ID: "DP8-2.2.3-END", Clause: "MC-DPL8R 2.2.3", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "the last header, and only the last, has END_COALESCE",
		Care:      "the parser stops at the first END flag; no END before the data ends is an error",
		Example:   "no header with bit 01",
	},
	r223Hdrpad - coalesceBase: {
		ID: "DP8-2.2.3-HDRPAD", Clause: "MC-DPL8R 2.2.3", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "two zero bytes follow an odd number of headers",
		Example:   "one header, next bytes 41 42",
	},
	r223Paypad - coalesceBase: {
		ID: "DP8-2.2.3-PAYPAD", Clause: "MC-DPL8R 2.2.3", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "every payload but the last is padded to 32 bits with zero bytes",
		Care:      "a pad value other than zero is an error; a wrong pad length shows as FIT or TRAIL",
		Example:   "5-byte payload followed by FF FF FF",
	},
	r223Fit - coalesceBase: {
		ID: "DP8-2.2.3-FIT", Clause: "MC-DPL8R 2.2.3, 3.1.5.2.5", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "all sizes fit into the frame",
		Example:   "size 300 with 40 bytes left",
	},
	r223Trail - coalesceBase: {
		ID: "DP8-2.2.3-TRAIL", Clause: "MC-DPL8R 2.2.3, 3.1.5.2.5", Level: conform.Must, Severity: conform.Warn, Scope: "F",
		Statement: "nothing follows the last payload, not even padding",
		Example:   "3 stray bytes",
	},
	r223Zero - coalesceBase: {
		ID: "DP8-2.2.3-ZERO", Clause: "MC-DPL8R 2.2.3", Level: conform.Impl, Severity: conform.Note, Scope: "F",
		Statement: "no sub-payload has size 0",
		Care:      "not forbidden",
		Example:   "size 0",
	},
	r223Mtu - coalesceBase: {
		ID: "DP8-2.2.3-MTU", Clause: "MC-DPL8R 2.2.3", Level: conform.Should, Severity: conform.Warn, Scope: "F",
		Statement: "a coalesced frame is no larger than the MTU",
		Example:   "fragmented coalesced frame",
	},
	r223Outer - coalesceBase: {
		ID: "DP8-2.2.3-OUTER", Clause: "MC-DPL8R 1.3", Level: conform.Rec, Severity: conform.Note, Scope: "F", Summed: true,
		Statement: "the outer frame takes the strictest properties: RELIABLE/SEQUENTIAL if any part has it",
		Care:      "informative section",
		Example:   "outer unreliable, one part reliable",
	},
	r223Solo - coalesceBase: {
		ID: "DP8-2.2.3-SOLO", Clause: "MC-DPL8R 2.2.3", Level: conform.Impl, Severity: conform.Note, Scope: "F", Summed: true,
		Statement: "a coalesced frame has more than one payload",
		Care:      "legal",
		Example:   "one sub-header",
	},
	r31526CoalNew - coalesceBase: {
		ID: "DP8-3.1.5.2.6-COAL-NEW", Clause: "MC-DPL8R 3.1.5.2.6", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "NEW without END excludes COALESCE",
		Care:      "same event as FLAGS: alias",
		Example:   "17 04 …",
		Alias:     "DP8-2.2.3-FLAGS",
	},
	r31526CoalMid - coalesceBase: {
		ID: "DP8-3.1.5.2.6-COAL-MID", Clause: "MC-DPL8R 3.1.5.2.6, 2.2.2", Level: conform.Must, Severity: conform.Error, Scope: "D",
		Guards:    conform.Of(conform.GuardUnwrap),
		Statement: "no COALESCE while a split message is open",
		Example:   "NEW part seq=3, coalesced seq=4, END part seq=5",
	},
}
