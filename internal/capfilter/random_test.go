package capfilter

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A writerOf expressions makes random ones of the language, some of them wrong.
type expressions struct {
	*rand.Rand
	link uint32
}

// one picks one of the words.
func (x *expressions) one(words ...string) string { return words[x.IntN(len(words))] }

// expression makes one with about n primitives.
func (x *expressions) expression(n int) string {
	e := x.term(n)
	for n > 1 && x.IntN(3) > 0 {
		n -= 1 + x.IntN(2)
		op := x.one(" and ", " or ", " && ", " || ", " or ", " and ")
		if x.IntN(4) == 0 {
			e += op + x.one("", "", "not ") + x.id()
		} else {
			e += op + x.term(n)
		}
	}
	return e
}

// term makes a primitive, a relation or a group.
func (x *expressions) term(n int) string {
	switch k := x.IntN(20); {
	case k < 2:
		return x.one("not ", "!") + x.term(n)
	case k < 6 && n > 1:
		return "(" + x.expression(n-1) + ")"
	case k < 10:
		return x.relation()
	}
	return x.primitive()
}

// primitive makes a primitive, with few addresses and numbers so that tests of an
// expression meet.
func (x *expressions) primitive() string {
	switch x.IntN(16) {
	case 0, 1:
		return x.one("ip", "ip6", "arp", "rarp", "tcp", "udp", "sctp", "icmp", "icmp6", "igmp", "pim", "esp", "vrrp")
	case 2, 3, 4:
		return x.one("", "", "", "tcp ", "udp ", "sctp ", "ip ") + x.dir() + "port " + x.ids(x.port)
	case 5:
		return x.one("", "tcp ", "udp ") + x.dir() + "portrange " + x.ids(func() string { return x.port() + x.one("-"+x.port(), "") })
	case 6, 7, 8:
		return x.one("", "", "", "ip ", "ip6 ", "arp ", "rarp ") + x.dir() + x.one("host ", "host ", "") + x.ids(x.host)
	case 9, 10:
		return x.one("", "", "ip ", "arp ", "ip6 ") + x.dir() + "net " + x.ids(x.net)
	case 11:
		return x.one("ether ", "ether ", "ip ", "") + x.dir() + "host " + x.ids(x.mac)
	case 12:
		return x.one("ip ", "ip6 ", "", "ether ") + "proto " + x.ids(x.proto)
	case 13:
		return x.one("less ", "greater ") + fmt.Sprint(40+x.IntN(60))
	case 14:
		return x.one("vlan", "vlan 5", "vlan 100", "vlan", "ip")
	}
	return x.one("broadcast", "multicast", "ether multicast", "ip multicast", "ip6 multicast", "ether broadcast")
}

func (x *expressions) dir() string {
	return x.one("", "", "", "src ", "dst ", "src or dst ", "src and dst ", "dst or src ")
}

// ids makes one id, or several in parentheses.
func (x *expressions) ids(one func() string) string {
	if x.IntN(6) > 0 {
		return x.one("", "", "", "", "", "not ") + one()
	}
	return "(" + one() + x.one(" or ", " and ", " || ") + x.one("", "", "not ") + one() + ")"
}

// id makes what may stand without qualifiers.
func (x *expressions) id() string {
	return x.ids(func() string { return x.one(x.port(), x.port(), x.host(), x.net(), x.proto()) })
}

func (x *expressions) port() string { return x.one("53", "80", "443", "2302", "0x50") }
func (x *expressions) host() string {
	return x.one("10.0.0.1", "10.0.0.2", "10.0.0.1", "192.168.1.77", "fe80::1", "2001:db8::5:1", "10.0", "7")
}
func (x *expressions) net() string {
	return x.one("10", "10.0.0.0/8", "10.0", "192.168.1.0/24", "fe80::/10", "2001:db8::/32", "2001:db8::/44", "10.0.0.0 mask 255.0.255.0", "0.0.0.0/0")
}
func (x *expressions) mac() string {
	return x.one("2:0:0:0:0:1", "02-00-00-00-00-02", "0200.0000.0001")
}
func (x *expressions) proto() string {
	return x.one("6", "17", "132", "0x800", "2054", `\tcp`, `\udp`, "44", `\ip`)
}

// relation makes a comparison of two sums.
func (x *expressions) relation() string {
	return x.sum(2) + " " + x.one("=", "==", "!=", "<", ">", "<=", ">=", "=", "!=") + " " + x.sum(1)
}

// sum makes a sum with up to n operators or so.
func (x *expressions) sum(n int) string {
	switch k := x.IntN(10); {
	case k < 3 && n > 0:
		return x.sum(n-1) + x.one(" + ", " - ", " & ", " | ", " * ", " / ", " % ", " ^ ", " << ", " >> ", " & ", " + ") + x.sum(n-1)
	case k < 4 && n > 0:
		return "(" + x.sum(n-1) + ")"
	case k < 8:
		return x.load(n)
	case k < 9 || n < 2 && x.IntN(2) > 0:
		return x.one("0", "1", "2", "4", "0x3f", "0xff00", "31", "60", "tcp-syn", "icmp-echo", "-1", "2048")
	}
	return "len"
}

// load makes a load, of few places.
func (x *expressions) load(n int) string {
	index := x.one("0", "1", "2", "6", "12", "0", "2", "tcpflags")
	if n > 0 && x.IntN(6) == 0 {
		index = x.sum(n - 1)
	}
	return x.one("ether", "ip", "udp", "tcp", "ip6", "icmp", "icmp6", "arp", "sctp", "link", "ip", "udp") +
		"[" + index + x.one("", "", ":2", ":4", ":1") + "]"
}

// many makes n expressions, in groups of different size.
func (x *expressions) many(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = strings.TrimSpace(x.expression(1 + i%5))
	}
	return all
}
