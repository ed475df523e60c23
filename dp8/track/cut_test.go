package track_test

import (
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session"
)

// A handshake frame that the capture cut tells what is there and nothing else:
// absent bytes are not zeros (guard SNAP).
func TestCutHandshake(t *testing.T) {
	for _, c := range []struct {
		name    string
		keep    int // bytes of the connector's CONNECTED_SIGNED
		signing string
		valid   uint64
	}{
		{"whole", 48, "fast", 3},
		{"without the echoed time", 44, "fast", 3},
		{"without the options", 40, "fast", 3},
		{"without the second secret", 32, "fast", 3},
		{"without any secret", 20, "fast", 3},
	} {
		s := newScene(t, track.Options{}, true)
		s.send(0, command(dp8.OpConnect, true, 7, dp8.Version16))
		answer := signedAnswer(true, 7, dp8.Secret{}, dp8.Secret{}, dp8.SigningFast)
		s.Cut(1, answer.Append(nil), 48-min(c.keep, 40)) // its options are never there
		confirm := signedAnswer(false, 7, connectorSecret, listenerSecret, dp8.SigningFast)
		s.Cut(0, confirm.Append(nil), 48-c.keep)
		for n := range uint8(3) {
			f := data(n, 0, string('a'+n))
			f.DFrame.HasSignature, f.DFrame.Signature = true, connectorSecret
			s.send(0, f)
		}
		got := s.One()
		if sig := got.Dir[0].Signatures; got.Signing != c.signing || sig.Valid != c.valid || sig.Invalid != 0 || len(s.findings()) != 0 {
			t.Errorf("%s: signing %q, %+v, %d findings; want %q and %d valid", c.name, got.Signing, sig, len(s.findings()), c.signing, c.valid)
		}
		if texts := s.Texts(0); !slices.Equal(texts, []string{"a", "b", "c"}) {
			t.Errorf("%s: messages %q", c.name, texts)
		}
	}
}

// What the capture cut before the numbers changes nothing, and is no error of
// the endpoint.
func TestCutBeforeTheNumbers(t *testing.T) {
	s := newScene(t, track.Options{}, true)
	s.meet(7, dp8.Version16, dp8.Version16)
	s.send(0, data(0, 0, "a"))
	cut := data(1, 0, "b")
	s.Cut(0, cut.Append(nil), 3)
	k := sack(0, 1, 0)
	s.Cut(1, k.Append(nil), 7)
	c := command(dp8.OpConnect, true, 9, dp8.Version16)
	s.Cut(0, c.Append(nil), 10)
	s.send(0, data(1, 0, "b"))
	got := s.One()
	if d := &got.Dir[0]; d.Retries != 0 || d.Duplicates != 0 || d.Messages != 2 || got.SessionID != 7 {
		t.Errorf("%d retries, %d duplicates, %d messages, session %d", d.Retries, d.Duplicates, d.Messages, got.SessionID)
	}
	for _, fr := range s.Frames {
		if fr.Words.Has(dissect.Malformed) {
			t.Errorf("frame %d is cut and called malformed", fr.Frame)
		}
	}
}

// A frame with a wrong checksum never reached its receiver: it is counted and
// touches nothing else (CAP-SUM). Where all are wrong, the capture was edited.
func TestDamagedFrames(t *testing.T) {
	for _, c := range []struct {
		name  string
		sum   uint64 // of the other frames; 0: not verified
		texts []string
		gaps  uint64
	}{
		{"one of many", 1, []string{"a", "b"}, 0},
		{"all", 0, []string{"a", "b", "x"}, 1},
	} {
		s := newScene(t, track.Options{}, true)
		send := func(f dp8.Frame, bad bool) {
			sum := c.sum * uint64(len(s.Sent)+1)
			s.Add(0, dissect.Datagram{Payload: f.Append(nil), Sum: sum, BadChecksum: bad || c.sum == 0})
		}
		send(command(dp8.OpConnect, true, 7, dp8.Version16), false)
		send(data(0, 0, "a"), false)
		send(data(40, 0, "x"), true)
		send(data(1, 0, "b"), false)
		d := &s.One().Dir[0]
		texts := s.Texts(0)
		slices.Sort(texts)
		if d.Frames != 4 || d.DataFrames != 3 || d.Gaps != c.gaps || !slices.Equal(texts, c.texts) {
			t.Errorf("%s: %d frames, %d with data, %d gaps, messages %q", c.name, d.Frames, d.DataFrames, d.Gaps, texts)
		}
	}
}

// The same session id again is another connection when the handshake begins again
// (from one opening to the next).
func TestSessionIDReused(t *testing.T) {
	connect := func(id, msg uint8, tick uint32) dp8.Frame {
		f := command(dp8.OpConnect, true, uint32(id), dp8.Version16)
		f.Handshake.MsgID, f.Handshake.Timestamp = msg, tick
		return f
	}
	for _, c := range []struct {
		name  string
		again dp8.Frame
		pause int64
		want  int
	}{
		{"a new attempt", connect(7, 0, 99), 1e9, 2},
		{"a copy of the first CONNECT", connect(7, 0, 1), 1e6, 1},
		{"a late retry", connect(7, 1, 99), 1e9, 1},
		{"the same bytes much later", connect(7, 0, 1), 60e9, 2},
	} {
		s := newScene(t, track.Options{}, true)
		s.send(0, connect(7, 0, 1))
		s.send(1, command(dp8.OpConnected, true, 7, dp8.Version16))
		s.send(0, command(dp8.OpConnected, false, 7, dp8.Version16))
		s.send(0, data(0, 0, "a"))
		s.Now += c.pause
		s.send(0, c.again)
		if c.want == 2 {
			s.send(1, command(dp8.OpConnected, true, 7, dp8.Version16))
			s.send(0, command(dp8.OpConnected, false, 7, dp8.Version16))
			s.send(0, data(0, 0, "b"))
		}
		conns := s.End()
		if len(conns) != c.want {
			t.Errorf("%s: %d connections, want %d", c.name, len(conns), c.want)
			continue
		}
		for i, conn := range conns {
			if conn.Dir[0].Messages != 1 || conn.State != session.Established {
				t.Errorf("%s: connection %d: %d messages, %v", c.name, i, conn.Dir[0].Messages, conn.State)
			}
		}
	}
}

// A summary names nothing that is not there.
func TestSummaryOfTruncatedFrames(t *testing.T) {
	for _, c := range []struct {
		frame dp8.Frame
		keep  int
		want  string
	}{
		{data(5, 3, "x"), 1, "DFRAME"},
		{keepAlive(5, 3, 7), 6, "DFRAME seq=5 nrcv=3"},
		{sack(5, 3, 0), 5, "SACK"},
		{command(dp8.OpConnect, true, 7, dp8.Version16), 13, "CONNECT"},
	} {
		b := c.frame.Append(nil)[:c.keep]
		var f dp8.Frame
		err := f.Decode(b, dp8.Params{Version: dp8.Version16, Signing: dp8.Unsigned}, nil)
		if got := string(dp8.AppendPartialSummary(nil, &f, err)); got != c.want || err == nil {
			t.Errorf("% x: %q (%v), want %q", b, got, err, c.want)
		}
	}
}

// Frames that wait for the secret of their epoch are judged with that alone: a
// repeated handshake, captured late, does not count them again.
func TestLateHandshakeCountsNothingTwice(t *testing.T) {
	supplied := dp8.SuppliedSecrets{SessionID: 7, Connector: connectorSecret, Listener: listenerSecret, Mode: "full", Current: true}
	s := newScene(t, track.Options{Secrets: []dp8.SuppliedSecrets{supplied}}, true)
	g := newSigner(connectorSecret, derivations["nobody's"])
	s.Raw(0, g.sign(sack(0, 0, 0), 0, true))
	for n := range int64(262) {
		s.Raw(0, g.sign(data(uint8(n), 0, text(n)), n, false))
	}
	s.send(0, signedAnswer(false, 7, connectorSecret, listenerSecret, dp8.SigningFull))
	got := s.One().Dir[0].Signatures
	if got.Valid != 257 || got.Invalid != 0 || got.Unverifiable != 6 {
		t.Errorf("%+v, want 257 valid and 6 unverifiable", got)
	}
}

// TestUnreadShowsChecksums: checksums of a side are known to be there by a frame that cannot be read, too, whether rules
// look on or not.
func TestUnreadShowsChecksums(t *testing.T) {
	s := newScene(t, track.Options{}, true)
	s.Add(0, dissect.Datagram{Payload: []byte{0x3f, 0x10, 4, 0}, Sum: 2}) // a mask is announced and missing
	for n := range uint8(4) {
		f := data(n, 0, "x")
		s.Add(0, dissect.Datagram{Payload: f.Append(nil), Sum: 2, BadChecksum: n == 0 || n == 2})
	}
	if d := &s.One().Dir[0]; d.Gaps != 1 || d.Missing() != 1 {
		t.Errorf("%d gaps, %d missing, want 1 and 1: what is damaged has no number", d.Gaps, d.Missing())
	}
}
