package filter

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// differential are filters that tshark 4 and this package have to agree on.
var differential = []string{
	"udp.port == 2", "udp.port != 2", "udp.port === 2", "udp.port !== 2", "all udp.port > 1", "any udp.port != 2", "all udp.port in {2}",
	"udp.port in {1, 3..4}", "udp.port not in {1, 3..4}", "not udp.port in {1}", "not udp.port == 2", "!udp.port != 2",
	"udp.srcport == udp.port", "udp.srcport === udp.port", "udp.srcport !== udp.port", "udp.srcport < udp.dstport", "udp.srcport < udp.dstport < 4",
	"udp.port & 4", "udp.port & 0x3 == 2", "udp.srcport == 010", "udp.srcport == 0x3", "udp.length > 11", "udp.length == 12",
	"ip.addr == 10.0.0.1", "ip.addr != 10.0.0.1", "ip.addr == 10.0.0.0/8", "ip.addr != 10.0.0.0/8", "ip.src == 10.0.0.0/30", "ip.addr in {10.0.0.0/8, 192.168.1.1}",
	"ip.addr in {10.0.0.1 .. 10.0.0.2}", "ip.src > 10.0.0.1", "ip.src >= ip.dst", "ip.dst === ip.addr", "ip.ttl > 64", "ip.id == 0x0003", "ip.id in {1..4}",
	"frame.number == 3", "frame.number in {1,4..6}", "frame.len > 32", "frame.len == frame.cap_len", "frame.cap_len < 33",
	"frame.time_relative > 1.5", "frame.time_relative in {0.25 .. 1}", "frame.time_delta > 0.2", "frame.time_delta == 0.25", "frame.time_delta == 0",
	"frame.time_epoch >= 1000000001.5", "frame.time_epoch == 1000000000",
	"udp.payload[0] == 61", "udp.payload[0:2] == 61:62", "udp.payload[-2:] == \"cd\"", "udp.payload[-2:1] == 63", "udp.payload[1-2] == 62:63", "udp.payload[:2] == \"ab\"",
	"udp.payload[4]", "udp.payload[4:]", "udp.payload[3:]", "udp.payload[0,2-3] == 61:63:64", "udp.payload[0] & 0x0f == 1", "udp.payload[0:2] & 0f:01",
	"udp.payload[0] == 0x61", "udp.payload[0:2] > \"AB\"", "udp.payload == 61.62.63.64", "udp.payload == 61626364", "len(udp.payload) > 3", "count(udp.port) == 2",
	"udp.payload contains \"bc\"", "udp.payload contains 62:63", "udp.payload matches \"^AB\"", "udp.payload matches \"(?-i)^AB\"", "udp.payload ~ r\"c\\w?$\"",
	"udp", "not udp", "ip and udp or frame.number == 2", "frame.number == 1 or frame.number == 2 and udp.port == 9", "not frame.number == 1 and udp.port == 2",
	"not (frame.number == 1 or udp.port == 2)", "!(udp.port == 2) && !(udp.port == 3)",
}

// capture makes raw IPv4 packets, and the frames they become.
func capture() (file []byte, frames []*dissect.Frame) {
	file = binary.LittleEndian.AppendUint32(nil, 0xa1b23c4d)
	file = append(file, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 101, 0, 0, 0)
	hosts := []string{"10.0.0.1", "10.0.0.2", "10.0.0.9", "192.168.1.1"}
	payloads := []string{"abcd", "ABcd", "abc", "", "xabcdy"}
	for i := range 40 {
		d := &dissect.Datagram{
			Frame: uint64(i + 1), HasTime: true, Time: 1_000_000_000e9 + int64(i)*250e6, IPID: uint16(i), TTL: uint8(60 + i%9),
			Src:     dissect.MakeEndpoint(netip.AddrPortFrom(netip.MustParseAddr(hosts[i%4]), uint16(i%5))),
			Dst:     dissect.MakeEndpoint(netip.AddrPortFrom(netip.MustParseAddr(hosts[i/4%4]), uint16(i/5%5))),
			Payload: []byte(payloads[i%5]),
		}
		d.Length = len(d.Payload)
		packet := encode(d)
		d.CapLen, d.WireLen = len(packet), len(packet)
		for _, v := range []int{int(d.Time / 1e9), int(d.Time % 1e9), len(packet), len(packet)} {
			file = binary.LittleEndian.AppendUint32(file, uint32(v))
		}
		file = append(file, packet...)
		frames = append(frames, &dissect.Frame{Datagram: d, Protocol: "udp"})
	}
	return file, frames
}

// encode gives an IPv4 packet without checksums.
func encode(d *dissect.Datagram) []byte {
	udp := make([]byte, 8, 64)
	binary.BigEndian.PutUint16(udp, d.Src.Port)
	binary.BigEndian.PutUint16(udp[2:], d.Dst.Port)
	binary.BigEndian.PutUint16(udp[4:], uint16(8+d.Length))
	ip := make([]byte, 12, 64)
	ip[0], ip[8], ip[9] = 0x45, d.TTL, 17
	binary.BigEndian.PutUint16(ip[2:], uint16(28+d.Length))
	binary.BigEndian.PutUint16(ip[4:], d.IPID)
	ip = append(append(ip, d.Src.IP[12:]...), d.Dst.IP[12:]...)
	return append(append(ip, udp...), d.Payload...)
}

// selected gives the numbers of the frames that a filter matches.
func selected(t *testing.T, expr string, frames []*dissect.Frame) (numbers []string) {
	var clock Clock
	for _, fr := range frames {
		if compile(t, expr).Match(fr, clock.Next(fr.Time)) {
			numbers = append(numbers, strconv.FormatUint(fr.Frame, 10))
		}
	}
	return numbers
}

// tshark gives the numbers of the frames that each of several filters matches. It runs once, with
// a tap for each filter, as it takes longer to start than to read.
func tshark(t *testing.T, program string, file []byte, exprs []string) (numbers [][]string) {
	dir := t.TempDir()
	path, script := filepath.Join(dir, "generated.pcap"), filepath.Join(dir, "taps.lua")
	var text strings.Builder
	text.WriteString(`local function tell(n, filter)
	local tap = Listener.new("frame", filter)
	function tap.packet(pinfo) print(n .. " " .. pinfo.number) end
end
`)
	for i, expr := range exprs {
		fmt.Fprintf(&text, "tell(%d, [==[%s]==])\n", i, expr)
	}
	must(t, os.WriteFile(path, file, 0o600))
	must(t, os.WriteFile(script, []byte(text.String()), 0o600))
	var stderr bytes.Buffer
	cmd := exec.Command(program, "-n", "-q", "-r", path, "-X", "lua_script:"+script)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || strings.Contains(stderr.String(), "Lua") {
		t.Fatalf("tshark: %v: %s", err, &stderr)
	}
	numbers = make([][]string, len(exprs))
	for line := range strings.Lines(string(out)) {
		tap, number, _ := strings.Cut(strings.TrimSpace(line), " ")
		i, err := strconv.Atoi(tap)
		must(t, err)
		numbers[i] = append(numbers[i], number)
	}
	return numbers
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestAgreesWithTshark(t *testing.T) {
	program, err := exec.LookPath("tshark")
	if err != nil || testing.Short() {
		t.Skip("tshark is not installed, or -short")
	}
	version, _ := exec.Command(program, "--version").Output()
	if !bytes.Contains(version, []byte("(Wireshark) 4.")) || !bytes.Contains(version, []byte("with Lua")) {
		t.Skipf("no tshark 4 with Lua: %.40s", version)
	}
	file, frames := capture()
	matched := 0
	for i, want := range tshark(t, program, file, differential) {
		matched += len(want)
		if got := selected(t, differential[i], frames); !slices.Equal(got, want) {
			t.Errorf("%s: %v, tshark %v", differential[i], got, want)
		}
	}
	if matched < 10*len(differential) {
		t.Errorf("%d filters match %d frames", len(differential), matched)
	}
}
