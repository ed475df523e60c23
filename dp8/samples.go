package dp8

import "encoding/hex"

// Samples are valid datagrams of every type, as a decoder that knows neither
// version nor signing takes them: the examples of MC-DPL8R 4.1 and 4.2, signed
// frames, masks, coalesced payloads and parts of messages.
func Samples() [][]byte {
	samples := make([][]byte, 0, len(sampleHex))
	for _, s := range sampleHex {
		b, err := hex.DecodeString(s)
		if err != nil {
			continue // a test decodes each of them
		}
		samples = append(samples, b)
	}
	return samples
}

var sampleHex = [...]string{
	// MC-DPL8R 4.1: the handshake, unsigned, and the first KeepAlive.
	"8801000006000100c6aec9799d366723",
	"8802000006000100c6aec979e1df0400",
	"8002010006000100c6aec9799d366723",
	"3f020000c6aec979",
	// MC-DPL8R 4.2: a data frame and its acknowledgement.
	"3d000503014142434445",
	"8006010003060000075d1100",
	// CONNECTED_SIGNED of a listener and of a connector, full signing.
	"8803000006000100c6aec979e1df0400" + "1032547698badcfe" + "0000000000000000" + "0000000000000000" + "0200000000000000",
	"8003010006000100c6aec9799d366723" + "1032547698badcfe" + "8877665544332211" + "1122334455667788" + "02000000e1df0400",
	// HARD_DISCONNECT, unsigned and signed.
	"8004020006000100c6aec979a0366723",
	"8004020106000100c6aec9799d366723" + "9dca3139198e4146",
	// SACK with one mask, with all masks, signed, signed with masks.
	"8006030103060000075d1100" + "05000000",
	"80061f0040300000075d1100" + "01000080" + "03000000" + "00000001" + "10000000",
	"800601000101000007000000" + "e0bf16932e21068d",
	"80060b000101000007000000" + "04000000" + "01000000" + "e0bf16932e21068d",
	// KeepAlive, signed.
	"3f020000" + "4f1239aedecc862c" + "c6aec979",
	// Data: signed with a SACK mask, a retry with all masks, end of stream, no payload.
	"37100502" + "02000000" + "87c4c97fa5ac5e85" + "616263",
	"3ff10940" + "01000000" + "00000080" + "03000000" + "01000000" + "68656c6c6f",
	"3f080a07",
	"37000b07",
	// First, middle and last part of a message; unordered; voice; a core message.
	"17000c07" + "6669727374",
	"07000d07" + "6d6964646c65",
	"27000e07" + "6c617374",
	"31000f07" + "756e6f726465726564",
	"b1001007" + "00010203",
	"7f000102" + "c2000000" + "0000000000000000",
	// Coalesced: two parts, three parts, one part of 300 bytes, core message and empty part.
	"37040200" + "03060205" + "41424300" + "4445",
	"33040300" + "030202020101" + "0000" + "41424300" + "44450000" + "46",
	"33040400" + "2c09" + "0000" + zeros300,
	"77040500" + "08420005" + "d000000011223344",
}

// zeros300 is 300 bytes in hex.
const (
	zeros30  = "000000000000000000000000000000000000000000000000000000000000"
	zeros300 = zeros30 + zeros30 + zeros30 + zeros30 + zeros30 + zeros30 + zeros30 + zeros30 + zeros30 + zeros30
)
