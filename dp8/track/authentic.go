package track

import (
	"slices"

	"bytes"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
)

// authentic checks a frame's signature and counts the verdict. It reports
// false for frames that must not touch the state of the connection: forged,
// stale and unsigned ones (MC-DPL8R 3.1.5.2.7).
func (c *conn) authentic(dir dissect.Dir, num seq.Num, has bool, off int, sig [8]byte) bool {
	if c.mode == ModeNone || c.params.Signing == dp8.Unsigned {
		return true
	}
	if d := &c.c.Dir[dir]; has && c.mode == ModeFast && c.side[dir].fast.matches(sig) && !c.Frame.Cut() {
		d.HasSignatures = true
		d.Signatures.Valid++
		c.verified(dir, num)
		return true // the short way of most frames
	}
	v := sigInvalid
	switch {
	case c.Frame.Cut():
		v = sigUnknown
	case has:
		if v = c.verify(dir, num, off, sig); wrong(v) && c.undecided() {
			v = sigUnknown
		}
	case c.params.Signing != dp8.Signed || c.undecided():
		return true
	}
	if c.doubtEpoch(dir, num, v) == sigDoubtful {
		return c.heedDoubtful(dir, num, v)
	}
	if c.countSignature(dir, v) {
		if v == sigUnknown {
			c.keepUnjudged(dir, num, off, sig)
			c.suspect(dir)
			if c.waiting(dir) {
				c.tellOf(dir, num, Unchecked)
				return !c.hold(dir, num)
			}
			return true
		}
		c.showKeys(dir, num)
		if v == sigValid {
			c.verified(dir, num)
		}
		return true
	}
	c.Frame.Words |= c.c.Dir[dir].Unnumbered(c.sending(0, seq.Unmarked), false)
	c.disbelieve(dir, num, v)
	return false
}

// heedDoubtful counts a frame whose signature is wrong unless the capture missed an
// epoch. It reports whether the frame may touch the state: one alone may not. No rule
// judges it (guard AUTH). Nothing follows of a copy of what was captured before: it may
// come so late that its side has changed the secret twice.
func (c *conn) heedDoubtful(dir dissect.Dir, num seq.Num, v sigVerdict) bool {
	c.countSignature(dir, sigUnknown)
	touches := c.side[dir].doubts.heeds()
	if !touches { // else it is asked later whether it is a copy
		if c.Frame.Words |= c.c.Dir[dir].Unnumbered(c.sending(0, seq.Unmarked), false); c.Frame.Words.Has(dissect.Duplicate) {
			return false
		}
	}
	c.Signature = Signature{OutOfStep: true, Doubt: c.keepDoubt(dir, num, v, true)}
	c.tellOf(dir, num, Doubtful)
	return touches
}

// verified notes that a signature is right.
func (c *conn) verified(dir dissect.Dir, num seq.Num) {
	s := &c.side[dir]
	s.keys.verified, s.keys.verifiedNo = c.Frame.Time, num
	if s.doubts != nil {
		c.vouch(dir, num)
	}
	c.tellOf(dir, num, Verified)
}

// verify gives what is known of a signature, and learns mode and secrets from it.
func (c *conn) verify(dir dissect.Dir, num seq.Num, off int, sig [8]byte) sigVerdict {
	s := &c.side[dir]
	c.trySupplied(dir, num, off, sig)
	switch c.mode {
	case ModeFast:
		return s.fast.verify(sig, c.sending(num, seq.Unmarked).Hash)
	case ModeFull:
		v := s.keys.verify(c.Frame.Payload, off, sig, num)
		c.settleKeys(dir)
		return v
	}
	switch { // the secrets may be known without the mode, from a handshake cut by the capture
	case s.fast.matches(sig):
		c.knowMode(ModeFast, true)
	case s.keys.known && s.keys.matches(c.Frame.Payload, off, sig, s.keys.current):
		c.knowMode(ModeFull, true)
	default:
		c.inferMode(dir, sig)
	}
	if c.mode == ModeUnknown {
		return sigUnknown
	}
	c.rejudge()
	return c.verify(dir, num, off, sig)
}

// signedByOther reports whether the frame at hand verifies with the secret of the other side.
func (c *conn) signedByOther(dir dissect.Dir) bool {
	if !c.hs.Secrets {
		return false
	}
	other := &c.side[dir.Other()]
	off, sig := c.signatureAt()
	if c.mode == ModeFast {
		return other.fast.matches(sig)
	}
	k := &other.keys
	return k.known && k.current != c.side[dir].keys.current && k.matches(c.Frame.Payload, off, sig, k.current)
}

// signatureAt gives place and value of the signature of the frame at hand.
func (c *conn) signatureAt() (off int, sig [8]byte) {
	switch c.Packet.Type {
	case dp8.TypeSACK:
		return len(c.Frame.Payload) - len(c.Packet.SACK.Trailing) - 8, c.Packet.SACK.Signature
	case dp8.TypeHardDisconnect:
		return 16, c.Packet.Handshake.Signature
	}
	return c.Packet.DFrame.SignatureOff, c.Packet.DFrame.Signature
}

// settleKeys promotes the secret of a new epoch once it is proven, and counts
// the frames that waited for it.
func (c *conn) settleKeys(dir dissect.Dir) {
	k := &c.side[dir].keys
	c.Suspects = k.suspects
	if valid, invalid, ok := k.settleEpoch(); ok {
		c.tell(dir, Proven)
		out := &c.c.Dir[dir].Signatures
		out.Valid += valid
		out.Invalid += invalid
		c.c.Remark("modifier of the secrets: " + k.modifierIs.String())
	}
	c.Suspects = nil
	c.forgetDropped(dir)
}

// countSignature enters a verdict; it reports whether the frame may touch the
// state. Verdicts that wait for an epoch's secret are counted when it is known.
func (c *conn) countSignature(dir dissect.Dir, v sigVerdict) bool {
	d := &c.c.Dir[dir]
	d.HasSignatures = true
	switch v {
	case sigValid:
		d.Signatures.Valid++
		d.Signatures.Learned = c.mode == ModeFast && c.side[dir].fast.guessed > 0
		return true
	case sigLikely:
		if c.mode == ModeFast {
			d.Signatures.Valid++
		}
		return true
	case sigUnknown:
		c.Frame.Words |= dissect.UnverifiedSignature
		if !c.waiting(dir) {
			d.Signatures.Unverifiable++
		}
		return true
	case sigUnlikely:
		c.Frame.Words |= dissect.BadSignature
		return false
	}
	d.Signatures.Invalid++
	c.Frame.Words |= dissect.BadSignature
	return false
}

// waiting reports whether the frame just verified waits for its epoch's secret:
// then keyring.pending holds it.
func (c *conn) waiting(dir dissect.Dir) bool {
	k := &c.side[dir].keys
	return c.mode == ModeFull && k.known && k.justTried && !c.Frame.Cut() // of what is cut no signature is tried
}

// An unjudged frame came before the secret that verifies it was known: the path
// swapped it with the handshake.
type unjudged struct {
	num     seq.Num
	off     int
	sig     [8]byte
	hash    uint64
	payload []byte
}

// maxUnjudged is how many such frames a side may have.
const maxUnjudged = 8

// keepUnjudged keeps the frame at hand while its secret may yet be seen. One that
// waits for the secret of its epoch is judged with that.
func (c *conn) keepUnjudged(dir dissect.Dir, num seq.Num, off int, sig [8]byte) {
	s := &c.side[dir]
	if !c.Frame.Cut() && !c.hs.Secrets && !c.waiting(dir) && len(s.unjudged) < maxUnjudged {
		s.unjudged = append(s.unjudged, unjudged{num, off, sig, c.sending(num, seq.Unmarked).Hash, bytes.Clone(c.Frame.Payload)})
	}
}

// rejudge gives the frames that came before the secrets their verdict.
func (c *conn) rejudge() {
	for dir := range dissect.Dirs {
		s, count := &c.side[dir], &c.c.Dir[dir].Signatures
		for _, u := range s.unjudged {
			v := sigUnknown
			switch {
			case c.mode == ModeFast:
				v = s.fast.verify(u.sig, u.hash)
			case c.mode == ModeFull && s.keys.known && u.num>>8 == s.keys.epoch:
				v = s.keys.verify(u.payload, u.off, u.sig, u.num)
			}
			switch v {
			case sigValid, sigLikely:
				count.Unverifiable--
				count.Valid++
			case sigInvalid, sigStale, sigEarly:
				count.Unverifiable--
				count.Invalid++
			}
		}
		if c.hs.Secrets || c.mode == ModeFast {
			s.unjudged = nil
		}
	}
}

// inferMode tells fast from full signing when the handshake was not captured:
// equal signatures on different frames are secrets, different ones digests.
func (c *conn) inferMode(dir dissect.Dir, sig [8]byte) {
	k, hash := &c.side[dir].fast, c.sending(0, seq.Unmarked).Hash
	switch {
	case k.guessed == 0:
		k.guess, k.guessed, k.in = dp8.Secret(sig), 1, hash
		return
	case k.in == hash:
		return // a copy
	case k.guess == dp8.Secret(sig):
		c.mode = ModeFast
	default:
		c.mode = ModeFull
	}
	c.c.Signing = modeNames[c.mode]
	c.c.Infer("signing")
}

// frameSigned reports whether the frame at hand has a signature.
func (c *conn) frameSigned() bool {
	switch c.Packet.Type {
	case dp8.TypeSACK:
		return c.Packet.SACK.HasSignature
	case dp8.TypeHardDisconnect:
		return c.Packet.Handshake.HasSignature
	}
	return c.Packet.DFrame.HasSignature
}

// surelySigned reports whether it is beyond doubt that the connection is signed:
// the handshake was captured, or a signature was right.
func (c *conn) surelySigned() bool {
	return !slices.Contains(c.c.Inferred, "signing") || c.c.Dir[0].Signatures.Valid+c.c.Dir[1].Signatures.Valid > 0
}

// undecided reports that the handshake was both signed and not, or may have been, since only
// the connector's part was captured, and that no signature was right since: whether frames
// must be signed, and with which secret, is not known.
func (c *conn) undecided() bool {
	h := &c.hs
	return (h.mix.mixed || h.Signed && !h.mix.offered[1]) && c.c.Dir[0].Signatures.Valid+c.c.Dir[1].Signatures.Valid == 0
}
