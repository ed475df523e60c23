package track_test

import (
	"fmt"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session/seq"
)

// talk plays data frames of the connector, each acknowledged.
func (s *scene) talk(from, to uint8) {
	for n := from; n < to; n++ {
		s.send(0, data(n, 0, "x"))
		s.send(1, sack(0, n+1, 0))
	}
}

// cut captures a frame without its last n bytes.
func (s *scene) cut(from dissect.Dir, f dp8.Frame, n int) { s.Cut(from, f.Append(nil), n) }

// newTalk is a scene in which the connector sent 20 numbers, all acknowledged.
func newTalk(t *testing.T) *scene {
	s := newScene(t, track.Options{}, true)
	s.meet(7, dp8.Version16, dp8.Version16)
	s.talk(0, 20)
	return s
}

// TestMC_DPL8R_Gates_ForeignKeepAlive: a KeepAlive of another session takes no number. Where it
// goes on with this connection, the number must not be acknowledged: it is given up when it is
// (gates 12 and 24).
func TestMC_DPL8R_Gates_ForeignKeepAlive(t *testing.T) {
	foreign := func(s *scene) { s.send(0, keepAlive(20, 0, 9)) }
	const another = "passed" // the number is one that was not captured
	for _, c := range []struct {
		name string
		play func(s *scene)
		want string // what is known of 20 once it is acknowledged; copies
	}{
		{"it goes on with this connection", foreign, "given up 0"},
		{"and again, in the same packet", func(s *scene) { foreign(s); s.Again() }, "given up 1"},
		{"and its number is used by a good frame", func(s *scene) { foreign(s); s.send(0, data(20, 0, "x")) }, "acknowledged 0"},
		{"its id was named before", func(s *scene) { s.send(1, keepAlive(0, 20, 9)); foreign(s) }, another + " 0"},
		{"it is cut within", func(s *scene) {
			s.cut(0, func() dp8.Frame { f := keepAlive(20, 0, 9); f.DFrame.Payload = make([]byte, 8); return f }(), 8)
		}, another + " 0"},
		{"its own id stands behind 8 bytes", func(s *scene) {
			f := keepAlive(20, 0, 9)
			f.DFrame.Payload = []byte{1, 2, 3, 4, 7, 0, 0, 0}
			s.send(0, f)
		}, another + " 0"},
		{"the connection is about to end", func(s *scene) { s.send(1, dataAs(whole, dp8.CtlEndStream, 0, 20, "")); foreign(s) }, another + " 0"},
		{"the connection is over", func(s *scene) { s.send(1, command(dp8.OpHardDisconnect, false, 7, dp8.Version16)); foreign(s) }, another + " 0"},
		{"its number is not certain", func(s *scene) { s.Wait(9000); foreign(s) }, another + " 0"},
		{"the pair has another connection, whose id it is", func(s *scene) {
			s.send(0, command(dp8.OpConnect, true, 9, dp8.Version16))
			foreign(s)
			s.Again()
		}, another + " 0"},
	} {
		s := newTalk(t)
		c.play(s)
		s.send(1, sack(0, 21, 0))
		got := s.known(20)
		if got = fmt.Sprint(got, " ", s.End()[0].Dir[0].Duplicates); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestMC_DPL8R_Gates_ForeignKeepAliveFirst: a KeepAlive of another session that comes before all
// data goes on with the connection under its first number (gate 12).
func TestMC_DPL8R_Gates_ForeignKeepAliveFirst(t *testing.T) {
	for n, want := range []string{"given up", "unknown"} {
		s := newScene(t, track.Options{}, true)
		s.meet(7, dp8.Version16, dp8.Version16)
		s.send(0, keepAlive(uint8(n), 0, 9))
		s.send(0, data(2, 0, "x"))
		s.send(1, sack(0, 3, 0))
		if got := s.known(seq.Num(n)); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

// TestMC_DPL8R_Gates_BehindEndStream: a frame behind END_STREAM takes no number where its full
// number is certain (gate 13), and is not acknowledged (gate 23).
func TestMC_DPL8R_Gates_BehindEndStream(t *testing.T) {
	end := dataAs(whole, dp8.CtlEndStream, 20, 0, "")
	for _, c := range []struct {
		name string
		play func(s *scene)
		num  seq.Num
		want string // what is known of it; acknowledgements of what was not captured
	}{
		{"right behind it", func(s *scene) { s.send(0, end); s.send(0, data(21, 0, "x")) }, 21, "unknown false"},
		{"after a long silence", func(s *scene) { s.send(0, end); s.Wait(9000); s.send(0, data(21, 0, "x")) }, 21, "sent false"},
		{"one after the other, for long", func(s *scene) {
			s.send(0, end)
			for n := range uint8(4) {
				s.Wait(600)
				s.send(0, data(21+n, 0, "x"))
			}
		}, 24, "unknown false"},
		{"more than a window behind it", func(s *scene) { s.send(0, end); s.send(0, data(84, 0, "x")); s.send(0, data(85, 0, "x")) }, 84, "sent false"},
		{"acknowledged", func(s *scene) { s.send(0, end); s.send(0, data(21, 0, "x")); s.send(1, sack(0, 22, 1)) }, 20, "acknowledged false"},
		{"acknowledged, and captured before the end", func(s *scene) { s.send(0, data(21, 0, "x")); s.send(0, end); s.send(1, sack(0, 22, 0)) }, 21, "sent false"},
		{"acknowledged, of an end that did not come last", func(s *scene) {
			s.send(0, end)
			s.Wait(9000)
			s.send(0, data(21, 0, "x"))
			s.send(1, sack(0, 22, 0))
		}, 21, "sent false"},
		{"nothing is, and more is acknowledged", func(s *scene) { s.send(0, end); s.send(1, sack(0, 22, 0)) }, 20, "acknowledged true"},
	} {
		s := newTalk(t)
		c.play(s)
		got := s.known(c.num)
		s.End()
		if got = fmt.Sprint(got, " ", s.Last().Words.Has(dissect.AckOfUncaptured)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestMC_DPL8R_Gates_OutOfPlace: where numbers go on before one that was far ahead, it is forgotten
// (gate 17): the SACK that names the next number then has a send mask that means something.
func TestMC_DPL8R_Gates_OutOfPlace(t *testing.T) {
	for _, c := range []struct {
		name string
		wait int64 // ms before the numbers go on
		want string
	}{
		{"they go on", 150, "sent"},
		{"it overtook them", 1, "given up"},
	} {
		s := newTalk(t)
		s.send(0, data(28, 0, "ahead"))
		s.Wait(c.wait)
		s.send(0, data(20, 0, "x"))
		f := sack(21, 0, 0)
		f.SACK.SendMask, f.SACK.Flags = 1, f.SACK.Flags|dp8.SACKSend1
		s.send(0, f)
		if got := s.known(20); got != c.want {
			t.Errorf("%s: 20 is %s, want %s", c.name, got, c.want)
		}
		if there := track.Remembers(s.Sessions[0], 0, 28); there == (c.want == "sent") {
			t.Errorf("%s: 28 is remembered: %v", c.name, there)
		}
	}
}

// TestMC_DPL8R_Gates_Masks: what is impossible in a SACK mask is nothing (gates 19 and 20); of copies
// it is heeded (gate 22).
func TestMC_DPL8R_Gates_Masks(t *testing.T) {
	all := sack(0, 20, 3<<62|1)
	for _, c := range []struct {
		name string
		play func(s *scene)
		want string
	}{
		{"it is right", func(s *scene) { s.send(1, sack(0, 20, 1)) }, "acknowledged"},
		{"bit 63", func(s *scene) { s.send(1, all) }, "sent"},
		{"bit 63 of a copy", func(s *scene) { s.send(1, all); s.Again() }, "acknowledged"},
		{"the capture cut behind it", func(s *scene) {
			f := sack(0, 20, 1)
			f.SACK.SendMask, f.SACK.Flags = 1, f.SACK.Flags|dp8.SACKSend1
			s.cut(1, f, 4)
		}, "sent"},
	} {
		s := newTalk(t)
		s.send(0, data(21, 0, "x"))
		c.play(s)
		if got := s.known(21); got != c.want {
			t.Errorf("%s: 21 is %s, want %s", c.name, got, c.want)
		}
	}
}

// TestMC_DPL8R_Gates_SendMasks: what is impossible in a send mask is nothing (gates 27 to 29); of
// copies it is heeded (gate 22).
func TestMC_DPL8R_Gates_SendMasks(t *testing.T) {
	const loose = dp8.Data | dp8.NewMsg | dp8.EndMsg
	for _, c := range []struct {
		name string
		play func(s *scene)
		num  seq.Num
		want string
	}{
		{"before the first number", func(s *scene) { s.send(0, masked(data(2, 0, "x"), 0, 1<<3|1)) }, -2, "unknown"},
		{"a reliable number", func(s *scene) { s.send(0, data(0, 0, "x")); s.send(0, masked(data(1, 0, "x"), 0, 1)) }, 0, "sent"},
		{"a reliable number, in a copy", func(s *scene) {
			s.send(0, data(0, 0, "x"))
			s.send(0, masked(data(1, 0, "x"), 0, 1))
			s.Again()
		}, 0, "given up"},
		{"before the first number, of a side that was silent", func(s *scene) {
			s.send(0, data(2, 0, "x"))
			s.Wait(9000)
			s.send(0, masked(data(3, 0, "x"), 0, 1<<5))
		}, -3, "given up"},
		{"before the first number, of a side whose start was not captured", func(s *scene) {
			s.Wait(1500)
			s.send(1, sack(0, 2, 0))
			s.send(0, masked(data(2, 0, "x"), 0, 1<<3))
		}, -2, "given up"},
		{"a first sending, right from the next number", func(s *scene) {
			s.send(0, data(0, 0, "x"))
			s.send(0, dataAs(loose, 0, 1, 0, "x"))
			s.send(0, dataAs(loose, 0, 2, 0, "x"))
			s.send(0, masked(data(3, 0, "x"), 0, 1<<1|1<<2))
		}, 1, "given up"},
		{"named again, after it has come", func(s *scene) {
			s.send(0, data(0, 0, "x"))
			s.send(0, masked(data(2, 0, "x"), 0, 1))
			s.send(0, dataAs(loose, 0, 1, 0, "x"))
			s.send(0, masked(data(3, 0, "x"), 0, 1<<1))
		}, 1, "given up"},
		{"a first sending that names a reliable number", func(s *scene) {
			s.send(0, dataAs(loose, 0, 0, 0, "x"))
			s.send(0, data(1, 0, "x"))
			s.send(0, masked(data(2, 0, "x"), 0, 3))
		}, 0, "given up"},
	} {
		s := newScene(t, track.Options{}, true)
		s.meet(7, dp8.Version16, dp8.Version16)
		c.play(s)
		if got := s.known(c.num); got != c.want {
			t.Errorf("%s: %d is %s, want %s", c.name, c.num, got, c.want)
		}
	}
}

// TestMC_DPL8R_Gates_NextSend: a SACK whose bNSeq goes back although it was sent later changes
// nothing more (gate 33). A copy, or one that the capture cut, does.
func TestMC_DPL8R_Gates_NextSend(t *testing.T) {
	next := func(nseq uint8, tick uint32) dp8.Frame {
		f := sack(nseq, 20, 0)
		f.SACK.Timestamp = tick
		return f
	}
	hard := command(dp8.OpHardDisconnect, false, 7, dp8.Version16)
	for _, c := range []struct {
		name string
		play func(s *scene)
		want string
	}{
		{"it is the next number", func(s *scene) { s.send(1, next(20, 1100)) }, "acknowledged"},
		{"it went back, by its tick", func(s *scene) { s.send(1, next(19, 1100)) }, "sent"},
		{"it may have been overtaken", func(s *scene) { s.send(1, next(19, 900)) }, "acknowledged"},
		{"it went back, by its time", func(s *scene) { s.send(1, next(5, 900)) }, "sent"},
		{"it went back, on a connection that is over", func(s *scene) { s.send(0, hard); s.send(1, next(10, 1100)) }, "sent"},
		{"a copy", func(s *scene) { s.send(1, next(10, 1100)); s.Again() }, "acknowledged"},
		{"cut", func(s *scene) { s.cut(1, masked8(next(10, 1100)), 4) }, "acknowledged"},
		{"to one of which no first sending was captured", func(s *scene) { s.send(1, next(12, 1100)) }, "acknowledged"},
		{"its number is not certain", func(s *scene) { s.Wait(9000); s.send(1, next(10, 1100)) }, "acknowledged"},
		{"numbers are in doubt since, for one was below the first", func(s *scene) { s.send(0, data(250, 20, "x")); s.send(1, next(10, 1100)) }, "acknowledged"},
	} {
		s := newScene(t, track.Options{}, true)
		s.meet(7, dp8.Version16, dp8.Version16)
		for n := range uint8(20) {
			s.Wait(50)
			s.send(0, data(n, n, "x"))
			f := data(n, 0, "x")
			if n == 12 {
				f.DFrame.Control |= dp8.CtlRetry
			}
			s.send(1, f)
		}
		s.send(1, func() dp8.Frame { f := next(20, 1000); f.SACK.NRcv = 19; return f }())
		c.play(s)
		if got := s.known(19); got != c.want {
			t.Errorf("%s: 19 is %s, want %s", c.name, got, c.want)
		}
	}
}

// masked8 gives a SACK a mask that ends it.
func masked8(f dp8.Frame) dp8.Frame {
	f.SACK.SACKMask, f.SACK.Flags = 1<<40, f.SACK.Flags|dp8.SACKMask1|dp8.SACKMask2
	return f
}
