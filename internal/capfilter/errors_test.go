package capfilter

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// rejected are wrong expressions; testdata/errors.txt holds what is said of them.
var rejected = []struct {
	expr string
	link uint32
}{
	{"udp prt 53", 1}, {"foo", 1}, {"port domain", 1}, {"host localhost", 1}, {"host example.com", 1},
	{"net loopback", 1}, {"port 70000", 1}, {"portrange 1-70000", 1}, {"portrange 1-x", 1}, {"portrange 01-5", 1},
	{"10.0.0.1", 1}, {"80", 1}, {"udp 53", 1}, {"udp or 53", 1}, {"tcp or 443", 1}, {"vlan 5 or 6", 1},
	{"udp and", 1}, {"and udp", 1}, {"not", 1}, {"(udp", 1}, {"udp)", 1}, {"()", 1}, {"udp tcp", 1}, {"port", 1},
	{"port (80 or", 1}, {"port (80 tcp)", 1}, {"port (80 or tcp)", 1}, {"host", 1}, {"src", 1}, {"src tcp port 5", 1},
	{"ip port 80", 1}, {"udp src 10.0.0.1", 1}, {"tcp host 10.0.0.1", 1}, {"ip6 host 10.0.0.1", 1}, {"ip host ::1", 1},
	{"host 10.0.0.256", 1}, {"host 10.0.0.0/8", 1}, {"net 10.0.0.1/8", 1}, {"net 10.0.0.0/33", 1}, {"net 10.0.0.0/", 1},
	{"net ::1/129", 1}, {"net fe80::1/10", 1}, {"net 10.0.0.1 mask 255.0.0.0", 1}, {"net 10.0.0.0 mask 8", 1},
	{"host 1:2:3:4:5:6", 1}, {"ether host 10.0.0.1", 1}, {"ether net 1:2:3:4:5:6", 1}, {"ether 1:2:3:4:5:6", 1},
	{"ether host 1:2:3:4:5:6", 276}, {"ether", 1}, {"ip proto tcp", 1}, {"ip proto \\foo", 1}, {"tcp proto 5", 1},
	{"ether proto \\tcp", 1}, {"ether proto 0xe0", 1}, {"ip proto", 1}, {"proto \\", 1},
	{"vlan 4096", 1}, {"vlan", 101}, {"vlan and udp", 276}, {"less", 1}, {"less x", 1}, {"ip broadcast", 1},
	{"udp multicast", 1}, {"broadcast", 101}, {"ip multicast", 229}, {"arp", 101}, {"ip", 204},
	{"len", 1}, {"len =", 1}, {"len = x", 1}, {"len-5 = 3", 1}, {"udp[8", 1}, {"udp[8:3] = 1", 1}, {"udp[] = 1", 1},
	{"foo[0] = 1", 1}, {"esp[0] = 1", 1}, {"udp[8] = 1 = 2", 1}, {"1 = 2", 1}, {"1 / 0 = len", 1}, {"len % (2 - 2) = 1", 1},
	{"len << 40 = 1", 1}, {"len >> ip[0] = 1", 1}, {"ether[0] % 3 + 1 = 2", 1}, {"1 = ether[0] | len ^ 2", 1}, {"- len ^ 2 = 1", 1}, {"ether[0x7fffffff] = 1", 1}, {"len = 4294967296", 1}, {"port 08", 1},
	{"tcp and udp", 1}, {"ip and arp and host 10.0.0.1", 1}, {"port 53 and not port 53", 1},
	{"mpls", 1}, {"ip protochain 6", 1}, {"gateway 10.0.0.1", 1}, {"inbound", 1},
	{"udp $ tcp", 1}, {"udp ; tcp", 1}, {"port 53\n and \tfoo", 1}, {"größer 5", 1}, {"udp \x00", 1},
	{"udp", 127}, {strings.Repeat("(", 200), 1}, {strings.Repeat("udp or ", 60) + "foo", 1},
	{"port 1" + strings.Repeat(" or 1", 20000), 1},
	{"port (1" + ports(2, 900) + ")", 1}, {"tcp port (1" + ports(2, 600) + ")", 1},
}

// ports joins numbers by or.
func ports(from, to int) string {
	var b strings.Builder
	for i := from; i <= to; i++ {
		fmt.Fprintf(&b, " or %d", 7*i)
	}
	return b.String()
}

// TestErrors holds the messages and the places they mark.
func TestErrors(t *testing.T) {
	var b strings.Builder
	for _, r := range rejected {
		_, err := Compile(r.expr, r.link)
		if err == nil {
			t.Errorf("%q compiles", r.expr)
			continue
		}
		checkError(t, r.expr, err)
		fmt.Fprintf(&b, "link type %d: %s\n\n", r.link, err)
	}
	if *update {
		if err := os.WriteFile("testdata/errors.txt", []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/errors.txt")
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the messages are not those of testdata/errors.txt:\n%s", b.String())
	}
}

// TestRefusedByBoth holds that tcpdump refuses those too, or that it is known why
// only we do: of one in three, or of all where DPDISSECT_FILTERS is set.
func TestRefusedByBoth(t *testing.T) {
	d := newTcpdump(t)
	asked, alone := 0, 0
	for i, r := range rejected {
		if len(r.expr) > 1000 || strings.ContainsRune(r.expr, 0) || r.link == 127 {
			continue
		}
		if i%3 > 0 && os.Getenv("DPDISSECT_FILTERS") == "" {
			continue
		}
		asked++
		if _, refusal := d.program(t, r.expr, r.link, false); refusal == "" {
			t.Logf("tcpdump takes %q", r.expr)
			alone++
		}
	}
	if alone > asked/4 {
		t.Errorf("tcpdump takes %d of %d", alone, asked)
	}
}
