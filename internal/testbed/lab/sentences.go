package lab

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
)

// A claim is a sentence that explain says, with the bytes, or the fate of datagrams, that would
// make it false, and how that is looked for.
type claim struct {
	pattern string
	refuted string // by what
	played  string // event that refutes it when it is said there
	// false reports that what is said is not true of the session. Without it the sentence
	// only repeats what the capture shows, and the cause is judged with the verdict.
	false func(t *tale) bool
}

// A tale is one sentence with the session it is said of.
type tale struct {
	s     *tracegen.EndSession
	words []string // of the pattern
	from  int64    // window, ns since 1970, 0 for none
	to    int64
}

const (
	whoWords  = `(the player|the server|[0-9a-f.:\[\]]+:\d+)`
	timeWords = `\d\d:\d\d:\d\d\.\d \(packet (\d+)\)`
	spanWords = `(?:[\d.]+ m?s|\d+ min \d+ s)`
)

// claims are all sentences of contributions.
var claims = []claim{
	{`^[\d.]+% of what ` + whoWords + ` sent was lost \((\d+) of \d+\)`, "fewer datagrams of that side were lost", "copies",
		func(t *tale) bool { return t.n(2) > t.lost(t.side(1)) }},
	{`^Most likely about [\d.]+% of what ` + whoWords + ` sent, or of the answers to it, was lost \((\d+) of \d+`, "everything arrived, in both directions", "delay",
		func(t *tale) bool { return t.n(2) > t.missing(t.side(1)) }},
	{`^About [\d.]+% of what ` + whoWords + ` sent, or of the answers to it, was lost or is missing from this capture, which misses packets \((\d+) of`, "everything arrived and was captured", "delay",
		func(t *tale) bool { return t.n(2) > t.missing(t.side(1)) }},
	{`^Another (\d+) of these losses are between`, "nothing was lost then", "copies", nil},
	{`^Up to (\d+) packets of ` + whoWords + ` in a row were lost from`, "no datagram of so many in a row was lost", "copies",
		func(t *tale) bool { return t.n(1) > t.lost(t.side(2)) }},
	{`^Most likely up to (\d+) packets of ` + whoWords + ` in a row, or the answers to them, were lost from`, "fewer were lost, in both directions", "delay",
		func(t *tale) bool { return t.n(1) > t.missing(t.side(2)) }},
	{`^Up to (\d+) packets of ` + whoWords + ` in a row from .*, or the answers to them, were lost or are missing`, "fewer were lost or not captured", "delay",
		func(t *tale) bool { return t.n(1) > t.missing(t.side(2)) }},
	{`^For ` + spanWords + ` from ` + timeWords + ` on, there is no answer to anything that ` + whoWords + ` sent .* All of it passed this capture point at the machine of (?:.*): most likely the program there stood still\.`, "no program stood still", "delay",
		func(t *tale) bool { return !strings.Contains(t.s.Truth.Name, "-stalls/") }},
	{`^For ` + spanWords + ` from ` + timeWords + ` on, there is no answer to anything that ` + whoWords + ` sent .* Each packet was answered in the end`, "a datagram of that time was lost", "outage",
		func(t *tale) bool { return t.lostBetween() > 0 }},
	{`^For ` + spanWords + ` from ` + timeWords + ` on, there is no answer to anything that ` + whoWords + ` sent`, "an answer in that time", "open", nil},
	{`^What ` + whoWords + ` sent at ` + timeWords + ` was answered only after ` + spanWords + `, where ` + spanWords + ` is possible`, "the packet is of the other side", "open",
		func(t *tale) bool {
			return t.s.Missed == 0 && t.copies(0)+t.copies(1) == 0 && !t.sentBy(t.n(2), t.side(1))
		}},
	{`^Most likely a queue filled up on the path from ` + whoWords + `: as it sent more`, "no queue, or that of the other side", "delay",
		func(t *tale) bool { return !t.slowed() }},
	{`^One message(?: of \d+ bytes?)? was sent \d+ times by ` + whoWords + ` from .* Most likely it, or the answers to it, did not arrive`, "it and the answers to it arrived", "delay",
		func(t *tale) bool {
			return t.lost(0)+t.lost(1)+t.s.Missed == 0 && !strings.Contains(t.s.Truth.Name, "/secret/")
		}},
	{`had to wait, .* because as much as it may send was still unanswered\.$`, "room in its window", "open", nil},
	{`answered late, by up to`, "an answer in time", "open", nil},
	{`^(\d+)(?: of (\d+))? packets that ` + whoWords + ` sent again were not needed: what they repeat arrived without them\.(?: Of up to \d+ others? only the retry passed here\.)?$`, "what they repeat was lost", "loss",
		func(t *tale) bool { return t.n(1) > t.againThatArrived(t.side(3)) }},
	{`^The network reordered what ` + whoWords + ` sent: (\d+) packets? w`, "fewer came behind later ones", "open",
		func(t *tale) bool { return t.n(2) > t.late(t.side(1)) && !strings.Contains(t.s.Truth.Name, "/skew/") }},
	{`^(\d+) of \d+ packets of ` + whoWords + ` are duplicates`, "fewer copies were captured", "spurious",
		func(t *tale) bool { return t.n(1) > t.copies(t.side(2)) }},
	{`^The merged captures have clocks that differ`, "one clock", "delay",
		func(t *tale) bool { return !strings.Contains(t.s.Truth.Name, "/skew/") }},
	{`^The game of ` + whoWords + ` said nothing after`, "a message of the game", "open", nil},
}

// verdictClaims are those of verdicts that say more than which cause it was, which is judged
// beside.
var verdictClaims = []claim{
	{`this capture shows nothing that was still unanswered`, "a datagram that was sent again and never arrived", "marked",
		func(t *tale) bool { return strings.Contains(t.s.Truth.Name, "/marked/") && t.s.Missed == 0 }},
	{`^From .* nothing that ` + whoWords + ` sent was answered`, "an answer", "open", nil},
	{`(?i)most likely (?:the machine or program of|the two sides|a router|something on the path)`, "the cause, which is judged", "open", nil},
}

var compiled = map[string]*regexp.Regexp{}

func init() {
	for _, c := range append(append([]claim{}, claims...), verdictClaims...) {
		compiled[c.pattern] = regexp.MustCompile(c.pattern)
	}
}

// untrue gives the sentences of a connection that are not true, and those that no claim knows.
func untrue(s *tracegen.EndSession, c *explain.Connection) (untrue, unknown []string, said int) {
	look := func(list []claim, sentence string, from, to int64) (known bool) {
		for i := range list {
			m := compiled[list[i].pattern].FindStringSubmatch(sentence)
			if m == nil {
				continue
			}
			if f := list[i].false; f != nil && f(&tale{s, m, from, to}) {
				untrue = append(untrue, sentence)
			}
			return true
		}
		return false
	}
	for i := range c.Contributing {
		x := &c.Contributing[i]
		said++
		if !look(claims, x.Sentence, int64(x.From), int64(x.To)) {
			unknown = append(unknown, x.Sentence)
		}
	}
	said++
	look(verdictClaims, c.Verdict.Sentence, 0, 0)
	return untrue, unknown, said
}

func (t *tale) n(i int) int {
	n, err := strconv.Atoi(t.words[i])
	if err != nil {
		return math.MaxInt
	}
	return n
}

// side is the index of the side that words name.
func (t *tale) side(i int) dissect.Dir {
	switch t.words[i] {
	case "the server", t.s.Truth.B:
		return 1
	}
	return 0
}

func (t *tale) count(fits func(*tracegen.EndFate) bool) (n int) {
	for i := range t.s.Fates {
		if fits(&t.s.Fates[i]) {
			n++
		}
	}
	return n
}

func (t *tale) lost(side dissect.Dir) int {
	return t.count(func(x *tracegen.EndFate) bool { return dissect.Dir(x.Side) == side && x.Arrived == 0 })
}

// covered bounds the numbers that one answer may answer alone.
const covered = 8

// missing is how many datagrams of a side may lack an answer: what was lost, or was answered by
// what was lost, there or by the capture.
func (t *tale) missing(side dissect.Dir) int {
	return t.lost(side) + covered*(t.lost(side.Other())+t.s.Missed)
}

func (t *tale) lostBetween() int {
	return t.count(func(x *tracegen.EndFate) bool {
		return x.Arrived == 0 && !x.Open && !x.Retry && x.Sent >= t.from && x.Sent <= t.to
	})
}

func (t *tale) late(side dissect.Dir) int {
	return t.count(func(x *tracegen.EndFate) bool { return dissect.Dir(x.Side) == side && x.Late })
}

func (t *tale) copies(side dissect.Dir) (n int) {
	t.count(func(x *tracegen.EndFate) bool {
		if dissect.Dir(x.Side) == side {
			n += x.Copies
		}
		return false
	})
	return n
}

// sentBy reports whether a packet of the capture is of a side.
func (t *tale) sentBy(frame int, side dissect.Dir) bool {
	return t.s.Truth.Cause != "still-open" || strings.Contains(t.s.Truth.Name, "/skew/") || t.count(func(x *tracegen.EndFate) bool { return x.Frame == frame && dissect.Dir(x.Side) == side }) > 0
}

// slowed reports whether datagrams took far longer than the way needs, one after the other more.
func (t *tale) slowed() bool {
	return strings.Contains(t.s.Truth.Name, "/bufferbloat/")
}

// againThatArrived is how many datagrams of a side may repeat what arrived without them.
func (t *tale) againThatArrived(side dissect.Dir) int {
	arrived := map[int64]bool{}
	for i := range t.s.Fates {
		if x := &t.s.Fates[i]; dissect.Dir(x.Side) == side && x.Arrived != 0 {
			arrived[x.Number] = true
		}
	}
	n := t.count(func(x *tracegen.EndFate) bool {
		if dissect.Dir(x.Side) != side || !x.Retry {
			return false
		}
		return x.Number < 0 || arrived[x.Number]
	})
	if strings.HasPrefix(t.s.Truth.Name, "knet") { // a message travels in datagrams of other numbers
		n = 0
		t.count(func(x *tracegen.EndFate) bool {
			if dissect.Dir(x.Side) == side && x.Retry {
				n += x.Repeats
			}
			return false
		})
	}
	return n
}
