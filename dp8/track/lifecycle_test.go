package track_test

import (
	"fmt"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session"
)

// TestStates plays the ends a connection can come to (docs/analysis.md).
func TestStates(t *testing.T) {
	meet := func(s *scene) {
		s.meet(7, dp8.Version16, dp8.Version16)
		s.send(0, keepAlive(0, 0, 7))
		s.send(1, keepAlive(0, 1, 7))
	}
	// roundTrip shows that an answer takes 40 ms.
	roundTrip := func(s *scene) {
		s.meet(7, dp8.Version16, dp8.Version16)
		s.send(0, data(0, 0, "x"))
		s.Wait(35)
		s.send(1, sack(0, 1, 0))
		s.send(1, data(0, 1, "y"))
		s.Wait(35)
		s.send(0, sack(1, 1, 0))
	}
	end := func(s *scene, from dissect.Dir, seq, nrcv uint8) {
		s.send(from, dataAs(whole, dp8.CtlEndStream, seq, nrcv, ""))
	}
	hard := func(s *scene, from dissect.Dir) { s.send(from, command(dp8.OpHardDisconnect, false, 7, dp8.Version16)) }
	tries := func(s *scene, n int) {
		for i := range n {
			f := data(1, 1, "x")
			if i > 0 {
				f.DFrame.Control |= dp8.CtlRetry
			}
			s.send(0, f)
			s.Wait(500)
		}
	}
	for _, c := range []struct {
		name  string
		play  func(s *scene)
		state session.State
		by    session.Side
	}{
		{"opening", func(s *scene) { s.send(0, command(dp8.OpConnect, true, 7, dp8.Version16)) }, session.Opening, session.NoSide},
		{"answered", func(s *scene) {
			s.send(0, command(dp8.OpConnect, true, 7, dp8.Version16))
			s.send(1, command(dp8.OpConnected, true, 7, dp8.Version16))
		}, session.Opening, session.NoSide},
		{"established", meet, session.Established, session.NoSide},
		{"unknown", func(s *scene) { s.send(0, data(9, 9, "x")) }, session.StateUnknown, session.NoSide},
		{"closing", func(s *scene) { meet(s); end(s, 0, 1, 1) }, session.Closing, session.SideA},
		{"closing, retried", func(s *scene) {
			meet(s)
			end(s, 1, 1, 1)
			s.send(1, dataAs(whole, dp8.CtlEndStream|dp8.CtlRetry, 1, 1, ""))
		}, session.Closing, session.SideB},
		{"closed by a", func(s *scene) { meet(s); end(s, 0, 1, 1); end(s, 1, 1, 2) }, session.Closed, session.SideA},
		{"closed by b", func(s *scene) { meet(s); end(s, 1, 1, 1); end(s, 0, 1, 2) }, session.Closed, session.SideB},
		{"ends that cross", func(s *scene) { meet(s); end(s, 0, 1, 1); end(s, 1, 1, 1) }, session.Closed, session.BothSides},
		{"an answer in a later number", func(s *scene) { meet(s); end(s, 0, 1, 1); s.send(1, data(1, 1, "x")); end(s, 1, 2, 2) }, session.Closed, session.SideA},
		{"closed in the middle of a capture", func(s *scene) { s.send(0, data(9, 9, "x")); end(s, 0, 10, 9); end(s, 1, 9, 11) }, session.Closed, session.SideA},
		{"reset by a", func(s *scene) { meet(s); hard(s, 0); hard(s, 0) }, session.Reset, session.SideA},
		{"reset, answered", func(s *scene) {
			roundTrip(s)
			hard(s, 0)
			s.Wait(36)
			hard(s, 1)
		}, session.Reset, session.SideA},
		{"resets that cross", func(s *scene) {
			roundTrip(s)
			hard(s, 1)
			hard(s, 0)
		}, session.Reset, session.BothSides},
		{"a graceful close, then an abrupt one", func(s *scene) { meet(s); end(s, 0, 1, 1); hard(s, 1) }, session.Closed, session.SideA},
		{"closed, then abrupt ones", func(s *scene) { meet(s); end(s, 0, 1, 1); end(s, 1, 1, 2); hard(s, 0); hard(s, 1) }, session.Closed, session.SideA},
		{"reset while opening", func(s *scene) { s.send(0, command(dp8.OpConnect, true, 7, dp8.Version16)); hard(s, 0) }, session.Reset, session.SideA},
		{"refused", func(s *scene) { s.send(0, command(dp8.OpConnect, true, 7, dp8.Version16)); s.ICMP(0) }, session.Refused, session.NoSide},
		{"unreachable once established", func(s *scene) { meet(s); s.ICMP(0) }, session.Reset, session.NoSide},
		{"unreachable in the middle of a capture", func(s *scene) { s.send(0, data(9, 9, "x")); s.ICMP(0) }, session.Reset, session.NoSide},
		{"unreachable when all is over", func(s *scene) { meet(s); end(s, 0, 1, 1); end(s, 1, 1, 2); s.ICMP(0) }, session.Closed, session.SideA},
		{"CONNECTs unanswered", func(s *scene) {
			for range 15 {
				s.send(0, command(dp8.OpConnect, true, 7, dp8.Version16))
				s.Wait(500)
			}
		}, session.TimedOut, session.NoSide},
		{"most CONNECTs, then silence", func(s *scene) {
			for range 12 {
				s.send(0, command(dp8.OpConnect, true, 7, dp8.Version16))
			}
			s.Wait(6000)
			s.Table.Close(s.Now)
		}, session.TimedOut, session.NoSide},
		{"most CONNECTs, and the capture ends", func(s *scene) {
			for range 12 {
				s.send(0, command(dp8.OpConnect, true, 7, dp8.Version16))
			}
		}, session.Opening, session.NoSide},
		{"answered at last", func(s *scene) {
			for range 15 {
				s.send(0, command(dp8.OpConnect, true, 7, dp8.Version16))
			}
			s.send(1, command(dp8.OpConnected, true, 7, dp8.Version16))
		}, session.Opening, session.NoSide},
		{"data unanswered", func(s *scene) { meet(s); tries(s, 11) }, session.TimedOut, session.NoSide},
		{"data unanswered, with a farewell", func(s *scene) { meet(s); tries(s, 11); hard(s, 0) }, session.TimedOut, session.NoSide},
		{"some tries", func(s *scene) { meet(s); tries(s, 5) }, session.Established, session.NoSide},
		{"many tries, then an answer", func(s *scene) { meet(s); tries(s, 10); s.send(1, sack(1, 2, 0)) }, session.Established, session.NoSide},
	} {
		s := newScene(t, track.Options{}, true)
		c.play(s)
		if got := s.One(); got.State != c.state || got.ClosedBy != c.by {
			t.Errorf("%s: %s by %q, want %s by %q", c.name, got.State, got.ClosedBy, c.state, c.by)
		}
	}
}

func TestInferredInTheMiddle(t *testing.T) {
	for _, c := range []struct {
		name    string
		play    func(s *scene)
		version uint32
		signing string
		id      bool
	}{
		{"data alone", func(s *scene) { s.send(0, data(9, 9, "hello")) }, 0, "", false},
		{"an unsigned SACK", func(s *scene) { s.send(0, sack(9, 9, 0)) }, 0, "none", false},
		{"a coalesced frame", func(s *scene) { s.send(0, coalesced(0, 9, part(0, "a"), part(0, "b"))) }, dp8.Version16, "", false},
		{"one KeepAlive", func(s *scene) { s.send(0, keepAlive(9, 9, 7)) }, 0, "none", true},
		{"KeepAlives with the same id", func(s *scene) { s.send(0, keepAlive(9, 9, 7)); s.send(1, keepAlive(9, 10, 7)) }, dp8.Version16, "none", true},
		{"four bytes that differ are payload", func(s *scene) {
			s.send(0, dataAs(whole, dp8.CtlKeepAlive, 9, 9, "ping"))
			s.send(0, dataAs(whole, dp8.CtlKeepAlive, 10, 9, "pong"))
			s.send(0, dataAs(whole, dp8.CtlKeepAlive, 11, 9, "ping"))
		}, dp8.Version15 - 1, "none", false},
		{"the KeepAlive bit on other payloads", func(s *scene) { s.send(0, dataAs(whole, dp8.CtlKeepAlive, 9, 9, "correlate")) }, dp8.Version15 - 1, "", false},
		{"a reliable frame without payload", func(s *scene) { s.send(0, data(9, 9, "")) }, dp8.Version15 - 1, "", false},
		{"digests", func(s *scene) {
			g := newSigner(connectorSecret, derivations["unchanged"])
			for n := range int64(4) {
				s.Raw(0, g.sign(sack(uint8(9+n), 9, 0), 9, true))
			}
		}, 0, "full", false},
		{"digests on data, too", func(s *scene) {
			g := newSigner(connectorSecret, derivations["unchanged"])
			s.Raw(0, g.sign(sack(9, 9, 0), 9, true))
			s.Raw(0, g.sign(data(9, 9, "x"), 9, true))
		}, dp8.Version16, "full", false},
	} {
		s := newScene(t, track.Options{}, true)
		c.play(s)
		got := s.One()
		if got.Version != c.version || got.Signing != c.signing || got.HasSessionID != c.id || got.Complete {
			t.Errorf("%s: version %x, signing %q, id %v, complete %v; want %x, %q, %v", c.name, got.Version, got.Signing, got.HasSessionID, got.Complete, c.version, c.signing, c.id)
		}
		for _, what := range got.Inferred {
			if what == "version" && got.Version == 0 || what == "roles" {
				t.Errorf("%s: inferred %q", c.name, got.Inferred)
			}
		}
	}
}

// What looks like KeepAlives with different ids is data: the probe of a forced
// flow sees that before the first one is read.
func TestInferredKeepAlivesGiveWay(t *testing.T) {
	s := newScene(t, track.Options{}, true)
	for n := range uint8(20) {
		s.send(0, dataAs(whole, dp8.CtlKeepAlive, 9+n, 9, fmt.Sprintf("%04d", n)))
	}
	d := &s.One().Dir[0]
	if d.KeepAlives != 0 || d.DataFrames != 20 || d.Messages != 20 || d.Missing() != 0 {
		t.Errorf("%d KeepAlives, %d data frames, %d messages, %d missing", d.KeepAlives, d.DataFrames, d.Messages, d.Missing())
	}
}
