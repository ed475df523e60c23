package dp8

import (
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/dissecttest"
	"pgregory.net/rapid"
)

func TestDPLHP(t *testing.T) { dissecttest.Protocol(t, DPLHP) }

func FuzzDPLHP(f *testing.F) { dissecttest.Fuzz(f, DPLHP) }

func decodeHP(t testing.TB, payload []byte) (*HPFrame, *dissect.Tree, *dissect.Error) {
	t.Helper()
	var tree dissect.Tree
	tree.Reset(payload)
	f := new(HPFrame)
	err := f.Decode(payload, &tree)
	checkTiles(t, &tree)
	if err == nil && string(f.Append(nil)) != string(payload) {
		t.Fatalf("encoded % x\nwant    % x", f.Append(nil), payload)
	}
	return f, &tree, err
}

func TestMC_DPLHP_EnumQuery(t *testing.T) {
	f, tree, err := decodeHP(t, dissecttest.Unhex(t, "00 02 34 12 02"))
	if err != nil || f.Command != HPQuery || f.EnumPayload != 0x1234 || f.Query.Type != HPQueryAny || f.Query.Payload != nil {
		t.Errorf("%v %+v", err, f)
	}
	wantTree(t, tree, want{"dplhp.lead", 0, 1, 0}, want{"dplhp.command", 1, 1, 2}, want{"dplhp.enum_payload", 2, 2, 0x1234}, want{"dplhp.query_type", 4, 1, 2})
	f, tree, err = decodeHP(t, dissecttest.Unhex(t, "00 02 34 12 01 A0 7B FE EB 8D 62 D2 11 AE 0F 00 60 97 B0 14 11 68 69"))
	if err != nil || f.Query.Application.String() != "{ebfe7ba0-628d-11d2-ae0f-006097b01411}" || string(f.Query.Payload) != "hi" {
		t.Errorf("%v %+v", err, f.Query)
	}
	if n := tree.Find(&HPFields[hpApplication]); n == nil || tree.Text(n) != "{ebfe7ba0-628d-11d2-ae0f-006097b01411}" {
		t.Errorf("application %+v", n)
	}
}

// The session description of the real DN_SEND_CONNECT_INFO printed in
// MC-DPL8CS 4 has the layout of an EnumResponse's; here it is put into one.
func TestMC_DPLHP_EnumResponse(t *testing.T) {
	payload := dissecttest.Unhex(t, "00 03 34 12 72000000 04000000 50000000 04000000 08000000 02000000"+
		"58000000 1A000000 00000000 00000000 00000000 00000000 00000000 00000000"+
		"2381BE94ABA1FB48A2E72385 9E658936 DA80EF611B6947429ADD1C7BED2BC13E"+
		"540065007300740020005300650073007300 69006F006E000000 706F6E67")
	f, tree, err := decodeHP(t, payload)
	if err != nil {
		t.Fatal(err)
	}
	e := &f.Response
	if e.Flags != HPMigrateHost || e.MaxPlayers != 8 || e.CurrentPlayers != 2 || e.Name != (HPPart{0x58, 0x1A}) || e.Reply != (HPPart{0x72, 4}) ||
		string(e.Part(e.Reply)) != "pong" || e.Part(e.Password) != nil {
		t.Errorf("%+v", e)
	}
	if n := tree.Find(&HPFields[hpName]); n == nil || tree.Text(n) != "Test Session" {
		t.Errorf("session name %+v", n)
	}
	if n := tree.Find(&HPFields[hpNameBytes]); n.Off != 92 || n.Len != 26 {
		t.Errorf("session name %+v", n)
	}
	for row, text := range map[int]string{hpInstance: "{94be8123-a1ab-48fb-a2e7-23859e658936}", hpApplication: "{61ef80da-691b-4247-9add-1c7bed2bc13e}"} {
		if got := tree.Text(tree.Find(&HPFields[row])); got != text {
			t.Errorf("%s: %s, want %s", HPFields[row].Name, got, text)
		}
	}
	if got, want := string(AppendHPSummary(nil, payload)), `ENUM_RESPONSE id=0x1234 players=2/8 "Test Session" migrate_host`; got != want {
		t.Errorf("summary %s, want %s", got, want)
	}
}

// Parts may stand in any order, with bytes between them.
func TestMC_DPLHP_EnumResponseOrder(t *testing.T) {
	f := HPFrame{Command: HPResponse}
	e := &f.Response
	e.Tail = []byte("replyGAPpwn\x00")
	e.Name, e.Password, e.Reply = HPPart{88 + 10, 2}, HPPart{88 + 8, 2}, HPPart{88, 5}
	got, tree, err := decodeHP(t, f.Append(nil))
	if err != nil {
		t.Fatal(err)
	}
	e = &got.Response
	if string(e.Part(e.Reply)) != "reply" || string(e.Part(e.Password)) != "pw" || string(e.Part(e.Name)) != "n\x00" {
		t.Errorf("%q %q %q", e.Part(e.Reply), e.Part(e.Password), e.Part(e.Name))
	}
	if n := tree.Find(&HPFields[hpGapBytes]); n == nil || string(tree.Bytes(n)) != "GAP" {
		t.Errorf("gap %+v", n)
	}
	if tree.Text(tree.Find(&HPFields[hpName])) != "n" {
		t.Error("name")
	}
}

func TestMC_DPLHP_ErrorTexts(t *testing.T) {
	response := func(change func(e *EnumResponse)) []byte {
		f := HPFrame{Command: HPResponse}
		f.Response.SetParts([]byte("n\x00"), []byte("pw"), nil, nil, []byte("reply"))
		change(&f.Response)
		return f.Append(nil)
	}
	badDesc := response(func(e *EnumResponse) {})
	badDesc[12] = 0x4C
	for _, tt := range []struct {
		payload []byte
		want    string
	}{
		{nil, "dplhp.lead at byte 0: truncated: want 1 byte, have 0 (MC-DPLHP 2.2)"},
		{[]byte{1, 2}, "dplhp.lead at byte 0: not zero (MC-DPLHP 2.2)"},
		{[]byte{0, 5, 1, 2}, "dplhp.command at byte 1: neither a query nor a response (MC-DPLHP 2.2)"},
		{[]byte{0, 2, 1, 2, 3}, "dplhp.query_type at byte 4: neither 1 nor 2 (MC-DPLHP 2.2)"},
		{[]byte{0, 2, 1, 2}, "dplhp.query_type at byte 4: truncated: want 1 byte, have 0 (MC-DPLHP 2.2)"},
		{[]byte{0, 2, 1, 2, 1, 9, 9}, "dplhp.application_guid at byte 5: truncated: want 16 bytes, have 2 (MC-DPLHP 2.2)"},
		{badDesc, "dplhp.desc_size at byte 12: not 0x50 (MC-DPLHP 2.2)"},
		{response(func(e *EnumResponse) { e.Name.Offset = 87 }), "dplhp.session_name_bytes at byte 92: offset 87 points before this byte (MC-DPLHP 2.2)"},
		{response(func(e *EnumResponse) { e.Password.Offset-- }), "dplhp.password at byte 94: offset 89 points before this byte (MC-DPLHP 2.2)"},
		{response(func(e *EnumResponse) { e.Reply.Size++ }), "dplhp.reply at byte 96: truncated: want 6 bytes, have 5 (MC-DPLHP 2.2)"},
		{response(func(e *EnumResponse) { e.Reply.Offset = 0xFFFFFFFF }), "dplhp.reply at byte 96: offset 4294967295 points past the datagram (MC-DPLHP 2.2)"},
		{response(func(e *EnumResponse) { e.Reply.Size = 0xFFFFFFFF }), "dplhp.reply at byte 96: truncated: want 4294967295 bytes, have 5 (MC-DPLHP 2.2)"},
	} {
		if _, _, err := decodeHP(t, tt.payload); err == nil || err.Error() != tt.want {
			t.Errorf("% x\ngot  %v\nwant %s", tt.payload, err, tt.want)
		}
	}
	var e EnumResponse
	for _, p := range []HPPart{{0, 4}, {88, 1}, {0xFFFFFFFF, 0xFFFFFFFF}, {88, 0}} {
		if e.Part(p) != nil {
			t.Errorf("%v: something in an empty response", p)
		}
	}
}

// What SetParts lays out is read back.
func TestMC_DPLHP_SetParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var data [5][]byte
		for i := range data {
			data[i] = drawBytes(t, "part", 12)
		}
		f := HPFrame{Command: HPResponse, EnumPayload: rapid.Uint16().Draw(t, "id")}
		f.Response.SetParts(data[0], data[1], data[2], data[3], data[4])
		var g HPFrame
		if err := g.Decode(f.Append(nil), nil); err != nil {
			t.Fatal(err)
		}
		e := &g.Response
		for i, p := range []HPPart{e.Name, e.Password, e.Reserved, e.AppReserved, e.Reply} {
			if string(e.Part(p)) != string(data[i]) {
				t.Fatalf("part %d: %q, want %q", i, e.Part(p), data[i])
			}
		}
	})
}

func TestAppendUTF16(t *testing.T) {
	for in, want := range map[string]string{
		"":                           "",
		"A\x00":                      "A",
		"A\x00\x00\x00B\x00":         "A",
		"A":                          "",
		"A\x00B":                     "A",
		"\xe4\x00\xac\x20":           "ä€",
		"\x3d\xd8\x00\xde":           "😀",
		"\x3d\xd8A\x00":              "\uFFFDA", // half a pair
		"\x3d\xd8":                   "\uFFFD",
		"\x00\xde\x3d\xd8":           "\uFFFD\uFFFD",
		"\x1b\x00[\x002\x00J\x00":    "\x1b[2J", // escaped when it is shown
		"\x3d\xd8\x3d\xd8\x00\xde!0": "\uFFFD😀〡",
	} {
		if got := string(appendUTF16(nil, []byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestAppendHPSummary(t *testing.T) {
	want := []string{
		"ENUM_QUERY id=0x1234",
		"ENUM_QUERY id=0x1235 application={ebfe7ba0-628d-11d2-ae0f-006097b01411} len=4",
		"ENUM_RESPONSE id=0x1234 players=1/8 client_server full_signed",
		`ENUM_RESPONSE id=0x1234 players=1/8 "Test" client_server full_signed`,
		`ENUM_RESPONSE id=0x1234 players=1/8 "Test" client_server full_signed`,
	}
	for i, s := range hpSamples() {
		if got := string(AppendHPSummary([]byte("> "), s)); got != "> "+want[i] {
			t.Errorf("sample %d: %s, want > %s", i, got, want[i])
		}
	}
	f := HPFrame{Command: HPResponse, Response: EnumResponse{CurrentPlayers: 3}}
	if got := string(AppendHPSummary(nil, f.Append(nil))); got != "ENUM_RESPONSE id=0x0000 players=3" {
		t.Errorf("no limit: %s", got)
	}
	if got := string(AppendHPSummary(nil, []byte{0, 2})); !strings.HasPrefix(got, "damaged: dplhp.enum_payload at byte 2: truncated") {
		t.Errorf("damaged: %s", got)
	}
	buf, sample := make([]byte, 0, 256), hpSamples()[3]
	if n := testing.AllocsPerRun(50, func() { buf = AppendHPSummary(buf[:0], sample) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
