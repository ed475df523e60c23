package capfilter

import "strings"

// parseMAC reads a MAC address: six bytes of one or two digits after one kind
// of separator, three groups of four digits after dots, or twelve digits.
func parseMAC(s string) (mac [6]byte, ok bool) {
	for _, sep := range [...]string{":", "-", "."} {
		if groups := strings.Split(s, sep); len(groups) == 6 {
			return sixBytes(groups)
		} else if len(groups) == 3 && sep == "." && len(groups[0]) == 4 && len(groups[1]) == 4 {
			s = strings.Join(groups, "")
		}
	}
	if len(s) != 12 {
		return mac, false
	}
	groups := make([]string, 6)
	for i := range groups {
		groups[i] = s[2*i : 2*i+2]
	}
	return sixBytes(groups)
}

// sixBytes reads six groups of one or two digits.
func sixBytes(groups []string) (mac [6]byte, ok bool) {
	for i, g := range groups {
		if len(g) == 0 || len(g) > 2 {
			return mac, false
		}
		for j := range len(g) {
			if !isHex(g[j]) {
				return mac, false
			}
			mac[i] = mac[i]<<4 | hexDigit(g[j])
		}
	}
	return mac, true
}

// hexDigit is the value of a hexadecimal digit.
func hexDigit(c byte) byte {
	if isDigit(c) {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
