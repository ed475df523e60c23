package livetest

import (
	"context"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire"
)

// floodPackets counts the packets that are flooded: enough to fill a small ring, or what
// DPDISSECT_FLOOD asks for.
func floodPackets(t *testing.T) int {
	t.Helper()
	s := os.Getenv("DPDISSECT_FLOOD")
	if s == "" {
		return 100_000
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		t.Fatalf("DPDISSECT_FLOOD=%q: want a number of packets", s)
	}
	return n
}

// A tally is what the program says of a flood.
type tally struct{ written, captured, dropped int }

var counted = regexp.MustCompile(`veth0: (\d+) packets captured, (\d+) dropped by the kernel`)
var written = regexp.MustCompile(`(?m)^(\d+) packets written`)

func tallyOf(t *testing.T, j *job) (y tally) {
	t.Helper()
	m := counted.FindStringSubmatch(j.stderr.String())
	if m == nil {
		t.Fatalf("%s: no counts in %q", j.name, j.stderr.String())
	}
	y.captured, _ = strconv.Atoi(m[1])
	y.dropped, _ = strconv.Atoi(m[2])
	y.written = -1
	if m := written.FindStringSubmatch(j.stderr.String()); m != nil {
		y.written, _ = strconv.Atoi(m[1])
	}
	return y
}

// TestFlood sends numbered packets faster than games do, to each way of capturing
// alone: every packet is captured, or said to be dropped.
func TestFlood(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flood.pcapng")
	for _, c := range []struct {
		name   string
		args   []string
		file   bool
		asleep bool // while packets come
	}{
		{"null", []string{"capture", "-B", "64", "-w", "/dev/null"}, false, false},
		{"file", []string{"capture", "-B", "64", "-w", path}, true, false},
		{"small ring", []string{"capture", "-B", "1", "-w", path}, true, true},
		{"small ring analyzed", []string{"analyze", "-B", "1", "--format", "json"}, false, true},
		{"analyze", []string{"analyze", "-B", "64", "--format", "json"}, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			pair := alone(t)
			packets := floodPackets(t)
			j := start(t, pair[0], append(c.args, "-i", "veth0", "-f", "udp port 45454")...)
			if c.asleep {
				j.signal(syscall.SIGSTOP)
				time.AfterFunc(300*time.Millisecond, func() { j.signal(syscall.SIGCONT) })
			}
			sent, err := wire.Flood(context.Background(), wire.FloodConfig{From: netip.AddrPortFrom(pair[1].Addr, floodPort),
				To: netip.AddrPortFrom(pair[0].Addr, 9), Packets: packets, PerSecond: 160_000, Size: 64, Dial: pair[1].Dial})
			if err != nil {
				t.Fatal(err)
			}
			text := j.stop()
			y := tallyOf(t, j)
			t.Logf("%d packets at %.0f a second: %d captured, %d dropped, %v of CPU a packet",
				sent.Packets, sent.PerSecond, y.captured, y.dropped, (j.cpu() / time.Duration(packets)).String())
			if y.captured+y.dropped != packets {
				t.Errorf("%d captured and %d dropped of %d: %d went unsaid", y.captured, y.dropped, packets, packets-y.captured-y.dropped)
			}
			if c.asleep && y.dropped == 0 {
				t.Error("a ring of 1 MiB lost nothing in 300 ms of sleep")
			}
			if y.written >= 0 && y.written != y.captured {
				t.Errorf("%d captured, %d written", y.captured, y.written)
			}
			switch {
			case c.file:
				checkFlood(t, path, packets, y)
			case c.args[0] == "analyze":
				d := readDocument(t, text)
				if d.Totals.Datagrams != y.captured || d.Captures[0].Received != uint64(packets) || d.Captures[0].Dropped == nil || *d.Captures[0].Dropped != uint64(y.dropped) {
					t.Errorf("the document has %d datagrams and the capture %+v, want %+v", d.Totals.Datagrams, d.Captures[0], y)
				}
			}
		})
	}
}

// checkFlood wants each number at most once, in order, and the numbers of packets and
// drops in the file.
func checkFlood(t *testing.T, path string, packets int, y tally) {
	t.Helper()
	c := readFile(t, path)
	if len(c.numbers) != y.captured || c.others != 0 || c.info.Dropped != uint64(y.dropped) {
		t.Errorf("the file has %d packets, %d others, and says that %d were dropped, want %+v", len(c.numbers), c.others, c.info.Dropped, y)
	}
	for i := 1; i < len(c.numbers); i++ {
		if c.numbers[i] <= c.numbers[i-1] {
			t.Errorf("packet %d has number %d, behind %d", i, c.numbers[i], c.numbers[i-1])
			return
		}
	}
	checkMarks(t, path, y.dropped)
	if y.dropped == 0 {
		checkRun(t, path, c.numbers, 0, packets)
	}
}

// checkMarks wants packets after a loss to say how many were lost before them, and
// none to tell of losses that had not happened yet.
func checkMarks(t *testing.T, path string, dropped int) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := capture.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var rec capture.Record
	var d capture.Decoder
	var p capture.Packet
	marked, last := 0, -1
	for i := 0; r.Next(&rec) == nil; i++ {
		d.Decode(&rec, &p)
		n, _ := wire.FloodNumber(p.Payload)
		marked, last = marked+int(rec.Drops), int(n)
		if missing := last - i; marked > missing {
			t.Errorf("packet %d: %d are said to be lost before it, %d are missing", i, marked, missing)
			return
		} else if rec.Drops != 0 {
			t.Logf("packet %d: %d were lost before it, so far %d of %d", i, rec.Drops, marked, missing)
		}
	}
	// What is lost after the last packet is told by the file's statistics alone.
	if tailLoss := floodPackets(t) - 1 - last; marked != dropped-tailLoss {
		t.Errorf("packets tell of %d losses, want %d of %d", marked, dropped-tailLoss, dropped)
	}
}
