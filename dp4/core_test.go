package dp4

import (
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/dissecttest"
)

const enumSessions = "3400b0fa 020008fc 00000000 0000000000000000 706c6179 0200 0b00 4433221166558877 99aabbccddeeff00 0000000000000000"

func TestMC_DPL4CS_2_2_6_ServiceProviderHeader(t *testing.T) {
	const frame = "01023d010100 68656c6c6f"
	f, tree := mustDecode(t, "1f00b0fa 020008fc 0a040001 0000000000000000"+frame)
	if !f.HasSP || f.SP.Size != 31 || f.SP.Token != TokenRemote || f.SP.Family != 2 || f.SP.Port != 2300 || f.SP.Address != [4]byte{10, 4, 0, 1} {
		t.Errorf("%+v", f.SP)
	}
	if value(t, tree, fSPSize) != 31 || value(t, tree, fSPToken) != TokenRemote || value(t, tree, fSPPort) != 2300 {
		t.Error("rows of the header")
	}
	if f.Type != TypeData || f.From.Value != 1 || string(f.Data) != "hello" || f.Size(31) != 9 {
		t.Errorf("%+v, %d bytes", f, f.Size(31))
	}
	for _, c := range []struct {
		what, head string
		has        bool
	}{
		{"forwarded", "1f00b0ca 020008fc", true}, {"server", "1f00b0ba 020008fc", true},
		{"another token", "1f00b0da 020008fc", false}, {"another family", "1f00b0fa 030008fc", false},
		{"another size", "1e00b0fa 020008fc", false}, {"a large size", "1f00b1fa 020008fc", false},
	} {
		payload := dissecttest.Unhex(t, c.head+"00000000 0000000000000000"+frame)
		if got := HasSP(payload, len(payload)); got != c.has {
			t.Errorf("%s: %v", c.what, got)
		}
	}
	// Cut by the capture, the size is that of the datagram.
	payload := dissecttest.Unhex(t, "1f00b0fa 020008fc 0a040001 0000000000000000"+frame)[:28]
	f = new(Frame)
	if err := f.Decode(payload, Params{Length: 31}, nil); err != nil || !f.HasSP || string(f.Data) != "he" || f.Size(31) != 9 {
		t.Errorf("cut: %v, %+v", err, f)
	}
}

// A message of the core in a datagram of its own is no frame, although its
// letters could be indexes and flags.
func TestMC_DPL4CS_2_2_6_CoreDatagram(t *testing.T) {
	wantError(t, enumSessions, "dp4.id_from at byte 20: a message of the DirectPlay 4 core, not a frame (MC-DPL4R 2.2.1)")
	b := dissecttest.Unhex(t, enumSessions)
	var f CoreFrame
	if err := f.Decode(b, nil); err != nil || f.Command != 2 || f.Version != 11 || f.Type() != "ENUMSESSIONS" || len(f.Body) != 24 || f.SP.Port != 2300 {
		t.Errorf("%v, %+v", err, f)
	}
	if got, want := string(AppendCoreSummary(nil, b)), "ENUMSESSIONS version=11 remote port=2300 len=24"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	f.Command, f.SP.Address, f.SP.Token = 0x1b, [4]byte{10, 0, 0, 7}, TokenServer
	if got, want := string(AppendCoreSummary(nil, f.Append(nil))), "MESSAGE command=27 version=11 server address=10.0.0.7:2300 len=24"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := string(AppendCoreSummary(nil, b[:24])); !strings.HasPrefix(got, "damaged: dpl4cs.command") {
		t.Error(got)
	}
}

func TestIsCoreDatagram(t *testing.T) {
	whole := dissecttest.Unhex(t, enumSessions)
	change := func(i int, v byte) []byte { b := slices.Clone(whole); b[i] = v; return b }
	for _, c := range []struct {
		what    string
		payload []byte
		port    uint16
		want    bool
	}{
		{"enumeration", whole, EnumerationPort, true},
		{"on another port", whole, 2300, true},
		{"another size on another port", change(0, 0x35), 2300, false},
		{"another size on the port of enumeration", change(0, 0x35), EnumerationPort, true},
		{"another signature", change(20, 'q'), EnumerationPort, false},
		{"another token", change(3, 0xda), EnumerationPort, false},
		{"another family", change(4, 3), EnumerationPort, false},
		{"too short", whole[:27], EnumerationPort, false},
		{"nothing", nil, EnumerationPort, false},
	} {
		d := dissect.Datagram{Payload: c.payload, Length: len(c.payload), Dst: dissect.Endpoint{Port: c.port}}
		if got := IsCoreDatagram(&d); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}

func TestMC_DPL4CS_2_2_MessageInData(t *testing.T) {
	f, tree := mustDecode(t, "0201 38 02 02 00 706c6179 1600 0e00 0200000062aef019")
	if text(tree, fCore) != "PING" || value(t, tree, fCoreVersion) != 14 {
		t.Errorf("%s of version %d", text(tree, fCore), value(t, tree, fCoreVersion))
	}
	if command, version, ok := CoreCommand(f.Data); command != 0x16 || version != 14 || !ok {
		t.Errorf("%d, %d, %v", command, version, ok)
	}
	for _, s := range []string{
		"0201 38 02 02 00 706c6179 1b00 0e00", // no name
		"0201 38 02 02 00 706c6178 1600 0e00", // no signature
		"0201 38 02 02 00 706c6179 1600 0e",   // too short
		"0201 28 02 02 00 706c6179 1600 0e00", // not the start of a message
	} {
		if _, tree := mustDecode(t, s); text(tree, fCore) != "" {
			t.Errorf("%s: %s", s, text(tree, fCore))
		}
	}
	if CoreName(0x38) != "CREATEPLAYERVERIFY" || CoreName(0x39) != "" || CoreName(0xffff) != "" {
		t.Error("names")
	}
}
