package lab

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/programtest"
)

// program builds the program that compares.
func program(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "dpdissect")
	must(t, programtest.Build(file))
	return file
}

// knownPairs are pairs of which something is said that is not as it should be.
var knownPairs = []string{
	"knet-spec/marked/both/0/3",
}

// fixedPairs are pairs of which something wrong was said once.
var fixedPairs = []struct{ name, what string }{
	{"knet/misses-2/1", "an answered ping arrived"},
	{"dp4/misses-20/1", "an acknowledgement that took twice as long as usual is of a sending that no capture has"},
	{"hazel/misses-20/4", "misses in a row are one time at which a capture is poor"},
	{"dp4/misses-20/2", "two datagrams of which each capture lacks one are not one that was changed"},
	{"knet/proxy/2", "one datagram between other addresses is paired by how long it takes"},
	{"knet/crowd/2", "six that say the same are told apart by that, too"},
	{"knet/no-answer/both/0/1", "equal datagrams with equal identifications are a session"},
	{"dp8/rebinding/2", "what another connection has of the same numbers is not lost before"},
	{"knet/idle-cut/both/20/1", "a side that sends at its own point is not silent"},
	{"knet/plain/108", "a path that becomes slower both ways sets no clock"},
	{"dp8/step/303", "what is sent just before a clock is set is before it"},
	{"knet/step/104", "what is not unique just after a clock is set is after it"},
	{"dp8/step/106", "a query that is repeated is paired by what others show of the clocks"},
	{"hazel/rough/306", "equal datagrams may overtake each other"},
	{"hazel/altered/106", "two short ones next to each other, both changed, are told apart"},
	{"hazel/bursts-0.1/303", "ten in a row may be missed while nothing else is captured"},
	{"dp8/misses-20/104", "a miss is near by the datagrams between, where hardly any come"},
	{"knet/misses-2/1007", "what the next step of a handshake answers arrived"},
	{"dp8/misses-2/1007", "a listener's answer that the connector confirms arrived"},
	{"knet/misses-0.1/2008", "an acknowledgement arrived, if what it acknowledges is never sent again"},
	{"hazel/misses-0.1/2001", "a miss is near by the datagrams between, where misses are few"},
	{"dp4/bursts-2/1004", "seven in a row may be missed while nothing else is captured, in however short a time"},
	{"dp8/everything/2003", "a receiver misses what arrived with other bytes"},
	{"dp8/steps/2006", "directions may show a step two tenths of a second apart"},
	{"knet/step/2014", "a step of 40 ms, where the way takes 60 ms"},
	{"dp4/steps/2012", "two steps that undo each other, where the way takes 58 ms"},
	{"hazel/misses-20/1010", "what is as late as a retry comes is none of the first transmission"},
	{"hazel/rough/2004", "a copy that the way made is not the retry of what was lost"},
	{"dp4/altered/2011", "what a changed acknowledgement says proves nothing"},
	{"hazel/step-in-pause/2013", "a clock that was set drifts as before"},
	{"hazel/snaplen/1005", "of equal ones in order those are one whose delay is possible, not as many as there may be"},
	{"dp4/snaplen/1008", "… nor the first ones"},
	{"dp8/no-ttl/1005", "what comes later is the copy, where delays alone tell which point comes first"},
	{"dp8/one-way/both/20/1", "a direction is not dead for one datagram that a capture may have missed"},
}

func checkFixed(t *testing.T, program string) {
	t.Helper()
	for _, m := range fixedPairs {
		f := strings.Split(m.name, "/")
		seed, err := strconv.ParseUint(f[len(f)-1], 10, 64)
		must(t, err)
		o := PairOptions{Seeds: 1, First: seed, Only: m.name, Program: program}
		if r, err := ParsePairedEnd(m.name); err == nil {
			if s := pairedEnd(program, r).complaint(); s != "" {
				t.Errorf("%s: %s: %s", m.name, m.what, s)
			}
			continue
		}
		all := Pairs(o)
		if len(all) != 1 {
			t.Fatalf("%s: %d pairs", m.name, len(all))
		}
		if s := all[0].Failures(); len(s) > 0 {
			t.Errorf("%s: %s: %s", m.name, m.what, s)
		}
	}
}

// TestComparedPairs: of pairs of captures whose truth is known, compare says what is true:
// every fate where identifications are kept, nearly every one where they are not, clocks and
// delays within their bounds, each step and no other. No session is told worse from both
// sides than from one.
func TestComparedPairs(t *testing.T) {
	o := PairOptions{Seeds: 1, First: 3, Program: program(t)}
	all := Pairs(o)
	o.Sample = 4
	checkPairs(t, all, PairedEnds(o, []float64{0}), knownPairs)
	checkFixed(t, o.Program)
}

func checkPairs(t *testing.T, all []*PairResult, ends []*PairedEnd, known []string) {
	t.Helper()
	for _, r := range all {
		failures := r.Failures()
		if slices.Contains(known, r.Run.Name()) {
			if len(failures) == 0 {
				t.Errorf("%s is as it should be: it is known no more", r.Run.Name())
			}
			continue
		}
		for _, s := range failures {
			t.Errorf("%s: %s", r.Run.Name(), s)
		}
	}
	for _, e := range ends {
		switch {
		case slices.Contains(known, e.Run.Name()):
		case e.Err != nil && !strings.Contains(e.Err.Error(), "nothing in common"): // too little is said
			t.Errorf("%s: %v", e.Run.Name(), e.Err)
		case e.Err == nil && e.Worse():
			t.Errorf("%s: %s", e.Run.Name(), e.complaint())
		}
	}
	s, _ := sumPairs(all)
	if float64(s.False) > falseGoal*float64(s.Missed) {
		t.Errorf("%d of %d datagrams that arrived are said to be lost", s.False, s.Missed)
	}
	if s.Total() < 50*len(all) {
		t.Errorf("%d datagrams of %d pairs prove nothing", s.Total(), len(all))
	}
}
