package capfilter

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// expressions makes random ones of the language, some of them wrong.
type expressions struct{ *rand.Rand }

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
		op, right := x.one(" + ", " - ", " & ", " | ", " * ", " / ", " % ", " ^ ", " << ", " >> ", " & ", " + "), x.sum(n-1)
		if strings.Contains("<<>>", op[1:2]) && x.IntN(2) > 0 {
			right = "(" + right + " & 31)"
		}
		return x.sum(n-1) + op + right
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

// chain makes an expression of tests that often look at the same bytes, in and
// without parentheses: tcpdump moves and drops many of those.
func (x *expressions) chain(n int) string {
	if n <= 1 {
		return x.one("", "", "", "not ") + x.link2()
	}
	if x.IntN(3) == 0 {
		k := 1 + x.IntN(n-1)
		return x.one("", "not ") + "(" + x.chain(k) + x.one(" and ", " or ") + x.chain(n-k) + ")"
	}
	return x.chain(n-1) + x.one(" and ", " or ") + x.chain(1)
}

// link2 makes one test of a chain.
func (x *expressions) link2() string {
	at, k := x.one("0", "1", "2"), x.one("1", "2", "3")
	switch x.IntN(10) {
	case 0, 1, 2:
		return "ether[" + at + "]" + x.one("=", "!=", "=") + k
	case 3:
		return "ether[" + at + "] & " + k + x.one(" = 0", " != 0")
	case 4:
		return "udp[" + at + "] " + x.one("<", ">", "<=", ">=") + " " + k
	case 5:
		return "port " + x.port()
	}
	return x.one("ip", "ip6", "arp", "tcp", "udp", "src port 53", "dst port 53", "host 10.0.0.1", "src host 10.0.0.2",
		"udp port 53", "tcp dst port 80", "not ip src 10.0.0.1", "vlan", "less 60", "net 10", "port 80 or 443")
}

// TestRandomExpressions compares random expressions with tcpdump, and holds how
// many of those that it takes we refuse: widths of shifts that are no numbers, and ^
// or % without parentheses.
// DPDISSECT_FILTERS sets how many are tried of each kind, DPDISSECT_SEED which.
func TestRandomExpressions(t *testing.T) {
	d := newTcpdump(t)
	kinds := []struct {
		name string
		link uint32
		make func(x *expressions, i int) string
		most int // in a hundred
	}{
		{"language", 1, func(x *expressions, i int) string { return strings.TrimSpace(x.expression(1 + i%5)) }, 10},
		{"chains", 1, func(x *expressions, i int) string { return x.chain(2 + i%9) }, 1},
		{"cooked", 276, func(x *expressions, i int) string { return strings.TrimSpace(x.expression(1 + i%4)) }, 10},
		{"raw", 101, func(x *expressions, i int) string { return strings.TrimSpace(x.expression(1 + i%4)) }, 10},
		{"loopback", 0, func(x *expressions, i int) string { return strings.TrimSpace(x.expression(1 + i%4)) }, 10},
	}
	n, seed := envNumber("DPDISSECT_FILTERS", 10), envNumber("DPDISSECT_SEED", 1)
	for i, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			x := &expressions{rand.New(rand.NewPCG(uint64(seed), uint64(i)))}
			all := packets(k.link, 1000)
			agree, parted, wrong, both, alone, more := 0, 0, 0, 0, 0, 0
			for i := range n {
				e := k.make(x, i)
				c := compareWith(t, d, e, k.link, all, 300)
				if c.wrong != "" {
					t.Logf("tcpdump is wrong: %s: %s", e, c.wrong)
					wrong++
				}
				switch {
				case c.failure != "":
					t.Errorf("%s: %s", e, c.failure)
				case c.ours && !c.usual:
					more++
				case !c.usual:
					both++
				case !c.ours:
					alone++
				case c.parted:
					parted++
				default:
					agree++
				}
			}
			valid := agree + parted + alone
			t.Logf("%d expressions: of %d that tcpdump takes %d agree, %d but where we get stuck, %d we refuse (%.1f%%); %d only we take, %d neither does",
				n, valid, agree, parted, alone, 100*float64(alone)/float64(valid), more, both)
			if alone > 2+valid*k.most/100 {
				t.Errorf("we refuse more than %d %%", k.most)
			}
			if wrong > 1+valid/100 {
				t.Errorf("tcpdump is wrong too often to be wrong: %d times", wrong)
			}
		})
	}
}

// envNumber reads a number from the environment.
func envNumber(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}
