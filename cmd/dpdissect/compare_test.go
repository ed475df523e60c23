package main

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// A tapped is a capture at one of two points, as a test makes it.
type tapped struct {
	t       testing.TB
	records []capture.Record
	from    []int // of each record, the packet of the original capture
}

// tap reads a capture of Ethernet and IPv4 as what passed in the middle of a path, and gives what two points
// have of it, 20 ms on either side of it.
func tap(t testing.TB, path string) (a, b *tapped) {
	t.Helper()
	a, b = &tapped{t: t}, &tapped{t: t}
	src, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var server uint32
	for i := 0; ; i++ {
		rec, ok := src.NextRecord()
		if !ok {
			break
		}
		r := *rec
		r.Data = slices.Clone(rec.Data)
		to := binary.BigEndian.Uint32(r.Data[30:])
		if i == 0 {
			server = to
		}
		x, y := r, r
		y.Data = slices.Clone(r.Data)
		if to == server {
			x.Time -= 20e6
			y.Data[22]--
		} else {
			y.Time -= 20e6
			x.Data[22]--
		}
		x.Time, y.Time = x.Time+10e6, y.Time+10e6
		a.records, a.from = append(a.records, x), append(a.from, i)
		b.records, b.from = append(b.records, y), append(b.from, i)
	}
	a.sort()
	b.sort()
	return a, b
}

// sort puts packets in the order of time.
func (c *tapped) sort() {
	order := make([]int, len(c.records))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int { return int(c.records[i].Time - c.records[k].Time) })
	var records []capture.Record
	var from []int
	for _, i := range order {
		records, from = append(records, c.records[i]), append(from, c.from[i])
	}
	c.records, c.from = records, from
}

// without leaves packets out.
func (c *tapped) without(drop func(packet int, r *capture.Record) bool) *tapped {
	out := &tapped{t: c.t}
	for i := range c.records {
		if !drop(c.from[i], &c.records[i]) {
			out.records, out.from = append(out.records, c.records[i]), append(out.from, c.from[i])
		}
	}
	return out
}

// each changes packets.
func (c *tapped) each(change func(i int, r *capture.Record)) *tapped {
	out := &tapped{t: c.t, from: c.from}
	for i, r := range c.records {
		r.Data = slices.Clone(r.Data)
		change(i, &r)
		out.records = append(out.records, r)
	}
	return out
}

// write writes a capture file.
func (c *tapped) write(name string) string {
	c.t.Helper()
	return c.writeAs(name, "pcap", func(*capture.Writer) error { return nil })
}

// writeListened writes a pcapng that says from when until when its interface was listened to.
func (c *tapped) writeListened(name string, from, to int64) string {
	c.t.Helper()
	return c.writeAs(name, "pcapng", func(w *capture.Writer) error {
		return w.Statistics(0, capture.Statistics{Start: from, End: to, Received: uint64(len(c.records))})
	})
}

func (c *tapped) writeAs(name, format string, end func(w *capture.Writer) error) string {
	c.t.Helper()
	path := filepath.Join(c.t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		c.t.Fatal(err)
	}
	defer f.Close()
	w, err := capture.NewWriter(f, capture.WriterOptions{Format: format, Nanoseconds: true, Interfaces: []capture.Interface{{Link: c.records[0].Link}}})
	if err != nil {
		c.t.Fatal(err)
	}
	for i := range c.records {
		if err := w.Write(&c.records[i]); err != nil {
			c.t.Fatal(err)
		}
	}
	if err := end(w); err != nil {
		c.t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		c.t.Fatal(err)
	}
	return path
}

// A passage is a record of ndjson, as tests read it.
type passage struct {
	Schema     string
	Connection *int
	Direction  string
	Fate       string
	Time       string
	Time1      string   `json:"time_1"`
	Frame1     int      `json:"frame_1"`
	Frame2     int      `json:"frame_2"`
	Copies1    []int    `json:"copies_1"`
	Copies2    []int    `json:"copies_2"`
	OneWay     *float64 `json:"one_way_ms"`
	Queue      *float64 `json:"queue_ms"`
	Altered    bool
	AlteredAt  []int `json:"altered_bytes"`
	Reordered  bool
	Length     int
}

// comparison is the document, as tests read it.
type comparison struct {
	Schema    string
	SamePoint bool `json:"same_point"`
	Points    []struct {
		Name, Near string
		Missed     int
	}
	Clock struct {
		Segments []struct {
			From, To string
			Offset   *float64 `json:"offset_ms"`
			Drift    float64  `json:"drift_ppm"`
			Bound    *float64 `json:"bound_ms"`
			Pairs    [2]int
		}
		Steps []struct {
			Time  string
			Size  float64 `json:"step_ms"`
			Point int
		}
		Problem string
	}
	NAT []struct {
		Address1, Address2 string
		Datagrams          int
	}
	Connections []struct {
		ID         int
		Protocol   string
		Directions map[string]struct {
			First                      int `json:"first_point"`
			Fates                      map[string]int
			Copies, Altered, Reordered int
			OneWay                     *struct {
				Samples            int
				Min, P50, P95, Max float64
				Bound              float64 `json:"bound_ms"`
			} `json:"one_way_ms"`
			Queue  *struct{ P50, P95, Max float64 } `json:"queue_ms"`
			Losses []struct{ Datagrams int }
		}
		Verdict struct {
			Cause, Side, Certainty string
			DecidedBy              string `json:"decided_by"`
			Sentence               string
		}
		Contributing []struct {
			Cause, Where string
			Directions   []string
		}
		ICMP []struct{ Fate string }
	}
	Other struct{ Fates map[string]int }
}

// compared runs compare and checks that all is as the schemas say, and that every count is
// the sum of its records.
func compared(t testing.TB, args ...string) ([]passage, *comparison) {
	t.Helper()
	text := output(t, append([]string{"compare", "--format", "ndjson"}, args...)...)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	var all []passage
	for _, line := range lines[:len(lines)-1] {
		var x passage
		if err := json.Unmarshal([]byte(line), &x); err != nil {
			t.Fatal(err)
		}
		all = append(all, x)
	}
	d := new(comparison)
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), d); err != nil {
		t.Fatal(err)
	}
	sums := map[int]map[string]map[string]int{}
	for _, x := range all {
		id := -1
		if x.Connection != nil {
			id = *x.Connection
		}
		if sums[id] == nil {
			sums[id] = map[string]map[string]int{"a": {}, "b": {}, "": {}}
		}
		sums[id][x.Direction][x.Fate]++
	}
	for _, c := range d.Connections {
		for side, dir := range c.Directions {
			for fate, n := range dir.Fates {
				if sums[c.ID][side][fate] != n {
					t.Errorf("#%d %s: %d %s, but %d records", c.ID, side, n, fate, sums[c.ID][side][fate])
				}
			}
			lost := 0
			for _, l := range dir.Losses {
				lost += l.Datagrams
			}
			if lost != dir.Fates["lost_between"] {
				t.Errorf("#%d %s: runs of %d losses, but %d are lost", c.ID, side, lost, dir.Fates["lost_between"])
			}
		}
	}
	return all, d
}

// fateOf counts records by fate.
func fatesOf(all []passage) map[string]int {
	n := map[string]int{}
	for _, x := range all {
		n[x.Fate]++
	}
	return n
}

// ends is a capture of the real libraries that is kept with the project.
func ends(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "testdata", "captured", "ends", name)
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// isUDP reports a UDP packet of Ethernet and IPv4.
func isUDP(r *capture.Record) bool { return r.Data[23] == 17 }
