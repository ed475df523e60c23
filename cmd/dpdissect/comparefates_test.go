package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/testbed/pcaps"
)

// server is the machine that the first packet goes to.
func (c *tapped) server() []byte { return slices.Clone(c.records[0].Data[30:34]) }

// pair is two points of a session with losses in both directions: each 19th packet.
func pair(t testing.TB) (a, b *tapped, lost int) {
	t.Helper()
	a, b = tap(t, ends(t, "k-loss15.server.pcap.gz"))
	server := a.server()
	gone := func(i int, r *capture.Record) bool { return i > 20 && i < 1400 && i%19 == 0 && isUDP(r) }
	for i := range a.records {
		if gone(a.from[i], &a.records[i]) {
			lost++
		}
	}
	toServer := func(r *capture.Record) bool { return bytes.Equal(r.Data[30:34], server) }
	return a.without(func(i int, r *capture.Record) bool { return gone(i, r) && !toServer(r) }),
		b.without(func(i int, r *capture.Record) bool { return gone(i, r) && toServer(r) }), lost
}

// noIDs takes the identification of IP out of packets.
func noIDs(_ int, r *capture.Record) {
	r.Data[18], r.Data[19] = 0, 0
	checksumIP(r)
}

// checksumIP makes the checksum of the IPv4 header right.
func checksumIP(r *capture.Record) {
	r.Data[24], r.Data[25] = 0, 0
	sum := uint32(0)
	for i := 14; i < 34; i += 2 {
		sum += uint32(binary.BigEndian.Uint16(r.Data[i:]))
	}
	for sum > 0xffff {
		sum = sum&0xffff + sum>>16
	}
	binary.BigEndian.PutUint16(r.Data[24:], ^uint16(sum))
}

// translated gives clients another address and other ports, as a NAT does.
func translated(server []byte) func(int, *capture.Record) {
	return func(_ int, r *capture.Record) {
		for k, at := range []int{26, 30} {
			if !bytes.Equal(r.Data[at:at+4], server) {
				port := r.Data[34+2*k : 36+2*k]
				binary.BigEndian.PutUint16(port, 60000-binary.BigEndian.Uint16(port)/2)
				copy(r.Data[at:], []byte{192, 0, 2, 7})
			}
		}
		if isUDP(r) {
			r.Data[40], r.Data[41] = 0, 0 // no checksum
		}
		checksumIP(r)
	}
}

// TestCompareFates: every datagram is in one record with its fate, whatever the path, the captures and the
// clocks do to it (design, sections 2 and 4).
func TestCompareFates(t *testing.T) {
	a, b, lost := pair(t)
	server := a.server()
	short := func(_ int, r *capture.Record) { r.Data = r.Data[:min(64, len(r.Data))] }
	for name, files := range map[string][2]*tapped{
		"as it is":               {a, b},
		"without identification": {a.each(noIDs), b.each(noIDs)},
		"another identification": {a, b.each(func(i int, r *capture.Record) {
			binary.BigEndian.PutUint16(r.Data[18:], uint16(i*7919))
			checksumIP(r)
		})},
		"NAT":                         {a, b.each(translated(server))},
		"NAT without identification":  {a.each(noIDs), b.each(translated(server)).each(noIDs)},
		"cut to 64 bytes":             {a.each(short), b},
		"a clock years off":           {a, b.each(func(_ int, r *capture.Record) { r.Time += 1e17 })},
		"the clock of one set back":   {a, b.each(func(i int, r *capture.Record) { r.Time -= int64(i/700) * 3e9 })},
		"captured twice at one point": {a, twice(b)},
	} {
		t.Run(name, func(t *testing.T) {
			all, d := compared(t, files[0].write("a.pcap"), files[1].write("b.pcap"))
			got := fatesOf(all)
			if alone := len(all) - got["delivered"] - got["missed_by_both"]; alone != lost || got["delivered"] != len(a.records)-lostAt(a, b)-notUDP(a) || got["missed_by_first"] > 0 {
				t.Errorf("%v, want %d at one point alone of %d\n%+v", got, lost, len(a.records), d.Clock)
			}
			for _, x := range all {
				if x.Frame1 != 0 && x.Frame2 != 0 && files[0].from[x.Frame1-1] != files[1].from[x.Frame2-1] {
					t.Errorf("frames %d and %d are packets %d and %d", x.Frame1, x.Frame2, files[0].from[x.Frame1-1], files[1].from[x.Frame2-1])
				}
			}
			if d.Connections[0].Directions["a"].First != 1 || d.Connections[0].Directions["b"].First != 2 || d.SamePoint {
				t.Errorf("which point is first: %+v", d.Connections[0].Directions)
			}
		})
	}
}

// twice is a capture by a mirror port that copies each packet.
func twice(c *tapped) *tapped {
	out := &tapped{t: c.t}
	for i, r := range c.records {
		out.records, out.from = append(out.records, r, r), append(out.from, c.from[i], c.from[i])
		out.records[len(out.records)-1].Time += 1000
	}
	return out
}

// lostAt counts the packets of a that b lacks.
func lostAt(a, b *tapped) (n int) {
	has := map[int]bool{}
	for _, i := range b.from {
		has[i] = true
	}
	for _, i := range a.from {
		if !has[i] {
			n++
		}
	}
	return n
}

func notUDP(c *tapped) (n int) {
	for i := range c.records {
		if !isUDP(&c.records[i]) {
			n++
		}
	}
	return n
}

// TestCompareClocks: the truth is inside the bound, the error is small, each step is found with its size and
// none is invented (section 3).
func TestCompareClocks(t *testing.T) {
	a, b, _ := pair(t)
	start := a.records[0].Time
	for name, x := range map[string]struct {
		offset int64   // ns
		drift  float64 // ppm
		steps  []int64 // of clock 2, ns, a third of the way on
		point  int
	}{
		"equal clocks":       {},
		"7 s behind":         {offset: -7e9},
		"days before":        {offset: 3 * 86400e9},
		"drift":              {offset: 1e9, drift: 50},
		"set ahead by 40 ms": {steps: []int64{40e6}},
		"set ahead":          {offset: 5e9, drift: -30, steps: []int64{1500e6}},
		"set back":           {drift: 20, steps: []int64{-300e6}, point: 2},
	} {
		t.Run(name, func(t *testing.T) {
			moved := b.each(func(_ int, r *capture.Record) {
				since := r.Time - start
				r.Time += x.offset + int64(float64(since)*x.drift*1e-6)
				if len(x.steps) > 0 && since > 10e9 {
					r.Time += x.steps[0]
				}
			})
			_, d := compared(t, a.write("a.pcap"), moved.write("b.pcap"))
			if len(d.Clock.Steps) != len(x.steps) || len(d.Clock.Segments) != len(x.steps)+1 || d.Clock.Problem != "" {
				t.Fatalf("%d steps, want %d: %+v", len(d.Clock.Steps), len(x.steps), d.Clock)
			}
			for i, s := range d.Clock.Segments {
				want := float64(x.offset) / 1e6
				if i > 0 {
					want += float64(x.steps[0])/1e6 + 10e3*x.drift*1e-6
				}
				if off := math.Abs(*s.Offset - want); off > 0.3 || off > *s.Bound || *s.Bound > 25 {
					t.Errorf("offset %v ± %v, want %v", *s.Offset, *s.Bound, want)
				}
				if math.Abs(s.Drift-x.drift) > 5 {
					t.Errorf("drift %v, want %v", s.Drift, x.drift)
				}
			}
			for i, s := range d.Clock.Steps {
				if math.Abs(s.Size-float64(x.steps[i])/1e6) > 0.5 || x.point != 0 && s.Point != x.point {
					t.Errorf("a step of %v ms of point %d, want %d ns of %d", s.Size, s.Point, x.steps[i], x.point)
				}
			}
			for _, c := range d.Connections {
				for side, dir := range c.Directions {
					if dir.OneWay == nil || math.Abs(dir.OneWay.P50-20) > 0.4 || dir.Queue.Max > 60 {
						t.Errorf("#%d %s: %+v, queue %+v", c.ID, side, dir.OneWay, dir.Queue)
					}
				}
			}
		})
	}
}

// TestCompareMissed: what a capture missed is not called lost, and near it nothing is (section 4).
func TestCompareMissed(t *testing.T) {
	a, b := tap(t, ends(t, "k-loss15.server.pcap.gz"))
	missed := 0
	poor := b.without(func(i int, r *capture.Record) bool {
		if i%50 == 7 && isUDP(r) && i > 100 {
			missed++
			return true
		}
		return false
	})
	all, d := compared(t, a.write("a.pcap"), poor.write("b.pcap"))
	got := fatesOf(all)
	if got["lost_between"] != 0 || got["missed_by_first"] == 0 || got["missed_by_second"] == 0 {
		t.Errorf("%v, where b missed %d", got, missed)
	}
	if n := got["missed_by_first"] + got["missed_by_second"] + got["missed_by_both"]; d.Points[1].Missed != n || d.Points[0].Missed != got["missed_by_both"] {
		t.Errorf("missed %d and %d, records %d", d.Points[0].Missed, d.Points[1].Missed, n)
	}
	for _, x := range all {
		if x.Fate == "missed_by_first" && (x.Direction != "b" || x.Frame1 == 0 || x.Frame2 != 0) {
			t.Errorf("%+v: b is first for what the client receives", x)
		}
	}
}

// TestCompareChanges: copies, changed bytes and disorder made on the way (sections 2.4, 2.5 and 4).
func TestCompareChanges(t *testing.T) {
	a, b := tap(t, ends(t, "h-clean.client.pcap.gz"))
	server := a.server()
	var copies, changes, late []int
	out := &tapped{t: t}
	for i, r := range b.records {
		from, data := b.from[i], slices.Clone(r.Data)
		own := isUDP(&r) && bytes.Equal(r.Data[30:34], server)
		r.Data = data
		if own && from%60 == 11 {
			changes = append(changes, from)
			r.Data[len(r.Data)-1] ^= 0x55
		}
		if own && from%60 == 31 {
			late = append(late, from)
			r.Time += 600e6
		}
		out.records, out.from = append(out.records, r), append(out.from, from)
		if own && from%60 == 51 {
			copies = append(copies, from)
			r.Time += 3e6
			out.records, out.from = append(out.records, r), append(out.from, from)
		}
	}
	out.sort()
	all, d := compared(t, a.write("a.pcap"), out.write("b.pcap"))
	var got [3]int
	for _, x := range all {
		if len(x.Copies2) > 0 {
			got[0]++
		}
		if x.Altered {
			got[1]++
		}
		if x.Reordered {
			got[2]++
		}
		if x.Fate != "delivered" && x.Fate != "outside" {
			t.Errorf("%+v", x)
		}
	}
	if got[0] != len(copies) || got[1] != len(changes) || got[2] < len(late)/2 || got[2] > len(late) {
		t.Errorf("%v copies, changes and late ones, want %d, %d and %d", got, len(copies), len(changes), len(late))
	}
	sum := [3]int{}
	for _, c := range d.Connections {
		x := c.Directions["a"]
		sum[0], sum[1], sum[2] = sum[0]+x.Copies, sum[1]+x.Altered, sum[2]+x.Reordered
	}
	if sum != got {
		t.Errorf("the document counts %v, records %v", sum, got)
	}
}

// TestCompareOutside: what one capture holds while the other may not have listened (section 4), with partial
// overlap.
func TestCompareOutside(t *testing.T) {
	a, b, _ := pair(t)
	late := b.without(func(i int, _ *capture.Record) bool { return i < 500 })
	all, _ := compared(t, a.write("a.pcap"), late.write("b.pcap"))
	for _, x := range all {
		if x.Frame2 == 0 && x.Frame1 > 0 && x.Frame1 < 440 && x.Fate != "outside" {
			t.Errorf("%+v", x)
		}
	}
	text := output(t, "compare", a.write("a.pcap"), late.write("b.pcap"))
	if !strings.Contains(text, "in both") {
		t.Error(text)
	}
}

// TestCompareOutsideByInterfaceTimes: fate outside goes by pcapng's interface times when there are any: what one capture holds
// is lost where the other listened, and nothing came (section 4).
func TestCompareOutsideByInterfaceTimes(t *testing.T) {
	a, b := tap(t, ends(t, "h-clean.client.pcap.gz"))
	begin, end := b.records[0].Time, b.records[len(b.records)-1].Time
	server, cut := a.server(), begin+(end-begin)/2
	a = a.without(func(_ int, r *capture.Record) bool { return r.Time >= cut && !bytes.Equal(r.Data[30:34], server) })
	silent := b.without(func(_ int, r *capture.Record) bool { return r.Time >= cut }) // the path is dead
	for listened, want := range map[int64]string{0: "outside", end: "lost_between"} {
		path := silent.write("b.pcap")
		if listened != 0 {
			path = silent.writeListened("b.pcapng", begin, listened)
		}
		all, _ := compared(t, a.write("a.pcap"), path)
		fates := map[string]int{}
		for _, x := range all {
			if x.Frame2 == 0 && x.Frame1 > 0 && bytes.Equal(a.records[x.Frame1-1].Data[30:34], server) && a.records[x.Frame1-1].Time > cut+1e9 && a.records[x.Frame1-1].Time < end-1e9 {
				fates[x.Fate]++
			}
		}
		if len(fates) != 1 || fates[want] < 20 {
			t.Errorf("listened until %d: %v, want %s", listened, fates, want)
		}
	}
}

// TestCompareSamePoint: one file twice, or two taps of one place (section 8).
func TestCompareSamePoint(t *testing.T) {
	a, _, _ := pair(t)
	path := a.write("a.pcap")
	tapB := a.without(func(i int, _ *capture.Record) bool { return i == 200 || i == 300 }).each(func(i int, r *capture.Record) { r.Time += int64(i % 3 * 1000) })
	for _, other := range []string{path, tapB.write("b.pcap")} {
		all, d := compared(t, path, other)
		got := fatesOf(all)
		if !d.SamePoint || got["delivered"]+got["uncertain"] != len(all) {
			t.Errorf("%v, %v", d.SamePoint, got)
		}
		for _, x := range all {
			if x.OneWay != nil || x.Queue != nil {
				t.Fatalf("a delay at one place: %+v", x)
			}
		}
	}
}

// TestCompareMirror: swapped files give the same with 1 and 2 exchanged.
func TestCompareMirror(t *testing.T) {
	a, b, _ := pair(t)
	pa, pb := a.write("a.pcap"), b.each(func(_ int, r *capture.Record) { r.Time -= 7e9 }).write("b.pcap")
	x, dx := compared(t, pa, pb)
	y, dy := compared(t, "--reference", "2", pb, pa)
	key := func(p, q passage) int { return (p.Frame1-q.Frame1)*1<<20 + p.Frame2 - q.Frame2 }
	for i := range y {
		y[i].Frame1, y[i].Frame2, y[i].Copies1, y[i].Copies2 = y[i].Frame2, y[i].Frame1, y[i].Copies2, y[i].Copies1
	}
	slices.SortStableFunc(x, key)
	slices.SortStableFunc(y, key)
	for i := range x {
		p, q := x[i], y[i]
		if p.Fate != q.Fate || p.Frame1 != q.Frame1 || p.Frame2 != q.Frame2 || p.Time != q.Time || p.Direction != q.Direction || p.OneWay != nil && *p.OneWay != *q.OneWay || p.Queue != nil && *p.Queue != *q.Queue {
			t.Fatalf("%+v\n%+v", p, q)
		}
	}
	if *dx.Clock.Segments[0].Offset != -*dy.Clock.Segments[0].Offset {
		t.Errorf("offsets %v and %v", *dx.Clock.Segments[0].Offset, *dy.Clock.Segments[0].Offset)
	}
	for i := range dx.Connections {
		if dx.Connections[i].Verdict.Cause != dy.Connections[i].Verdict.Cause {
			t.Errorf("verdicts %v and %v", dx.Connections[i].Verdict, dy.Connections[i].Verdict)
		}
	}
}

// TestCompareWorkers: any number of workers prints the same bytes, in every format.
func TestCompareWorkers(t *testing.T) {
	a, b, _ := pair(t)
	pa, pb := a.write("a.pcap"), b.write("b.pcap")
	for _, format := range [][]string{{"text"}, {"json"}, {"ndjson"}, {"csv"}, {"csv", "--datagrams"}} {
		one := ""
		for _, workers := range []string{"1", "2", "4"} {
			got := output(t, append([]string{"compare", "--workers", workers, pa, pb, "--format"}, format...)...)
			if one == "" {
				one = got
			}
			if got != one {
				t.Errorf("%s with %s workers", format, workers)
			}
		}
	}
}

// TestCompareSchemas: documents, with intervals, and records are as their schemas say.
func TestCompareSchemas(t *testing.T) {
	a, b, _ := pair(t)
	document, record := schema(t, "compare"), schema(t, "passage")
	pa, pb := a.write("a.pcap"), b.write("b.pcap")
	for _, args := range [][]string{{"--format", "ndjson"}, {"--format", "ndjson", "--interval", "5"}, {"--format", "json", "--from", "5", "--to", "15"}, {"--format", "json", "--connection", "1"}} {
		for _, v := range records(t, output(t, append([]string{"compare", pa, pb}, args...)...)) {
			s := document
			if v.(map[string]any)["schema"] == "dpdissect/passage/1" {
				s = record
			}
			if err := s.Validate(v); err != nil {
				t.Fatalf("%q: %v", args, err)
			}
		}
	}
}

// TestCompareNothing: captures of different sessions are refused, and it is said what was looked for (section 8).
func TestCompareNothing(t *testing.T) {
	a, b, _ := pair(t)
	pa := a.write("a.pcap")
	zeros := b.each(func(_ int, r *capture.Record) {
		if isUDP(r) {
			clear(r.Data[42:])
		}
	})
	other, _ := tap(t, ends(t, "h-clean.client.pcap.gz"))
	for name, path := range map[string]string{"another session": other.write("b.pcap"), "payloads of zeros": zeros.write("b.pcap")} {
		_, stderr, code := call(t, "compare", pa, path)
		if code != exit.NotEvaluated || !strings.Contains(stderr, "have nothing in common") || !strings.Contains(stderr, "payloads looked for in") {
			t.Errorf("%s: code %d: %s", name, code, stderr)
		}
	}
	for _, args := range [][]string{{pa}, {pa, pa, pa}, {"--point", "a=" + pa}, {"--point", "x", pa}, {pa, "-"}, {pa, pa, "--interval", "5"}, {pa, pa, "--datagrams"}} {
		if _, stderr, code := call(t, append([]string{"compare"}, args...)...); code != exit.Usage || stderr == "" {
			t.Errorf("%q: code %d: %s", args, code, stderr)
		}
	}
	if _, _, code := call(t, "compare", pa, pa+".none"); code != exit.Input {
		t.Errorf("a file that is not there: code %d", code)
	}
}

// TestCompareTwoSessionsAlike: two sessions in which one program says the same are refused, as no clock tells the times
// of one from those of the other; that takes no address that both have.
func TestCompareTwoSessionsAlike(t *testing.T) {
	a, b := ends(t, "h-outage-3s.client.pcap.gz"), ends(t, "h-client-frozen.server.pcap.gz")
	for _, files := range [][2]string{{a, b}, {b, a}} {
		_, stderr, code := call(t, "compare", files[0], files[1])
		if code != exit.NotEvaluated || !strings.Contains(stderr, "two sessions that say the same") || !strings.Contains(stderr, "payloads looked for in") {
			t.Errorf("code %d: %s", code, stderr)
		}
	}
}

// TestBetween: commands that tell each of two captures go on with what both show together, and keep the counts
// of dpdissect/points/1.
func TestBetween(t *testing.T) {
	a, b, lost := pair(t)
	pa, pb := a.write("a.pcap"), b.write("b.pcap")
	var got struct {
		Pairs []struct {
			A, B  string
			Whole bool
			Flows []struct {
				Src, Dst, First string
				Both            int
				OnlyA           struct{ Datagrams, Edge int } `json:"only_a"`
				OnlyB           struct{ Datagrams, Edge int } `json:"only_b"`
			}
			Compare comparison
		}
	}
	for _, command := range []string{"analyze", "explain"} {
		text := output(t, command, "--format", "json", pa, pb)
		if err := json.Unmarshal([]byte(text), &got); err != nil || len(got.Pairs) != 1 {
			t.Fatalf("%v: %s", err, text)
		}
		p := got.Pairs[0]
		both, alone := 0, 0
		for _, f := range p.Flows {
			both, alone = both+f.Both, alone+f.OnlyA.Datagrams+f.OnlyB.Datagrams
		}
		if alone != lost || both != len(a.records)-lostAt(a, b)-notUDP(a) || p.A != pa || !p.Whole || p.Compare.Schema != "dpdissect/compare/1" {
			t.Errorf("%s: %d in both and %d in one, %+v", command, both, alone, p)
		}
		text = output(t, command, pa, pb)
		want := output(t, "compare", pa, pb)
		if !strings.HasSuffix(text, want) {
			t.Errorf("%s ends otherwise than compare:\n%s", command, text[max(0, len(text)-2000):])
		}
	}
	if err := schema(t, "points").Validate(records(t, output(t, "analyze", "--format", "json", pa, pb))[0]); err != nil {
		t.Error(err)
	}
}

// TestCompareShown: --connection, -Y and the span choose what is shown; pairing uses everything.
func TestCompareShown(t *testing.T) {
	a, b, _ := pair(t)
	pa, pb := a.write("a.pcap"), b.write("b.pcap")
	all, d := compared(t, pa, pb)
	for _, c := range d.Connections {
		some, only := compared(t, pa, pb, "--connection", strconv.Itoa(c.ID))
		if len(only.Connections) != 1 || only.Connections[0].ID != c.ID || len(some) == 0 || len(some) >= len(all) {
			t.Errorf("--connection %d: %d records, %+v", c.ID, len(some), only.Connections)
		}
	}
	_, only := compared(t, pa, pb, "-Y", "udp.port == "+strconv.Itoa(int(binary.BigEndian.Uint16(a.records[0].Data[34:]))))
	if len(only.Connections) != 1 || only.Connections[0].ID != 0 || !reflect.DeepEqual(only.Connections[0].Directions, d.Connections[0].Directions) {
		t.Errorf("-Y: %+v", only.Connections)
	}
	first, _ := compared(t, pa, pb, "--to", "10")
	rest, _ := compared(t, pa, pb, "--from", "10")
	if len(first) == 0 || len(rest) == 0 || len(first)+len(rest) != len(all) {
		t.Errorf("%d records before, %d after, of %d", len(first), len(rest), len(all))
	}
}

// TestCompareEnds: of the sessions of the real libraries that were captured at both sides, fates are those that the
// relay counted, and verdicts those that both sides can prove.
func TestCompareEnds(t *testing.T) {
	truths, err := filepath.Glob(filepath.Join(os.Getenv(pcaps.Variable), "ends", "*.truth.json"))
	if err != nil || os.Getenv(pcaps.Variable) == "" || len(truths) == 0 {
		t.Skip("no sessions captured at both sides")
	}
	proved := map[string]string{"h-client-frozen": "peer-silent a", "h-one-way-cs": "one-way path", "k-one-way-sc": "one-way path", "h-size-blackhole-cs": "size-black-hole path",
		"h-size-blackhole-sc": "size-black-hole path", "h-nat-idle-client-resumes": "nat-expired path", "k-nat-rebind": "nat-rebinding path", "h-refuse-silent": "no-answer b", "k-no-server-icmp": "port-closed b", "k-server-kill-icmp": "port-closed b"}
	for _, truth := range truths {
		name := strings.TrimSuffix(filepath.Base(truth), ".truth.json")
		client, server := strings.TrimSuffix(truth, "truth.json")+"client.pcap.gz", strings.TrimSuffix(truth, "truth.json")+"server.pcap.gz"
		if _, err := os.Stat(server); err != nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(truth)
			if err != nil {
				t.Fatal(err)
			}
			var want struct {
				Relay map[string]map[string]int `json:"relay_fates"`
			}
			if err := json.Unmarshal(text, &want); err != nil {
				t.Fatal(err)
			}
			all, d := compared(t, client, server)
			passed, lost := 0, 0
			for _, fates := range want.Relay {
				for fate, n := range fates {
					if strings.HasPrefix(fate, "DROP") {
						lost += n
					} else {
						passed += n
					}
				}
			}
			got := fatesOf(all)
			// What the relay passed after the end of the captures is in none.
			if off := passed - got["delivered"]; off < 0 || off > 4 || lost-got["lost_between"] < 0 || lost-got["lost_between"] > 1 || got["missed_by_first"]+got["missed_by_second"]+got["uncertain"]+got["missed_by_both"] > 0 {
				t.Errorf("%v, but the relay passed %d and dropped %d", got, passed, lost)
			}
			for _, s := range d.Clock.Segments {
				if math.Abs(*s.Offset) > 0.3 || math.Abs(s.Drift) > 5 || len(d.Clock.Steps) > 0 {
					t.Errorf("clocks that are one: %v ± %v, %v ppm, %d steps", *s.Offset, *s.Bound, s.Drift, len(d.Clock.Steps))
				}
			}
			if v := d.Connections[0].Verdict; proved[name] != "" && (v.Cause+" "+v.Side != proved[name] || v.Certainty != "proved") {
				t.Errorf("%s %s %s, want %s, proved", v.Cause, v.Side, v.Certainty, proved[name])
			}
		})
	}
}

// TestCompareAnnotate: both captures in one pcapng, byte for byte, each point an interface, in the order of the axis, with
// as many fates as the document counts (section 5).
func TestCompareAnnotate(t *testing.T) {
	a, b, _ := pair(t)
	both := filepath.Join(t.TempDir(), "both.pcapng")
	all, _ := compared(t, "--annotate", both, a.write("a.pcap"), b.each(func(_ int, r *capture.Record) { r.Time += 5e9 }).write("b.pcap"))
	f, err := os.Open(both)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := capture.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	fates, n, last := map[string]int{}, [2]int{}, int64(0)
	other := map[int]int{}
	for frame := 1; ; frame++ {
		var rec capture.Record
		if r.Next(&rec) != nil {
			break
		}
		from := [2]*tapped{a, b}[rec.Interface]
		if !bytes.Equal(rec.Data, from.records[n[rec.Interface]].Data) {
			t.Fatalf("frame %d is another packet", frame)
		}
		n[rec.Interface]++
		if rec.Time < last-1e6 {
			t.Errorf("frame %d is before the one before", frame)
		}
		last = rec.Time
		for _, word := range strings.Fields(strings.Join(rec.Comments, " ")) {
			if fate, ok := strings.CutPrefix(word, "fate="); ok {
				fates[fate]++
			}
			if x, ok := strings.CutPrefix(word, "other="); ok {
				other[frame], _ = strconv.Atoi(x)
			}
		}
	}
	if n != [2]int{len(a.records), len(b.records)} {
		t.Errorf("%v packets", n)
	}
	want := fatesOf(all)
	for fate, k := range want {
		if fate == "delivered" {
			k *= 2
		}
		if fate != "missed_by_both" && fates[fate] != k {
			t.Errorf("%d packets are %s, want %d", fates[fate], fate, k)
		}
	}
	for frame, x := range other {
		if other[x] != frame {
			t.Fatalf("frame %d points to %d, which points to %d", frame, x, other[x])
		}
	}
}
