package compare

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/internal/capture"
)

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

// tunnelOf names what a packet shows that hides datagrams, "" for nothing.
func tunnelOf(p *capture.Packet) string {
	const esp = 50
	switch b := p.Payload; {
	case p.Class == capture.NotUDP:
		for _, at := range []int{14, 16, 20, 0} {
			if d := p.Record.Data; len(d) >= at+20 && d[at] == 0x45 && d[at+9] == esp {
				return "ESP"
			}
		}
	case p.Class != capture.UDP || len(b) < 16:
	case b[0] >= 1 && b[0] <= 4 && b[1]|b[2]|b[3] == 0 && (p.Length == 148 || p.Length == 92):
		return "WireGuard"
	case b[0] >= 20 && b[0] <= 23 && b[1] == 0xfe && (b[2] == 0xff || b[2] == 0xfd) && int(binary.BigEndian.Uint16(b[11:]))+13 <= p.Length:
		return "DTLS"
	}
	return ""
}
