package compare

import "encoding/binary"

// fragmentID is the IPv4 identification of a packet that begins with a link layer, 0 where
// none is found: the header is looked for where the lengths of link layers put it.
func fragmentID(b []byte) uint16 {
	for _, at := range []int{14, 16, 20, 18, 22, 4, 0} {
		if len(b) >= at+20 && b[at] == 0x45 && int(binary.BigEndian.Uint16(b[at+2:])) <= len(b)-at && b[at+9] == 17 {
			return binary.BigEndian.Uint16(b[at+4:])
		}
	}
	return 0
}
