package track_test

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A signer signs as a sender does (MC-DPL8R 3.1.4.4), for any reading of what
// the text leaves open.
type signer struct {
	keys     []dp8.Secret // by epoch
	modifier dp8.Secret
	derive   func(payload, frame []byte, before dp8.Secret) dp8.Secret
	order    track.Variant
	empty    bool // a reliable frame without payload gives a modifier, too
	found    bool
	next     dp8.Secret
}

func newSigner(first dp8.Secret, derive func(payload, frame []byte, before dp8.Secret) dp8.Secret) *signer {
	return &signer{keys: []dp8.Secret{first}, modifier: first, derive: derive}
}

func first8(b []byte) (s dp8.Secret) { copy(s[:], b); return s }

var derivations = map[string]func(payload, frame []byte, before dp8.Secret) dp8.Secret{
	"SHA-1 of the payload": func(p, _ []byte, _ dp8.Secret) dp8.Secret { d := sha1.Sum(p); return first8(d[:]) },
	"first 8 bytes":        func(p, _ []byte, _ dp8.Secret) dp8.Secret { return first8(p) },
	"SHA-1 of the frame":   func(_, f []byte, _ dp8.Secret) dp8.Secret { d := sha1.Sum(f); return first8(d[:]) },
	"SHA-1 of the frame as signed": func(_, f []byte, _ dp8.Secret) dp8.Secret { // no masks: the signature is at byte 4
		f = bytes.Clone(f)
		clear(f[4:12])
		d := sha1.Sum(f)
		return first8(d[:])
	},
	"last 8 bytes": func(p, _ []byte, _ dp8.Secret) dp8.Secret { return first8(p[max(0, len(p)-8):]) },
	"unchanged":    func(_, _ []byte, before dp8.Secret) dp8.Secret { return before },
	"exclusive-or": func(p, _ []byte, _ dp8.Secret) (s dp8.Secret) {
		for i, b := range p {
			s[i%8] ^= b
		}
		return s
	},
	"nobody's": func(p, _ []byte, before dp8.Secret) dp8.Secret {
		d := sha1.Sum(append(before[:], p...))
		return first8(d[3:])
	},
}

// sign signs a frame of the given number. First sendings must come in order.
func (g *signer) sign(f dp8.Frame, num int64, again bool) []byte {
	for int64(len(g.keys)) <= num>>8 {
		g.advance()
	}
	var b []byte
	off := 0
	switch f.Type {
	case dp8.TypeDFrame:
		f.DFrame.HasSignature = true
		b = f.Append(nil)
		off = 4
		for c := f.DFrame.Control & (dp8.CtlSACK1 | dp8.CtlSACK2 | dp8.CtlSend1 | dp8.CtlSend2); c != 0; c &= c - 1 {
			off += 4
		}
	case dp8.TypeSACK:
		f.SACK.HasSignature = true
		b = f.Append(nil)
		off = len(b) - 8
	case dp8.TypeHardDisconnect:
		f.Handshake.HasSignature = true
		b = f.Append(nil)
		off = 16
	}
	h := sha1.Sum(append(slices.Clone(b), g.keys[num>>8][:]...))
	copy(b[off:off+8], h[:8])
	if d := &f.DFrame; f.Type == dp8.TypeDFrame && !again && !d.KeepAlive && d.Command&dp8.Reliable != 0 && num&255 < 192 && !g.found {
		payload := d.Payload
		if d.Coalesced {
			payload = nil
			for i := range d.Coalesce.Parts[:d.Coalesce.N] {
				if p := &d.Coalesce.Parts[i]; p.Reliable() {
					payload = p.Data
					break
				}
			}
		}
		if len(payload) > 0 || g.empty {
			g.next, g.found = g.derive(payload, b, g.modifier), true
		}
	}
	return b
}

func (g *signer) advance() {
	if g.found {
		g.modifier, g.found = g.next, false
	}
	m := g.modifier
	if g.order == track.ModifierReversed {
		slices.Reverse(m[:])
		g.modifier = m
	}
	last := g.keys[len(g.keys)-1]
	h := sha1.Sum(append(slices.Clone(last[:]), m[:]...))
	next := first8(h[:])
	if g.order == track.SecretReversed {
		slices.Reverse(next[:])
	}
	g.keys = append(g.keys, next)
}

// meetSigned plays a signed handshake.
func (s *scene) meetSigned(mode uint32) {
	s.send(0, command(dp8.OpConnect, true, 7, dp8.Version16))
	s.send(1, signedAnswer(true, 7, connectorSecret, listenerSecret, mode))
	s.send(0, signedAnswer(false, 7, connectorSecret, listenerSecret, mode))
}

// forge sends a data frame of side 0 that nobody signed.
func (s *scene) forge(num uint8) {
	f := data(num, 0, "forged")
	f.DFrame.HasSignature = true
	s.send(0, f)
}

func text(n int64) string { return fmt.Sprintf("payload %d", n*7919) }

// TestMC_DPL8R_3_1_4_4_Derivations: every reading is found and holds over six
// wraps, with losses, retries over the wrap, and acknowledgements of the other
// side.
func TestMC_DPL8R_3_1_4_4_Derivations(t *testing.T) {
	for name, derive := range derivations {
		for order := range track.NumVariants {
			if name == "nobody's" {
				continue
			}
			t.Run(fmt.Sprint(name, " ", order), func(t *testing.T) {
				s := newScene(t, track.Options{}, true)
				s.meetSigned(dp8.SigningFull)
				g, back := newSigner(connectorSecret, derive), newSigner(listenerSecret, derive)
				g.order, back.order = order, order
				for n := range int64(6*256 + 40) {
					f := data(uint8(n), 0, text(n))
					b := g.sign(f, n, false)
					// What the modifier comes from is captured, one frame in seven is not, and
					// of those about the wrap only retries on the other side of it.
					switch lost := n%7 == 3 && n&255 > 2; {
					case lost && n&255 < 250:
					case !lost:
						s.Raw(0, b)
					}
					if n&255 == 5 && n > 255 {
						for old := n - 11; old < n-5; old++ {
							r := data(uint8(old), 0, text(old))
							r.DFrame.Control |= dp8.CtlRetry
							s.Raw(0, g.sign(r, old, true))
						}
					}
					if n%9 == 0 {
						s.Raw(1, back.sign(sack(0, uint8(n+1), 0), 0, false))
					}
				}
				for dir, sig := range []seq.Signatures{s.One().Dir[0].Signatures, s.One().Dir[1].Signatures} {
					if sig.Invalid != 0 || sig.Unverifiable != 0 || sig.Valid < 150 {
						t.Errorf("direction %d: %+v", dir, sig)
					}
				}
				if len(s.findings()) != 0 {
					t.Errorf("findings: %+v", s.findings()[0])
				}
			})
		}
	}
}

func TestMC_DPL8R_3_1_4_4_Epochs(t *testing.T) {
	play := func(s *scene, g *signer, from, to int64) {
		for n := from; n < to; n++ {
			s.Raw(0, g.sign(data(uint8(n), 0, text(n)), n, false))
		}
	}
	for _, c := range []struct {
		name string
		play func(s *scene, g *signer)
		want seq.Signatures
	}{
		{"nobody's derivation: unverifiable, never invalid", func(s *scene, g *signer) {
			g.derive = derivations["nobody's"]
			play(s, g, 0, 800)
		}, seq.Signatures{Valid: 256, Unverifiable: 544}},
		{"the modifier's payload was not captured", func(s *scene, g *signer) {
			g.sign(data(0, 0, text(0)), 0, false)
			play(s, g, 1, 600)
		}, seq.Signatures{Valid: 255, Unverifiable: 344}},
		{"seven frames prove nothing", func(s *scene, g *signer) { play(s, g, 0, 263) }, seq.Signatures{Valid: 256, Unverifiable: 7}},
		{"eight do", func(s *scene, g *signer) { play(s, g, 0, 264) }, seq.Signatures{Valid: 264}},
		{"proven once, one frame is enough", func(s *scene, g *signer) { play(s, g, 0, 513) }, seq.Signatures{Valid: 513}},
		{"no payload below 192: the modifier is used again, without a guess", func(s *scene, g *signer) {
			for n := range int64(257) {
				f := dataAs(dp8.Sequential|dp8.NewMsg|dp8.EndMsg, 0, uint8(n), 0, text(n)) // unreliable
				s.Raw(0, g.sign(f, n, false))
			}
		}, seq.Signatures{Valid: 257}},
		{"KeepAlives give no modifier", func(s *scene, g *signer) {
			s.Raw(0, g.sign(keepAlive(0, 0, 7), 0, false))
			play(s, g, 1, 300)
		}, seq.Signatures{Valid: 300}},
		{"payloads from 192 on give no modifier", func(s *scene, g *signer) {
			for n := range int64(256 + 8) {
				f := data(uint8(n), 0, text(n))
				if n < 192 {
					f.DFrame.Command &^= dp8.Reliable
				}
				s.Raw(0, g.sign(f, n, false))
			}
		}, seq.Signatures{Valid: 264}},
		{"an empty reliable frame counts", func(s *scene, g *signer) {
			g.empty = true
			s.Raw(0, g.sign(data(0, 0, ""), 0, false))
			play(s, g, 1, 300)
		}, seq.Signatures{Valid: 300}},
		{"an empty reliable frame does not count", func(s *scene, g *signer) {
			s.Raw(0, g.sign(data(0, 0, ""), 0, false))
			play(s, g, 1, 300)
		}, seq.Signatures{Valid: 300}},
		{"the first reliable part of a coalesced frame", func(s *scene, g *signer) {
			s.Raw(0, g.sign(coalesced(0, 0, part(0, "unreliable"), part(dp8.PartReliable, "reliable"), part(dp8.PartReliable, "second")), 0, false))
			play(s, g, 1, 300)
		}, seq.Signatures{Valid: 300}},
		{"the modifier's payload comes late", func(s *scene, g *signer) {
			first := g.sign(data(0, 0, text(0)), 0, false)
			play(s, g, 1, 5)
			s.Raw(0, first)
			play(s, g, 5, 300)
		}, seq.Signatures{Valid: 300}},
		{"forged frames before the first wrap is proven", func(s *scene, g *signer) {
			play(s, g, 0, 256)
			for n := range int64(3) {
				f := data(uint8(n+40), 0, "forged")
				f.DFrame.HasSignature = true
				s.send(0, f)
			}
			play(s, g, 256, 300)
		}, seq.Signatures{Valid: 300, Invalid: 3}},
		{"a forged frame under the first number of each epoch", func(s *scene, g *signer) {
			for turn := range int64(5) {
				play(s, g, turn<<8, (turn+1)<<8)
				s.forge(uint8(0))
			}
			play(s, g, 5<<8, 5<<8+40)
		}, seq.Signatures{Valid: 5<<8 + 40, Invalid: 5}},
		{"a forged frame behind the first number of each epoch", func(s *scene, g *signer) {
			for turn := range int64(5) {
				play(s, g, turn<<8+min(turn, 1), (turn+1)<<8+1)
				s.forge(uint8(1))
			}
			play(s, g, 5<<8+1, 5<<8+40)
		}, seq.Signatures{Valid: 5<<8 + 40, Invalid: 5}},
		{"forged frames under the first number, which is an unreliable frame", func(s *scene, g *signer) {
			for n := range int64(5<<8 + 40) {
				f := data(uint8(n), 0, text(n))
				if n&255 == 0 {
					f.DFrame.Command &^= dp8.Reliable
					if n > 0 {
						s.forge(0)
					}
				}
				s.Raw(0, g.sign(f, n, false))
			}
		}, seq.Signatures{Valid: 5<<8 + 40, Invalid: 5}},
		{"forged frames alone behind the wrap stay unverifiable", func(s *scene, g *signer) {
			play(s, g, 0, 256)
			for range 20 {
				f := data(2, 0, "forged")
				f.DFrame.HasSignature = true
				s.send(0, f)
			}
		}, seq.Signatures{Valid: 256, Unverifiable: 20}},
		{"a stale key", func(s *scene, g *signer) {
			play(s, g, 0, 280)
			old := newSigner(connectorSecret, nil)
			s.Raw(0, old.sign(data(280&255, 0, "forged"), 24, true))
			play(s, g, 280, 300)
		}, seq.Signatures{Valid: 300, Invalid: 1}},
		{"not signed at all", func(s *scene, g *signer) {
			play(s, g, 0, 10)
			s.Raw(0, []byte{0x3f, 0, 10, 0}) // no room for a signature
			s.send(0, sack(10, 0, 0))
			s.send(0, command(dp8.OpHardDisconnect, false, 7, dp8.Version16))
			play(s, g, 10, 20)
		}, seq.Signatures{Valid: 20, Invalid: 3}},
		{"cut frames can't be verified", func(s *scene, g *signer) {
			play(s, g, 0, 10)
			s.Cut(0, g.sign(data(10, 0, text(10)), 10, false), 3)
		}, seq.Signatures{Valid: 10, Unverifiable: 1}},
		{"SACK and HARD_DISCONNECT sign with the next number", func(s *scene, g *signer) {
			play(s, g, 0, 264)
			hard := command(dp8.OpHardDisconnect, false, 7, dp8.Version16)
			hard.Handshake.RspID = 8
			s.Raw(0, g.sign(sack(8, 0, 5), 264, false))
			s.Raw(0, g.sign(hard, 264, false))
		}, seq.Signatures{Valid: 266}},
	} {
		s := newScene(t, track.Options{}, true)
		s.meetSigned(dp8.SigningFull)
		c.play(s, newSigner(connectorSecret, derivations["SHA-1 of the payload"]))
		if got := s.One().Dir[0].Signatures; got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// Forged, stale and unsigned frames touch nothing but the counters of frames and
// signatures.
func TestMC_DPL8R_3_1_5_2_7_ForgeriesTouchNothing(t *testing.T) {
	for _, mode := range []uint32{dp8.SigningFast, dp8.SigningFull} {
		honest := func(forge bool) *scene {
			s := newScene(t, track.Options{}, true)
			s.meetSigned(mode)
			g, back := newSigner(connectorSecret, derivations["SHA-1 of the payload"]), newSigner(listenerSecret, derivations["SHA-1 of the payload"])
			sign := func(g *signer, f dp8.Frame, n int64) []byte {
				if mode == dp8.SigningFull {
					return g.sign(f, n, false)
				}
				b := g.sign(f, n, false)
				off := len(b) - 8
				if f.Type == dp8.TypeDFrame {
					off = 4
				}
				copy(b[off:], g.keys[0][:])
				return b
			}
			for n := range int64(40) {
				s.Raw(0, sign(g, data(uint8(n), 0, text(n)), n))
				s.Raw(1, sign(back, sack(0, uint8(n+1), 0), 0))
				if forge && n == 20 {
					for _, f := range []dp8.Frame{data(21, 7, "kick the admin"), data(60, 3, "far ahead"), data(3, 0, "again"),
						dataAs(whole, dp8.CtlEndStream, 21, 0, ""), masked(data(30, 0, "x"), 0xff, 0xff)} {
						f.DFrame.HasSignature = true
						f.DFrame.Signature = [8]byte{1, 2, 3}
						s.send(0, f)
					}
					k := sack(90, 0, 0xffff)
					s.send(1, k) // unsigned
					k.SACK.HasSignature = true
					s.send(1, k)
					hard := command(dp8.OpHardDisconnect, false, 7, dp8.Version16)
					s.send(1, hard)
					hard.Handshake.HasSignature = true
					s.send(0, hard)
				}
			}
			return s
		}
		plain, attacked := honest(false), honest(true)
		a, b := plain.One(), attacked.One()
		if b.State != session.Established || b.ClosedBy != session.NoSide {
			t.Errorf("mode %d: %s by %s", mode, b.State, b.ClosedBy)
		}
		for dir := range a.Dir {
			x, y := &a.Dir[dir], &b.Dir[dir]
			invalid := [2]uint64{6, 3}[dir]
			if y.Signatures != (seq.Signatures{Valid: x.Signatures.Valid, Invalid: invalid}) {
				t.Errorf("mode %d, direction %d: signatures %+v", mode, dir, y.Signatures)
			}
			numbers := func(d *seq.Direction) string {
				return fmt.Sprint(d.Retries, d.UnneededRetries, d.Duplicates, d.OutOfOrder, d.Gaps, d.Missing(), d.Lost(), d.Messages, d.MessageBytes, d.RTT().Samples)
			}
			if numbers(x) != numbers(y) {
				t.Errorf("mode %d, direction %d: %s without, %s with forged frames", mode, dir, numbers(x), numbers(y))
			}
		}
		if !slices.Equal(plain.Texts(0), attacked.Texts(0)) {
			t.Errorf("mode %d: %q", mode, attacked.Texts(0))
		}
		serious := slices.DeleteFunc(attacked.findings(), func(f session.Finding) bool { return f.Severity == conform.Note }) // no KeepAlive
		if len(serious) != 9 {
			t.Errorf("mode %d: %d findings, want 9", mode, len(serious))
		}
		for i, f := range attacked.Frames {
			if f.Words.Has(dissect.BadSignature) && (f.RetryOf != 0 || len(f.Acks) > 0 || len(f.Notes) != 1) {
				t.Errorf("mode %d: forged frame %d has links or notes: %+v", mode, i, f)
			}
		}
	}
}

func TestFastKeyIsLearned(t *testing.T) {
	s := newScene(t, track.Options{}, true)
	sign := func(f dp8.Frame, key dp8.Secret) dp8.Frame {
		f.DFrame.HasSignature, f.SACK.HasSignature = true, true
		f.DFrame.Signature, f.SACK.Signature = key, key
		return f
	}
	s.send(0, sign(sack(5, 9, 0), connectorSecret)) // tells that frames are signed
	for n := range uint8(10) {
		s.send(0, sign(data(5+n, 9, "x"), connectorSecret))
		s.send(1, sign(data(9+n, 5, "y"), listenerSecret))
	}
	s.send(0, sign(data(15, 9, "forged"), listenerSecret))
	c := s.One()
	if c.Signing != "fast" || !slices.Contains(c.Inferred, "signing") {
		t.Errorf("signing %q, inferred %q", c.Signing, c.Inferred)
	}
	if a, b := c.Dir[0].Signatures, c.Dir[1].Signatures; !a.Learned || !b.Learned {
		t.Errorf("secrets are not said to be learned: %+v, %+v", a, b)
	}
	for dir, most := range []uint64{1, 2} {
		if g := c.Dir[dir].Signatures; g.Unverifiable > most || g.Invalid != uint64(1-dir) || g.Valid+g.Unverifiable < 10 {
			t.Errorf("direction %d: %+v", dir, g)
		}
	}
}

func TestSuppliedSecrets(t *testing.T) {
	derive := derivations["SHA-1 of the payload"]
	play := func(s *scene, g, back *signer, from, to int64) {
		for n := range to {
			b, c := g.sign(data(uint8(n), uint8(n), text(n)), n, false), back.sign(data(uint8(n), uint8(n+1), text(-n)), n, false)
			if n >= from {
				s.Raw(0, b)
				s.Raw(1, c)
			}
		}
	}
	for _, c := range []struct {
		name     string
		secrets  func(g, back *signer) dp8.SuppliedSecrets
		from, to int64
		want     seq.Signatures // of the connector
	}{
		{"from the handshake, in the first epoch", func(_, _ *signer) dp8.SuppliedSecrets {
			return dp8.SuppliedSecrets{SessionID: 7, Connector: connectorSecret, Listener: listenerSecret}
		}, 10, 200, seq.Signatures{Valid: 190}},
		{"with its mode", func(_, _ *signer) dp8.SuppliedSecrets {
			return dp8.SuppliedSecrets{SessionID: 7, Connector: connectorSecret, Listener: listenerSecret, Mode: "full"}
		}, 10, 200, seq.Signatures{Valid: 190}},
		{"in force, two epochs later", func(g, back *signer) dp8.SuppliedSecrets {
			return dp8.SuppliedSecrets{SessionID: 7, Connector: g.keys[2], Listener: back.keys[2], Current: true}
		}, 512, 760, seq.Signatures{Valid: 248}},
		{"in force from the start of an epoch, over the next wraps", func(g, back *signer) dp8.SuppliedSecrets {
			return dp8.SuppliedSecrets{SessionID: 7, Connector: g.keys[1], Listener: back.keys[1], Current: true}
		}, 256, 1000, seq.Signatures{Valid: 744}},
		{"in force from the middle of an epoch: the next one is unverifiable", func(g, back *signer) dp8.SuppliedSecrets {
			return dp8.SuppliedSecrets{SessionID: 7, Connector: g.keys[1], Listener: back.keys[1], Current: true}
		}, 300, 600, seq.Signatures{Valid: 212, Unverifiable: 88}},
		{"of another connection", func(_, _ *signer) dp8.SuppliedSecrets {
			return dp8.SuppliedSecrets{SessionID: 7, Connector: dp8.Secret{1}, Listener: dp8.Secret{2}}
		}, 10, 200, seq.Signatures{Unverifiable: 190}},
		{"from the handshake, too late", func(_, _ *signer) dp8.SuppliedSecrets {
			return dp8.SuppliedSecrets{SessionID: 7, Connector: connectorSecret, Listener: listenerSecret}
		}, 300, 500, seq.Signatures{Unverifiable: 200}},
	} {
		g, back := newSigner(connectorSecret, derive), newSigner(listenerSecret, derive)
		probe, probeBack := newSigner(connectorSecret, derive), newSigner(listenerSecret, derive)
		play(newScene(t, track.Options{}, true), probe, probeBack, 0, c.to) // makes the keys
		s := newScene(t, track.Options{Secrets: []dp8.SuppliedSecrets{c.secrets(probe, probeBack)}}, true)
		if c.from < 200 { // an unsigned KeepAlive would show neither session nor signing
			s.Raw(0, g.sign(sack(uint8(c.from), 0, 0), 0, false))
			c.want.Valid += min(c.want.Valid, 1)
			c.want.Unverifiable += 1 - min(c.want.Valid, 1)
		} else {
			s.Raw(0, probe.sign(sack(uint8(c.from), 0, 0), c.from, true))
			c.want.Valid += min(c.want.Valid, 1)
			c.want.Unverifiable += 1 - min(c.want.Valid, 1)
		}
		play(s, g, back, c.from, c.to)
		got := s.One()
		if got.Dir[0].Signatures != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got.Dir[0].Signatures, c.want)
		}
		if inv := got.Dir[1].Signatures.Invalid; inv != 0 {
			t.Errorf("%s: %d invalid signatures of the listener", c.name, inv)
		}
		if c.want.Valid > 1 && got.Roles != [2]string{"connector", "listener"} {
			t.Errorf("%s: roles %q", c.name, got.Roles)
		}
	}
}

func TestSuppliedSecretsContradicted(t *testing.T) {
	for _, c := range []struct {
		name   string
		s      dp8.SuppliedSecrets
		wanted int
	}{
		{"the same", dp8.SuppliedSecrets{SessionID: 7, Connector: connectorSecret, Listener: listenerSecret}, 0},
		{"others", dp8.SuppliedSecrets{SessionID: 7, Connector: dp8.Secret{1}, Listener: listenerSecret}, 1},
		{"swapped", dp8.SuppliedSecrets{SessionID: 7, Connector: listenerSecret, Listener: connectorSecret}, 1},
		{"of another session", dp8.SuppliedSecrets{SessionID: 8, Connector: dp8.Secret{1}}, 0},
		{"in force later", dp8.SuppliedSecrets{SessionID: 7, Connector: dp8.Secret{1}, Current: true}, 0},
		{"the id as its bytes stand on the wire", dp8.SuppliedSecrets{SessionID: 0x07000000, Connector: dp8.Secret{1}}, 1},
	} {
		s := newScene(t, track.Options{Secrets: []dp8.SuppliedSecrets{c.s}}, true)
		s.meetSigned(dp8.SigningFull)
		g := newSigner(connectorSecret, derivations["SHA-1 of the payload"])
		s.Raw(0, g.sign(data(0, 0, "x"), 0, false))
		conn := s.One()
		if len(s.findings()) != c.wanted || conn.Findings[conform.Error] != uint64(c.wanted) {
			t.Errorf("%s: %d findings, want %d", c.name, len(s.findings()), c.wanted)
		}
		if conn.Dir[0].Signatures.Valid != 1 {
			t.Errorf("%s: the handshake's secrets are not used: %+v", c.name, conn.Dir[0].Signatures)
		}
	}
}

func TestSessionOf(t *testing.T) {
	b := command(dp8.OpConnected, true, 0x11223344, dp8.Version16)
	payload := b.Append(nil)
	if id, op, ok := track.SessionOf(payload); id != binary.LittleEndian.Uint32(payload[8:]) || op != dp8.OpConnected || !ok {
		t.Errorf("%x %d %v", id, op, ok)
	}
	for n := range 12 {
		if _, _, ok := track.SessionOf(payload[:n]); ok {
			t.Errorf("%d bytes name a session", n)
		}
	}
	f := sack(0, 0, 0)
	if _, _, ok := track.SessionOf(f.Append(nil)); ok {
		t.Error("a SACK names a session")
	}
}
