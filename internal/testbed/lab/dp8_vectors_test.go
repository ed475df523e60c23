package lab

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dp8"
)

// dp8Found gives the rules a connection breaks, each once, and the result.
func dp8Found(t *testing.T, lines ...string) (rules []string, r *Result) {
	t.Helper()
	m := Mutant{Rule: "DP8-vector", Steps: dp4Lines(t, lines...), As: "dp8"}
	r, err := m.Run()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Failed() && strings.HasPrefix(f.Rule.ID, "DP8-") && !slices.Contains(rules, f.Rule.ID) {
			rules = append(rules, f.Rule.ID)
		}
	}
	return rules, r
}

// wantDP8 checks which rules a connection breaks.
func wantDP8(t *testing.T, want string, lines ...string) *Result {
	t.Helper()
	got, r := dp8Found(t, lines...)
	if s := strings.Join(got, " "); s != want {
		t.Errorf("breaks %q, want %q", s, want)
		for _, f := range r.Findings {
			t.Log(f.Rule.ID, f.Frame, f.Message)
		}
	}
	return r
}

// dp8Sum is the signature of a frame at whose end it stands.
func dp8Sum(t *testing.T, frame string, side int) string {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(frame, " ", "") + strings.Repeat("00", 8))
	if err != nil {
		t.Fatal(err)
	}
	sum, _ := dp8.Digest(nil, b, len(b)-8, talkSecrets[side])
	return hex.EncodeToString(sum[:])
}

// passes checks that rules were looked at and kept.
func passes(t *testing.T, r *Result, n uint64, rules ...string) {
	t.Helper()
	for _, id := range rules {
		if got := r.Tallies[id]; got.Pass != n || got.Fail != 0 {
			t.Errorf("%s: %d times passed, %d failed, want %d passed", id, got.Pass, got.Fail, n)
		}
	}
}

// The connection of the text, and what signed connections add to it.
const (
	dp8Connect1   = ">88 01 00 00 06 00 01 00 C6 AE C9 79 9D 36 67 23"
	dp8Connected2 = "<88 02 00 00 06 00 01 00 C6 AE C9 79 E1 DF 04 00"
	dp8Connected3 = ">80 02 01 00 06 00 01 00 C6 AE C9 79 9D 36 67 23"
	dp8Cookie     = " 10 32 54 76 98 BA DC FE "
	dp8Both       = "88 77 66 55 44 33 22 11 11 22 33 44 55 66 77 88"
	dp8Signed2    = "<88 03 00 00 06 00 01 00 C6 AE C9 79 E1 DF 04 00" + dp8Cookie + "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
	dp8Signed3    = ">80 03 01 00 06 00 01 00 C6 AE C9 79 9D 36 67 23" + dp8Cookie + dp8Both
	dp8Full2      = dp8Signed2 + "02 00 00 00 00 00 00 00"
	dp8Full3      = dp8Signed3 + "02 00 00 00 E1 DF 04 00"
	dp8Fast2      = dp8Signed2 + "01 00 00 00 00 00 00 00"
	dp8Fast3      = dp8Signed3 + "01 00 00 00 E1 DF 04 00"
	dp8AliveA     = ">3F 02 00 00 4F 12 39 AE DE CC 86 2C C6 AE C9 79"
	dp8AliveB     = "<3F 02 00 00 91 80 94 B9 C2 69 76 96 C6 AE C9 79"
)

// Test_MC-DPL8R_4.1: the connector's bMsgID 1 goes on counting from its CONNECT
// (AMB-DP8-03).
func Test_MC_DPL8R_4_1(t *testing.T) {
	r := wantDP8(t, "", dp8Connect1, dp8Connected2, dp8Connected3, ">3F 02 00 00 C6 AE C9 79", "<3F 02 00 00 C6 AE C9 79")
	passes(t, r, 2, "DP8-2.2.2-KA-SESSID", "DP8-2.2.2-KA-FLAGS", "DP8-2.2.2-SIG-ABSENT", "DP8-2.2.1.2-MSGID-INIT")
	passes(t, r, 1, "DP8-2.2.1.1-MAJOR", "DP8-2.2.1.2-POLL-LISTENER", "DP8-2.2.1.2-POLL-CONNECTOR")
}

// Test_MC-DPL8R_4.2: data and the SACK that answers it, in the midst of a connection.
func Test_MC_DPL8R_4_2(t *testing.T) {
	r := wantDP8(t, "", ">3D 00 05 03 01 41 42 43 44 45", "<80 06 01 00 03 06 00 00 07 5D 11 00")
	passes(t, r, 1, "DP8-2.2.2-HDRLEN", "DP8-2.2.1.5-RESPONSE", "DP8-2.2.1.5-LEN")
}

// Test_MC-DPL8R_3.1.5.2.7_full: all signatures of a fully signed connection are right.
func Test_MC_DPL8R_3_1_5_2_7_full(t *testing.T) {
	r := wantDP8(t, "DP8-SIG-SECRETLEAK", dp8Connect1, dp8Full2, dp8Full3, dp8AliveA, dp8AliveB,
		"<80 06 01 00 01 01 00 00 E9 DF 04 00 "+dp8Sum(t, "80 06 01 00 01 01 00 00 E9 DF 04 00", 1),
		">80 04 02 01 06 00 01 00 C6 AE C9 79 9D 36 67 23 9D CA 31 39 19 8E 41 46")
	passes(t, r, 1, "DP8-2.2.1.3-ECHO-MATCH", "DP8-2.2.1.3-SIG-ECHO", "DP8-SIG-HDISCKEY")
}

// Test_MC-DPL8R_3.1.5.2.7_forged: one changed byte, and only that frame is named.
func Test_MC_DPL8R_3_1_5_2_7_forged(t *testing.T) {
	forged := "<3F 02 00 00 91 80 94 B9 C2 69 76 97 C6 AE C9 79"
	r := wantDP8(t, "DP8-SIG-SECRETLEAK DP8-SIG-FULL", dp8Connect1, dp8Full2, dp8Full3, dp8AliveA, forged)
	for _, f := range r.Findings {
		if f.Rule.ID == "DP8-SIG-FULL" && f.Frame != 5 {
			t.Errorf("frame %d, want 5", f.Frame)
		}
	}
}

// Test_MC-DPL8R_3.1.5.2.7_fast: the signature is the sender's secret.
func Test_MC_DPL8R_3_1_5_2_7_fast(t *testing.T) {
	alive := ">3F 02 00 00 88 77 66 55 44 33 22 11 C6 AE C9 79"
	r := wantDP8(t, "DP8-SIG-SECRETLEAK", dp8Connect1, dp8Fast2, dp8Fast3, alive)
	passes(t, r, 1, "DP8-SIG-FAST")
	wantDP8(t, "DP8-SIG-SECRETLEAK DP8-SIG-FAST-DIR", dp8Connect1, dp8Fast2, dp8Fast3, "<"+alive[1:])
}

// Test_MC-DPL8R_2.2.3: coalesced payloads, with and without padding of the headers.
func Test_MC_DPL8R_2_2_3(t *testing.T) {
	r := wantDP8(t, "", dp8Connect1, dp8Connected2, dp8Connected3, ">3F 02 00 00 C6 AE C9 79", "<3F 02 00 00 C6 AE C9 79",
		">37 04 01 01 03 06 02 05 41 42 43 00 44 45", ">33 04 02 01 03 02 02 02 01 01 00 00 41 42 43 00 44 45 00 00 46")
	passes(t, r, 2, "DP8-2.2.3-FLAGS", "DP8-2.2.3-OUTER")
}
