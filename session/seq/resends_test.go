package seq

import "testing"

// A talk is one direction whose trouble is kept, and its peer; times are in ms.
type talk struct {
	d, peer Direction
	frame   uint64
}

// newTalk captures ten numbers, one each 100 ms, which are acknowledged after 40 ms.
func newTalk() *talk {
	k := new(talk)
	k.d.Open(new(Work), &k.peer, Options{Account: true})
	k.peer.Open(new(Work), &k.d, Options{Account: true})
	for n := range int64(10) {
		k.send(n, 100*n, MarkFirst)
		k.ack(n+1, 100*n+40)
	}
	return k
}

func (k *talk) sending(n, at int64, mark Mark) *Sending {
	k.frame++
	return &Sending{Num: Num(n), Mark: mark, Hash: uint64(n) + 1, IPID: uint16(k.frame), Frame: k.frame, Time: 1e9 + at*ms, HasTime: true}
}

func (k *talk) send(n, at int64, mark Mark) { k.d.Send(k.sending(n, at, mark)) }

// ack acknowledges all numbers below one, and some above.
func (k *talk) ack(next, at int64, others ...Num) {
	k.frame++
	a := Acknowledgement{Next: Num(next), Base: Num(next) + 1, Frame: k.frame, Time: 1e9 + at*ms, HasTime: true}
	for _, n := range others {
		a.Mask |= 1 << (n - a.Base)
	}
	k.d.Acknowledge(&a, func(Position) {})
}

// TestHeldBack: what was held back, with its retries, comes at once, and by chance the answers come
// when those to the retries are due. What was lost is told from it by how the answers follow.
func TestHeldBack(t *testing.T) {
	for _, tt := range []struct {
		name string
		play func(k *talk)
		want uint64
	}{
		{"all is answered at once", func(k *talk) {
			for i := range int64(4) {
				k.send(10+i, 2500+100*i, MarkRetry)
			}
			k.ack(14, 2840)
		}, 0},
		{"the peer answered all the while, and left these out", func(k *talk) {
			k.peer.Acks, k.peer.Frames = 5, 5
			for i := range int64(4) {
				k.send(10+i, 2800, MarkRetry)
			}
			k.ack(14, 2840)
		}, 4},
		{"each retry is answered in its turn", func(k *talk) {
			for i := range int64(4) {
				k.send(10+i, 2500+100*i, MarkRetry)
				k.ack(11+i, 2540+100*i)
			}
		}, 3}, // but for the first, which may have come alone
		{"the answers are as far apart as the retries, the second of which was under way", func(k *talk) {
			k.send(10, 2500, MarkRetry)
			k.send(11, 2525, MarkRetry)
			k.ack(11, 2540)
			k.ack(12, 2565)
		}, 1},
		{"a later one was answered before", func(k *talk) {
			for i := range int64(3) {
				k.send(10+i, 2320, MarkRetry)
			}
			k.ack(10, 2340, 13)
			k.ack(14, 2360)
		}, 3},
	} {
		k := newTalk()
		for i := range int64(4) {
			k.send(10+i, 2000+100*i, MarkFirst)
		}
		tt.play(k)
		if got := k.d.Quality().Account().Losses.Needed.N; got != tt.want {
			t.Errorf("%s: %d needed, want %d", tt.name, got, tt.want)
		}
	}
}

// TestSlowWaits: what comes far too late is a spell, of a ping at the ping's own packet. What asks
// for no acknowledgement does not wait: a cumulative one of a later number covers it at any time.
func TestSlowWaits(t *testing.T) {
	slow := func(k *talk) []Spell {
		if s := k.d.Quality().Account().Spells; s != nil {
			return s[Slow]
		}
		return nil
	}
	k := newTalk()
	k.send(10, 2000, MarkFirst)
	k.ack(11, 3000)
	if got := slow(k); len(got) != 1 || got[0].Most != 1000*ms {
		t.Errorf("a number: %+v", got)
	}
	k = newTalk()
	x := k.sending(10, 2000, MarkFirst)
	x.NoAck = true
	k.d.Send(x)
	k.ack(11, 3000)
	if got := slow(k); len(got) != 0 {
		t.Errorf("a number that asks for no acknowledgement: %+v", got)
	}
	k = newTalk()
	k.d.Echoed(900*ms, 77, 78, 3000*ms)
	if got := slow(k); len(got) != 1 || got[0].Worst != SignAt(77, 2100*ms) {
		t.Errorf("a ping: %+v", got)
	}
}

// TestChanged: what comes again with other bytes, where no mark and no count tell sendings apart,
// was not sent again.
func TestChanged(t *testing.T) {
	for _, tt := range []struct {
		name    string
		mark    Mark
		counted bool
		hash    uint64
		want    uint64
	}{
		{"the same bytes", Unmarked, false, 11, 0},
		{"other bytes", Unmarked, false, 99, 1},
		{"other bytes, marked as a retry", MarkRetry, false, 99, 0},
		{"other bytes, counted", Unmarked, true, 99, 0},
	} {
		k := newTalk()
		k.send(10, 2000, Unmarked)
		x := k.sending(10, 2500, tt.mark)
		x.Hash, x.Counted = tt.hash, tt.counted
		k.d.Send(x)
		if got := k.d.Quality().Signs().Changed.N; got != tt.want || k.d.Retries != 1 {
			t.Errorf("%s: %d changed, want %d; %d retries", tt.name, got, tt.want, k.d.Retries)
		}
	}
}

// TestStillStubborn: the sendings of a number that nothing acknowledges are counted after it is
// remembered no more.
func TestStillStubborn(t *testing.T) {
	k := newTalk()
	k.d.SetLimits(Limits{Past: 8 * HistoryLimit})
	k.send(10, 2000, MarkFirst)
	k.send(10, 2200, MarkRetry)
	for n := int64(11); n < 11+4*HistoryLimit; n++ {
		k.send(n, 2000+100*n, MarkFirst)
	}
	before := k.d.Quality().Signs().Stuck
	x := k.sending(10, 99000, Unmarked)
	k.d.Send(x)
	if u := k.d.Quality().Signs().Stuck; before.Num != 10 || before.Sends != 2 || u.Sends != 3 || u.Latest != x.Time {
		t.Errorf("%+v, then %+v", before, u)
	}
}

// TestUnitWaits: a unit waited for its retry where a later carrier of it is the first that is
// acknowledged.
func TestUnitWaits(t *testing.T) {
	for _, later := range []bool{true, false} {
		l := newLane()
		l.d.account = new(Account)
		l.carry(1, 1, 6)
		l.one(40, 1, false)
		l.carry(1, 2, 7)
		first := l.now
		l.carry(5000, 3, 7)
		acked, want := Num(2), 0
		if later {
			acked, want = 3, 1
		}
		l.one(40, acked, false)
		var got []Spell
		if s := l.d.account.Spells; s != nil {
			got = s[Waited]
		}
		if len(got) != want || want == 1 && (got[0].From != first || got[0].Most != 5040*ms) {
			t.Errorf("later carrier %v: %+v", later, got)
		}
	}
}

// TestUnitsInAnyOrder: all units of a number are acknowledged with it, whichever stands first.
func TestUnitsInAnyOrder(t *testing.T) {
	l := newLane()
	l.d.account = new(Account)
	l.carry(1, 1, 5)
	l.one(40, 1, false)
	l.carry(1, 2, 8, 7, 6)
	l.one(40, 2, false)
	l.carry(5000, 3, 6, 7, 8)
	l.one(40, 3, false)
	if s := l.d.account.Spells; s != nil && len(s[Waited]) > 0 {
		t.Errorf("waited for what was answered: %+v", s[Waited])
	}
}

func TestJumped(t *testing.T) {
	for _, tt := range []struct {
		name string
		s    Swell
		want bool
	}{
		{"silent for as long as it grew, and less with each answer", Swell{pause: 500e6, least: 540e6, before: 40e6, ends: [2]int64{700e6, 540e6}}, true},
		{"answers kept coming", Swell{pause: 90e6, least: 540e6, before: 40e6, ends: [2]int64{700e6, 540e6}}, false},
		{"it grew by more than it was silent", Swell{pause: 400e6, least: 540e6, before: 40e6, ends: [2]int64{700e6, 540e6}}, false},
		{"what was sent later waited longer", Swell{pause: 500e6, least: 540e6, before: 40e6, ends: [2]int64{540e6, 700e6}}, false},
		{"a short silence", Swell{pause: 99e6, least: 45e6, before: 40e6, ends: [2]int64{50e6, 45e6}}, false},
	} {
		if got := tt.s.jumped(); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestSpellShare(t *testing.T) {
	for _, tt := range []struct {
		n       uint64
		counted [2]uint64
		share   float64
		ok      bool
	}{
		{11, [2]uint64{20, 120}, 0.1, true}, // what began it does not count
		{11, [2]uint64{0, 120}, 0, false},
		{1, [2]uint64{20, 20}, 0, false},
	} {
		x := Spell{N: tt.n, Counted: tt.counted}
		if share, ok := x.Share(); share != tt.share || ok != tt.ok {
			t.Errorf("%d of %v: %v, %v", tt.n, tt.counted, share, ok)
		}
	}
}

func TestSeveral(t *testing.T) {
	k := newTalk()
	for i := range int64(5) {
		if got := k.d.Quality().Unheard().Several; (got != 0) != (i >= SeveralUnits) {
			t.Errorf("after %d: %d", i, got)
		}
		k.send(10+i, 2000+100*i, MarkFirst)
	}
	if got := k.d.Quality().Unheard().Several; got != 1e9+2200*ms {
		t.Errorf("%d", got)
	}
}

// TestStuckIsTheLargest: the stuck unit gives way to none that is smaller, however often that is sent, and to none that
// is sent less often.
func TestStuckIsTheLargest(t *testing.T) {
	var s Signs
	for _, u := range []struct {
		num   Num
		sends uint8
		size  uint16
		want  Num
	}{{1, 2, 900, 1}, {2, 5, 60, 1}, {3, 1, 1200, 1}, {4, 2, 900, 4}, {5, 3, 901, 5}} {
		s.stubborn(&Sending{Num: u.num}, &unit{sends: u.sends, size: u.size})
		if s.Stuck.Num != u.want {
			t.Errorf("after %+v it is %d", u, s.Stuck.Num)
		}
	}
}
