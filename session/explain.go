package session

import (
	"math"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
)

// tell starts the story of a flow of which more than one datagram is looked at. Where there
// is no room for it the flow keeps it alone, so that it is known whether anything is missing.
func (t *Table) tell(f *Flow) {
	if !t.cfg.Explain && !t.cfg.Endings || f.force != nil || f.story != nil {
		return
	}
	f.story = &Story{Src: f.key.lo, Dst: f.key.hi, First: f.first}
	if f.up {
		f.story.Src, f.story.Dst = f.key.hi, f.key.lo
	}
	f.story.unlisted = !t.roomForStory()
	if !f.story.unlisted {
		t.stories = append(t.stories, f.story)
	} else if !t.cfg.Endings { // all stories are asked for, whatever they tell
		t.storiesLeftOut++
	}
}

// roomForStory reports whether a further story is listed, and makes room where it can: stories
// of pairs that were given up and showed nothing of any protocol go, unless Config.Explain
// alone asks for them. When few went, it is not tried again for a while.
func (t *Table) roomForStory() bool {
	most := MaxStories
	switch {
	case t.live():
		most = liveStories
	case t.cfg.Endings && !t.cfg.Explain:
		most = maxPairsTold
	}
	if len(t.stories) < most {
		return true
	}
	if t.noRoom++; t.noRoom%storiesRefused != 1 || !t.cfg.Endings {
		return false
	}
	t.stories = slices.DeleteFunc(t.stories, func(s *Story) bool {
		s.unlisted = s.Protocol == "" && len(s.Tries) > 0 && !s.Tells()
		return s.unlisted
	})
	return len(t.stories) < most
}

// missStory counts the story of a pair that was not recognised when it tells something and is
// not listed.
func (f *Flow) missStory() {
	if s := f.story; s.unlisted && !s.missed && f.table.cfg.Endings && s.Protocol == "" && s.Tells() {
		s.missed = true
		f.table.storiesLeftOut++
	}
}

// StoriesLeftOut is the number of address pairs that Stories does not have for lack of room:
// with Config.Endings of those that were not recognised and tell something, else of all. Pairs
// of one datagram that were given up before anything looked at them are among them.
func (t *Table) StoriesLeftOut() uint64 {
	if !t.cfg.Explain && !t.cfg.Endings {
		return 0
	}
	return t.storiesLeftOut + t.unseen
}

// told reports whether all of the pair's datagrams are looked at, to say why it was, or was
// not, recognised.
func (f *Flow) told() bool { return f.story != nil && !f.story.unlisted && f.table.cfg.Explain }

// explainProbes makes new probes keep what they hold, and with Config.Explain their reasons.
func (f *Flow) explainProbes() {
	f.scores = make([]float64, len(f.probes))
	if !f.told() {
		return
	}
	for _, p := range f.probes {
		if x, ok := p.(Explainer); ok {
			x.Explain()
		}
	}
}

// explain writes down what the probes of a flow hold, before they are dropped.
func (f *Flow) explain() {
	s := f.story
	if s == nil || f.probes == nil {
		return
	}
	s.Tries = slices.Grow(s.Tries[:0], len(f.probes))
	for i, p := range f.probes {
		try := Try{Protocol: f.table.cfg.Protocols[i].Name, Hopeless: math.IsInf(f.scores[i], -1)}
		if x, ok := p.(Explainer); ok {
			try.Reasons, try.Held, try.Opened = x.Reasons(), x.Held(), x.Opened()
		}
		s.Tries = append(s.Tries, try)
	}
	f.missStory()
}

// progress carries the story on by a datagram, which recognised the flow as the
// protocol with the given index, if that is not negative.
func (f *Flow) progress(d *dissect.Datagram, best int) {
	s := f.story
	if s == nil {
		return
	}
	s.see(d)
	switch {
	case best < 0:
	case f.table.cfg.Recognised && !s.unlisted:
		s.Protocol = f.table.cfg.Protocols[best].Name
		f.explain()
	default:
		if s.missed {
			f.table.storiesLeftOut--
		}
		f.table.endStory(f)
	}
}

// endStory forgets the story of a pair that is recognised: its connections tell what happened.
func (t *Table) endStory(f *Flow) {
	for i, s := range slices.Backward(t.stories) {
		if s == f.story {
			t.stories = slices.Delete(t.stories, i, i+1)
			break
		}
	}
	f.story = nil
}

// Stories are those of the pairs of the capture that were not recognised, when Config.Explain
// or Config.Endings is set, and of the others as well with Config.Recognised.
func (t *Table) Stories() []*Story {
	for _, s := range t.stories {
		s.A, s.B = s.Src.String(), s.Dst.String()
	}
	t.stories = slices.DeleteFunc(t.stories, func(s *Story) bool { return s.Datagrams+s.Notices == 0 })
	return t.stories
}

// ForgetStories leaves the pairs out of Stories of which nothing came since a time, in ns, as the
// capture gives it.
func (t *Table) ForgetStories(before int64) {
	t.stories = slices.DeleteFunc(t.stories, func(s *Story) bool { return s.Latest < before && s.Datagrams > 0 })
}

// see counts a datagram of the pair.
func (s *Story) see(d *dissect.Datagram) {
	s.Datagrams++
	s.Frame = d.Frame
	if d.HasTime {
		if s.Since == 0 {
			s.Since = d.Stamp()
		}
		s.Latest = d.Stamp()
	}
	if d.Src == s.Src {
		s.Sides[0]++
	} else {
		s.Sides[1]++
	}
}

// noticed counts an ICMP notice that a datagram of the pair was not delivered.
func (f *Flow) noticed(d *dissect.Datagram) {
	if f.story == nil {
		return
	}
	if f.story.Notices++; f.story.Notices == 1 {
		f.story.Notice, f.story.Refuser = d.Frame, d.Dst.String()
	}
	f.missStory()
}
