package dp8

import (
	"bytes"
	"testing"

	"github.com/dpdissect/dpdissect/dissect/dissecttest"
)

func TestMC_DPL8R_3_1_4_4_Signatures(t *testing.T) {
	next := senderSecret.Next(senderSecret)
	for _, tt := range []struct {
		name, bytes string
		secret      Secret
	}{
		{"KeepAlive of the connector", "3F 02 00 00 4F 12 39 AE DE CC 86 2C C6 AE C9 79", senderSecret},
		{"KeepAlive of the listener", "3F 02 00 00 91 80 94 B9 C2 69 76 96 C6 AE C9 79", receiverSecret},
		{"data with SACK1", "37 10 05 02 02 00 00 00 87 C4 C9 7F A5 AC 5E 85 61 62 63", senderSecret},
		{"SACK of the listener", "80 06 01 00 01 01 00 00 07 00 00 00 E0 BF 16 93 2E 21 06 8D", receiverSecret},
		{"HARD_DISCONNECT", "80 04 02 01 06 00 01 00 C6 AE C9 79 9D 36 67 23 9D CA 31 39 19 8E 41 46", senderSecret},
		{"data of epoch 1", "37 00 03 00 2C 7F 4B 35 ED 9F DC FE 68 69", next},
	} {
		t.Run(tt.name, func(t *testing.T) {
			payload := dissecttest.Unhex(t, tt.bytes)
			before := bytes.Clone(payload)
			f, tree := mustDecode(t, payload, signed16)
			sig, off := signatureOf(f, tree.Find(&Fields[FSignature]).Off)
			var scratch []byte
			for _, s := range []Secret{senderSecret, receiverSecret, next} {
				var sum [8]byte
				sum, scratch = Digest(scratch, payload, off, s)
				if (sum == sig) != (s == tt.secret) {
					t.Errorf("secret %x: digest %x, signature %x", s, sum, sig)
				}
			}
			if !bytes.Equal(before, payload) {
				t.Error("the payload was changed")
			}
			if n := testing.AllocsPerRun(20, func() { _, scratch = Digest(scratch, payload, off, tt.secret) }); n != 0 {
				t.Errorf("%v allocations", n)
			}
		})
	}
}

func signatureOf(f *Frame, off int) ([8]byte, int) {
	switch f.Type {
	case TypeDFrame:
		return f.DFrame.Signature, f.DFrame.SignatureOff
	case TypeSACK:
		return f.SACK.Signature, off
	}
	return f.Handshake.Signature, off
}

// Fast signing: the signature is the secret, as it stood in the handshake.
func TestMC_DPL8R_3_1_5_2_7_FastSignature(t *testing.T) {
	f, _ := mustDecode(t, dissecttest.Unhex(t, "3F 02 00 00 88 77 66 55 44 33 22 11 C6 AE C9 79"), signed16)
	if Secret(f.DFrame.Signature) != senderSecret || f.DFrame.SessionID != sessionID || !f.DFrame.KeepAlive {
		t.Errorf("%+v", f.DFrame.Signature)
	}
}

func TestMC_DPL8R_3_1_4_4_NextSecret(t *testing.T) {
	if got, want := senderSecret.Next(senderSecret), (Secret{0x36, 0xE3, 0x53, 0xD5, 0x08, 0x3B, 0x27, 0xC0}); got != want {
		t.Errorf("epoch 1: %x, want %x", got, want)
	}
	if senderSecret.Next(receiverSecret) == receiverSecret.Next(senderSecret) {
		t.Error("secret and modifier are not interchangeable")
	}
}

func BenchmarkDigest(bench *testing.B) {
	payload := dissecttest.Unhex(bench, "37 10 05 02 02 00 00 00 87 C4 C9 7F A5 AC 5E 85 61 62 63")
	var scratch []byte
	bench.ReportAllocs()
	for bench.Loop() {
		_, scratch = Digest(scratch, payload, 8, senderSecret)
	}
}
