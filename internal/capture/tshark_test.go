package capture

import (
	"flag"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/pcaps"
)

// A sharkRow is a packet as tshark sees it.
type sharkRow struct {
	time, caplen, len string
	udp               bool
	src, dst, length  string
	checksum          string // 0 bad, 1 good, 2 not verified, 3 not there
	icmp              bool
	frag              bool
}

// tshark gives a line for each packet of a file, as tshark prints its fields.
func tshark(t *testing.T, file string) []string {
	t.Helper()
	bin, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("tshark is not installed")
	}
	args := []string{"-n", "-r", file, "-o", "udp.check_checksum:TRUE", "-E", "occurrence=l", "-E", "separator=|", "-T", "fields"}
	for _, f := range []string{"frame.time_epoch", "frame.cap_len", "frame.len", "udp.srcport", "udp.dstport", "udp.length",
		"udp.checksum.status", "icmp.type", "icmpv6.type", "ip.flags.mf", "ip.frag_offset", "ipv6.fraghdr.offset"} {
		args = append(args, "-e", f)
	}
	out, _ := exec.Command(bin, args...).Output() // tshark fails on damaged files, with rows before the damage
	return slices.Collect(strings.Lines(string(out)))
}

// sharkRows takes tshark's lines apart.
func sharkRows(lines []string) (rows []sharkRow) {
	for _, line := range lines {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		rows = append(rows, sharkRow{
			time: f[0], caplen: f[1], len: f[2], udp: f[3] != "", src: f[3], dst: f[4], length: f[5], checksum: f[6],
			icmp: f[7] != "" || f[8] != "", frag: f[9] == "1" || f[9] == "True" || f[10] != "0" && f[10] != "" || f[11] != "",
		})
	}
	return rows
}

// epoch prints a time as tshark does.
func epoch(p *Packet) string {
	if !p.HasTime {
		return ""
	}
	sign := ""
	n := big.NewInt(p.Time)
	if n.Sign() < 0 {
		sign = "-"
	}
	sec, ns := new(big.Int).QuoRem(n.Abs(n), big.NewInt(1e9), new(big.Int))
	return fmt.Sprintf("%s%d.%09d", sign, sec, ns)
}

// different says where this package means to differ from tshark 4.0, and why.
var different = map[string]string{
	"n07-le-other-blocks.pcapng": "custom and journal blocks are no packets",
	"p17-ts-ovf.pcap":            "tshark lets 2^32-1 microseconds overflow",
	"m-udp.pcap":                 "tshark calls a UDP header with length 0 or 7, or half of one, UDP",
	"n05-le-spb-snap.pcapng":     "tshark calls half a UDP header UDP",
	"p15-snaplen-cut.pcap":       "tshark calls half a UDP header UDP",
	"someip_sd_sample.pcap":      "PPI is not decoded",
	"false_positives.pcapng":     "tshark looks into GTP, which is UDP in UDP",
}

var update = flag.Bool("update", false, "write what tshark says of testdata/captured/formats, for which tshark must be there")

// formatsFile holds what tshark 4.0 says of the committed captures of formats.
var formatsFile = filepath.Join("testdata", "tshark-formats.txt")

// TestFormatsAsTshark: of files of all formats, byte orders and link types, sound and
// damaged, every packet has the time, the ports and the length that tshark 4.0 sees.
func TestFormatsAsTshark(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(pcaps.Root(t), "formats", "*.pcap*"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	if *update {
		writeFormats(t, files)
	}
	b, err := os.ReadFile(formatsFile)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string][]string{}
	for section := range strings.SplitSeq(string(b), "# ") {
		name, lines, _ := strings.Cut(section, "\n")
		said[name] = slices.Collect(strings.Lines(lines))
	}
	for _, file := range files {
		lines, ok := said[filepath.Base(file)]
		if !ok {
			t.Errorf("%s is not in %s: run this test with -update", file, formatsFile)
		}
		compareFile(t, file, sharkRows(lines))
	}
}

func writeFormats(t *testing.T, files []string) {
	t.Helper()
	var text strings.Builder
	for _, file := range files {
		fmt.Fprintf(&text, "# %s\n%s", filepath.Base(file), strings.Join(tshark(t, file), ""))
	}
	if err := os.WriteFile(formatsFile, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestTshark: every packet of captures made elsewhere has the time, the ports and the
// length that this machine's tshark sees, and a bad checksum only where tshark sees one
// too. One of each protocol is compared, as tshark takes most of a second to start; where
// DPDISSECT_PCAPS is set, every eighth of all, and each of them with DPDISSECT_FORMS.
func TestTshark(t *testing.T) {
	files := pcaps.Files(t, "hazel/lossy_*", "knet/*_dup*", "directplay/dp4_*", "directplay/dp8_*")
	if os.Getenv(pcaps.Variable) != "" {
		files = pcaps.All(t)
		if os.Getenv("DPDISSECT_FORMS") == "" {
			files = eachEighth(files)
		}
	}
	for _, path := range files {
		if different[filepath.Base(path)] == "" {
			compareFile(t, path, sharkRows(tshark(t, path)))
		}
	}
}

func eachEighth(files []string) (some []string) {
	for i := 0; i < len(files); i += 8 {
		some = append(some, files[i])
	}
	return some
}

// compareFile compares the packets of a file with tshark's, unless it is known why they
// differ.
func compareFile(t *testing.T, path string, rows []sharkRow) {
	t.Helper()
	name := filepath.Base(path)
	if reason := different[name]; reason != "" {
		t.Logf("%s is left out: %s", name, reason)
		return
	}
	s := open(t, Options{}, path)
	n := 0
	for p, ok := s.Next(); ok; p, ok = s.Next() {
		if n++; n <= len(rows) {
			compareRow(t, name, p, rows[n-1])
		}
	}
	if n != len(rows) {
		t.Errorf("%s: %d packets, tshark has %d", name, n, len(rows))
	}
}

func compareRow(t *testing.T, name string, p *Packet, r sharkRow) {
	t.Helper()
	udp := r.udp && !r.icmp
	if e := epoch(p); e != r.time || fmt.Sprint(p.CapLen) != r.caplen || fmt.Sprint(p.WireLen) != r.len || p.IsFragment != r.frag ||
		(p.Class == UDP) != udp || p.BadChecksum && r.checksum != "0" {
		t.Errorf("%s packet %d: %s %+v, tshark %+v", name, p.Frame, e, p, r)
	}
	if udp && (fmt.Sprint(p.Src.Port) != r.src || fmt.Sprint(p.Dst.Port) != r.dst || fmt.Sprint(p.Length+udpHeader) != r.length) {
		t.Errorf("%s packet %d: %v > %v, %d bytes, tshark %+v", name, p.Frame, p.Src, p.Dst, p.Length, r)
	}
}

// Small files, however odd, cost little memory.
func TestFormatsMemory(t *testing.T) {
	for _, path := range pcaps.Files(t, "formats/*") {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s := open(t, Options{}, path)
		for _, ok := s.Next(); ok; _, ok = s.Next() {
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 8<<20 {
			t.Errorf("%s: %d MiB allocated", path, got>>20)
		}
	}
}
