package track_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A signedScene is one whose handshake was fully signed; g signs for the connector, back for the
// listener.
type signedScene struct {
	*scene
	g, back *signer
}

func newSignedScene(t *testing.T, derive string) *signedScene {
	s := &signedScene{newScene(t, track.Options{}, true), newSigner(connectorSecret, derivations[derive]), newSigner(listenerSecret, derivations[derive])}
	s.meetSigned(dp8.SigningFull)
	return s
}

// say plays data frames of the connector.
func (s *signedScene) say(from, to int64) {
	for n := from; n < to; n++ {
		s.Raw(0, s.g.sign(data(uint8(n), 0, text(n)), n, false))
	}
}

// hears plays a SACK of the listener, which has sent nothing.
func (s *signedScene) hears(nrcv uint8, mask uint64) {
	s.Raw(1, s.back.sign(sack(0, nrcv, mask), 0, false))
}

// TestMC_DPL8R_Gates_DoubtfulEpoch: behind a hole of the capture, numbers are read as those of an
// epoch before (gate 9). Two frames in a row with a wrong signature may be forged; from the third
// on the secret is rather another.
func TestMC_DPL8R_Gates_DoubtfulEpoch(t *testing.T) {
	const hole = 256 + 200 // the number behind it, which is read as 200
	for _, c := range []struct {
		name string
		play func(s *signedScene)
		want string
	}{
		{"two are stopped, the third is heeded", func(s *signedScene) { s.say(hole, hole+6) },
			"missing missing sent sent, 101 0 6, established"},
		{"what is not signed is wrong in any epoch", func(s *signedScene) {
			for n := range uint8(4) { // as long as a signed frame
				s.send(0, sack(200+n, 0, 0))
			}
		}, "unknown unknown unknown unknown, 101 4 0, established"},
		{"who may not be the side does not end the connection", func(s *signedScene) {
			s.say(hole, hole+2)
			hard := command(dp8.OpHardDisconnect, false, 7, dp8.Version16)
			hard.Handshake.RspID = 202
			s.Raw(0, s.g.sign(hard, hole+2, false))
		}, "unknown unknown unknown unknown, 101 1 2, established"},
	} {
		s := newSignedScene(t, "SHA-1 of the payload")
		s.say(0, 101)
		for n := range int64(hole) {
			s.g.sign(data(uint8(n), 0, text(n)), n, false) // not captured
		}
		c.play(s)
		got := ""
		for n := range seq.Num(4) {
			got += s.known(200+n) + " "
		}
		x := s.One()
		sig := x.Dir[0].Signatures
		got = fmt.Sprintf("%s, %d %d %d, %s", got[:len(got)-1], sig.Valid, sig.Invalid, sig.Unverifiable, x.State)
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestMC_DPL8R_Gates_EarlySecret: a frame signed with the secret of the next epoch is not forged
// where its number may well be one of that (gate 9): frames before it are missing, or it is no
// higher than those before and yet no retry.
func TestMC_DPL8R_Gates_EarlySecret(t *testing.T) {
	for _, c := range []struct {
		name string
		num  int64 // what it is signed for
		want string
	}{
		{"a whole cycle later, one of 60 numbers", 256 + 90, "101 0 1"},
		{"the next number, for the next epoch", 256 + 101, "101 1 0"},
	} {
		s := newSignedScene(t, "SHA-1 of the payload")
		s.say(0, 101)
		s.Raw(0, s.g.sign(data(uint8(c.num), 0, text(c.num)), c.num, false))
		sig := s.One().Dir[0].Signatures
		if got := fmt.Sprint(sig.Valid, sig.Invalid, sig.Unverifiable); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestMC_DPL8R_Gates_BehindTheTurn: a frame of a new epoch that no guess at its secret verifies
// takes no number until it shows whether it is forged (gates 10 and 11).
func TestMC_DPL8R_Gates_BehindTheTurn(t *testing.T) {
	const turn = 256
	large := func(s *signedScene) {
		s.Raw(0, s.g.sign(data(0, 0, string(make([]byte, track.MaxHeldPayload))), turn, false))
	}
	for _, c := range []struct {
		name   string
		derive string // what no guess verifies is nobody's
		play   func(s *signedScene)
		want   string // what is known of the first number of the new epoch
	}{
		{"it is held", "nobody's", func(s *signedScene) { s.say(turn, turn+1) }, "unknown"},
		{"eight are", "nobody's", func(s *signedScene) { s.say(turn, turn+8) }, "unknown"},
		{"a ninth: no guess is right", "nobody's", func(s *signedScene) { s.say(turn, turn+9) }, "sent"},
		{"its peer acknowledges it", "nobody's", func(s *signedScene) { s.say(turn, turn+2); s.hears(1, 0) }, "acknowledged"},
		{"its peer acknowledges less", "nobody's", func(s *signedScene) { s.say(turn, turn+2); s.hears(0, 0) }, "unknown"},
		{"its peer names one by a mask", "nobody's", func(s *signedScene) { s.say(turn, turn+2); s.hears(0, 1) }, "sent"},
		{"it is too long to be held", "nobody's", large, "sent"},
		{"the capture cut it", "nobody's", func(s *signedScene) {
			s.say(turn+1, turn+2)
			s.Cut(0, s.g.sign(data(0, 0, text(turn)), turn, false), 1)
		}, "sent"},
		{"a later one verifies: it is forged", "SHA-1 of the payload", func(s *signedScene) { s.forge(0); s.say(turn+1, turn+3); s.hears(0, 1) }, "missing"},
	} {
		s := newSignedScene(t, c.derive)
		s.say(0, turn)
		c.play(s)
		if got := s.known(turn); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestMC_DPL8R_Gates_BehindTheTurnLater: what becomes of held frames (gates 10 and 11).
func TestMC_DPL8R_Gates_BehindTheTurnLater(t *testing.T) {
	const turn = 256
	for _, c := range []struct {
		name   string
		derive string
		play   func(s *signedScene)
		want   string // messages of the new epoch, copies, state
	}{
		{"they are believed at the end", "nobody's", func(s *signedScene) { s.say(turn, turn+2) }, fmt.Sprint(texts(turn, turn+2), " 0 established")},
		{"forged ones are not", "SHA-1 of the payload", func(s *signedScene) { s.forge(0); s.say(turn, turn+2) }, fmt.Sprint(texts(turn, turn+2), " 0 established")},
		{"a copy of one is one", "nobody's", func(s *signedScene) { s.say(turn, turn+1); s.Again() }, fmt.Sprint(texts(turn, turn+1), " 1 established")},
		{"HARD_DISCONNECT has no number and is heeded", "nobody's", func(s *signedScene) {
			s.Raw(0, s.g.sign(command(dp8.OpHardDisconnect, false, 7, dp8.Version16), turn, false))
		}, "[] 0 reset"},
	} {
		s := newSignedScene(t, c.derive)
		s.say(0, turn)
		c.play(s)
		x := s.One()
		got := fmt.Sprint(s.Texts(0)[turn:], " ", x.Dir[0].Duplicates, " ", x.State)
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func texts(from, to int64) (all []string) {
	for n := from; n < to; n++ {
		all = append(all, text(n))
	}
	return all
}

// TestMC_DPL8R_Gates_NothingToGuess: frames of an epoch that no guess is made at are not held, nor
// is anything once no guess was right (gate 10).
func TestMC_DPL8R_Gates_NothingToGuess(t *testing.T) {
	t.Run("what the modifier comes from was not captured", func(t *testing.T) {
		g := newSigner(connectorSecret, derivations["SHA-1 of the payload"])
		for n := range int64(456) {
			g.sign(data(uint8(n), 0, text(n)), n, false)
		}
		supplied := dp8.SuppliedSecrets{SessionID: 7, Connector: g.keys[1], Listener: listenerSecret, Mode: "full", Current: true}
		s := &signedScene{newScene(t, track.Options{Secrets: []dp8.SuppliedSecrets{supplied}}, true), g, newSigner(listenerSecret, nil)}
		s.Raw(0, g.sign(sack(200, 0, 0), 456, false))
		for n := int64(456); n < 513; n++ {
			s.say(n, n+1)
			s.hears(uint8(n), 0)
		}
		if got := s.known(256); got != "sent" { // 456 is read as 200
			t.Errorf("the first number of the epoch is %s, want sent", got)
		}
	})
	t.Run("none was right", func(t *testing.T) {
		s := newSignedScene(t, "nobody's")
		s.say(0, 256+10)
		if got := s.known(265); got != "sent" {
			t.Errorf("the tenth is %s, want sent", got)
		}
	})
}

// TestMC_DPL8R_Gates_SignedOrNot: while it is open whether frames are signed at all, a wrong
// signature is not called one, and the frame is heeded (gate 44).
func TestMC_DPL8R_Gates_SignedOrNot(t *testing.T) {
	offer := signedAnswer(true, 7, connectorSecret, listenerSecret, dp8.SigningFast)
	confirm := signedAnswer(false, 7, connectorSecret, listenerSecret, dp8.SigningFast)
	signed := func(n uint8, key dp8.Secret) dp8.Frame {
		f := data(n, 0, fmt.Sprint(n))
		f.DFrame.HasSignature, f.DFrame.Signature = true, key
		return f
	}
	for _, c := range []struct {
		name string
		play func(s *scene)
		want string // messages; verdicts
	}{
		{"both kinds of answers", func(s *scene) {
			s.send(1, offer)
			s.send(0, confirm)
			s.send(1, plainAnswer(true))
			s.send(0, sack(0, 0, 0))
			s.send(0, data(0, 0, "a"))
		}, "[a] 0 0 0"},
		{"both kinds of answers, and signatures with nobody's secret", func(s *scene) {
			s.send(1, offer)
			s.send(0, confirm)
			s.send(1, plainAnswer(true))
			f := sack(0, 0, 0)
			f.SACK.HasSignature, f.SACK.Signature = true, [8]byte{9}
			s.send(0, f)
			s.send(0, signed(0, dp8.Secret{8}))
			s.send(0, signed(1, dp8.Secret{7}))
		}, "[0 1] 0 0 3"},
		{"only the connector's part was captured", func(s *scene) {
			s.send(0, confirm)
			s.send(0, signed(0, dp8.Secret{9}))
		}, "[0] 0 0 1"},
		{"only the connector's part, and a signature was right", func(s *scene) {
			s.send(0, confirm)
			s.send(0, signed(0, connectorSecret))
			s.send(0, signed(1, dp8.Secret{9}))
		}, "[0] 1 1 0"},
		{"only the connector's part, and frames that have none", func(s *scene) {
			s.send(0, confirm)
			s.send(0, sack(0, 0, 0))
			s.Raw(0, []byte{0x3f, 0, 0, 0}) // no room for one
		}, "[] 0 0 0"},
		{"the whole handshake", func(s *scene) {
			s.send(1, offer)
			s.send(0, confirm)
			s.send(0, signed(0, dp8.Secret{9}))
		}, "[] 0 1 0"},
	} {
		s := newScene(t, track.Options{}, true)
		s.send(0, command(dp8.OpConnect, true, 7, dp8.Version16))
		c.play(s)
		sig := s.One().Dir[0].Signatures
		if got := fmt.Sprint(s.Texts(0), sig.Valid, sig.Invalid, sig.Unverifiable); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestMC_DPL8R_Gates_Secrets: what a CONNECTED_SIGNED must not give secrets or the mode by
// (gate 40): a secret that is not taken is learned from the signatures.
func TestMC_DPL8R_Gates_Secrets(t *testing.T) {
	offer := func(tick uint32, cookie byte, mode uint32) dp8.Frame {
		f := signedAnswer(true, 7, dp8.Secret{}, dp8.Secret{}, mode)
		f.Handshake.Timestamp, f.Handshake.ConnectSig = tick, [8]byte{cookie}
		return f
	}
	confirm := func(tick uint32, cookie byte, mode uint32) dp8.Frame {
		f := signedAnswer(false, 7, connectorSecret, listenerSecret, mode)
		f.Handshake.EchoTimestamp, f.Handshake.ConnectSig = tick, [8]byte{cookie}
		return f
	}
	const fast, full = dp8.SigningFast, dp8.SigningFull
	for _, c := range []struct {
		name string
		play func(s *scene)
		want string // mode, whether secrets were learned, verdicts
	}{
		{"as they should be", func(s *scene) { s.send(1, offer(1, 1, fast)); s.send(0, confirm(1, 1, fast)) }, "fast false 3 0"},
		{"the listener's frame", func(s *scene) {
			f := offer(1, 1, fast)
			f.Handshake.SenderSecret, f.Handshake.ReceiverSecret = dp8.Secret{3}, dp8.Secret{4}
			s.send(1, f)
			s.send(0, confirm(1, 1, fast))
		}, "fast false 3 0"},
		{"others, later", func(s *scene) {
			s.send(1, offer(1, 1, fast))
			s.send(0, confirm(1, 1, fast))
			f := confirm(1, 1, fast)
			f.Handshake.SenderSecret = dp8.Secret{3}
			s.send(0, f)
		}, "fast false 3 0"},
		{"the connector's is 0", func(s *scene) {
			s.send(1, offer(1, 1, fast))
			f := confirm(1, 1, fast)
			f.Handshake.SenderSecret = dp8.Secret{}
			s.send(0, f)
		}, "fast true 3 0"},
		{"the listener's is 0", func(s *scene) {
			s.send(1, offer(1, 1, fast))
			f := confirm(1, 1, fast)
			f.Handshake.ReceiverSecret = dp8.Secret{}
			s.send(0, f)
		}, "fast true 3 0"},
		{"a cookie of no offer", func(s *scene) { s.send(1, offer(1, 1, fast)); s.send(0, confirm(1, 2, fast)) }, "fast true 3 0"},
		{"a cookie of an offer that was not captured", func(s *scene) { s.send(1, offer(1, 1, fast)); s.send(0, confirm(2, 2, fast)) }, "fast false 3 0"},
		{"a cookie of an offer that was cut", func(s *scene) {
			s.send(1, offer(1, 1, fast))
			f := offer(1, 2, fast)
			s.Cut(1, f.Append(nil), 8)
			s.send(0, confirm(1, 2, fast))
		}, "fast false 3 0"},
		{"a cookie of one of too many offers", func(s *scene) {
			for n := range byte(track.MaxOffers + 1) {
				s.send(1, offer(1, n, fast))
			}
			s.send(0, confirm(1, track.MaxOffers, fast))
		}, "fast false 3 0"},
		{"no offer was captured", func(s *scene) { s.send(0, confirm(1, 1, fast)) }, "fast false 3 0"},
		{"two modes in one frame", func(s *scene) { s.send(1, offer(1, 1, fast|full)); s.send(0, confirm(1, 1, fast)) }, "fast false 3 0"},
		{"the confirmation names two", func(s *scene) { s.send(1, offer(1, 1, fast)); s.send(0, confirm(1, 1, fast|full)) }, "fast false 3 0"},
		{"the sides name different ones", func(s *scene) { s.send(1, offer(1, 1, fast)); s.send(0, confirm(1, 1, full)) }, "fast false 3 0"},
		{"the listener names another one later", func(s *scene) {
			s.send(1, offer(1, 1, fast))
			s.send(0, confirm(1, 1, fast))
			s.send(1, offer(1, 1, full))
		}, "fast false 3 0"},
	} {
		s := newScene(t, track.Options{}, true)
		s.send(0, command(dp8.OpConnect, true, 7, dp8.Version16))
		c.play(s)
		for n := range uint8(3) {
			f := data(n, 0, "x")
			f.DFrame.HasSignature, f.DFrame.Signature = true, connectorSecret
			s.send(0, f)
		}
		x := s.One()
		sig := x.Dir[0].Signatures
		if got := fmt.Sprint(x.Signing, " ", sig.Learned, sig.Valid, sig.Invalid); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestMC_DPL8R_Gates_SignedAmongUnsigned: a handshake that was unsigned stays so (gate 38).
func TestMC_DPL8R_Gates_SignedAmongUnsigned(t *testing.T) {
	offer := signedAnswer(true, 7, connectorSecret, listenerSecret, dp8.SigningFast)
	t.Run("before data: the frames will tell", func(t *testing.T) {
		s := newScene(t, track.Options{}, true)
		s.meet(7, dp8.Version16, dp8.Version16)
		s.send(1, offer)
		if got := s.End()[0].Signing; got != "" {
			t.Errorf("signing %q, want none known", got)
		}
	})
	t.Run("behind data", func(t *testing.T) {
		s := newScene(t, track.Options{}, true)
		s.meet(7, dp8.Version16, dp8.Version16)
		s.send(0, data(0, 0, "a"))
		s.send(1, offer)
		s.send(0, data(1, 0, "b"))
		if got, texts := s.One().Signing, s.Texts(0); got != "none" || !slices.Equal(texts, []string{"a", "b"}) {
			t.Errorf("signing %q, messages %q", got, texts)
		}
	})
}

// TestMC_DPL8R_Gates_Refused: a number that only a frame without a right signature had is given up
// when it is acknowledged (gate 24).
func TestMC_DPL8R_Gates_Refused(t *testing.T) {
	signed := func(n uint8, key dp8.Secret) dp8.Frame {
		f := data(n, 0, fmt.Sprint(n))
		f.DFrame.HasSignature, f.DFrame.Signature = true, key
		return f
	}
	for _, c := range []struct {
		name string
		play func(s *scene)
		want string // what is known of 20 once 20, and then 21, is expected
	}{
		{"signed wrongly", func(s *scene) { s.send(0, signed(20, dp8.Secret{9})) }, "unknown given up"},
		{"not signed", func(s *scene) { s.Raw(0, []byte{0x3f, 0, 20, 0}) }, "unknown given up"},
		{"signed wrongly, and then rightly", func(s *scene) { s.send(0, signed(20, dp8.Secret{9})); s.send(0, signed(20, connectorSecret)) }, "sent acknowledged"},
		{"a SACK that is signed wrongly", func(s *scene) {
			f := sack(20, 0, 0)
			f.SACK.HasSignature, f.SACK.Signature = true, [8]byte{9}
			s.send(0, f)
		}, "unknown passed"},
	} {
		s := newScene(t, track.Options{}, true)
		s.meetSigned(dp8.SigningFast)
		hears := func(nrcv uint8) string {
			f := sack(0, nrcv, 0)
			f.SACK.HasSignature, f.SACK.Signature = true, listenerSecret
			s.send(1, f)
			return s.known(20)
		}
		for n := range uint8(20) {
			s.send(0, signed(n, connectorSecret))
		}
		c.play(s)
		if got := hears(20) + " " + hears(21); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
