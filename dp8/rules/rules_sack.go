package rules

import (
	"github.com/dpdissect/dpdissect/session/conform"
)

// Rules of SACK.
const sackBase = hardBase + len(hardRules)

const (
	r2215Cmd = sackBase + iota
	r2215Poll
	r2215Flags
	r2215Response
	r2215Retry
	r2215Padding
	r2215Len
	r2215Maskzero
	r2215Nseq
	r2215SigPresent
	r2215SigAbsent
	r31515Unest
)

var sackRules = [...]conform.Rule{
	r2215Cmd - sackBase: {
		ID: "DP8-2.2.1.5-CMD", Clause: "MC-DPL8R 2.2.1.5", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "only the CFRAME and POLL bits are set",
		Example:   "84 06 …",
	},
	r2215Poll - sackBase: {
		ID: "DP8-2.2.1.5-POLL", Clause: "MC-DPL8R 2.2.1.5", Level: conform.Should, Severity: conform.Warn, Scope: "F",
		Statement: "POLL is not set",
		Example:   "88 06 01 00 …",
	},
	r2215Flags - sackBase: {
		ID: "DP8-2.2.1.5-FLAGS", Clause: "MC-DPL8R 2.2.1.5", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "bFlags uses only 01, 02, 04, 08, 10",
		Example:   "80 06 21 00 …",
	},
	r2215Response - sackBase: {
		ID: "DP8-2.2.1.5-RESPONSE", Clause: "MC-DPL8R 2.2.1.5", Level: conform.Should, Severity: conform.Warn, Scope: "F", Summed: true,
		Statement: "RESPONSE (01) is set and bRetry is filled in",
		Example:   "80 06 00 00 …",
	},
	r2215Retry - sackBase: {
		ID: "DP8-2.2.1.5-RETRY", Clause: "MC-DPL8R 2.2.1.5", Level: conform.Should, Severity: conform.Note, Scope: "B",
		Guards:    conform.Of(conform.GuardBidir, conform.GuardClean, conform.GuardVant),
		Statement: "bRetry is 0 if the last data frame received was not a retry, non-zero if it was",
		Care:      "BIDIR, CLEAN, VANT: only when the last two candidate frames agree on RETRY",
		Example:   "only first-time frames delivered, bRetry 1",
	},
	r2215Padding - sackBase: {
		ID: "DP8-2.2.1.5-PADDING", Clause: "MC-DPL8R 2.2.1.5", Level: conform.Should, Severity: conform.Warn, Scope: "F",
		Statement: "wPadding is 0",
		Example:   "padding CD AB",
	},
	r2215Len - sackBase: {
		ID: "DP8-2.2.1.5-LEN", Clause: "MC-DPL8R 2.2.1.5", Level: conform.Must, Severity: conform.Error, Scope: "F",
		Statement: "length = 12 + 4 per announced mask, + 8 if signed",
		Care:      "while the signing mode is unknown both lengths are accepted",
		Example:   "bFlags 03 in 12 bytes",
	},
	r2215Maskzero - sackBase: {
		ID: "DP8-2.2.1.5-MASKZERO", Clause: "MC-DPL8R 2.2.1.5, 3.1.5.2.3", Level: conform.Impl, Severity: conform.Note, Scope: "F", Summed: true,
		Statement: "an announced mask has at least one bit set",
		Care:      "legal but pointless",
		Example:   "SACK1 announced, mask 0",
	},
	r2215Nseq - sackBase: {
		ID: "DP8-2.2.1.5-NSEQ", Clause: "MC-DPL8R 2.2.1.5", Level: conform.Must, Severity: conform.Error, Scope: "D", Operation: true,
		Guards:    conform.Of(conform.GuardReord),
		Statement: "bNSeq is the sender's next data sequence number",
		Care:      "REORD (order by tick), CLEAN: a higher number is evidence of capture loss, a lower one in send order is a failure",
		Example:   "highest DF seq=9 sent before, later SACK bNSeq 5",
	},
	r2215SigPresent - sackBase: {
		ID: "DP8-2.2.1.5-SIG-PRESENT", Clause: "MC-DPL8R 2.2.1.5", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardVer),
		Statement: "on a signed connection the signature is present",
		Example:   "12-byte SACK on signed connection",
	},
	r2215SigAbsent - sackBase: {
		ID: "DP8-2.2.1.5-SIG-ABSENT", Clause: "MC-DPL8R 2.2.1.5", Level: conform.Must, Severity: conform.Error, Scope: "B",
		Guards:    conform.Of(conform.GuardVer),
		Statement: "on an unsigned connection there is no signature",
		Example:   "20-byte SACK without masks, unsigned",
	},
	r31515Unest - sackBase: {
		ID: "DP8-3.1.5.1.5-UNEST", Clause: "MC-DPL8R 3.1.5.1.5", Level: conform.Must, Severity: conform.Warn, Scope: "B",
		Guards:    conform.Of(conform.GuardStart, conform.GuardBidir),
		Statement: "a SACK is sent only on an established connection",
		Example:   "SACK before CONNECTED",
	},
}
