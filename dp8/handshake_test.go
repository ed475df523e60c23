package dp8

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect/dissecttest"
)

func TestMC_DPL8R_4_1_Handshake(t *testing.T) {
	tests := []struct {
		name, bytes string
		typ         Type
		want        Handshake
	}{
		{"MC-DPL8R_2.2.1.1/connect", "88 01 00 00 06 00 01 00 C6 AE C9 79 9D 36 67 23", TypeConnect,
			Handshake{Command: CFrame | Poll, Opcode: OpConnect, Version: Version16, SessionID: sessionID, Timestamp: 0x2367369D}},
		{"MC-DPL8R_2.2.1.2/connected_of_the_listener", "88 02 00 00 06 00 01 00 C6 AE C9 79 E1 DF 04 00", TypeConnected,
			Handshake{Command: CFrame | Poll, Opcode: OpConnected, Version: Version16, SessionID: sessionID, Timestamp: 0x0004DFE1}},
		{"MC-DPL8R_2.2.1.2/connected_of_the_connector", "80 02 01 00 06 00 01 00 C6 AE C9 79 9D 36 67 23", TypeConnected,
			Handshake{Command: CFrame, Opcode: OpConnected, MsgID: 1, Version: Version16, SessionID: sessionID, Timestamp: 0x2367369D}},
		{"MC-DPL8R_2.2.1.4/hard_disconnect", "80 04 02 09 05 00 01 00 C6 AE C9 79 9D 36 67 23", TypeHardDisconnect,
			Handshake{Command: CFrame, Opcode: OpHardDisconnect, MsgID: 2, RspID: 9, Version: Version15, SessionID: sessionID, Timestamp: 0x2367369D}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, p := range allParams() {
				f, tree := mustDecode(t, dissecttest.Unhex(t, tt.bytes), p)
				if f.Type != tt.typ || !equalHandshake(&f.Handshake, &tt.want) {
					t.Errorf("%+v: %v %+v, want %v %+v", p, f.Type, f.Handshake, tt.typ, tt.want)
				}
				wantTree(t, tree,
					want{"dp8.command", 0, 1, uint64(tt.want.Command)}, want{"dp8.opcode", 1, 1, uint64(tt.want.Opcode)},
					want{"dp8.msg_id", 2, 1, uint64(tt.want.MsgID)}, want{"dp8.rsp_id", 3, 1, uint64(tt.want.RspID)},
					want{"dp8.version", 4, 4, uint64(tt.want.Version)}, want{"dp8.session_id", 8, 4, sessionID},
					want{"dp8.timestamp", 12, 4, uint64(tt.want.Timestamp)})
			}
		})
	}
}

func equalHandshake(a, b *Handshake) bool {
	x, y := *a, *b
	x.Trailing, y.Trailing = nil, nil
	return string(a.Trailing) == string(b.Trailing) && x.Command == y.Command && x.Opcode == y.Opcode && x.MsgID == y.MsgID && x.RspID == y.RspID &&
		x.Version == y.Version && x.SessionID == y.SessionID && x.Timestamp == y.Timestamp && x.ConnectSig == y.ConnectSig &&
		x.SenderSecret == y.SenderSecret && x.ReceiverSecret == y.ReceiverSecret && x.SigningOpts == y.SigningOpts &&
		x.EchoTimestamp == y.EchoTimestamp && x.HasSignature == y.HasSignature && x.Signature == y.Signature
}

func TestMC_DPL8R_2_2_1_3_ConnectedSigned(t *testing.T) {
	cookie := [8]byte{0x10, 0x32, 0x54, 0x76, 0x98, 0xBA, 0xDC, 0xFE}
	listener := "88 03 00 00 06 00 01 00 C6 AE C9 79 E1 DF 04 00 10 32 54 76 98 BA DC FE 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00"
	connector := "80 03 01 00 06 00 01 00 C6 AE C9 79 9D 36 67 23 10 32 54 76 98 BA DC FE 88 77 66 55 44 33 22 11 11 22 33 44 55 66 77 88 02 00 00 00 E1 DF 04 00"
	f, _ := mustDecode(t, dissecttest.Unhex(t, listener), anyParams)
	if want := (Handshake{Command: CFrame | Poll, Opcode: OpConnectedSigned, Version: Version16, SessionID: sessionID, Timestamp: 0x0004DFE1,
		ConnectSig: cookie, SigningOpts: SigningFull}); f.Type != TypeConnectedSigned || !equalHandshake(&f.Handshake, &want) {
		t.Errorf("listener: %+v", f.Handshake)
	}
	f, tree := mustDecode(t, dissecttest.Unhex(t, connector), signed16)
	if want := (Handshake{Command: CFrame, Opcode: OpConnectedSigned, MsgID: 1, Version: Version16, SessionID: sessionID, Timestamp: 0x2367369D,
		ConnectSig: cookie, SenderSecret: senderSecret, ReceiverSecret: receiverSecret, SigningOpts: SigningFull, EchoTimestamp: 0x0004DFE1}); !equalHandshake(&f.Handshake, &want) {
		t.Errorf("connector: %+v", f.Handshake)
	}
	wantTree(t, tree,
		want{"dp8.command", 0, 1, 0x80}, want{"dp8.opcode", 1, 1, 3}, want{"dp8.msg_id", 2, 1, 1}, want{"dp8.rsp_id", 3, 1, 0},
		want{"dp8.version", 4, 4, Version16}, want{"dp8.session_id", 8, 4, sessionID}, want{"dp8.timestamp", 12, 4, 0x2367369D},
		want{"dp8.connect_sig", 16, 8, 0}, want{"dp8.sender_secret", 24, 8, 0}, want{"dp8.receiver_secret", 32, 8, 0},
		want{"dp8.signing_opts", 40, 4, 2}, want{"dp8.echo_timestamp", 44, 4, 0x4DFE1})
}

func TestMC_DPL8R_2_2_1_4_HardDisconnectSignature(t *testing.T) {
	const head = "80 04 02 01 06 00 01 00 C6 AE C9 79 9D 36 67 23 "
	sig := [8]byte{0x9D, 0xCA, 0x31, 0x39, 0x19, 0x8E, 0x41, 0x46}
	const sigHex = "9D CA 31 39 19 8E 41 46"
	for _, tt := range []struct {
		name, tail string
		signing    Signing
		signed     bool
		trailing   int
	}{
		{"unknown, none", "", SigningUnknown, false, 0},
		{"unknown, eight bytes are one", sigHex, SigningUnknown, true, 0},
		{"unknown, seven bytes are none", "01 02 03 04 05 06 07", SigningUnknown, false, 7},
		{"unknown, nine bytes are none", sigHex + "00", SigningUnknown, false, 9},
		{"unsigned", "", Unsigned, false, 0},
		{"unsigned, eight bytes are trailing", sigHex, Unsigned, false, 8},
		{"signed", sigHex, Signed, true, 0},
		{"signed, with trailing bytes", sigHex + "AA BB", Signed, true, 2},
		{"signed, but it has none", "", Signed, false, 0},
		{"signed, but it is too short", "01 02 03", Signed, false, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, tree := mustDecode(t, dissecttest.Unhex(t, head+tt.tail), Params{Signing: tt.signing})
			h := &f.Handshake
			if h.HasSignature != tt.signed || len(h.Trailing) != tt.trailing || h.RspID != 1 {
				t.Errorf("signature %v, %d trailing bytes, want %v, %d", h.HasSignature, len(h.Trailing), tt.signed, tt.trailing)
			}
			if tt.signed && h.Signature != sig || !tt.signed && h.Signature != [8]byte{} {
				t.Errorf("signature % x", h.Signature)
			}
			checkTiles(t, tree)
		})
	}
}

func TestMC_DPL8R_2_2_1_Trailing(t *testing.T) {
	f, tree := mustDecode(t, dissecttest.Unhex(t, "88 01 00 00 06 00 01 00 C6 AE C9 79 9D 36 67 23 DE AD BE EF"), anyParams)
	if string(f.Handshake.Trailing) != "\xde\xad\xbe\xef" || f.Handshake.HasSignature {
		t.Errorf("%+v", f.Handshake)
	}
	if n := tree.Find(&Fields[fTrailing]); n == nil || n.Off != 16 || n.Len != 4 {
		t.Errorf("trailing row %+v", n)
	}
}

// A reused frame keeps nothing of the frame before: a cookie or a secret of
// another handshake would be believed.
func TestMC_DPL8R_2_2_1_3_ReuseForgetsSecrets(t *testing.T) {
	var f Frame
	for _, s := range Samples() {
		f.Decode(s, anyParams, nil)
	}
	f.Decode(dissecttest.Unhex(t, "8003010006000100c6aec9799d3667231032547698badcfe88776655443322111122334455667788 02000000e1df0400"), anyParams, nil)
	for _, short := range []string{"88 01 00 00 06 00 01 00 C6 AE C9 79 9D 36 67 23", "80 03 01 00 06 00 01 00 C6 AE C9 79 9D 36"} {
		f.Decode(dissecttest.Unhex(t, short), anyParams, nil)
		if h := f.Handshake; h.ConnectSig != [8]byte{} || h.SenderSecret != [8]byte{} || h.ReceiverSecret != [8]byte{} || h.SigningOpts != 0 || h.EchoTimestamp != 0 {
			t.Errorf("%s: %+v", short, h)
		}
	}
}

func TestMC_DPL8R_2_2_1_ErrorTexts(t *testing.T) {
	for _, tt := range []struct{ bytes, want string }{
		{"", "dp8.command at byte 0: truncated: want 1 byte, have 0 (MC-DPL8R 2.2.2)"},
		{"88", "dp8.opcode at byte 1: truncated: want 1 byte, have 0 (MC-DPL8R 2.2.1)"},
		{"88 01", "dp8.msg_id at byte 2: truncated: want 1 byte, have 0 (MC-DPL8R 2.2.1.1)"},
		{"88 01 00", "dp8.rsp_id at byte 3: truncated: want 1 byte, have 0 (MC-DPL8R 2.2.1.2)"},
		{"88 01 00 00 06 00 01", "dp8.version at byte 4: truncated: want 4 bytes, have 3 (MC-DPL8R 2.2.1.1)"},
		{"88 01 00 00 06 00 01 00 C6 AE C9", "dp8.session_id at byte 8: truncated: want 4 bytes, have 3 (MC-DPL8R 2.2.1.1)"},
		{"88 01 00 00 06 00 01 00 C6 AE C9 79", "dp8.timestamp at byte 12: truncated: want 4 bytes, have 0 (MC-DPL8R 2.2.1.1)"}, // AMB-DP8-24
		{"80 03 00 00 06 00 01 00 C6 AE C9 79 00 00 00 00", "dp8.connect_sig at byte 16: truncated: want 8 bytes, have 0 (MC-DPL8R 2.2.1.3)"},
		{"80 05 00 00 06 00 01 00 C6 AE C9 79", "dp8.opcode at byte 1: unknown opcode (MC-DPL8R 2.2.1)"},
		{"90 02 00 00", "dp8.command at byte 0: neither a data frame nor a command frame (MC-DPL8R 2.2.1)"},
		{"C8 01 00 00 06 00 01 00", "dp8.command at byte 0: neither a data frame nor a command frame (MC-DPL8R 2.2.1)"},
		{"00 02 00 00", "dp8.command at byte 0: neither a data frame nor a command frame (MC-DPL8R 2.2.1)"},
	} {
		for _, p := range allParams() {
			wantError(t, dissecttest.Unhex(t, tt.bytes), p, tt.want)
		}
	}
}
