package capture

import "encoding/binary"

// Bits of the 802.11 frame control field (IEEE 802.11 9.2.4.1), its two bytes
// read as they stand.
const (
	wifiTypeMask  = 0x0c
	wifiData      = 0x08
	wifiNoPayload = 0x40 // subtype bit of Null frames
	wifiQoS       = 0x80 // subtype bit
	wifiToDS      = 0x01
	wifiFromDS    = 0x02
	wifiMoreFrags = 0x04
	wifiProtected = 0x40
	wifiHTC       = 0x80 // order bit: on QoS frames an HT control field
	wifiAMSDU     = 0x80 // bit of the QoS control field
)

// wifi reads an 802.11 data frame: frame control, duration (2 bytes each), three
// addresses (6 each), sequence control (2), a fourth address when both DS bits
// are set, QoS control (2), HT control (4), then LLC. Encrypted frames, fragments
// of frames and aggregates of several are not looked into. padded says that the
// header is filled up to a multiple of 4.
func wifi(b []byte, padded bool) (uint16, []byte) {
	if len(b) < 24 || b[0]&3 != 0 || b[0]&wifiTypeMask != wifiData || b[0]&wifiNoPayload != 0 {
		return unknown, b
	}
	if b[1]&(wifiProtected|wifiMoreFrags) != 0 || b[22]&0x0f != 0 {
		return unknown, b
	}
	n := 24
	if b[1]&wifiToDS != 0 && b[1]&wifiFromDS != 0 {
		n += 6
	}
	if b[0]&wifiQoS != 0 {
		if len(b) < n+2 || b[n]&wifiAMSDU != 0 {
			return unknown, b
		}
		n += 2
		if b[1]&wifiHTC != 0 {
			n += 4
		}
	}
	if padded {
		n = (n + 3) &^ 3
	}
	if len(b) < n {
		return unknown, b
	}
	return etherLLC, b[n:]
}

// Bits of radiotap.
const (
	radiotapTSFT  = 1 << 0 // 8 bytes, aligned to 8
	radiotapFlags = 1 << 1 // 1 byte
	radiotapMore  = 1 << 31

	radiotapFCS = 0x10 // the frame ends in a check sequence
	radiotapPad = 0x20 // the 802.11 header is padded to 4
)

// WiFi gives the 802.11 frame of a packet, without a check sequence, and whether its header is padded. In front
// of it radiotap has version, pad (1 byte each), length (2), bitmaps of 4 bytes as long as their top bit is set,
// then the fields; all little-endian.
func WiFi(rec *Record) (frame []byte, padded bool) {
	b := rec.Data
	if rec.Link != LinkRadiotap {
		return b, false
	}
	if len(b) < 8 || b[0] != 0 {
		return b[:0], false
	}
	n := int(binary.LittleEndian.Uint16(b[2:]))
	if n < 8 || n > len(b) {
		return b[:0], false
	}
	flags := radiotapFlagsOf(b[:n])
	b = b[n:]
	if whole := rec.WireLen <= len(rec.Data); flags&radiotapFCS != 0 && whole && len(b) >= 4 {
		b = b[:len(b)-4]
	}
	return b, flags&radiotapPad != 0
}

// radiotapFlagsOf finds the flags field in a header.
func radiotapFlagsOf(h []byte) byte {
	present := binary.LittleEndian.Uint32(h[4:])
	if present&radiotapFlags == 0 {
		return 0
	}
	at := 8
	for more := present; more&radiotapMore != 0; at += 4 {
		if at+4 > len(h) {
			return 0
		}
		more = binary.LittleEndian.Uint32(h[at:])
	}
	if present&radiotapTSFT != 0 {
		at = (at+7)&^7 + 8
	}
	if at >= len(h) {
		return 0
	}
	return h[at]
}
