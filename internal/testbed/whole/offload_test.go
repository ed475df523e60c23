package whole

import (
	"encoding/json"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/captured"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// receiveOffload makes of a capture what a host with receive offload would have
// captured: datagrams that came one after the other and follow each other, of equal
// length but the last, are one. It gives that, and the same with each datagram for
// itself, but with the times and frame numbers of the former.
func receiveOffload(all []dissect.Datagram, p *session.Protocol) (joined, apart []dissect.Datagram, groups int) {
	longest := map[[2]dissect.Endpoint]int{}
	for i := 0; i < len(all); {
		n := follow(all[i:], p)
		d := all[i]
		way := [2]dissect.Endpoint{d.Src, d.Dst}
		bytes := 0
		for _, x := range all[i : i+n] {
			bytes += x.Length
		}
		if n < 3 || bytes <= longest[way] {
			n = 1
		}
		d.Frame = uint64(len(joined) + 1)
		for k, x := range all[i : i+n] {
			x.Frame, x.Time = d.Frame, d.Time
			if n > 1 {
				x.IPID, x.Sum = d.IPID+uint16(k), 0
				if d.IPID == 0 {
					x.IPID = 0
				}
			}
			apart = append(apart, x)
		}
		if n > 1 {
			groups++
			d.Length, d.Payload = bytes, nil
			for _, x := range all[i : i+n] {
				d.Payload = append(d.Payload, x.Payload...)
			}
		} else {
			longest[way] = max(longest[way], d.Length)
		}
		joined = append(joined, d)
		i += n
	}
	return joined, apart, groups
}

// follow counts the datagrams that offload would join with the first.
func follow(all []dissect.Datagram, p *session.Protocol) int {
	n, first := 1, &all[0]
	fits := func(d *dissect.Datagram) bool {
		return d.Kind == dissect.UDP && d.Fragments == 0 && !d.Cut() && !d.BadChecksum && d.Src == first.Src && d.Dst == first.Dst && d.TTL == first.TTL
	}
	for fits(first) && n < len(all) && n < 64 && fits(&all[n]) && p.Follows(all[n-1].Payload, all[n].Payload) && all[n].Length <= first.Length {
		n++
		if all[n-1].Length < first.Length {
			break
		}
	}
	return n
}

// withoutOffload leaves out what is said of offload itself: the rule, and how many
// notes a connection has.
func withoutOffload(lines []string) []string {
	notes := regexp.MustCompile(` \d+\]$`)
	var out []string
	for _, line := range lines {
		if strings.HasPrefix(line, "connection of ") {
			line = notes.ReplaceAllString(line, "]")
		}
		if !strings.Contains(line, "CAP-OFFLOAD") {
			out = append(out, line)
		}
	}
	return out
}

// TestOffloadAlike: of a capture whose packets stand for several datagrams it is told
// what is told of the same datagrams one by one, in files of all protocols.
func TestOffloadAlike(t *testing.T) {
	groups := map[string]int{}
	for _, path := range allCaptures(t) {
		name := filepath.Base(filepath.Dir(path))
		for _, p := range protocols.All(protocols.Options{}) {
			if p.Name != name {
				continue
			}
			joined, apart, n := receiveOffload(captured.Tracked(t, path), p)
			groups[name] += n
			if n == 0 {
				continue
			}
			alike(t, path, withoutOffload(written(apart, session.Config{}, true)), withoutOffload(written(joined, session.Config{}, true)))
		}
	}
	for _, p := range protocols.All(protocols.Options{}) {
		if groups[p.Name] < 2 {
			t.Errorf("%s: %d packets stand for several datagrams", p.Name, groups[p.Name])
		}
	}
}

// joinedTraces are captures with packets that stand for several datagrams, of each
// protocol one.
func joinedTraces(t *testing.T) map[string][]dissect.Datagram {
	t.Helper()
	joined := map[string][]dissect.Datagram{}
	for _, path := range []string{"dp8/large-message", "dp4/parts-own-serials", "knet/transfers-reference", "hazel/fragments-fork36"} {
		all := captured.Tracked(t, "../../../testdata/pcaps/"+path+".pcap")
		for _, p := range protocols.All(protocols.Options{}) {
			if p.Name != filepath.Dir(path) {
				continue
			}
			n := 0
			if joined[p.Name], _, n = receiveOffload(all, p); n == 0 {
				t.Fatalf("%s: no datagrams follow each other", path)
			}
		}
	}
	return joined
}

// TestOffloadOutput: what packets stand for is printed one after the other under the
// packet's number, as many lines as there are datagrams, by any number of workers.
func TestOffloadOutput(t *testing.T) {
	var files []string
	n := byte(0)
	for _, p := range protocols.All(protocols.Options{}) {
		n++
		joined := joinedTraces(t)[p.Name]
		if joined == nil {
			t.Fatalf("joinedTraces names no capture of %s", p.Name)
		}
		files = append(files, filepath.Join(t.TempDir(), p.Name+".pcap"))
		captured.Write(t, files[len(files)-1], captured.In(n, joined))
	}
	for _, mode := range []pipeline.FrameMode{pipeline.Lines, pipeline.NDJSON, pipeline.Tree} {
		want := said(t, files, protocols.Options{}, 1, mode, session.HashMessages)
		for _, workers := range []int{2, 3, 16} {
			if got := said(t, files, protocols.Options{}, workers, mode, session.HashMessages); got != want {
				t.Errorf("mode %d, %d workers: %s", mode, workers, firstDifference(got, want))
			}
		}
	}
	var out strings.Builder
	run, q := offloadRun(t, files, &out)
	frames, last, shared, acked := uint64(0), uint64(0), 0, 0
	for line := range strings.Lines(out.String()) {
		var rec struct {
			Frame   uint64
			AckedIn uint64 `json:"acked_in"`
			Acks    []uint64
		}
		if err := json.Unmarshal([]byte(line), &rec); err != nil {
			t.Fatal(err)
		}
		frames++
		if rec.Frame < last {
			t.Fatalf("frame %d behind frame %d", rec.Frame, last)
		}
		if rec.Frame == last {
			shared++
			if rec.AckedIn > 0 {
				acked++
			}
		}
		last = rec.Frame
		if len(slices.Compact(slices.Clone(rec.Acks))) != len(rec.Acks) {
			t.Errorf("frame %d acknowledges %v", rec.Frame, rec.Acks)
		}
	}
	decoded, _, other := run.Decoded()
	if totals := run.Totals(); frames != totals.UDPDatagrams || decoded+other != frames || totals.Packets+uint64(shared) != frames {
		t.Errorf("%d records, %d datagrams in %d packets, %d decoded, %d others", frames, totals.UDPDatagrams, totals.Packets, decoded, other)
	}
	if shared < 20 || acked < shared/2 {
		t.Errorf("%d further datagrams, %d of them acknowledged", shared, acked)
	}
	told := 0
	for _, f := range q.Findings() {
		if f.Rule.ID == "CAP-OFFLOAD" {
			told++
		}
	}
	if told < len(files) {
		t.Errorf("offload is told %d times of %d captures", told, len(files))
	}
}

// offloadRun decodes files to records.
func offloadRun(t *testing.T, files []string, out io.Writer) (*pipeline.Run, *pipeline.Queue) {
	t.Helper()
	src, err := capture.Open(files, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	r := &pipeline.Run{Source: src, Workers: 1, Config: session.Config{Protocols: protocols.All(protocols.Options{})}}
	p := &pipeline.Frames{Mode: pipeline.NDJSON, Clock: &render.Clock{}, Titles: protocols.Tables()}
	p.Configure(&r.Config)
	q := pipeline.NewQueue(out, p)
	q.Attach(r)
	if err := r.Do(); err != nil {
		t.Fatal(err)
	}
	if err := q.Finish(); err != nil {
		t.Fatal(err)
	}
	return r, q
}

// TestOffloadWhole: packets that are longer than the link carries and do not fall
// apart are told, and nothing is said to be missing on their side.
func TestOffloadWhole(t *testing.T) {
	for name, all := range joinedTraces(t) {
		long := 0
		from := dissect.Endpoint{}
		for i := range all {
			d := &all[i]
			if d.Length > dissect.LargestPacket && d.Fragments == 0 {
				long++
				from = d.Src
				for k := range d.Payload[d.Length/3:] {
					d.Payload[d.Length/3+k] = 0x5a // no frame after the first
				}
			}
		}
		w, conns := track(all, session.Config{Protocols: protocols.All(protocols.Options{}), Inconclusive: true})
		if long == 0 || len(conns) != 1 {
			t.Fatalf("%s: %d long packets, %d connections", name, long, len(conns))
		}
		c := conns[0]
		dir := dissect.Dir(0)
		if c.B == from {
			dir = 1
		}
		d := &c.Dir[dir]
		if !d.Offloaded() || d.Missing() != 0 || d.Lost().NotCaptured != 0 || d.Lost().BeforeCapture != 0 {
			t.Errorf("%s: %t, %d missing, lost %+v", name, d.Offloaded(), d.Missing(), d.Lost())
		}
		told := false
		for _, f := range w.findings {
			switch f.Rule.ID {
			case "CAP-OFFLOAD":
				told = true
			case "CAP-GAP", "FLD-BURST":
				if f.Dir == session.Side(dir+1) {
					t.Errorf("%s: %s: %s", name, f.Rule.ID, f.Message)
				}
			}
			if f.Failed() && f.Severity != conform.Note && f.Rule.EndpointFault() {
				t.Errorf("%s: %s accuses: %s", name, f.Rule.ID, f.Message)
			}
		}
		if !told {
			t.Errorf("%s: nothing is told of offload", name)
		}
	}
}
