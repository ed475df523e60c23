package filter

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/dpdissect/dpdissect/dissect/syntax"
)

// parseAddress reads an address or a subnet, which is the range of its addresses.
func parseAddress(n *notation, a *atom) (interval[address], string) {
	prefix, err := parsePrefix(a.Text)
	if err != nil || a.Kind == tokChar {
		return interval[address]{}, fmt.Sprintf("%s is neither an address nor a subnet", a.Text)
	}
	if six := strings.HasPrefix(n.name, "ipv6."); six != prefix.Addr().Is6() {
		return interval[address]{}, fmt.Sprintf("%s is %s, and %s is not", a.Text, family(!six), n.name)
	}
	bits := prefix.Bits()
	if prefix.Addr().Is4() {
		bits += 96
	}
	raw := prefix.Masked().Addr().As16()
	lo := makeAddress(&raw)
	return interval[address]{lo, address{lo.high | hostBits(bits), lo.low | hostBits(bits-64)}}, ""
}

// hostBits are the bits of a 64-bit word after a prefix.
func hostBits(prefix int) uint64 {
	if prefix <= 0 {
		return ^uint64(0)
	}
	return ^uint64(0) >> min(prefix, 64)
}

func family(six bool) string {
	if six {
		return "IPv6"
	}
	return "IPv4"
}

// parsePrefix reads a subnet, or an address as the subnet of itself.
func parsePrefix(s string) (netip.Prefix, error) {
	if strings.Contains(s, "/") {
		return netip.ParsePrefix(s)
	}
	addr, err := netip.ParseAddr(s)
	if err != nil {
		return netip.Prefix{}, err
	}
	return addr.Prefix(addr.BitLen())
}

// layouts are the accepted notations of times.
var layouts = [...]string{
	time.RFC3339Nano, "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02 15:04:05",
	"2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02", "Jan 2, 2006 15:04:05", "Jan 2, 2006 15:04:05 UTC",
}

// parseTime reads a time, or seconds since 1970.
func parseTime(n *notation, a *atom) (interval[int64], string) {
	if v, ok := seconds(a.Text); ok && a.Kind == syntax.Word {
		return point(v), ""
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, a.Text); err == nil && a.Kind != tokChar && nanoYears(t) {
			return point(t.UnixNano()), ""
		}
	}
	return interval[int64]{}, fmt.Sprintf(`%s is not a time such as "2026-01-31T12:00:00.5Z", or "12:00:00.5" on the first day`, a.Text)
}

// nanoYears reports whether 64 bits of nanoseconds can hold a time.
func nanoYears(t time.Time) bool { return 1678 <= t.Year() && t.Year() < 2262 }

// parseSpan reads seconds with fractions.
func parseSpan(n *notation, a *atom) (interval[int64], string) {
	v, ok := seconds(a.Text)
	if !ok || a.Kind != syntax.Word {
		return interval[int64]{}, fmt.Sprintf("%s is not a number of seconds such as 0.25", a.Text)
	}
	return point(v), ""
}

// seconds reads a decimal number of seconds, exactly, as nanoseconds.
func seconds(s string) (int64, bool) {
	digits, negative := strings.CutPrefix(s, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	if digits == "" || digits == "." || len(fraction) > 9 || strings.ContainsAny(digits, "+-") {
		return 0, false
	}
	sec, err1 := strconv.ParseUint("0"+whole, 10, 33)
	nano, err2 := strconv.ParseUint((fraction + "000000000")[:9], 10, 30)
	if err1 != nil || err2 != nil {
		return 0, false
	}
	v := int64(sec)*1e9 + int64(nano)
	if negative {
		v = -v
	}
	return v, true
}
