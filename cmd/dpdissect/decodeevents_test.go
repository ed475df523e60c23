package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/events"
	"github.com/dpdissect/dpdissect/internal/exit"
)

// An eventLine is a line of decode --format events.
type eventLine struct {
	TimeMS     float64 `json:"time_ms"`
	Name       string  `json:"name"`
	Connection *int    `json:"connection"`
	Direction  string  `json:"direction"`
	Frame      uint64  `json:"frame"`
	Data       struct {
		Frames   []uint64 `json:"frames"`
		Of       uint64   `json:"of"`
		Unneeded bool     `json:"unneeded"`
		Class    string   `json:"class"`
		Count    int      `json:"count"`
		State    string   `json:"state"`
		RTT      float64  `json:"latest_rtt_ms"`
	} `json:"data"`
}

func eventsOf(t *testing.T, args ...string) (all []eventLine) {
	t.Helper()
	out := output(t, append([]string{"decode", "--format", "events"}, args...)...)
	for line := range strings.Lines(out) {
		var e eventLine
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all = append(all, e)
	}
	return all
}

// TestEventsSumToAnalysis: on each capture the events of each side add up to what analyze
// counts of it, and come in the order of time.
func TestEventsSumToAnalysis(t *testing.T) {
	t.Parallel()
	for _, path := range captures(t) {
		got, want := sumsOfEvents(t, eventsOf(t, path)), sumsOfAnalysis(t, path)
		if !maps.Equal(got, want) {
			for _, k := range slices.Sorted(maps.Keys(want)) {
				if got[k] != want[k] {
					t.Errorf("%s: %s is %d by the events, %d by the analysis", path, k, got[k], want[k])
				}
			}
			for k := range got {
				if _, ok := want[k]; !ok {
					t.Errorf("%s: %s is %d by the events", path, k, got[k])
				}
			}
		}
	}
}

// sumsOfEvents are the sums that the analysis has as well; none is 0.
func sumsOfEvents(t *testing.T, all []eventLine) map[string]int {
	t.Helper()
	sums := map[string]int{}
	for i, e := range all {
		if i > 0 && e.TimeMS < all[i-1].TimeMS {
			t.Errorf("line %d is earlier than the one before it", i+1)
		}
		if e.Frame == 0 || e.Connection == nil && e.Name != "dpdissect:finding" {
			t.Errorf("line %d: frame %d, connection %v", i+1, e.Frame, e.Connection)
			continue
		}
		of := func(what string) string { return fmt.Sprintf("%d %s %s", *e.Connection, e.Direction, what) }
		switch e.Name {
		case "connectivity:connection_started":
			sums["connections"]++
		case "connectivity:connection_closed":
			sums[fmt.Sprintf("%d %s", *e.Connection, e.Data.State)]++
		case "transport:packet_sent", "transport:packet_received":
			if (e.Direction == "a") != (e.Name == "transport:packet_sent") {
				t.Errorf("line %d: %s of side %s", i+1, e.Name, e.Direction)
			}
			sums[of("frames")]++
		case "recovery:packet_retransmitted":
			sums[of("retries")]++
		case "recovery:packet_lost":
			sums[of(e.Data.Class)] += e.Data.Count
		}
	}
	return sums
}

func sumsOfAnalysis(t *testing.T, path string) map[string]int {
	t.Helper()
	var doc struct {
		Connections []struct {
			ID         int    `json:"id"`
			State      string `json:"state"`
			Directions map[string]struct {
				Frames  int            `json:"frames"`
				Retries int            `json:"retries"`
				Lost    map[string]int `json:"lost"`
			} `json:"directions"`
		} `json:"connections"`
	}
	if err := json.Unmarshal([]byte(printed(t, "analyze", "--format", "json", path)), &doc); err != nil {
		t.Fatal(err)
	}
	sums := map[string]int{}
	put := func(key string, n int) {
		if n > 0 {
			sums[key] = n
		}
	}
	put("connections", len(doc.Connections))
	for _, c := range doc.Connections {
		if slices.Contains([]string{"closed", "reset", "timed-out", "refused"}, c.State) {
			sums[fmt.Sprintf("%d %s", c.ID, c.State)]++
		}
		for side, d := range c.Directions {
			put(fmt.Sprintf("%d %s frames", c.ID, side), d.Frames)
			put(fmt.Sprintf("%d %s retries", c.ID, side), d.Retries)
			for class, n := range d.Lost {
				put(fmt.Sprintf("%d %s %s", c.ID, side, class), n)
			}
		}
	}
	return sums
}

// TestEventsMatchFrames: what events say of a frame is what its record says.
func TestEventsMatchFrames(t *testing.T) {
	for _, name := range []string{"unsigned-lossy.pcap", "full-signed-forged.pcap"} {
		path := capturePath(t, name)
		records, n := recordsOf(t, path), map[string]int{}
		for _, e := range eventsOf(t, path) {
			if len(records[int(e.Frame)]) != 1 {
				continue
			}
			r := records[int(e.Frame)][0]
			switch n[e.Name]++; e.Name {
			case "transport:packets_acked":
				if got, want := fmt.Sprint(e.Data.Frames), strings.ReplaceAll(valueAt(r, "acks"), ",", " "); got != "["+want+"]" {
					t.Errorf("%s: frame %d acknowledges %s, want %s", name, e.Frame, got, want)
				}
			case "recovery:packet_retransmitted":
				if got, want := fmt.Sprint(e.Data.Of), valueAt(r, "retry_of"); got != want && want != "" {
					t.Errorf("%s: frame %d repeats %s, want %s", name, e.Frame, got, want)
				}
			case "recovery:metrics_updated":
				if got, want := fmt.Sprint(e.Data.RTT), valueAt(r, "ack_rtt_ms"); got != want {
					t.Errorf("%s: frame %d took %s, want %s", name, e.Frame, got, want)
				}
			}
		}
		for _, want := range []string{"transport:packets_acked", "recovery:packet_retransmitted", "recovery:metrics_updated", "transport:packet_sent"} {
			if n[want] == 0 {
				t.Errorf("%s: no event %s was compared", name, want)
			}
		}
	}
}

// TestEventsValidate: every line is as the schema says, each name among them.
func TestEventsValidate(t *testing.T) {
	s, seen := schema(t, "event"), map[string]bool{}
	for turn, path := range captures(t) {
		if turn%8 > 0 && os.Getenv(everyForm) != "all" && !strings.Contains(path, "lossy") {
			continue
		}
		for i, v := range records(t, output(t, "decode", "--format", "events", path)) {
			if err := s.Validate(v); err != nil {
				t.Fatalf("%s, line %d: %v", path, i+1, err)
			}
			seen[v.(map[string]any)["name"].(string)] = true
		}
	}
	if len(seen) != 9 {
		t.Errorf("only these names came: %v", slices.Sorted(maps.Keys(seen)))
	}
}

// TestEventsOfChoice: a selection has no events of other frames and connections.
func TestEventsOfChoice(t *testing.T) {
	path := capturePath(t, "unsigned-lossy.pcap")
	whole := eventsOf(t, path)
	some := eventsOf(t, "-Y", "retry", path)
	n := map[string]int{}
	for _, e := range some {
		n[e.Name]++
		same := func(w eventLine) bool {
			return w.Name == e.Name && w.TimeMS == e.TimeMS && (w.Frame == e.Frame || e.Name == "recovery:packet_lost") // at the last one chosen before it
		}
		if !slices.ContainsFunc(whole, same) {
			t.Errorf("%s of frame %d is not in the whole", e.Name, e.Frame)
		}
	}
	if n["connectivity:connection_started"] != 1 || n["recovery:packet_retransmitted"] == 0 || len(some) >= len(whole)/2 {
		t.Errorf("of %d events %d are left: %v", len(whole), len(some), n)
	}
	if none := eventsOf(t, "-Y", "hazel", path); len(none) > 0 {
		t.Errorf("%d events of no frame", len(none))
	}
}

// TestEventsAreBounded: more than can be held end the run, and the error says how to choose.
func TestEventsAreBounded(t *testing.T) {
	defer func(most int) { events.MaxEvents = most }(events.MaxEvents)
	events.MaxEvents = 100
	_, errs, code := call(t, "decode", "--format", "events", capturePath(t, "unsigned-lossy.pcap"))
	if code != exit.Usage || !strings.Contains(errs, "choose fewer with --connection") {
		t.Errorf("exit code %d, %s", code, errs)
	}
	if _, errs, code := call(t, "decode", "--format", "events", "-i", "lo", "-a", "packets:1"); code != exit.Usage || !strings.Contains(errs, "live run") {
		t.Errorf("live: exit code %d, %s", code, errs)
	}
}
