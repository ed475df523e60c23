package dp8

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/dissecttest"
)

func TestDPLNAT(t *testing.T) { dissecttest.Protocol(t, DPLNAT) }

func FuzzDPLNAT(f *testing.F) { dissecttest.Fuzz(f, DPLNAT) }

func decodeNAT(t testing.TB, payload []byte) (*NATFrame, *dissect.Tree, *dissect.Error) {
	t.Helper()
	var tree dissect.Tree
	tree.Reset(payload)
	f := new(NATFrame)
	err := f.Decode(payload, &tree)
	checkTiles(t, &tree)
	if err == nil && string(f.Append(nil)) != string(payload) {
		t.Fatalf("encoded % x\nwant    % x", f.Append(nil), payload)
	}
	return f, &tree, err
}

// The datagrams printed in MC-DPLNAT 4.
func TestMC_DPLNAT_4_Examples(t *testing.T) {
	f, tree, err := decodeNAT(t, dissecttest.Unhex(t, "00 06 F1 D5 3C 16 51 BA"))
	if err != nil || f.Command != NATQuery || f.MessageID != 0xD5F1 || f.SourceID != 0xBA51163C || f.Data != nil {
		t.Errorf("%v %+v", err, f)
	}
	wantTree(t, tree, want{"dplnat.lead", 0, 1, 0}, want{"dplnat.command", 1, 1, 6}, want{"dplnat.message_id", 2, 2, 0xD5F1}, want{"dplnat.source_id", 4, 4, 0xBA51163C})

	f, tree, err = decodeNAT(t, dissecttest.Unhex(t, "00 07 F1 D5 3C 16 51 BA 7D 22 AD 87 F9 2B"))
	if want := netip.MustParseAddrPort("65.52.252.61:2302"); err != nil || f.Address() != want {
		t.Errorf("%v %v, want %v", err, f.Address(), want)
	}
	if n := tree.Find(&NATFields[natAddress]); n == nil || tree.Text(n) != "65.52.252.61:2302" {
		t.Errorf("address %+v", n)
	}
	wantTree(t, tree, want{"dplnat.lead", 0, 1, 0}, want{"dplnat.command", 1, 1, 7}, want{"dplnat.message_id", 2, 2, 0xD5F1}, want{"dplnat.source_id", 4, 4, 0xBA51163C},
		want{"dplnat.masked_address", 8, 4, 0}, want{"dplnat.masked_port", 12, 2, 0})

	f, tree, err = decodeNAT(t, dissecttest.Unhex(t, "00 05 C1 D0 B8 82 DD 92 9C E9 AF F9"))
	if err != nil || f.MessageID != 0xD0C1 || f.Key != [8]byte{0xB8, 0x82, 0xDD, 0x92, 0x9C, 0xE9, 0xAF, 0xF9} {
		t.Errorf("%v %+v", err, f)
	}
	wantTree(t, tree, want{"dplnat.lead", 0, 1, 0}, want{"dplnat.command", 1, 1, 5}, want{"dplnat.message_id", 2, 2, 0xD0C1}, want{"dplnat.key", 4, 8, 0})
}

func TestMC_DPLNAT_SetAddress(t *testing.T) {
	f := NATFrame{Command: NATResponse, MessageID: 0xD5F1, SourceID: 0xBA51163C}
	f.SetAddress(netip.MustParseAddrPort("65.52.252.61:2302"))
	if got := f.Append(nil); string(got) != string(dissecttest.Unhex(t, "00 07 F1 D5 3C 16 51 BA 7D 22 AD 87 F9 2B")) {
		t.Errorf("% x", got)
	}
}

func TestMC_DPLNAT_ErrorTexts(t *testing.T) {
	for s, want := range map[string]string{
		"":                           "dplnat.lead at byte 0: truncated: want 1 byte, have 0 (MC-DPLNAT 2.2)",
		"80 05":                      "dplnat.lead at byte 0: not zero (MC-DPLNAT 2.2)",
		"00 04 00 00":                "dplnat.command at byte 1: neither a path test nor a query or response of the resolver (MC-DPLNAT 2.2)",
		"00 08 00 00":                "dplnat.command at byte 1: neither a path test nor a query or response of the resolver (MC-DPLNAT 2.2)",
		"00 05 00":                   "dplnat.message_id at byte 2: truncated: want 2 bytes, have 1 (MC-DPLNAT 2.2)",
		"00 05 00 00 01 02":          "dplnat.key at byte 4: truncated: want 8 bytes, have 2 (MC-DPLNAT 2.2)",
		"00 06 00 00 01 02":          "dplnat.source_id at byte 4: truncated: want 4 bytes, have 2 (MC-DPLNAT 2.2)",
		"00 07 00 00 01 02 03 04 05": "dplnat.masked_address at byte 8: truncated: want 4 bytes, have 1 (MC-DPLNAT 2.2)",
	} {
		if _, _, err := decodeNAT(t, dissecttest.Unhex(t, s)); err == nil || err.Error() != want {
			t.Errorf("%s\ngot  %v\nwant %s", s, err, want)
		}
	}
}

func TestAppendNATSummary(t *testing.T) {
	for s, want := range map[string]string{
		"00 06 F1 D5 3C 16 51 BA":                      "NAT_RESOLVER_QUERY id=0xd5f1 source=0xba51163c",
		"00 06 F1 D5 3C 16 51 BA 01 02":                "NAT_RESOLVER_QUERY id=0xd5f1 source=0xba51163c len=2",
		"00 07 F1 D5 3C 16 51 BA 7D 22 AD 87 F9 2B":    "NAT_RESOLVER_RESPONSE id=0xd5f1 source=0xba51163c address=65.52.252.61:2302",
		"00 07 F1 D5 3C 16 51 BA 7D 22 AD 87 F9 2B 00": "NAT_RESOLVER_RESPONSE id=0xd5f1 source=0xba51163c address=65.52.252.61:2302 trailing=1",
		"00 05 C1 D0 B8 82 DD 92 9C E9 AF F9":          "PATH_TEST id=0xd0c1 key=b882dd929ce9aff9",
	} {
		payload := dissecttest.Unhex(t, s)
		if got := string(AppendNATSummary([]byte("> "), payload)); got != "> "+want {
			t.Errorf("%s\ngot  %s\nwant > %s", s, got, want)
		}
		buf := make([]byte, 0, 256)
		if n := testing.AllocsPerRun(50, func() { buf = AppendNATSummary(buf[:0], payload) }); n != 0 {
			t.Errorf("%s: %v allocations", s, n)
		}
	}
	if got := string(AppendNATSummary(nil, []byte{0, 5})); !strings.HasPrefix(got, "damaged: dplnat.message_id") {
		t.Errorf("damaged: %s", got)
	}
}
