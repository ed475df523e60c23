package dp8

import (
	"fmt"
	"testing"

	"github.com/dpdissect/dpdissect/dissect/dissecttest"
)

func TestMC_DPL8R_4_1_KeepAlive(t *testing.T) {
	for _, p := range []Params{anyParams, unsigned16, {Signing: Unsigned}, {Version: Version15}, {Signing: Unsigned, Version: Version15}} {
		f, tree := mustDecode(t, dissecttest.Unhex(t, "3F 02 00 00 C6 AE C9 79"), p)
		d := &f.DFrame
		if f.Type != TypeDFrame || !d.KeepAlive || d.SessionID != sessionID || d.Seq != 0 || d.NRcv != 0 || d.HasSignature || d.Payload != nil || d.Coalesced {
			t.Errorf("%+v: %v keepalive=%v session=%#x", p, f.Type, d.KeepAlive, d.SessionID)
		}
		if d.Command != Data|Reliable|Sequential|Poll|NewMsg|EndMsg || d.Control != CtlKeepAlive || d.IsEmptyKeepAlive() {
			t.Errorf("%+v: command %#x control %#x", p, d.Command, d.Control)
		}
		wantTree(t, tree, want{"dp8.command", 0, 1, 0x3F}, want{"dp8.control", 1, 1, 2}, want{"dp8.seq", 2, 1, 0},
			want{"dp8.nrcv", 3, 1, 0}, want{"dp8.session_id", 4, 4, sessionID})
	}
}

func TestMC_DPL8R_4_2_Data(t *testing.T) {
	// The prose counts five bytes; the payload has six (AMB-DP8-01).
	for _, p := range allParams() {
		if p.Signing == Signed {
			continue
		}
		f, tree := mustDecode(t, dissecttest.Unhex(t, "3D 00 05 03 01 41 42 43 44 45"), p)
		d := &f.DFrame
		if d.Command != Data|Sequential|Poll|NewMsg|EndMsg || d.Control != 0 || d.Seq != 5 || d.NRcv != 3 || string(d.Payload) != "\x01ABCDE" ||
			d.KeepAlive || d.HasSignature || d.Coalesced {
			t.Errorf("%+v: %+v", p, d.Payload)
		}
		wantTree(t, tree, want{"dp8.command", 0, 1, 0x3D}, want{"dp8.control", 1, 1, 0}, want{"dp8.seq", 2, 1, 5},
			want{"dp8.nrcv", 3, 1, 3}, want{"dp8.payload", 4, 6, 0})
	}
}

func TestMC_DPL8R_2_2_2_SignedWithMask(t *testing.T) {
	f, tree := mustDecode(t, dissecttest.Unhex(t, "37 10 05 02 02 00 00 00 87 C4 C9 7F A5 AC 5E 85 61 62 63"), signed16)
	d := &f.DFrame
	if d.Seq != 5 || d.NRcv != 2 || d.SACKMask != 2 || !d.HasSignature || d.SignatureOff != 8 || string(d.Payload) != "abc" ||
		d.Signature != [8]byte{0x87, 0xC4, 0xC9, 0x7F, 0xA5, 0xAC, 0x5E, 0x85} {
		t.Errorf("%+v", d.Payload)
	}
	wantIDs(t, tree, &Fields[fSacked], 4)
	wantTree(t, tree, want{"dp8.command", 0, 1, 0x37}, want{"dp8.control", 1, 1, 0x10}, want{"dp8.seq", 2, 1, 5}, want{"dp8.nrcv", 3, 1, 2},
		want{"dp8.sack_mask", 4, 4, 2}, want{"dp8.signature", 8, 8, 0}, want{"dp8.payload", 16, 3, 0})
	// Without knowledge of the signing the same bytes are payload.
	f, _ = mustDecode(t, dissecttest.Unhex(t, "37 10 05 02 02 00 00 00 87 C4 C9 7F A5 AC 5E 85 61 62 63"), anyParams)
	if f.DFrame.HasSignature || f.DFrame.SignatureOff != 0 || len(f.DFrame.Payload) != 11 {
		t.Errorf("%+v", f.DFrame.Payload)
	}
}

func TestMC_DPL8R_3_1_4_4_Epoch1(t *testing.T) {
	f, _ := mustDecode(t, dissecttest.Unhex(t, "37 00 03 00 2C 7F 4B 35 ED 9F DC FE 68 69"), signed16)
	if d := &f.DFrame; d.Seq != 3 || string(d.Payload) != "hi" || d.Signature != [8]byte{0x2C, 0x7F, 0x4B, 0x35, 0xED, 0x9F, 0xDC, 0xFE} {
		t.Errorf("%+v", d.Payload)
	}
}

func TestMC_DPL8R_2_2_2_EveryFlag(t *testing.T) {
	for bit, name := range []string{"data", "reliable", "sequential", "poll", "new_msg", "end_msg", "user_1", "user_2"} {
		if got := Fields[fCommand].Bits[bit]; got.Mask != 1<<bit || got.Name != name {
			t.Errorf("command bit %d: %+v, want %s", bit, got, name)
		}
		f, _ := mustDecode(t, []byte{1 | 1<<bit, 0, 9, 8}, unsigned16)
		if f.Type != TypeDFrame || f.DFrame.Command != Data|Command(1)<<bit {
			t.Errorf("command bit %d: %+v", bit, f.DFrame.Command)
		}
	}
	for bit, name := range []string{"retry", "keepalive", "coalesce", "end_stream", "sack1", "sack2", "send1", "send2"} {
		if got := Fields[fControl].Bits[bit]; got.Mask != 1<<bit || got.Name != name {
			t.Errorf("control bit %d: %+v, want %s", bit, got, name)
		}
	}
	for _, c := range []Control{CtlRetry, CtlEndStream, CtlRetry | CtlEndStream} {
		if f, _ := mustDecode(t, []byte{0x37, byte(c), 9, 8}, unsigned16); f.DFrame.Control != c {
			t.Errorf("control %#x", f.DFrame.Control)
		}
	}
	// AMB-DP8-25: the test for data comes first, 81 is a data frame with USER_2.
	if f, _ := mustDecode(t, []byte{0x81, 1, 0, 0}, anyParams); f.Type != TypeDFrame || f.DFrame.Command != Data|User2 {
		t.Errorf("81: %v", f.Type)
	}
}

// Every combination of the four masks, after them a signature and a payload.
func TestMC_DPL8R_2_2_2_MaskCombinations(t *testing.T) {
	for combo := range 16 {
		t.Run(fmt.Sprintf("control_%02x", combo<<4), func(t *testing.T) {
			payload := []byte{0x37, byte(combo << 4), 10, 20}
			var words [4]uint64
			for i := range words {
				if combo>>i&1 != 0 {
					payload = append(payload, 0x10+byte(i), 0, 0, 0x80)
					words[i] = 0x80000010 + uint64(i)
				}
			}
			sig := len(payload)
			payload = append(payload, "SIGNATUR!"...)
			for _, p := range []Params{unsigned16, signed16} {
				f, tree := mustDecode(t, payload, p)
				d := &f.DFrame
				if d.SACKMask != words[1]<<32|words[0] || d.SendMask != words[3]<<32|words[2] {
					t.Errorf("masks %016x %016x", d.SACKMask, d.SendMask)
				}
				if p == signed16 && (d.SignatureOff != sig || string(d.Signature[:]) != "SIGNATUR" || string(d.Payload) != "!") {
					t.Errorf("signature at %d, payload %q", d.SignatureOff, d.Payload)
				}
				checkTiles(t, tree)
			}
		})
	}
}

// Whether bit 02 of bControl means a KeepAlive or asks for an acknowledgement:
// by version, by signing, and by guess when they are not known (AMB-DP8-05).
func TestMC_DPL8R_2_2_2_KeepAliveOrCorrelate(t *testing.T) {
	const id, sig = "C6 AE C9 79", "01 02 03 04 05 06 07 08"
	for _, tt := range []struct {
		name, bytes       string
		params            Params
		keepAlive, signed bool
		payload           int
	}{
		{"1.6 unsigned", "3F 02 00 00" + id, unsigned16, true, false, 0},
		{"1.5 unsigned", "3F 02 00 00" + id, Params{Unsigned, Version15}, true, false, 0},
		{"1.6 signed", "3F 02 00 00" + sig + id, signed16, true, true, 0},
		{"1.6, signing unknown, short", "3F 02 00 00" + id, Params{Version: Version16}, true, false, 0},
		{"1.6, signing unknown, long", "3F 02 00 00" + sig + id, Params{Version: Version16}, true, true, 0},
		{"1.6, signing unknown, with payload", "3F 02 00 00" + id + "41", Params{Version: Version16}, true, false, 1},
		{"1.6 with a payload, which is not data", "3F 02 00 00" + id + "41", unsigned16, true, false, 1},
		{"1.6 signed with a payload", "3F 02 00 00" + sig + id + "41 42", signed16, true, true, 2},
		{"1.6, flags of the KeepAlive missing", "31 02 00 00" + id, unsigned16, true, false, 0},
		{"1.6, coalesced bit is ignored", "3F 06 00 00" + id, unsigned16, true, false, 0},
		{"1.4: a request for an acknowledgement", "3F 02 00 00" + id, unsigned14, false, false, 4},
		{"1.4, signing unknown", "3F 02 00 00" + id, Params{Version: 0x00010004}, false, false, 4},
		{"unknown version, unsigned", "3F 02 00 00" + id, Params{Signing: Unsigned}, true, false, 0},
		{"unknown version, unsigned, twelve bytes", "3F 02 00 00" + sig + id, Params{Signing: Unsigned}, false, false, 12},
		{"unknown version, signed", "3F 02 00 00" + sig + id, Params{Signing: Signed}, true, true, 0},
		{"unknown version, signed, other size", "3F 02 00 00" + sig + id + "00", Params{Signing: Signed}, false, true, 5},
		{"nothing known, four bytes", "3F 02 00 00" + id, anyParams, true, false, 0},
		{"nothing known, twelve bytes", "3F 02 00 00" + sig + id, anyParams, true, true, 0},
		{"nothing known, five bytes", "3F 02 00 00" + id + "00", anyParams, false, false, 5},
		{"nothing known, no bytes", "3F 02 00 00", anyParams, false, false, 0},
		{"nothing known, NEW missing as in the list of 2.2.2", "2F 02 00 00" + id, anyParams, true, false, 0},
		{"nothing known, not reliable", "3D 02 00 00" + id, anyParams, false, false, 4},
		{"nothing known, not sequential", "3B 02 00 00" + id, anyParams, false, false, 4},
		{"nothing known, no END", "1F 02 00 00" + id, anyParams, false, false, 4},
		{"nothing known, a retry", "3F 03 00 00" + id, anyParams, true, false, 0},
		{"nothing known, behind a mask", "3F 12 00 00 01 00 00 00" + id, anyParams, true, false, 0},
		{"bit clear", "3F 00 00 00" + id, anyParams, false, false, 4},
		{"bit clear, 1.6", "3F 00 00 00" + id, unsigned16, false, false, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, tree := mustDecode(t, dissecttest.Unhex(t, tt.bytes), tt.params)
			d := &f.DFrame
			if d.KeepAlive != tt.keepAlive || d.HasSignature != tt.signed || len(d.Payload) != tt.payload || d.Coalesced {
				t.Errorf("keepalive %v signed %v payload %d, want %v %v %d", d.KeepAlive, d.HasSignature, len(d.Payload), tt.keepAlive, tt.signed, tt.payload)
			}
			if want := map[bool]uint32{true: sessionID}[tt.keepAlive]; d.SessionID != want {
				t.Errorf("session %#x, want %#x", d.SessionID, want)
			}
			checkTiles(t, tree)
		})
	}
}

func TestMC_DPL8R_3_1_6_6_EmptyKeepAlive(t *testing.T) {
	for s, want := range map[string]bool{
		"37 00 05 03":                true,
		"3F 02 05 03":                true,  // with a request for an acknowledgement
		"35 00 05 03":                false, // not reliable
		"37 00 05 03 41":             false,
		"37 08 05 03":                false, // end of stream
		"37 10 05 03 01 00 00 00":    true,
		"37 10 05 03 01 00 00 00 41": false,
	} {
		if f, _ := mustDecode(t, dissecttest.Unhex(t, s), unsigned14); f.DFrame.IsEmptyKeepAlive() != want {
			t.Errorf("%s: %v", s, !want)
		}
	}
}

// A reused frame keeps nothing of the frame before.
func TestMC_DPL8R_2_2_2_ReuseForgets(t *testing.T) {
	var f Frame
	f.Decode(dissecttest.Unhex(t, "3FF20940 01000000 00000080 03000000 01000000 0102030405060708 c6aec979 41"), signed16, nil)
	if d := &f.DFrame; !d.KeepAlive || !d.HasSignature || len(d.Payload) != 1 {
		t.Fatal("the first frame is not what this test needs")
	}
	f.Decode(dissecttest.Unhex(t, "37 00 05 03"), unsigned16, nil)
	if d := &f.DFrame; d.SACKMask != 0 || d.SendMask != 0 || d.HasSignature || d.Signature != [8]byte{} || d.SignatureOff != 0 ||
		d.KeepAlive || d.SessionID != 0 || d.Payload != nil || d.Coalesced {
		t.Errorf("%+v", d.Payload)
	}
	if f.Decode(dissecttest.Unhex(t, "37 00 05 03 01 02"), signed16, nil) == nil || f.DFrame.HasSignature {
		t.Error("a signature that is cut off is not there")
	}
}

func TestMC_DPL8R_2_2_2_ErrorTexts(t *testing.T) {
	for _, tt := range []struct {
		bytes  string
		params Params
		want   string
	}{
		{"3F", anyParams, "dp8.control at byte 1: truncated: want 1 byte, have 0 (MC-DPL8R 2.2.2)"},
		{"3F 00", anyParams, "dp8.seq at byte 2: truncated: want 1 byte, have 0 (MC-DPL8R 2.2.2)"},
		{"3F 00 05", anyParams, "dp8.nrcv at byte 3: truncated: want 1 byte, have 0 (MC-DPL8R 2.2.2)"},
		{"3F 10 05 03 01", anyParams, "dp8.sack_mask at byte 4: truncated: want 4 bytes, have 1 (MC-DPL8R 2.2.2)"},
		{"3F 30 05 03 01 00 00 00", anyParams, "dp8.sack_mask at byte 4: truncated: want 8 bytes, have 4 (MC-DPL8R 2.2.2)"},
		{"3F 50 05 03 01 00 00 00 02", anyParams, "dp8.send_mask at byte 8: truncated: want 4 bytes, have 1 (MC-DPL8R 2.2.2)"},
		{"3F C0 05 03 01 00 00 00 02", anyParams, "dp8.send_mask at byte 4: truncated: want 8 bytes, have 5 (MC-DPL8R 2.2.2)"},
		{"3F 00 05 03 01 02 03", signed16, "dp8.signature at byte 4: truncated: want 8 bytes, have 3 (MC-DPL8R 3.1.5.2.7)"},
		{"3F 02 05 03 01 02 03", unsigned16, "dp8.session_id at byte 4: truncated: want 4 bytes, have 3 (MC-DPL8R 2.2.1.1)"},
		{"3F 02 05 03 01 02 03 04 05 06 07 08 09", signed16, "dp8.session_id at byte 12: truncated: want 4 bytes, have 1 (MC-DPL8R 2.2.1.1)"},
	} {
		wantError(t, dissecttest.Unhex(t, tt.bytes), tt.params, tt.want)
	}
	// What was read before the error stays.
	f, tree := wantError(t, dissecttest.Unhex(t, "3F 50 05 03 01 00 00 00 02"), anyParams, "dp8.send_mask at byte 8: truncated: want 4 bytes, have 1 (MC-DPL8R 2.2.2)")
	if d := &f.DFrame; f.Type != TypeDFrame || d.Seq != 5 || d.NRcv != 3 || d.SACKMask != 1 {
		t.Errorf("%+v", d)
	}
	wantIDs(t, tree, &Fields[fSacked], 4)
	wantTree(t, tree, want{"dp8.command", 0, 1, 0x3F}, want{"dp8.control", 1, 1, 0x50}, want{"dp8.seq", 2, 1, 5}, want{"dp8.nrcv", 3, 1, 3},
		want{"dp8.sack_mask", 4, 4, 1}, want{"frame.undecoded", 8, 1, 0})
}
