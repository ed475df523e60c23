package tracegen

import (
	"bytes"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/dp4peer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
)

// runDP4 plays a scenario under the eyes of an auditor and collects what is
// delivered at each side of each connection.
func runDP4(t *testing.T, name string, s DP4Scenario, seed uint64) (*DP4Trace, *dp4Auditor, map[*note.Conn]*[2][]string) {
	t.Helper()
	full := s.Scenario()
	tr := newTrace(full.Setup, seed)
	if _, err := tr.record(io.Discard); err != nil {
		t.Fatal(err)
	}
	d := dp4Stage(tr, s.A, s.B)
	a := &dp4Auditor{fault: func(s string) { t.Errorf("%s: %s", name, s) }}
	got := map[*note.Conn]*[2][]string{}
	for _, n := range []*dp4peer.Node{d.A, d.B} {
		keep := n.OnMessage
		n.OnMessage = func(p *dp4peer.Peer, m []byte) {
			keep(p, m)
			if got[p.Conn()] == nil {
				got[p.Conn()] = new([2][]string)
			}
			of := &got[p.Conn()][1-p.Side()]
			*of = append(*of, string(m))
		}
	}
	a.watch(d)
	s.Play(d)
	tr.Net.Clock.Run(limit, nil)
	if a.frames == 0 {
		t.Errorf("%s: nothing was sent", name)
	}
	return d, a, got
}

// dp4Weather is a network and a pair of endpoints, all kinds of them over the
// seeds.
func dp4Weather(seed uint64) DP4Scenario {
	loss := []float64{0, 0.01, 0.04, 0.1}[seed%4]
	late := []float64{0, 0.05}[seed/4%2]
	s := windows("", "", "", "", Setup{Paths: rough(loss, late/2, late)})
	if seed%3 == 0 {
		s = eager("", "", "", "", s.Setup)
	}
	s.A.First, s.B.First = int64(seed/3%2), int64(seed/5%2)
	s.A.Order = dp4.Order(seed / 3 % 2)
	s.B.FullMask, s.A.Blind = seed%6 == 3, seed%9 == 3
	s.A.RetryAll, s.B.OwnSerial = seed%5 == 0, seed%7 == 0
	s.B.NACKDelay = time.Duration(seed%2) * 15 * time.Millisecond
	s.A.SP, s.B.SP = seed%11 == 0, seed%11 == 0
	mix := Traffic{N: 330, Every: 20 * time.Millisecond, Burst: 4, Min: 8, Max: 300, Reliable: []float64{0.7, 1, 0.3}[seed%3], Large: []int{9000, 30000}}
	return s.habits(func(c *dp4peer.Config) { c.MaxPayload = 150 + int(seed%7)*200 }).dialogues(mix, mix)
}

// MC-DPL4R 3.1.5.2: everything reliable arrives once and in order, the rest at
// most once; the window is kept.
func TestMCDPL4R_3_1_5_2_Delivery(t *testing.T) {
	var retries, nacks, copies, wide int
	for seed := range uint64(90) {
		name := fmt.Sprintf("seed %d", seed)
		d, a, got := runDP4(t, name, dp4Weather(seed), seed)
		retries, nacks, copies, wide = retries+a.retries, nacks+a.nacks, copies+a.copies, wide+a.masks[2]
		for _, c := range d.Book.Conns {
			for side := range 2 {
				if c.Flight[side] > 24 || c.GaveUp[side] > 0 {
					t.Errorf("%s: side %d: %d messages outstanding, gave up %v", name, side, c.Flight[side], c.GaveUp[side])
				}
				arrived(t, fmt.Sprintf("%s, side %d", name, side), c.Messages[side], got[c][side])
			}
		}
	}
	if retries < 1000 || nacks < 1000 || copies < 500 || wide < 10 {
		t.Errorf("%d retries, %d NACKs, %d copies, %d wide masks: too few to prove anything", retries, nacks, copies, wide)
	}
}

// arrived compares what was said with what was delivered.
func arrived(t *testing.T, name string, said []*note.Message, got []string) {
	t.Helper()
	left := map[string]int{}
	for _, m := range got {
		left[m]++
	}
	k := 0
	for _, m := range said {
		if !m.Sent {
			t.Errorf("%s: message %d was not sent", name, m.ID)
			return
		}
		if left[string(m.Data)]--; !m.Reliable {
			continue
		}
		for k < len(got) && got[k] != string(m.Data) {
			k++
		}
		if k == len(got) {
			t.Errorf("%s: reliable message %d missing or out of order", name, m.ID)
			return
		}
		k++
	}
	for m, n := range left {
		if n > 0 {
			t.Errorf("%s: delivered %d times more than said: %.40q", name, n, m)
		}
	}
}

// Every committed scenario is audited too, and has what it claims.
func TestDP4ScenariosConform(t *testing.T) {
	for _, s := range dp4List() {
		_, a, _ := runDP4(t, s.Name, s, seedOf(s.Name, 0))
		switch s.Name {
		case "nacks-lsb-first", "nacks-msb-first":
			if a.masks[0] < 5 || a.masks[1] < 3 {
				t.Errorf("%s: masks by size: %v", s.Name, a.masks)
			}
		case "nacks-wide-masks":
			if a.masks[2] == 0 || a.masks[3] == 0 {
				t.Errorf("%s: masks by size: %v", s.Name, a.masks)
			}
		}
	}
}

// dp4Outcomes are what the Expect lines say, in numbers.
var dp4Outcomes = map[string]func(t *Truth) bool{
	"windows-clean":     func(t *Truth) bool { return none(t) && t.Connections[0].State == "established" },
	"eager-clean":       func(t *Truth) bool { return none(t) && t.Connections[0].Directions["a"].Acks >= 50 },
	"windows-lossy":     func(t *Truth) bool { return each2(t, func(d Direction) bool { return d.Retries > 1 }) },
	"windows-retry-all": func(t *Truth) bool { return total(t, func(d Direction) int { return d.UnneededRetries }) > 1 },
	"nacks-lsb-first": func(t *Truth) bool {
		return each2(t, func(d Direction) bool { return d.Retries > 2 && d.Lost.Before+d.Lost.After > 5 })
	},
	"nacks-msb-first": func(t *Truth) bool {
		return each2(t, func(d Direction) bool { return d.Retries > 2 && d.Lost.Before+d.Lost.After > 5 })
	},
	"nacks-wide-masks": func(t *Truth) bool {
		return each2(t, func(d Direction) bool { return d.Lost.Before == 0 && d.Lost.After > 8 })
	},
	"copies-disorder": func(t *Truth) bool {
		return each2(t, func(d Direction) bool { return d.Duplicates > 4 && d.OutOfOrder > 0 && d.Retries > 0 })
	},
	"wraps": func(t *Truth) bool { return *t.Connections[0].Directions["a"].HighestNumber > 512 },
	"parts-lossy": func(t *Truth) bool {
		return each2(t, func(d Direction) bool { return d.Retries > 1 && d.Incomplete == 0 })
	},
	"parts-own-serials": func(t *Truth) bool {
		return each2(t, func(d Direction) bool { return d.Retries > 1 && d.Incomplete == 0 })
	},
	"unreliable-losses":   func(t *Truth) bool { return total(t, func(d Direction) int { return d.Incomplete }) > 3 },
	"nacks-of-unreliable": func(t *Truth) bool { return total(t, func(d Direction) int { return d.Missing }) > 3 },
	"player-pairs":        func(t *Truth) bool { return len(t.Connections) == 3 },
	"wide-indexes":        func(t *Truth) bool { return len(t.Connections) == 2 },
	"first-ids-0": func(t *Truth) bool {
		d := t.Connections[0].Directions
		return t.Connections[0].Complete && *d["a"].FirstNumber+*d["b"].FirstNumber == 1
	},
	"near-the-sender": func(t *Truth) bool {
		d := t.Connections[0].Directions["a"]
		return d.Lost.Before == 0 && d.Lost.After > 2 && d.Retries > 2
	},
	"near-the-receiver": func(t *Truth) bool {
		d := t.Connections[0].Directions["b"]
		return d.Lost.Before > 2 && d.Lost.After == 0 && d.Retries > 2
	},
	"goes-deaf": func(t *Truth) bool {
		d := t.Connections[0].Directions
		return d["a"].Frames > d["b"].Frames+20 && d["b"].Frames > 20
	},
	"midstream":          func(t *Truth) bool { return !t.Connections[0].Complete && t.Connections[0].State == "unknown" },
	"capture-misses":     func(t *Truth) bool { return total(t, func(d Direction) int { return d.Lost.NotCaptured }) > 5 },
	"peer-vanishes":      func(t *Truth) bool { return t.Connections[0].State == "timed-out" },
	"port-unreachable":   func(t *Truth) bool { return t.Connections[0].State == "reset" },
	"enumeration-beside": func(t *Truth) bool { return t.Neighbours["dpl4cs"] == 24 },
	"malformed-frames":   func(t *Truth) bool { return t.Malformed == 6 },
	"zero-identification": func(t *Truth) bool {
		return total(t, func(d Direction) int { return d.Duplicates - d.Numbered }) == 0 && total(t, func(d Direction) int { return d.Duplicates }) > 2
	},
}

func each2(t *Truth, f func(d Direction) bool) bool {
	return f(t.Connections[0].Directions["a"]) && f(t.Connections[0].Directions["b"])
}

func total(t *Truth, f func(d Direction) int) int {
	return f(t.Connections[0].Directions["a"]) + f(t.Connections[0].Directions["b"])
}

func none(t *Truth) bool {
	return total(t, func(d Direction) int {
		return d.Retries + d.Gaps + d.Missing + d.Duplicates + d.Lost.Before + d.Lost.After
	}) == 0
}

func TestDP4Outcomes(t *testing.T) {
	checked := 0
	for _, s := range of("dp4", dp4Scenarios()) {
		pcap, truth, err := s.Generate()
		if err != nil {
			t.Fatal(err)
		}
		if again, _, _ := s.Generate(); !bytes.Equal(again, pcap) {
			t.Errorf("%s: two runs differ", s.Name)
		}
		if ok := dp4Outcomes[s.Name]; ok != nil {
			checked++
			if !ok(truth) {
				t.Errorf("%s: not as expected: %s", s.Name, s.Expect)
			}
		}
		for _, c := range truth.Connections {
			for dir, d := range c.Directions {
				if c.State == "established" && d.Undelivered > 0 {
					t.Errorf("%s: %d reliable messages of %s were not delivered", s.Name, d.Undelivered, dir)
				}
			}
		}
	}
	if checked != len(dp4Outcomes) {
		t.Errorf("%d outcomes checked, want %d", checked, len(dp4Outcomes))
	}
}
