package explain

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/session/seq"
)

// groupsOf are the groups of some connections.
func groupsOf(list ...*subject) []Group {
	story := storyOf(list...)
	for i, c := range story.conns {
		c.ID = i
	}
	d := story.Document(story.conns)
	d.Grouped()
	return d.Groups
}

// TestGroups: connections that end alike, with one server, within seconds, are one story.
func TestGroups(t *testing.T) {
	var list []*subject
	for range 4 {
		s := established()
		s.gone(0)
		list = append(list, s)
	}
	got := groupsOf(list...)
	if len(got) != 1 || len(got[0].Connections) != 4 || got[0].Cause != PeerSilent || got[0].Address != "10.0.0.1" || !strings.HasPrefix(got[0].Sentence, "4 connections with 10.0.0.1 were cut off") {
		t.Errorf("%+v", got)
	}
	if got = groupsOf(list[:2]...); len(got) > 0 {
		t.Errorf("two: %+v", got)
	}
}

// waiting are connections whose player waited 3 s for answers, each begun so many seconds after
// the one before.
func waiting(n int, apart float64) (list []*subject) {
	for i := range n {
		s := established()
		wait(s, 0)
		by := int64(float64(i) * apart * 1e9)
		for k := range s.side(0).Spells[seq.Slow] {
			x := &s.side(0).Spells[seq.Slow][k]
			x.From, x.To = x.From+by, x.To+by
		}
		list = append(list, s)
	}
	return list
}

// TestGroupsOfTrouble: connections that one thing troubled at one time, with one server, are
// one story, as far as that is what their headlines are about.
func TestGroupsOfTrouble(t *testing.T) {
	got := groupsOf(append(waiting(4, 0.1), established())...)
	if len(got) != 1 || got[0].Cause != Delay || got[0].Side != path || len(got[0].Connections) != 4 || got[0].Address != "10.0.0.1" {
		t.Fatalf("%+v", got)
	}
	if want := "4 of 5 connections with 10.0.0.1 were in trouble at 22:13:25–22:13:28 UTC: what the players sent was answered late, after up to 3.0 s."; got[0].Sentence != want {
		t.Errorf("%q, want %q", got[0].Sentence, want)
	}
	if from, to := int64(got[0].From), int64(got[0].To); from != start+5*second || to != start+83*second/10 {
		t.Errorf("from %s to %s", got[0].From, got[0].To)
	}
	if got := groupsOf(waiting(2, 0.1)...); len(got) > 0 {
		t.Errorf("two: %+v", got)
	}
	if got := groupsOf(waiting(4, 9)...); len(got) > 0 {
		t.Errorf("at other times: %+v", got)
	}
	cut := waiting(4, 0.1)
	cut[0].gone(0)
	if got := groupsOf(cut...); len(got) != 1 || fmt.Sprint(got[0].Connections) != "[1 2 3]" {
		t.Errorf("one was cut off, which is what is told of it: %+v", got)
	}
	turned := waiting(4, 0.1) // the server's packet was captured first
	for _, s := range turned[2:] {
		s.A, s.B, s.Roles = s.B, s.A, [2]string{"server", "client"}
		s.end.Sides[0], s.end.Sides[1] = s.end.Sides[1], s.end.Sides[0]
	}
	if got := groupsOf(turned...); len(got) != 1 || len(got[0].Connections) != 4 || !strings.Contains(got[0].Sentence, "with 10.0.0.1 were in trouble") || !strings.Contains(got[0].Sentence, "the players sent") {
		t.Errorf("two begin with a packet of the server: %+v", got)
	}
	other := waiting(4, 0.1)
	wait(other[0], 1)
	other[0].side(0).Spells = nil
	if got := groupsOf(other...); len(got) != 1 || fmt.Sprint(got[0].Connections) != "[1 2 3]" {
		t.Errorf("of one it is the server that waited: %+v", got)
	}
}

// TestGroupsOfRestarts: connections that go on as others after a server began again are one story.
func TestGroupsOfRestarts(t *testing.T) {
	next, with := 9, &machine{address: "10.0.0.1"}
	var list []member
	for id := range 3 {
		c := Connection{ID: id, ContinuedBy: &next, Verdict: Verdict{Cause: StillOpen, Certainty: Proved, Time: Instant(start)}}
		m, ok := memberOf(&c, with)
		if !ok || !c.Bad() || c.Headlined() != nil || c.Kind() != "begun again" || c.Weight() <= 900 {
			t.Errorf("%+v", m)
		}
		list = append(list, m)
	}
	if got := stories(list); len(got) != 1 || got[0].Cause != PeerRestarted || got[0].Sentence != "3 connections with 10.0.0.1 went on as others at 22:13:20 UTC: one side began again from the start." {
		t.Errorf("%+v", got)
	}
}

// TestGroupsByChance: where something troubles connections all the time, those of one moment
// share no story, unless it troubles most of those that are under way.
func TestGroupsByChance(t *testing.T) {
	members := func(n, under int, apart, capture int64) (list []member) {
		with := &machine{address: "10.0.0.1"}
		for range under {
			with.firsts, with.lasts = append(with.firsts, start), append(with.lasts, start+capture)
		}
		for i := range n {
			from := start + int64(i)*apart
			list = append(list, member{cause: Delay, side: path, whose: playerPart, with: with, id: i, from: from, to: from + 4*second})
		}
		return list
	}
	for name, x := range map[string]struct {
		list []member
		want int
	}{
		"all the time":                      {members(40, 50, 2*second, 80*second), 0},
		"at once, in a long capture":        {members(20, 200, second/10, 600*second), 1},
		"at once, most of those under way":  {members(30, 50, second/10, 10*second), 1},
		"at once, few, in a short capture":  {members(4, 50, second/10, 10*second), 0},
		"one after the other, none at once": {members(10, 12, 9*second, 600*second), 0},
	} {
		if got := stories(x.list); len(got) != x.want {
			t.Errorf("%s: %d stories of %d, want %d", name, len(got), len(x.list), x.want)
		}
	}
}

// TestGroupsAreNoSurer: a story of several connections says "most likely" where what is said of
// one of them does, and there are words for each cause that several connections may share.
func TestGroupsAreNoSurer(t *testing.T) {
	for cause := range groupWords {
		x := member{cause: cause, side: "b", by: serverPart, with: &machine{address: "10.0.0.1"}, from: start, to: start}
		if abouts[cause].grave == fine {
			x.whose, x.most = playerPart, 7*second
		}
		if measured[cause] == "" {
			x.most = 0
		}
		unsure := x
		unsure.likely = true
		if got := groupOf([]member{x, unsure}).Sentence; !strings.Contains(got, "most likely") || strings.ContainsAny(got, "{}%") {
			t.Errorf("%s, likely: %q", cause, got)
		}
		if got := groupOf([]member{x, x}).Sentence; strings.Contains(got, "most likely") && cause != PeerSilent {
			t.Errorf("%s, proved: %q", cause, got)
		}
	}
	for _, cause := range append(graves(), contributing...) {
		if groupWords[cause] == "" {
			t.Errorf("%s: no words", cause)
		}
	}
	s := waiting(4, 0.1)
	s[2].side(0).Spells[seq.Slow][0].N = 1 // as far as the capture shows
	if got := groupsOf(s...); len(got) != 1 || !strings.Contains(got[0].Sentence, "UTC: most likely what the players sent") {
		t.Errorf("one is likely alone: %+v", got)
	}
	for _, x := range s {
		x.side(0).Signs.Uncaptured = at(20, 2) // the capture misses packets
	}
	if got := groupsOf(s...); len(got) != 1 || fmt.Sprint(got[0].Connections) != "[0 1 3]" {
		t.Errorf("one is undecided: %+v", got)
	}
}

// graves are causes of ends that several connections may share.
func graves() (all []Cause) {
	for cause, x := range abouts {
		if x.grave >= declined {
			all = append(all, cause)
		}
	}
	return all
}
