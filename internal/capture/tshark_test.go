package capture

import (
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pcapsEnv names a folder of captures that are not in the repository.
const pcapsEnv = "DPDISSECT_PCAPS"

// externalPcaps lists the captures in a folder of DPDISSECT_PCAPS. No folder
// skips the test; a folder without captures fails it.
func externalPcaps(t *testing.T, sub string) []string {
	t.Helper()
	root := os.Getenv(pcapsEnv)
	if root == "" {
		t.Skipf("%s is not set: no external captures", pcapsEnv)
	}
	var files []string
	err := filepath.WalkDir(filepath.Join(root, sub), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.Contains(filepath.Ext(path), "pcap") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no captures in %s", filepath.Join(root, sub))
	}
	return files
}

// A sharkRow is a packet as tshark sees it.
type sharkRow struct {
	time, caplen, len string
	udp               bool
	src, dst, length  string
	checksum          string // 0 bad, 1 good, 2 not verified, 3 not there
	icmp              bool
	frag              bool
}

func tshark(t *testing.T, file string) []sharkRow {
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
	var rows []sharkRow
	for line := range strings.Lines(string(out)) {
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

func TestTshark(t *testing.T) {
	for _, f := range externalPcaps(t, "") {
		rows := tshark(t, f)
		s, _ := Open([]string{f}, Options{})
		i := 0
		nudp, nbad := 0, 0
		for p, ok := s.Next(); ok; p, ok = s.Next() {
			if i >= len(rows) {
				i++
				continue
			}
			r := rows[i]
			i++
			if e := epoch(p); e != r.time {
				t.Errorf("%s %d time %s != %s", filepath.Base(f), i, e, r.time)
			}
			if p.Class == UDP {
				nudp++
				if p.BadChecksum {
					nbad++
				}
			}
			if (p.Class == UDP) != (r.udp && !r.icmp) || p.Class == UDP && (fmt.Sprint(p.Src.Port) != r.src || fmt.Sprint(p.Dst.Port) != r.dst || fmt.Sprint(p.Length+8) != r.length) || p.BadChecksum != (r.checksum == "0") || p.IsFragment != r.frag {
				t.Errorf("%s %d class %d %v > %v len %d payload %d bad %v frag %v, tshark %+v", filepath.Base(f), i, p.Class, p.Src, p.Dst, p.Length, len(p.Payload), p.BadChecksum, p.IsFragment, r)
			}
		}
		if i != len(rows) {
			t.Errorf("%s: %d packets, tshark %d", f, i, len(rows))
		}
		in := s.Infos()[0]
		t.Logf("%s %s %s %v n=%d bytes=%d cut=%v failed=%v %q totals %+v", filepath.Base(f), in.Format, in.Compression, in.LinkTypes, in.Packets, in.Bytes, in.CutShort, in.Failed, in.Problem, s.Totals())
		s.Close()
	}
}
