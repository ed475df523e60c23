package livetest

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire/netns"
)

// floodPort is where floods come from.
const floodPort = 45454

// trickle sends numbered datagrams to a port where somebody listens and reads
// nothing: what nobody listens to is answered by the system.
func trickle(t *testing.T, from *netns.Namespace, to *netns.Namespace, src, dst netip.Addr, packets, perSecond, size int) wire.Flooded {
	t.Helper()
	sink, err := to.Listen(netip.AddrPortFrom(dst, 0))
	if err != nil {
		t.Fatal(err)
	}
	defer sink.Close()
	out, err := wire.Flood(context.Background(), wire.FloodConfig{From: netip.AddrPortFrom(src, floodPort),
		To: netip.MustParseAddrPort(sink.LocalAddr().String()), Packets: packets, PerSecond: perSecond, Size: size, Dial: from.Dial})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A taker is one recording of several that watch the same packets.
type taker struct {
	name string
	args []string // without -i and -w
	file string   // in the directory of the test
	// check looks at what it wrote; files are those whose names begin like its file's.
	check func(t *testing.T, j *job, files []string)
}

const (
	sentPackets = 2400
	sentRate    = 1000
)

// allOnce wants every packet once, over all files.
func allOnce(t *testing.T, _ *job, files []string) {
	checkRun(t, "all files", readFiles(t, files), 0, sentPackets)
}

// atFirst wants the first n packets in one file.
func atFirst(n int) func(*testing.T, *job, []string) {
	return func(t *testing.T, j *job, files []string) {
		checkRun(t, files[0], readFile(t, files[0]).numbers, 0, n)
		j.says(packetsWritten(n))
	}
}

func takers() []taker {
	return []taker{
		{"plain", nil, "plain.pcapng", allOnce},
		{"pcap", nil, "classic.pcap", func(t *testing.T, j *job, files []string) {
			allOnce(t, j, files)
			if f := readFile(t, files[0]).info.Format; f != "pcap" {
				t.Errorf("%s is %s", files[0], f)
			}
		}},
		{"format", []string{"-F", "pcap"}, "asked.cap", allOnce},
		{"gzip", []string{"--compress", "gzip"}, "g.pcapng.gz", packed("gzip")},
		{"zstd", []string{"--compress", "zstd"}, "z.pcapng.zst", packed("zstd")},
		{"lz4", nil, "l.pcapng.lz4", packed("lz4")},
		{"ring of packets", []string{"-b", "packets:700"}, "rp.pcapng", func(t *testing.T, j *job, files []string) {
			allOnce(t, j, files)
			if len(files) != 4 {
				t.Errorf("%d files, want 4", len(files))
			}
			for i, f := range files[:len(files)-1] {
				checkRun(t, f, readFile(t, f).numbers, 700*i, 700)
			}
			j.says(fmt.Sprintf("%d packets written to 4 files\n", sentPackets))
		}},
		{"ring of time", []string{"-b", "duration:1", "--compress", "zstd"}, "rt.pcapng.zst", func(t *testing.T, j *job, files []string) {
			allOnce(t, j, files)
			if len(files) < 3 {
				t.Errorf("%d files of a second in %v", len(files), time.Second*sentPackets/sentRate)
			}
			for _, f := range files {
				if i := readFile(t, f).info; time.Duration(i.LastTime-i.FirstTime) > time.Second {
					t.Errorf("%s is of %v", f, time.Duration(i.LastTime-i.FirstTime))
				}
			}
		}},
		{"ring of size", []string{"-b", "filesize:64"}, "rs.pcapng", func(t *testing.T, j *job, files []string) {
			allOnce(t, j, files)
			for _, f := range files[:len(files)-1] {
				if st, err := os.Stat(f); err != nil || st.Size() < 60<<10 || st.Size() > 68<<10 {
					t.Errorf("%s: %v, %v, want about 64 KiB", f, st.Size(), err)
				}
			}
		}},
		{"latest files", []string{"-b", "packets:500", "-b", "files:2"}, "rf.pcapng", func(t *testing.T, j *job, files []string) {
			if len(files) != 2 {
				t.Errorf("%d files are left, want 2", len(files))
			}
			checkRun(t, "the latest", readFiles(t, files), 1500, sentPackets-1500)
			j.says(" to 5 files; the ring's 3 oldest were deleted\n")
		}},
		{"some packets", []string{"-a", "packets:300"}, "ap.pcapng", atFirst(300)},
		{"count", []string{"-c", "301"}, "c.pcapng", atFirst(301)},
		{"some time", []string{"-a", "duration:1"}, "ad.pcapng", func(t *testing.T, j *job, files []string) {
			c := readFile(t, files[0])
			checkRun(t, files[0], c.numbers, 0, len(c.numbers))
			if d := time.Duration(c.info.LastTime - c.info.FirstTime); d > time.Second {
				t.Errorf("%s is of %v, want a second at most", files[0], d)
			}
		}},
		{"some size", []string{"-a", "filesize:40"}, "as.pcapng", about40KiB},
		{"some size, tracked", []string{"-a", "filesize:40", "--on", "reset"}, "at.pcapng", about40KiB},
		{"some size, matched", []string{"-a", "filesize:40", "-Y", "udp"}, "am.pcapng", about40KiB},
		{"short packets", []string{"-s", "70"}, "s.pcapng", func(t *testing.T, j *job, files []string) {
			c := readFile(t, files[0])
			if len(c.numbers)+c.others != sentPackets || c.longest != 70 {
				t.Errorf("%d packets, of at most %d bytes, want %d of 70", len(c.numbers)+c.others, c.longest, sentPackets)
			}
		}},
		{"filter", []string{"-f", fmt.Sprintf("udp src port %d and udp[31] & 1 = 1", floodPort)}, "f.pcapng", func(t *testing.T, j *job, files []string) {
			checkOdd(t, files[0])
		}},
		{"nothing", []string{"-f", "udp port 1"}, "n.pcapng", func(t *testing.T, j *job, files []string) {
			if c := readFile(t, files[0]); len(c.numbers)+c.others != 0 {
				t.Errorf("%d packets", len(c.numbers)+c.others)
			}
			j.says("0 packets written\n")
		}},
	}
}

func about40KiB(t *testing.T, j *job, files []string) {
	c := readFile(t, files[0])
	checkRun(t, files[0], c.numbers, 0, len(c.numbers))
	if st, err := os.Stat(files[0]); err != nil || st.Size() < 40<<10 || st.Size() > 44<<10 {
		t.Errorf("%s: %v, %v, want about 40 KiB", files[0], st.Size(), err)
	}
}

// checkOdd wants the odd numbers.
func checkOdd(t *testing.T, path string) {
	t.Helper()
	c := readFile(t, path)
	if len(c.numbers) != sentPackets/2 || c.others != 0 {
		t.Errorf("%s: %d packets and %d others, want %d", path, len(c.numbers), c.others, sentPackets/2)
		return
	}
	for i, n := range c.numbers {
		if n != uint64(2*i+1) {
			t.Errorf("%s: packet %d has number %d, want %d", path, i, n, 2*i+1)
			return
		}
	}
}

// packed wants every packet in a file that is compressed.
func packed(how string) func(*testing.T, *job, []string) {
	return func(t *testing.T, j *job, files []string) {
		allOnce(t, j, files)
		if c := readFile(t, files[0]).info.Compression; c != how {
			t.Errorf("%s: compression %q, want %s", files[0], c, how)
		}
	}
}

// TestRecord records the same packets in all ways.
func TestRecord(t *testing.T) {
	need(t, "tshark", "capinfos")
	pair := place(t)
	dir := t.TempDir()
	all := takers()
	if _, err := exec.LookPath("tcpdump"); err == nil {
		all = append(all, byBytecode(t, dir))
	}
	var commands [][]string
	for _, k := range all {
		commands = append(commands, append([]string{"capture", "-i", "lo", "-w", filepath.Join(dir, k.file)}, k.args...))
	}
	jobs := startAll(t, pair[0], commands...)
	trickle(t, pair[0], pair[0], local, local, sentPackets, sentRate, 48)
	for i, j := range jobs {
		switch k := all[i]; {
		case len(k.args) > 0 && (k.args[0] == "-a" || k.args[0] == "-c"): // ends by itself
		default:
			j.signal(2)
		}
	}
	for i, k := range all {
		jobs[i].ends(0)
		t.Run(k.name, func(t *testing.T) {
			base, _, _ := strings.Cut(k.file, ".")
			files := glob(t, filepath.Join(dir, base)+"[._]*")
			if len(files) == 0 {
				t.Fatal("no file")
			}
			k.check(t, jobs[i], files)
			accepted(t, k.name == "plain" || k.name == "zstd" || k.name == "pcap", files...)
		})
	}
	t.Run("inside", func(t *testing.T) { checkInside(t, filepath.Join(dir, "plain.pcapng")) })
}

// byBytecode is a recording with a filter of tcpdump's.
func byBytecode(t *testing.T, dir string) taker {
	file := filepath.Join(dir, "filter.ddd")
	if err := os.WriteFile(file, []byte(tool(t, "tcpdump", "-y", "EN10MB", "-ddd", "udp[31] & 1 = 1")), 0o600); err != nil {
		t.Fatal(err)
	}
	return taker{"bytecode", []string{"--bpf", file}, "bpf.pcapng", func(t *testing.T, j *job, files []string) { checkOdd(t, files[0]) }}
}

// checkInside looks for what a file says beside its packets.
func checkInside(t *testing.T, path string) {
	out := tool(t, "capinfos", path)
	for _, want := range []string{
		"Capture application: dpdissect ", "Name = lo", "Encapsulation = Ethernet",
		"Time precision = nanoseconds", "Number of stat entries = 1", fmt.Sprintf("Number of packets = %d", sentPackets),
	} {
		if !strings.Contains(out, want) {
			t.Errorf("capinfos does not say %q:\n%s", want, out)
		}
	}
	c := readFile(t, path)
	if !c.info.HasDropped || c.info.Dropped != 0 {
		t.Errorf("dropped: %d, told: %v", c.info.Dropped, c.info.HasDropped)
	}
}

// TestInterfaces records from several interfaces, from all of them, and to a pipe.
func TestInterfaces(t *testing.T) {
	pair := place(t)
	dir := t.TempDir()
	both, some, every := filepath.Join(dir, "both.pcapng"), filepath.Join(dir, "some.pcap"), filepath.Join(dir, "any.pcapng")
	const only = "udp port 45454"
	jobs := startAll(t, pair[0],
		[]string{"capture", "-i", "lo", "-i", "veth0", "-f", only, "-w", both},
		[]string{"capture", "-i", "veth0", "-i", "lo", "-f", only, "-w", some},
		[]string{"capture", "-i", "any", "-f", only, "-w", every},
		[]string{"analyze", "-i", "lo", "-i", "veth0", "-f", only, "--format", "json"},
	)
	pipe := prepare(t, "capture", "-i", "any", "-f", only, "-w", "-")
	reader := prepare(t, "analyze", "-", "--format", "json")
	from := pipe.pipe()
	reader.cmd.Stdin = from
	pipe.in(pair[0]).capturing()
	reader.in(pair[0])
	pipe.cmd.Stdout.(*os.File).Close()
	from.Close()

	const n = 300
	done := make(chan wire.Flooded)
	go func() { done <- trickle(t, pair[0], pair[0], local, local, n, 300, 48) }()
	trickle(t, pair[0], pair[1], pair[0].Addr, pair[1].Addr, n, 300, 48)
	<-done
	stopAll(append(jobs, pipe)...)
	for _, path := range []string{both, every} {
		c := readFile(t, path)
		eachTwice(t, path, c.numbers, n)
	}
	eachTwice(t, some, readFile(t, some).numbers, n)
	for _, text := range []string{jobs[3].stdout.String(), reader.ends(0)} {
		if d := readDocument(t, text); d.Totals.Datagrams != 2*n {
			t.Errorf("analyze: %d datagrams, want %d", d.Totals.Datagrams, 2*n)
		}
	}
	jobs[0].says(fmt.Sprintf("lo: %d packets captured, 0 dropped", n), fmt.Sprintf("veth0: %d packets captured, 0 dropped", n))
	ordered(t, both)
}

// eachTwice wants each number once of either interface.
func eachTwice(t *testing.T, what string, numbers []uint64, n int) {
	t.Helper()
	count := map[uint64]int{}
	for _, x := range numbers {
		count[x]++
	}
	for i := range n {
		if count[uint64(i)] != 2 {
			t.Errorf("%s: number %d is there %d times, want 2", what, i, count[uint64(i)])
			return
		}
	}
	if len(numbers) != 2*n {
		t.Errorf("%s: %d packets, want %d", what, len(numbers), 2*n)
	}
}
