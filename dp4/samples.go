package dp4

import "encoding/hex"

// Samples are valid datagrams: every type, indexes of one to three bytes, both
// readings of the extended flags with masks of every size, a service provider's
// header, core messages, and what a receiver must ignore.
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
	// Data: whole messages, reliable with SAK, not reliable, a retry, none at all.
	"01023d010100" + "68656c6c6f",
	"010238020200" + "776f726c64",
	"01023d030401" + "72657472" + "79",
	"010239040500",
	// First, middle and last part of a message.
	"010231050600" + "6669727374",
	"010221050701" + "6d6964646c65",
	"01022d050802" + "6c617374",
	// Indexes of two and three bytes, of each other's width, longer than needed, above 0xffff.
	"ff01" + "8001" + "39010100" + "61",
	"feff03" + "808001" + "39010100" + "61",
	"01" + "ffff03" + "38010100" + "61",
	"8100" + "828000" + "38010100" + "61",
	"ffff7f" + "02" + "38010100" + "61",
	// A core message: PING of version 14.
	"02013802" + "0200" + "706c617916000e000200000062aef019",
	// ACK, and one with flags that mean nothing and trailing bytes.
	"020102010100" + "79000000" + "1eaef019",
	"02011f010100" + "79000000" + "1eaef019" + "aabb",
	// NACK: no mask; one, two, three bytes of it, in both readings.
	"0201820002" + "04" + "fa220000" + "1eaef019",
	"0201822002" + "07" + "fa220000" + "1eaef019" + "03",
	"0201824002" + "07" + "fa220000" + "1eaef019" + "0580",
	"0201826002" + "fe" + "fa220000" + "1eaef019" + "ff00ff",
	"0201820202" + "07" + "fa220000" + "1eaef019" + "03",
	"0201820402" + "07" + "fa220000" + "1eaef019" + "0580",
	"0201820602" + "07" + "fa220000" + "1eaef019" + "ff00ff",
	"0201822002" + "07" + "fa220000" + "1eaef019" + "03" + "aabb",
	"8101feff03" + "820002" + "04" + "fa220000" + "1eaef019",
	// CMD and EXT: decoded, to be ignored; with masks, and EXT alone.
	"0102b1050500" + "00" + "61",
	"0102b9050500" + "20" + "0361",
	"0102b9050500" + "60" + "010203" + "616263",
	"010290050500" + "00",
	// A service provider's header.
	"2300b0fa" + "020008fc" + "00000000" + "0000000000000000" + "01023d010100" + "68656c6c6f2e2e2e2e",
	"2200b0ca" + "020008fc" + "0a040001" + "0000000000000000" + "020102010100" + "79000000" + "1eaef019",
}
