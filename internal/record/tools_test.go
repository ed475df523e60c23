package record

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// Wireshark's programs read every file without a complaint, and show in it what was
// put there.
func TestWireshark(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.pcapng", "a.pcap", "a.pcapng.gz", "a.pcapng.zst", "a.pcapng.lz4", "b.pcap.gz", "b.pcap.zst", "b.pcap.lz4"} {
		path := filepath.Join(dir, name)
		r := create(t, Options{
			Path: path, Nanoseconds: true, Application: "dpdissect 1.2", Hardware: "a test", OS: "an OS", Filter: "udp port 2302", Comment: "dumped: loss > 5%",
			Interfaces: []capture.Interface{{Name: "eth0", Description: "uplink", Link: capture.LinkEthernet, Snaplen: 262144}},
			Stats:      func(int) (uint64, uint64, bool) { return 3009, 9, true },
		})
		for i := range 3000 {
			rec := packet(i)
			switch i {
			case 1000:
				rec.Comments = []string{"error DP8-1: first", "note: second"}
			case 2000:
				rec.HasDrops, rec.Drops, rec.Outbound = true, 7, true
			}
			must(t, r.Write(rec))
			if i == 1500 {
				must(t, r.flush())
			}
		}
		must(t, r.Close())
		info := tool(t, "capinfos", "-M", path)
		wants := []string{"Number of packets:   3000\n", "nanoseconds (9)"}
		if strings.Contains(name, "ng") {
			wants = append(wants, "Capture application: dpdissect 1.2\n", "Capture hardware:    a test\n", "Capture oper-sys:    an OS\n",
				"Capture comment:     dumped: loss > 5%\n", "Name = eth0\n", "Description = uplink\n", "Filter string = udp port 2302\n",
				"Operating system = an OS\n", "Capture length = 262144\n", "Number of stat entries = 1\n", "Number of packets = 3000\n")
		}
		for _, want := range wants {
			if !strings.Contains(info, want) {
				t.Errorf("%s: capinfos does not say %q:\n%s", name, want, info)
			}
		}
		rows := strings.Split(strings.TrimSpace(tool(t, "tshark", "-r", path, "-T", "fields", "-E", "separator=|", "-E", "aggregator=;",
			"-e", "frame.time_epoch", "-e", "frame.comment", "-e", "frame.drop_count", "-e", "frame.packet_flags_direction", "-e", "frame.len")), "\n")
		if len(rows) != 3000 {
			t.Fatalf("%s: %d packets", name, len(rows))
		}
		for i, row := range rows {
			rec := packet(i)
			comment, drops, direction := "", "", ""
			if strings.Contains(name, "ng") && i == 1000 {
				comment = "error DP8-1: first;note: second"
			}
			if strings.Contains(name, "ng") && i == 2000 {
				drops, direction = "7", "2"
			}
			d := rec.Time
			want := fmt.Sprintf("%d.%09d|%s|%s|%s|%d", d/1e9, d%1e9, comment, drops, direction, rec.WireLen)
			if strings.Replace(row, "0x00000002", "2", 1) != want {
				t.Fatalf("%s packet %d: tshark has %s, not %s", name, i, row, want)
			}
		}
	}
}

// The same of the files of a ring.
func TestWiresharkRing(t *testing.T) {
	for _, name := range []string{"r.pcapng", "r.pcapng.gz"} {
		dir := t.TempDir()
		r := create(t, Options{Path: filepath.Join(dir, name), Ring: Ring{Packets: 400, Keep: Retention{Files: 3}}, Application: "dpdissect",
			Stats: func(int) (uint64, uint64, bool) { return 0, 0, true }})
		for i := range 1700 {
			must(t, r.Write(packet(i)))
		}
		must(t, r.Close())
		checkRing(t, files(t, dir), 3, 800)
		for i, path := range files(t, dir) {
			info := tool(t, "capinfos", "-M", path)
			n := []int{400, 400, 100}[i]
			for _, want := range []string{fmt.Sprintf("Number of packets:   %d\n", n), "Capture application: dpdissect\n", "Name = eth0\n", "Number of stat entries = 1\n"} {
				if !strings.Contains(info, want) {
					t.Errorf("%s: capinfos does not say %q:\n%s", path, want, info)
				}
			}
		}
	}
}

// Statistics and drop counts of each file of a ring are what tshark finds in its
// blocks.
func TestWiresharkDrops(t *testing.T) {
	dir := t.TempDir()
	r := create(t, Options{Path: filepath.Join(dir, "r.pcapng"), Ring: Ring{Packets: 2}, PacketDrops: true,
		Stats: func(int) (uint64, uint64, bool) { return 30, 12, true }})
	for i, n := range []uint64{1, 2, 3} {
		must(t, r.Write(drop(i, n)))
	}
	must(t, r.Close())
	for i, want := range []string{"1,2|5|3", "3|25|9"} {
		got := tool(t, "tshark", "-r", files(t, dir)[i], "-X", "read_format:MIME Files Format", "-T", "fields", "-E", "separator=|",
			"-e", "pcapng.options.option.data.packet.drop_count", "-e", "pcapng.options.option.data.interface.received",
			"-e", "pcapng.options.option.data.interface.dropped")
		if strings.TrimSpace(got) != want {
			t.Errorf("file %d: %s", i, got)
		}
	}
}
