package session

import (
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// allHeld is what is held back of all pairs, in bytes.
func (t *Table) allHeld() (n int) {
	for _, held := range t.held {
		n += held
	}
	return n
}

// flood makes a datagram of each of many pairs, every one a while after the one before.
func (s *story) flood(first, pairs int, gap int64, text string) {
	for n := first; n < first+pairs; n++ {
		s.now += gap - ms
		s.pairOf(n, text)
	}
}

func BenchmarkFlood(b *testing.B) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	s.flood(0, b.N, 10_000, "hm")
}

// TestSinglesGoFirst: pairs of one datagram push out each other, those that were silent the
// longest first, and never a pair that was answered or of which several came.
func TestSinglesGoFirst(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	for range 2 {
		s.pairOf(60_000, "yes")
	}
	s.answered(60_001)
	s.flood(0, 3*MaxSingle, 1000, "yes")
	if n := s.tab.inClass[single]; n > MaxSingle || n < leftOf(MaxSingle) {
		t.Errorf("%d pairs of one datagram, want %d at most", n, MaxSingle)
	}
	if s.tab.inClass[oneWay] != 1 || s.tab.inClass[answered] != 1 || s.tab.LeftOut() != 0 {
		t.Errorf("%d of one side, %d answered, %d left out", s.tab.inClass[oneWay], s.tab.inClass[answered], s.tab.LeftOut())
	}
	for range 2 {
		s.pairOf(60_000, "yes")
		s.pairOf(60_001, "yes")
	}
	if conns := s.tab.Conns(); len(conns) != 2 || conns[0].Dir[0].Frames != 4 || conns[0].crowded+conns[1].crowded != 0 {
		t.Errorf("%d connections", len(conns))
	}
}

// answered makes both sides of a pair say yes.
func (s *story) answered(n int) {
	s.pairOf(n, "yes")
	s.answer(n, "yes")
}

// answer makes the other side of a pair speak.
func (s *story) answer(n int, text string) {
	s.frame++
	s.now += ms
	d := pairDatagram(n, text)
	d.Src, d.Dst = d.Dst, d.Src
	d.Frame, d.Time = s.frame, s.now
	s.tab.Add(&d)
}

// TestOneWayNeverPushesOutAnswered: nor do many pairs of one side push out those that were
// answered.
func TestOneWayNeverPushesOutAnswered(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	s.answered(60_001)
	s.flood(0, 4*MaxOneWay, 1000, "yes")
	s.flood(0, 4*MaxOneWay, 1000, "yes")
	if s.tab.inClass[answered] != 1 || s.tab.inClass[oneWay] > MaxOneWay {
		t.Errorf("%d answered, %d of one side", s.tab.inClass[answered], s.tab.inClass[oneWay])
	}
	if s.tab.LeftOut() == 0 {
		t.Error("pairs of two datagrams were given up, and nobody is told")
	}
}

// TestForeignAreForgotten: of pairs that look like no protocol some are remembered, so that
// they cost next to nothing, and never all.
func TestForeignAreForgotten(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	for range 2 {
		s.flood(0, 4*MaxForeign, 100, "no")
	}
	if n := len(s.tab.flows); n > MaxForeign+MaxHopeless+MaxSingle {
		t.Errorf("%d pairs are remembered", n)
	}
	if n := s.tab.LeftOut(); n != 0 {
		t.Errorf("%d pairs that speak no protocol are left out", n)
	}
}

// TestCrowdedOutComesBack: a pair whose first datagram was given up is recognised once it
// comes back, as what it had shown; it is counted, and its connection says so.
func TestCrowdedOutComesBack(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	s.pairOf(60_000, "yes")
	s.flood(0, 2*MaxSingle, 1000, "yes")
	if n := s.tab.LeftOut(); n != 0 {
		t.Errorf("%d left out before any came back", n)
	}
	s.answer(60_000, "yes")
	if s.tab.inClass[answered] != 1 {
		t.Error("it was not known that the pair had sent something")
	}
	s.flood(10_000, 2*MaxSingle, 1000, "yes")
	for range 3 {
		s.pairOf(60_000, "yes")
	}
	conns := s.tab.Conns()
	if len(conns) != 1 || conns[0].Dir[0].Frames+conns[0].Dir[1].Frames != 4 {
		t.Fatalf("%d connections", len(conns))
	}
	if n := s.tab.LeftOut(); n != 1 || conns[0].crowded != 1 {
		t.Errorf("%d pairs left out, %d datagrams of the connection", n, conns[0].crowded)
	}
	s.tab.Close(s.now)
	if s.tab.QualityTallies()[rCapCrowd].Fail != 1 {
		t.Error("CAP-CROWD does not tell")
	}
}

// TestCrowdedOutIsBounded: when so many pairs were given up that not all are remembered,
// those of which it is not known whether they came back are counted.
func TestCrowdedOutIsBounded(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	s.flood(0, 60_000, 1000, "yes")
	if n := len(s.tab.crowdedOut.pairs); n > maxCrowdedOut {
		t.Errorf("%d pairs are remembered, want %d at most", n, maxCrowdedOut)
	}
	if n := s.tab.LeftOut(); n < 60_000-maxCrowdedOut-2*MaxSingle || n > 60_000 {
		t.Errorf("%d left out", n)
	}
}

// TestLargestGoFirst: room for bytes is made by those that hold most, so that large
// datagrams of some never take the beginning of another.
func TestLargestGoFirst(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	s.pairOf(60_000, "yes")
	s.flood(0, 1500, 1000, "x"+strings.Repeat(" ", 1400))
	s.answered(60_001)
	for range 400 {
		s.answered(50_000)
		s.pairOf(50_000, "no"+strings.Repeat(" ", 8000))
	}
	for class, most := range heldIn {
		if n := s.tab.held[class]; n > most {
			t.Errorf("%d bytes are held of class %d, want %d at most", n, class, most)
		}
	}
	for range 3 {
		s.pairOf(60_000, "yes")
	}
	if f := s.tab.Conns(); len(f) < 1 || f[len(f)-1].Dir[0].Frames != 4 || f[len(f)-1].crowded != 0 {
		t.Error("the pair that held least lost its beginning")
	}
}

// TestStoriesOfAFlood: stories of pairs that showed nothing make room for those of pairs
// that did.
func TestStoriesOfAFlood(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}, Endings: true})
	for range 2 {
		s.flood(0, MaxStories+MaxOneWay, 1000, "hm")
	}
	for range 2 {
		s.pairOf(60_000, "yes")
	}
	s.tab.Close(s.now)
	stories := s.tab.Stories()
	if last := stories[len(stories)-1]; len(stories) > maxPairsTold || last.Dst.Port != uint16(60_000) && last.Src.Port != uint16(60_000) {
		t.Errorf("%d stories, the last of %v and %v", len(stories), last.Src, last.Dst)
	}
}

// A tellingProbe is a yesProbe that says what it holds.
type tellingProbe struct{ Evidence }

func (p *tellingProbe) Reset() { *p = tellingProbe{} }

func (p *tellingProbe) Observe(d *dissect.Datagram, _ dissect.Dir) float64 {
	if text := string(d.Payload); text == "yes" || text == "open" {
		p.Add(text, 16)
	}
	return p.Bits
}

// TestStoriesLeftOut: of more pairs that tell something than there is room for, those that are
// not listed are counted, pairs that are recognised after all are not among them, and where
// all stories are asked for, so are those that tell nothing.
func TestStoriesLeftOut(t *testing.T) {
	for _, x := range []struct {
		cfg  Config
		text string
		want uint64
	}{
		{Config{Endings: true}, "open", MaxStories + 100 - maxPairsTold},
		{Config{Endings: true, Explain: true}, "open", 100},
		{Config{Endings: true, Explain: true}, "hm", 0},
		{Config{Explain: true}, "hm", 101},
	} {
		p := yes()
		p.NewProbe = func() Probe { return &tellingProbe{} }
		x.cfg.Protocols = []*Protocol{p}
		s := newStory(x.cfg)
		for n := range MaxStories + 100 {
			s.pairOf(n, x.text) // a pair of one datagram that makes room is not looked at
			s.pairOf(n, x.text)
		}
		for range 4 {
			s.pairOf(60_000, "yes")
		}
		s.now += HoldTime
		s.pairOf(60_000, "yes")
		s.tab.Close(s.now)
		stories, left := s.tab.Stories(), s.tab.StoriesLeftOut()
		if left != x.want || len(stories) > MaxStories || len(s.tab.Conns()) != 1 {
			t.Errorf("Endings %v, Explain %v, %q: %d stories, %d left out, want %d, %d connections", x.cfg.Endings, x.cfg.Explain, x.text, len(stories), left, x.want, len(s.tab.Conns()))
		}
		told := 0
		for _, p := range stories {
			if p.Protocol == "" && p.Tells() {
				told++
			}
		}
		if x.text == "open" && told+int(left) != MaxStories+100 {
			t.Errorf("Endings %v, Explain %v: %d pairs listed, %d left out, of %d", x.cfg.Endings, x.cfg.Explain, told, left, MaxStories+100)
		}
	}
}

// TestLeftOutThoughItLookedForeign: a pair of which datagrams were given up, which looked
// like no protocol for long and is recognised after all, counts as left out; before that it
// does not.
func TestLeftOutThoughItLookedForeign(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	s.pairOf(60_000, "hm")
	s.flood(0, 2*MaxSingle, 1000, "hm")
	for range 3 { // until the flood is forgotten
		s.pairOf(60_000, "hm")
		s.now += HoldTime * 2 / 3
	}
	for range foreignAfter + 1 {
		s.pairOf(60_000, "no")
	}
	if n := s.tab.LeftOut(); n != 0 {
		t.Errorf("%d pairs left out while the pair looks like no protocol", n)
	}
	s.now += 2 * restSilence
	for range 4 {
		s.pairOf(60_000, "yes")
	}
	conns := s.tab.Conns()
	if len(conns) != 1 || !conns[0].flow.looksForeign() {
		t.Fatalf("%d connections", len(conns))
	}
	if n := s.tab.LeftOut(); n != 1 || conns[0].crowded != 1 {
		t.Errorf("%d pairs left out, %d datagrams of the connection, want 1 and 1", n, conns[0].crowded)
	}
}

// TestAnsweredAreBounded: of pairs that were answered those that were silent the longest make
// room, and only for others of their class; each that goes is counted at once.
func TestAnsweredAreBounded(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	for n := range MaxAnswered {
		s.answered(n)
	}
	s.flood(10_000, 2*MaxSingle, 1000, "yes")
	if n := s.tab.inClass[answered]; n != MaxAnswered || s.tab.LeftOut() != 0 {
		t.Fatalf("%d answered pairs, %d left out before there are too many", n, s.tab.LeftOut())
	}
	for n := range MaxAnswered {
		s.answered(20_000 + n)
	}
	if n := s.tab.inClass[answered]; n > MaxAnswered || s.tab.LeftOut() < MaxAnswered {
		t.Errorf("%d answered pairs, %d left out", n, s.tab.LeftOut())
	}
	last := pairDatagram(20_000+MaxAnswered-1, "")
	if f := s.tab.flows[keyOf(&last.Src, &last.Dst)]; f == nil || f.class != answered {
		t.Error("the pair that was heard last was given up")
	}
}

// TestStoriesOfALiveRun: a run without end tells of fewer pairs, and counts the others.
func TestStoriesOfALiveRun(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}, Explain: true, Idle: DefaultIdle})
	for n := range liveStories + 50 {
		s.pairOf(n, "hm")
		s.pairOf(n, "hm")
	}
	if listed, left := len(s.tab.Stories()), s.tab.StoriesLeftOut(); listed != liveStories || left != 50 {
		t.Errorf("%d stories, %d left out; want %d and 50", listed, left, liveStories)
	}
}

// TestUnseenSinglesAreTold: of pairs of one datagram that were given up before anything looked
// at them there is no story: explain counts them. One that comes back has its own.
func TestUnseenSinglesAreTold(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		told bool
	}{{Config{Endings: true}, true}, {Config{Explain: true}, true}, {Config{}, false}} {
		c.cfg.Protocols = []*Protocol{yes()}
		s := newStory(c.cfg)
		s.flood(0, 3*MaxSingle, 1000, "hm")
		want := uint64(0)
		if c.told {
			want = uint64(3*MaxSingle - s.tab.inClass[single])
		}
		if got := s.tab.StoriesLeftOut(); got != want || c.told && got == 0 || s.tab.LeftOut() != 0 {
			t.Errorf("Endings %v, Explain %v: %d pairs without a story, %d left out; want %d and 0", c.cfg.Endings, c.cfg.Explain, got, s.tab.LeftOut(), want)
		}
		s.pairOf(0, "hm")
		if got := s.tab.StoriesLeftOut(); c.told && got != want-1 {
			t.Errorf("Endings %v, Explain %v: %d pairs without a story after one came back, want %d", c.cfg.Endings, c.cfg.Explain, got, want-1)
		}
	}
}

// TestLeftOutOnce: a pair counts as left out once, however often it is given up and however it
// ends: a user who is told of 200 pairs has 200 to look for.
func TestLeftOutOnce(t *testing.T) {
	s := newStory(Config{Protocols: []*Protocol{yes()}})
	for range 2 {
		s.pairOf(60_000, "yes")
	}
	for n := range 2 * MaxOneWay { // in the end there is room for more
		s.flood(n, 1, 1000, "hm")
		s.flood(n, 1, 1000, "hm")
	}
	before := s.tab.LeftOut()
	for range 4 {
		s.pairOf(60_000, "yes")
	}
	if conns, after := s.tab.Conns(), s.tab.LeftOut(); before == 0 || after != before || len(conns) != 1 || conns[0].crowded != 2 {
		t.Errorf("%d pairs left out before it came back, %d afterwards; %d connections", before, after, len(conns))
	}
}
