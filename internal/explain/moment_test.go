package explain

import (
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// TestAt: what was unusual around a time is named, and nothing is where nothing was.
func TestAt(t *testing.T) {
	s := established()
	s.LastTime, s.LastStamp = start+200*second, start+200*second
	s.side(0).Spells = &seq.Spells{seq.Slow: {{From: start + 100*second, To: start + 102*second, N: 8, Most: 2 * second, Worst: at(50, 101)}}}
	story, conns := storyOf(s), []*session.Conn{s.Conn}
	a := story.At(start+110*second, conns)
	if a.Cause != Delay || a.Connection == nil || *a.Connection != s.ID || len(a.Frames) != 1 || a.Frames[0] != 50 || !strings.Contains(a.Sentence, "2.0 s") {
		t.Errorf("near it: %+v", a)
	}
	if a = story.At(start+40*second, conns); a.Cause != "" || a.Connection != nil || !strings.Contains(a.Sentence, "Nothing was unusual") {
		t.Errorf("a minute before: %+v", a)
	}
	if a = story.At(start+400*second, conns); a.Cause != "" || !strings.Contains(a.Sentence, "No connection has packets") {
		t.Errorf("after its end: %+v", a)
	}
}

// TestWindows: what made a connection slow has the time in which it did, split where it was quiet.
func TestWindows(t *testing.T) {
	s := established()
	s.side(0).Spells = &seq.Spells{seq.Slow: {
		{From: start + 2*second, To: start + 3*second, N: 3, Most: second, Worst: at(20, 2)},
		{From: start + 8*second, To: start + 9*second, N: 3, Most: 2 * second, Worst: at(60, 8)},
	}}
	var got []string
	for _, c := range s.contributions() {
		if c.Cause == Delay {
			got = append(got, c.From.String()[14:19]+" "+c.To.String()[14:19])
		}
	}
	if strings.Join(got, ", ") != "13:28 13:29, 13:22 13:23" {
		t.Errorf("%q", got)
	}
}

// TestPlainWords: sentences for people have no words of who implements the protocol.
func TestPlainWords(t *testing.T) {
	s := established()
	s.gone(0)
	s.side(1).Losses.Needed = seen(5, 20, 2)
	s.side(1).Spells = &seq.Spells{seq.Slow: {{From: start + 2*second, To: start + 3*second, N: 3, Most: second, Worst: at(20, 2)}}}
	x := s.explain()
	text := x.Brief() + x.Verdict.Sentence + x.Verdict.WouldRefute
	for _, c := range x.Contributing {
		text += c.Sentence + c.brief()
	}
	for _, word := range []string{"transport", "unit", "frame", "spurious", "acknowledg", "client", "connector"} {
		if strings.Contains(text, word) {
			t.Errorf("%q in %q", word, text)
		}
	}
}
