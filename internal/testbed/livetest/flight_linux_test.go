package livetest

import (
	"bytes"
	"fmt"
	"math"
	"net"
	"net/netip"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire/netns"
)

// trigger is the expression that the flight recorder is started with.
const trigger = "disconnect or finding.error or loss > 5%"

// fly records with a flight recorder.
func fly(t *testing.T, n *netns.Namespace, keep string) (j *job, path string) {
	path = filepath.Join(t.TempDir(), "run.pcapng")
	return start(t, n, "capture", "-i", "lo", "-w", path, "--on", trigger, "--keep", keep), path
}

// landed ends it and gives its dumps.
func landed(t *testing.T, j *job, path string) []string {
	t.Helper()
	j.stop()
	dumps := glob(t, strings.TrimSuffix(path, ".pcapng")+"_dump_*.pcapng")
	if len(dumps) == 0 {
		t.Fatalf("no dump\n%s", j.stderr.String())
	}
	for i, d := range dumps {
		j.says("packets in "+d+": ", fmt.Sprintf("_dump_%05d_", i+1))
	}
	return dumps
}

// TestFlightFindings replays a connection with forged frames: the dump has the
// findings on the packets at fault.
func TestFlightFindings(t *testing.T) {
	need(t, "tshark", "capinfos")
	for _, name := range []string{"dp8/fast-signed-forged.pcap", "hazel/malformed.pcap"} {
		t.Run(name, func(t *testing.T) {
			pair := place(t)
			j, path := fly(t, pair[0], "30")
			gate := start(t, pair[0], "check", "-i", "lo", "--format", "ndjson")
			replay(t, pair[0], "../../../testdata/pcaps/"+name)
			gate.signal(syscall.SIGINT)
			dumps := landed(t, j, path)
			live := gate.ends(1)
			accepted(t, false, append(dumps, path)...)
			want := map[string][]string{} // by time of the packet
			file := checked(t, path)
			same(t, "check", findings(live), findings(file))
			for line := range strings.Lines(file) {
				f := readFinding(t, line)
				if f.Verdict == "fail" && f.Rule != "" { // the last record is the verdict
					want[f.Time] = append(want[f.Time], f.Severity+" "+f.Rule+": ")
				}
			}
			if len(want) == 0 {
				t.Fatal("the run breaks no rule")
			}
			got := comments(t, dumps[len(dumps)-1])
			for at, rules := range want {
				for _, r := range rules {
					if !slices.ContainsFunc(got[at], func(c string) bool { return strings.HasPrefix(c, r) }) {
						t.Errorf("the packet of %s has the comments %q, want one of %q", at, got[at], r)
					}
				}
			}
			for at, all := range got {
				all = slices.DeleteFunc(all, func(c string) bool { return strings.HasPrefix(c, "connection ") }) // how one ended
				if len(all) != len(want[at]) {
					t.Errorf("the packet of %s has the comments %q, want %q", at, all, want[at])
				}
			}
			if info := tool(t, "capinfos", dumps[0]); !strings.Contains(info, "kept by --on '"+trigger+"': connection 0 (") || !strings.Contains(info, "finding") {
				t.Errorf("the comment of the file does not name the reason:\n%s", info)
			}
		})
	}
}

// TestFlightLoss dumps what led to a loss that is too high.
func TestFlightLoss(t *testing.T) {
	pair := place(t)
	c := relayed("hazel", 31, 0)
	for i := range c.Relay.From {
		c.Relay.From[i].Loss = 0.12
	}
	c.Listen = [2]wire.Listener{pair[0].Listen, pair[0].Listen}
	c.Relay.Listen = pair[0].Listen
	c.A, c.B = netip.AddrPortFrom(local, 0), netip.AddrPortFrom(local, 0)
	c.Limit = 4 * time.Second
	j, path := fly(t, pair[0], "2")
	playAll(t, c)
	landed(t, j, path)
	j.says("loss")
}

// TestFlightTimes lets connections end one after the other while others talk all
// the time: dumps hold the last seconds only, and do not follow each other closer
// than that.
func TestFlightTimes(t *testing.T) {
	pair := place(t)
	const keep = 2 * time.Second
	j, path := fly(t, pair[0], "2")
	done := make(chan bool)
	go func() {
		trickle(t, pair[0], pair[0], local, local, 1400, 200, 40)
		close(done)
	}()
	time.Sleep(keep + keep/4) // so that there is more than is kept
	ended := 0
	for i := range 4 {
		c := chat("hazel", uint64(i+1))
		c.Talk.Traffic[0].N, c.Talk.Traffic[1].N = 8, 8
		between(&c, pair, "lo")
		if x := playAll(t, c)[0]; x.Over {
			ended++
		}
	}
	<-done
	dumps := landed(t, j, path)
	t.Logf("%d conversations ended, %d dumps\n%s", ended, len(dumps), j.stderr.String())
	if ended < 3 || len(dumps) < 2 {
		t.Errorf("%d conversations ended, %d dumps, want at least 3 and 2", ended, len(dumps))
	}
	whole := readFile(t, path)
	if len(whole.numbers) != 1400 {
		t.Errorf("the recording has %d packets of strangers, want 1400", len(whole.numbers))
	}
	var last int64
	for i, d := range dumps {
		in := readFile(t, d).info
		// The very packets of the time before the last one.
		want := 0
		for _, at := range whole.times {
			if at <= in.LastTime && at >= in.LastTime-int64(keep) {
				want++
			}
		}
		if int(in.Packets) != want || want == len(whole.times) {
			t.Errorf("%s has %d packets, %d were captured in %v", d, in.Packets, want, keep)
		}
		// The last one may be that of the end.
		if i > 0 && i < len(dumps)-1 && time.Duration(in.LastTime-last) < keep*9/10 {
			t.Errorf("%s follows the one before after %v", d, time.Duration(in.LastTime-last))
		}
		last = in.LastTime
	}
}

var moment = regexp.MustCompile(`"time":"[^"]*",?`)

// findings are those of check's records, without their times: two captures need not
// note the same ones.
func findings(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.Contains(line, `"dpdissect/finding/1"`) {
			b.WriteString(moment.ReplaceAllString(line, ""))
		}
	}
	return b.String()
}

// checked are the findings of a file. That it breaks rules is no failure here.
func checked(t *testing.T, path string) string {
	t.Helper()
	j := prepare(t, "check", "--format", "ndjson", path)
	var out bytes.Buffer
	j.cmd.Stdout = &out
	if err := j.cmd.Run(); err == nil {
		t.Errorf("check finds nothing in %s", path)
	}
	return out.String()
}

// comments are those of a file's packets, by the time of the packet, as tshark has
// them.
func comments(t *testing.T, path string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for line := range strings.Lines(tool(t, "tshark", "-n", "-r", path, "-T", "fields", "-E", "aggregator=|", "-e", "frame.time_epoch", "-e", "frame.comment")) {
		at, text, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if text == "" {
			continue
		}
		when := epoch(t, at)
		all[when] = append(all[when], strings.Split(text, "|")...)
	}
	return all
}

// replay sends the datagrams of a capture of one connection again, over loopback.
func replay(t *testing.T, n *netns.Namespace, path string) {
	t.Helper()
	replayUntil(t, n, path, math.MaxInt)
}

// replayUntil sends the first packets of a trace.
func replayUntil(t *testing.T, n *netns.Namespace, path string, packets int) {
	t.Helper()
	src, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	ends := map[dissect.Endpoint]*net.UDPConn{}
	socket := func(a dissect.Endpoint) *net.UDPConn {
		if c, ok := ends[a]; ok {
			return c
		}
		c, err := n.Listen(netip.AddrPortFrom(local, 0))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		ends[a] = c
		return c
	}
	for p, ok := src.Next(); ok && packets > 0; p, ok = src.Next() {
		if p.Class != capture.UDP {
			continue
		}
		packets--
		from, to := socket(p.Src), socket(p.Dst)
		if _, err := from.WriteTo(p.Payload, to.LocalAddr()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
	if len(ends) != 2 {
		t.Fatalf("%s is of %d addresses, want 2", path, len(ends))
	}
}
