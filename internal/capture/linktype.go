package capture

import "strconv"

// A LinkType is a LINKTYPE_ number of the tcpdump group's list: what the bytes
// of a packet begin with.
type LinkType uint32

// The link types whose packets are decoded.
const (
	LinkNull      LinkType = 0
	LinkEthernet  LinkType = 1
	LinkPPP       LinkType = 9
	LinkRaw12     LinkType = 12 // raw IP as some systems number it
	LinkRaw14     LinkType = 14
	LinkPPPHDLC   LinkType = 50
	LinkRaw       LinkType = 101
	LinkIEEE80211 LinkType = 105
	LinkLoop      LinkType = 108
	LinkSLL       LinkType = 113
	LinkRadiotap  LinkType = 127
	LinkPPPDir    LinkType = 204
	LinkIPv4      LinkType = 228
	LinkIPv6      LinkType = 229
	LinkSLL2      LinkType = 276
)

// Name is the name used in JSON, "" for a link type that is not decoded.
func (l LinkType) Name() string {
	switch l {
	case LinkNull:
		return "null"
	case LinkEthernet:
		return "ethernet"
	case LinkPPP, LinkPPPHDLC, LinkPPPDir:
		return "ppp"
	case LinkRaw, LinkRaw12, LinkRaw14, LinkIPv4, LinkIPv6:
		return "raw"
	case LinkIEEE80211:
		return "ieee802.11"
	case LinkLoop:
		return "loop"
	case LinkSLL:
		return "linux-sll"
	case LinkRadiotap:
		return "radiotap"
	case LinkSLL2:
		return "linux-sll2"
	}
	return ""
}

// otherLinks names link types that are met in the field but hold no game
// traffic, or none that is decoded: for messages only.
var otherLinks = map[LinkType]string{
	6: "Token Ring", 8: "SLIP", 10: "FDDI", 51: "PPPoE", 100: "ATM", 104: "Cisco HDLC", 107: "Frame Relay",
	117: "OpenBSD pflog", 119: "802.11 Prism", 122: "IP over Fibre Channel", 143: "DOCSIS", 163: "802.11 AVS",
	166: "PPP of pppd", 187: "Bluetooth HCI", 189: "Linux USB", 192: "PPI", 195: "IEEE 802.15.4", 201: "Bluetooth HCI",
	220: "Linux USB", 227: "SocketCAN", 230: "IEEE 802.15.4", 239: "NFLOG", 249: "USBPcap", 251: "Bluetooth LE",
	252: "Wireshark upper PDU", 253: "Netlink", 271: "vsock", 283: "IEEE 802.15.4 TAP",
}

// String gives "ethernet", "link type 195 (IEEE 802.15.4)" or "link type 300".
func (l LinkType) String() string {
	if n := l.Name(); n != "" {
		return n
	}
	s := "link type " + strconv.FormatUint(uint64(l), 10)
	if n := otherLinks[l]; n != "" {
		s += " (" + n + ")"
	}
	return s
}
