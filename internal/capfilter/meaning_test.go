package capfilter

import (
	"fmt"
	"strings"
	"testing"
)

// machine gives what runs an expression.
func machine(t *testing.T, expr string) *VM {
	t.Helper()
	prog, err := Compile(expr, ethernet)
	if err != nil {
		t.Fatal(err)
	}
	vm, err := NewVM(prog)
	if err != nil {
		t.Fatal(err)
	}
	return vm
}

// TestSame has pairs of expressions that select the same packets. tcpdump refuses
// the first ones, as it takes the first number for the divisor.
func TestSame(t *testing.T) {
	for _, pair := range [][2]string{
		{"len / ip[0] = 1", "len / (1 * ip[0]) = 1"},
		{"len % udp[3] < 7", "len % (1 * udp[3]) < 7"},
		{"1 << (40 - 38) = ether[5] * 4", "ether[5] = 1"},
		{"60 < len", "len > 60"},
		{"0x0f & ether[0] = 2", "ether[0] & 0x0f = 2"},
		{"-1 = ether[0] | 0xffffffff", "len >= 0"},
		{"net 10", "net 10.0.0.0/8"},
		{"port 53 or 80", "port 53 or port 80"},
		{"src or dst port 53", "port 53"},
		{"1 = 1 and udp or 1 = 2", "udp"},
	} {
		a, b := machine(t, pair[0]), machine(t, pair[1])
		selected := 0
		for _, p := range packets(ethernet, 5000) {
			if len(p.data) < 60 {
				continue
			}
			got := a.Match(p.data, p.wire)
			if got != b.Match(p.data, p.wire) {
				t.Fatalf("%s: %v, unlike %s: %x", pair[0], got, pair[1], p.data)
			}
			if got {
				selected++
			}
		}
		if selected == 0 {
			t.Errorf("%s selects nothing", pair[0])
		}
	}
}

// TestOrder says which packets that are cut short are selected: tests are made from
// left to right until one decides, and one after the end rejects.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		expr string
		data []byte
		want bool
	}{
		{"ether[0] = 1 or ether[5] = 2", []byte{1}, true},
		{"ether[5] = 2 or ether[0] = 1", []byte{1}, false},
		{"not ether[5] = 2", []byte{1}, false},
		{"ether[5] = 2 or not ether[5] = 2", []byte{1}, false},
		{"ether[0] = 1 or ether[1] = 2 or ether[0] = 3", []byte{3}, false},
		{"ether[5] * 0 = 0", []byte{1}, false},
		{"len / ether[0] >= 0", []byte{0}, false},
		{"not len / ether[0] = 1", []byte{0}, false},
		{"len = 1 or ether[5] = 2", []byte{1}, true},
		{"ether[1] = 1 and ether[0] = 1 or len = 1", []byte{1}, false},
	} {
		if got := machine(t, c.expr).Match(c.data, len(c.data)); got != c.want {
			t.Errorf("%s of %d bytes: %v", c.expr, len(c.data), got)
		}
	}
}

// TestCutPorts has a packet of TCP over IPv6 that ends after the first port, which is
// 2302. The second decides, in not port 443, whether the expression is true, though
// tcpdump without -O selects the packet.
func TestCutPorts(t *testing.T) {
	data := make([]byte, 56)
	data[12], data[13], data[20], data[54], data[55] = 0x86, 0xdd, 6, 2302>>8, 2302&255
	expr := "not (udp port 53 and port 53 or not (tcp or src port 53 and not port 443 or not port 53)) and port 2302"
	if machine(t, expr).Match(data, 160) {
		t.Error("a port is known that was not captured")
	}
	d := newTcpdump(t)
	prog, _ := d.program(t, expr, ethernet, true)
	vm, err := NewVM(prog)
	if err != nil || vm.Match(data, 160) {
		t.Errorf("tcpdump -O selects it, %v", err)
	}
}

// TestManyCells adds up 256 loads in pairs, so that one number after another must
// wait for the rest.
func TestManyCells(t *testing.T) {
	term := "ether[len - len]"
	for range 8 {
		term = "(" + term + " + " + term + ")"
	}
	vm := machine(t, term+" = "+fmt.Sprint(256*7))
	for b := range 256 {
		if got := vm.Match([]byte{byte(b)}, 1); got != (b == 7) {
			t.Errorf("256 times %d: %v", b, got)
		}
	}
	if _, err := Compile(strings.ReplaceAll(term, "ether", "udp")+" = 1", ethernet); err != nil {
		t.Error(err)
	}
}

// TestSkips says how long programs are that test again what they know.
func TestSkips(t *testing.T) {
	for _, pair := range [][2]string{
		{"udp port 53 and udp port 53", "udp port 53"},
		{"ip and ip and ip", "ip"},
		{"tcp port 80 and tcp", "tcp port 80"},
		{"ip and (udp or tcp) and ip", "ip and (udp or tcp)"},
		{"ether[0] = 1 and ether[0] != 2", "ether[0] = 1"},
		{"ip and not arp", "ip"},
	} {
		long, err := Compile(pair[0], ethernet)
		if err != nil {
			t.Fatal(err)
		}
		short, err := Compile(pair[1], ethernet)
		if err != nil {
			t.Fatal(err)
		}
		if len(long) > len(short) {
			t.Errorf("%s has %d instructions, %s %d", pair[0], len(long), pair[1], len(short))
		}
	}
}
