package livetest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/wire/netns"
)

// TestSame holds all protocols' connections on loopback and over a cable: every
// command says live what it says of the file of the same run, and what is true.
func TestSame(t *testing.T) {
	for _, device := range []string{"lo", "veth0"} {
		t.Run(device, func(t *testing.T) {
			pair := place(t)
			stamps(t, pair[0])
			var talks []wire.Config
			for i, kind := range kinds {
				c := chat(kind, uint64(i+1))
				between(&c, pair, device)
				talks = append(talks, c)
			}
			r := observe(t, pair[0], device, "udp", func() []*wire.Truth { return playAll(t, talks...) })
			r.sameAsFile(t)
			r.asIsTrue(t)
		})
	}
}

// TestFragments sends datagrams that the cable takes in fragments.
func TestFragments(t *testing.T) {
	pair := placeWith(t, 600)
	stamps(t, pair[0])
	var talks []wire.Config
	for i, kind := range []string{"hazel", "knet", "dp8-full"} {
		c := chat(kind, uint64(60+i))
		c.Talk.Traffic[0].Max, c.Talk.Traffic[1].Max = 1300, 1300
		between(&c, pair, "veth0")
		c.MTU = 600
		talks = append(talks, c)
	}
	r := observe(t, pair[0], "veth0", "udp", func() []*wire.Truth { return playAll(t, talks...) })
	fragments := 0
	for _, x := range r.truths {
		fragments += x.IPFragments
	}
	if fragments == 0 {
		t.Error("nothing was sent in fragments")
	}
	if d := readDocument(t, r.live["analyze"]); d.Totals.Fragments != fragments {
		t.Errorf("%d fragments, want %d", d.Totals.Fragments, fragments)
	}
	r.sameAsFile(t)
	r.asIsTrue(t)
}

// A seen is one run, watched by every command that reads, and by capture.
type seen struct {
	path   string
	truths []*wire.Truth
	live   map[string]string // what commands printed
	ids    map[int]int       // of connections: as messages numbered them live, and as the file's are
}

// watchers are the commands that watch a run, by name.
var watchers = map[string][]string{
	"analyze":  {"analyze", "--format", "json"},
	"check":    {"check", "--format", "json"},
	"messages": {"messages", "--payload", "--format", "ndjson"},
	"decode":   {"decode", "--format", "ndjson"},
}

// observe watches a run.
func observe(t *testing.T, n *netns.Namespace, device, filter string, run func() []*wire.Truth) *seen {
	t.Helper()
	r := &seen{path: filepath.Join(t.TempDir(), "run.pcapng"), live: map[string]string{}}
	from := []string{"-i", device, "-f", filter}
	names, all := []string{"capture"}, [][]string{append([]string{"capture", "-w", r.path}, from...)}
	for name, args := range watchers {
		names, all = append(names, name), append(all, append(slices.Clone(args), from...))
	}
	jobs := startAll(t, n, all...)
	r.truths = run()
	stopAll(jobs...)
	packets := 0
	for _, x := range r.truths {
		packets += x.Packets
	}
	for i, j := range jobs {
		r.live[names[i]] = j.stdout.String()
		j.says(fmt.Sprintf("%s: %d packets captured, 0 dropped by the kernel\n", device, packets))
	}
	jobs[0].says(packetsWritten(packets))
	return r
}

// sameAsFile holds what was said live to what is said of the file.
func (r *seen) sameAsFile(t *testing.T) {
	t.Helper()
	for _, name := range []string{"analyze", "check"} {
		file := output(t, append(slices.Clone(watchers[name]), r.path)...)
		same(t, name, withoutCaptures(t, r.live[name]), withoutCaptures(t, file))
	}
	r.sameMessages(t)
	r.sameFrames(t)
}

// sameMessages holds messages that were listed live to those of the file. Live, a
// connection is numbered when it is first recognised, and a message stands where
// it became known, so that numbers and order may be others.
func (r *seen) sameMessages(t *testing.T) {
	t.Helper()
	live, of := withoutConnections(t, r.live["messages"])
	file, want := withoutConnections(t, output(t, append(slices.Clone(watchers["messages"]), r.path)...))
	same(t, "messages", strings.Join(live, ""), strings.Join(file, ""))
	r.ids = map[int]int{}
	back := map[int]int{}
	for line, id := range of {
		is := want[line]
		if was, ok := r.ids[id]; ok && was != is {
			t.Fatalf("messages: connection %d is %d and %d of the file", id, was, is)
		}
		if was, ok := back[is]; ok && was != id {
			t.Fatalf("messages: connection %d of the file is %d and %d live", is, was, id)
		}
		r.ids[id], back[is] = is, id
	}
}

// withoutConnections are lines of messages without the connection's number, sorted,
// and these numbers.
func withoutConnections(t *testing.T, text string) (lines []string, of map[string]int) {
	t.Helper()
	of = map[string]int{}
	for line := range strings.Lines(text) {
		var m message
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		line = strings.Replace(line, fmt.Sprintf(`"connection":%d,`, m.Connection), "", 1)
		if _, ok := of[line]; ok {
			t.Errorf("messages: twice %q", line)
		}
		lines, of[line] = append(lines, line), m.Connection
	}
	slices.Sort(lines)
	return lines, of
}

// asIsTrue holds it to the truth.
func (r *seen) asIsTrue(t *testing.T) {
	t.Helper()
	d := readDocument(t, r.live["analyze"])
	if len(d.Connections) != len(r.truths) {
		t.Errorf("%d connections, want %d", len(d.Connections), len(r.truths))
	}
	datagrams := 0
	for _, x := range r.truths {
		datagrams += x.Datagrams
		checkTruth(t, d, x)
	}
	if d.Totals.Datagrams != datagrams || d.Totals.Malformed != 0 {
		t.Errorf("%d datagrams, %d malformed, want %d and none", d.Totals.Datagrams, d.Totals.Malformed, datagrams)
	}
	r.trueMessages(t, d)
}

// A message as "messages --format ndjson" has it.
type message struct {
	Connection int    `json:"connection"`
	Direction  string `json:"direction"`
	Index      int    `json:"index"`
	Number     int64  `json:"number"`
	Reliable   bool   `json:"reliable"`
	Size       int    `json:"size"`
	Payload    string `json:"payload"`
}

// trueMessages holds the digest over all messages of each direction to that of what
// was said.
func (r *seen) trueMessages(t *testing.T, d *document) {
	t.Helper()
	of := map[string][]message{}
	for line := range strings.Lines(r.live["messages"]) {
		var m message
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		key := fmt.Sprint(r.ids[m.Connection], m.Direction)
		if m.Index != len(of[key]) {
			t.Errorf("messages: index %d of connection %s stands in place %d", m.Index, key, len(of[key]))
		}
		of[key] = append(of[key], m)
	}
	for _, x := range r.truths {
		c := d.of(t, x)
		for _, dir := range []string{"a", "b"} {
			want := x.Connections[0].Directions[dir]
			if want.Digest == "" {
				t.Errorf("%s %s: the truth has no digest", nameOf(x), dir)
			}
			if got := digest(c.Protocol, of[fmt.Sprint(c.ID, dir)]); got != want.Digest {
				t.Errorf("%s %s: digest of messages %s, want %s", nameOf(x), dir, got, want.Digest)
			}
		}
	}
}

// digest is over the payloads by number, those without one after, as they came.
func digest(protocol string, all []message) string {
	unnumbered := func(m *message) int {
		if !m.Reliable && (protocol == "hazel" || protocol == "knet") {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(all, func(x, y message) int {
		u, v := unnumbered(&x), unnumbered(&y)
		if u != v {
			return u - v
		}
		if u == 1 {
			return 0
		}
		return int(x.Number - y.Number)
	})
	h := sha256.New()
	for _, m := range all {
		payload, _ := hex.DecodeString(m.Payload)
		h.Write(payload)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// A frame as "decode --format ndjson" has it.
type frame struct {
	Frame    int    `json:"frame"`
	Time     string `json:"time"`
	Src      string `json:"src"`
	Dst      string `json:"dst"`
	Length   int    `json:"length"`
	Protocol string `json:"protocol"`
	Type     string `json:"type"`
	AckedIn  int    `json:"acked_in"`
}

func readFrames(t *testing.T, text string) (all []frame) {
	t.Helper()
	for line := range strings.Lines(text) {
		var f frame
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		all = append(all, f)
	}
	return all
}

// sameFrames holds frames that were shown live to those of the file. Live, the
// acknowledgement that comes later is not known yet, nor always what the first
// frames of a connection are: what was known must agree.
func (r *seen) sameFrames(t *testing.T) {
	t.Helper()
	file := readFrames(t, output(t, append(slices.Clone(watchers["decode"]), r.path)...))
	live := readFrames(t, r.live["decode"])
	if len(live) != len(file) {
		t.Fatalf("decode: %d frames live, %d in the file", len(live), len(file))
	}
	unacked, undecided := 0, 0
	for i := range live {
		got, want := live[i], file[i]
		if got.AckedIn == 0 && want.AckedIn != 0 {
			unacked++
			got.AckedIn = want.AckedIn
		}
		if got.Protocol == "udp" && want.Protocol != "udp" {
			undecided++
			got.Protocol, got.Type = want.Protocol, want.Type
		}
		if got != want {
			t.Errorf("decode: %+v live, %+v in the file", got, want)
		}
	}
	t.Logf("decode: of %d frames live %d were undecided, %d without the acknowledgement the file has", len(live), undecided, unacked)
	if undecided > 12*len(r.truths) {
		t.Errorf("decode: %d frames of %d conversations were undecided", undecided, len(r.truths))
	}
}
