package knet

import (
	"encoding/hex"
	"strings"
)

// Samples are valid datagrams of both dialects. Each is read by a decoder that
// does not know its dialect in the one it was made for.
func Samples() [][]byte {
	samples := make([][]byte, 0, len(sampleHex))
	for _, s := range sampleHex {
		b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
		if err != nil {
			continue // a test decodes each of them
		}
		samples = append(samples, b)
	}
	return samples
}

var sampleHex = [...]string{
	// reference: the connect datagram, the server's first and messages of all kinds.
	"0000000000000000",
	"810000 02200101 02200102",
	"C30000 0000 0B300014 00000000 70777E858C93",
	"840000 08200403000000000000",
	"8F0000 08200412000007000000",
	"000100 09001FBA430F00B1B8BFC6",
	"430000 0000 033000030000",
	"D80000 1700 043000FFFFFFFF",
	"920000 0420FEFFFFFF",
	// Fragments: the first, with an id of one byte, and a later one.
	"520000 0700 3FD100100163" + strings.Repeat("5a", 318),
	"530000 0B00 3E51000104" + strings.Repeat("a5", 318),
	// Large numbers: before the second form of the base, after it, deltas of two
	// bytes, after the wrap of the PacketID, an acknowledgement across it.
	"4DFF01 FF7F 0910001E6162636465666768",
	"6FFDFF 30F8FFFF 0D10001F6162636465666768696A6B6C",
	"7A1600 0C02 0310002A6162 0310A7012A6364",
	"400000 8C7F 0D10001E6162636465666768696A6B6C",
	"92FFFF 082004FEFF3F01000000",
	// Ids of two and four bytes, a longer form than needed, an empty body, ids 0–3.
	"1E0000 0200FC01 0400A09C0100 0300A00061 01002A",
	"050000 020000FF 080003FEFF3F00000000",
	// spec: what a client and a server say in the handshake.
	"000000 0800FDFFFFFF75736572",
	"010040 0400FBFFFFFF",
	// Dependencies: one by code, one by index, several; an acknowledgement of 34 bits.
	"0400C0 01 02 00 0308647879",
	"0A0080 06 00010203048101 000000000000 0238020005 6405 02300561 78 0120 61",
	"0B00C0 02 008001 010A 05380200017A31323334",
	"030080 00 080003010040010000 80",
	"2A0040 030002C800",
	// Fragments, and the end.
	"070040 0640 09 01 616263646566 03C00309E20761",
	"080040 00400901",
	"090080 00 0400FFFFFFFF",
	"090080 00 0400FEFFFFFF",
}
