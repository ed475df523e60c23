package lab

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/conform"
)

// dp4Lines makes steps of lines "> hex" and "< hex", by player 1 and by player 2.
func dp4Lines(t *testing.T, lines ...string) (steps []Step) {
	t.Helper()
	for _, l := range lines {
		p, err := hex.DecodeString(strings.ReplaceAll(l[1:], " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		from := dissect.Dir(0)
		if l[0] == '<' {
			from = 1
		}
		steps = append(steps, Step{From: from, After: 20 * time.Millisecond, Payload: p})
	}
	return steps
}

// dp4Found gives the rules a connection breaks, each once.
func dp4Found(t *testing.T, steps []Step, p conform.Profile) (rules []string) {
	t.Helper()
	m := Mutant{Rule: "DP4-vector", Steps: steps, As: "dp4", Profile: p}
	r, err := m.Run()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Failed() && strings.HasPrefix(f.Rule.ID, "DP4-") && !slices.Contains(rules, f.Rule.ID) {
			rules = append(rules, f.Rule.ID)
		}
	}
	return rules
}

// Test_MC-DPL4R_4.1 is the example of the text: it begins with 0, and one time the
// second part of a message has serial 0 (AMB-DP4-01, AMB-DP4-02, AMB-DP4-13).
func Test_MC_DPL4R_4_1(t *testing.T) {
	steps := dp4Lines(t,
		">01 02 31 00 00 00 61", ">01 02 21 00 01 01 62", ">01 02 29 00 02 02 63",
		"<02 01 02 00 02 02 0f000000 10000000",
		">01 02 38 01 03 00 64",
		// sequence 4 is lost
		">01 02 30 03 05 00 65", ">01 02 28 03 06 00 66",
		"<02 01 82 00 02 04 1e000000 60000000",
		">01 02 39 02 04 01 67",
		"<02 01 02 02 04 01 23000000 80000000")
	for _, x := range []struct {
		p    conform.Profile
		want string
	}{
		{conform.Profile{}, "DP4-2.2.2-SERIAL-MULTI DP4-2-NACK-NNACK0"},
		{conform.Profile{Strict: true}, "DP4-2.2.2-MSGID-FIRST DP4-3.1.3-SEQ-START DP4-2.2.2-SERIAL-MULTI DP4-2-NACK-NNACK0"},
	} {
		if got := strings.Join(dp4Found(t, steps, x.p), " "); got != x.want {
			t.Errorf("strict %v: found %s, want %s", x.p.Strict, got, x.want)
		}
	}
}

// Test_MC_DPL4R_2_2_3_ExtendedFlags reads them both ways (AMB-DP4-05).
func Test_MC_DPL4R_2_2_3_ExtendedFlags(t *testing.T) {
	for ext, want := range map[string]string{
		"20 01": "", "02 01": "", "40 0100": "", "04 0100": "",
		"1f": "DP4-2.2.2-EXTCMD", "80": "DP4-2.2.2-EXTZERO", "28 01": "DP4-2.2.2-EXTCMD",
		"60 01": "DP4-2.2.2-MASKFIT", "20": "DP4-2.2.2-MASKFIT", "20 0100": "DP4-2.2.3-LEN",
	} {
		flags, mask, _ := strings.Cut(ext, " ")
		got := dp4Found(t, dp4Lines(t,
			">01 02 39 01 01 00 61", ">01 02 39 02 02 00 61", ">01 02 39 04 04 00 61",
			"<02 01 82 "+flags+" 03 03 0f000000 10000000 "+mask), conform.Profile{})
		if s := strings.Join(got, " "); s != want {
			t.Errorf("extended flags %s: found %q, want %q", ext, s, want)
		}
	}
}
