package track

import (
	"bytes"
	"crypto/sha1"
	"slices"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
)

// ProofFrames is how many frames of an epoch must verify before a guess at the
// unspecified derivation of the modifier is accepted (AMB-DP8-12).
const ProofFrames = 8

// A derivation is a way to get the modifier from a payload. No text says which
// is right: each is tried, one is proven by the frames it verifies.
type derivation uint8

const (
	fromPayloadDigest derivation = iota // first 8 bytes of SHA-1 over the payload
	fromPayloadHead                     // first 8 bytes of the payload, zero-padded
	fromFrameDigest                     // first 8 bytes of SHA-1 over the whole frame
	fromSignedBytes                     // … over the frame with its signature set to zero, as it was signed
	fromPayloadFold                     // the payload's 8-byte blocks, exclusive-or
	fromPayloadTail                     // last 8 bytes of the payload
	unchanged                           // the modifier before
	numDerivations
)

var derivationNames = [...]string{"SHA-1 of the payload", "first 8 payload bytes", "SHA-1 of the frame", "SHA-1 of the frame without its signature", "exclusive-or of the payload", "last 8 payload bytes", "unchanged"}

// A variant reverses bytes: of the modifier, of the new secret (AMB-DP8-38).
type variant uint8

const (
	asIs variant = iota
	modifierReversed
	secretReversed
	numVariants
)

// A recipe is one reading of how a secret follows from the one before.
type recipe struct {
	how   derivation
	order variant
	empty bool // a reliable frame without payload counts (AMB-DP8-37)
}

func (r recipe) String() string {
	s := derivationNames[r.how]
	switch r.order {
	case modifierReversed:
		s += ", bytes reversed"
	case secretReversed:
		s += ", bytes of the new secret reversed"
	}
	return s
}

// A candidate is the key one recipe gives for the next epoch.
type candidate struct {
	recipe   recipe
	key      dp8.Secret
	modifier dp8.Secret
	source   [8]byte // signature of the frame that the modifier derives from
	hits     uint64
}

// lowest is the reliable payload with the lowest number below 192 of an epoch:
// what the modifier derives from (MC-DPL8R 3.1.4.4).
type lowest struct {
	num   seq.Num
	found bool
	mods  [unchanged]dp8.Secret
	sig   [8]byte // of the frame
}

func (l *lowest) offer(num seq.Num, payload, frame []byte, sigOff int) bool {
	if l.found && num >= l.num {
		return false
	}
	l.num, l.found = num, true
	l.mods = modifiers(payload, frame, sigOff)
	copy(l.sig[:], frame[min(sigOff, len(frame)):])
	return true
}

// modifiers derives a modifier from a payload in every way but unchanged. The
// frame's signature stands at byte sigOff.
func modifiers(payload, frame []byte, sigOff int) (m [unchanged]dp8.Secret) {
	digest := sha1.Sum(payload)
	copy(m[fromPayloadDigest][:], digest[:])
	copy(m[fromPayloadHead][:], payload)
	digest = sha1.Sum(frame)
	copy(m[fromFrameDigest][:], digest[:])
	signed := bytes.Clone(frame)
	clear(signed[sigOff:min(sigOff+8, len(signed))])
	digest = sha1.Sum(signed)
	copy(m[fromSignedBytes][:], digest[:])
	for i, b := range payload {
		m[fromPayloadFold][i&7] ^= b
	}
	copy(m[fromPayloadTail][:], payload[max(0, len(payload)-8):])
	return m
}

func reversed(s dp8.Secret) dp8.Secret {
	slices.Reverse(s[:])
	return s
}

// firsts is what one epoch offers for the modifier of the next.
type firsts struct {
	any, full lowest    // full leaves empty payloads out
	seen      [3]uint64 // numbers below 192 that were captured or given up
}

// keyring is what one side signs with on a fully signed connection. The secret
// of a frame is that of the epoch of its own number, number>>8: this one rule
// reproduces the sender's rules of MC-DPL8R 3.1.4.4 (AMB-DP8-10).
type keyring struct {
	held []heldFrame // frames of pending that nothing is concluded from yet

	known     bool
	hasPrev   bool
	hasMod    bool
	trusting  bool    // no further frames are kept: no guess seems to be right
	justTried bool    // the last frame verified is one of pending
	epoch     seq.Num // of current
	current   dp8.Secret
	previous  dp8.Secret
	modifier  dp8.Secret

	first, later *firsts // of the current epoch and of the one after it, nil while there is nothing

	cands      []candidate // for epoch+1
	pending    uint64      // frames of epoch+1 that were tried
	dropped    []heldFrame // those that were given up, until that is told
	unresolved uint64      // frames whose epoch was never resolved
	verified   int64       // time of the latest frame that verified
	verifiedNo seq.Num     // its number
	suspects   []Suspect   // frames of pending that no candidate verified
	modifierIs recipe      // how the latest secret was derived
	proof      *proof
	scratch    []byte   `state:"-"`
	watch      KeyWatch `state:"-"` // nil for none
}

// A proof is the recipe that was proven on a connection; both sides share it.
type proof struct {
	recipe recipe
	set    bool
}

// start sets the first secret, which is that of the given epoch. The modifier
// starts with the same value when this is the secret of the handshake.
func (k *keyring) start(s dp8.Secret, epoch seq.Num, handshake bool) {
	k.known, k.epoch, k.current = true, epoch, s
	k.modifier, k.hasMod = s, handshake
}

// A sigVerdict is what is known of one signature.
type sigVerdict uint8

const (
	sigValid    sigVerdict = iota
	sigInvalid             // proven wrong
	sigStale               // made with the secret of the epoch before
	sigEarly               // made with the secret of the epoch after
	sigUnknown             // no secret to check it with
	sigLikely              // verifies with a guess that is not accepted yet
	sigUnlikely            // fails with a guess that verified others
	sigDoubtful            // wrong, unless the capture missed an epoch
)

func (k *keyring) matches(payload []byte, off int, sig [8]byte, key dp8.Secret) bool {
	var sum [8]byte
	sum, k.scratch = dp8.Digest(k.scratch, payload, off, key)
	if sum == sig && k.watch != nil {
		k.watch.Signs(sig, key)
	}
	return sum == sig
}

// verify checks the signature at byte off of a frame with the given number.
func (k *keyring) verify(payload []byte, off int, sig [8]byte, num seq.Num) sigVerdict {
	k.justTried = false
	if !k.known {
		return sigUnknown
	}
	switch num>>8 - k.epoch {
	case 0:
		v := k.check(payload, off, sig, k.current, k.previous, k.hasPrev)
		if v == sigInvalid && k.foresees(payload, off, sig) {
			v = sigEarly
		}
		return v
	case -1:
		if !k.hasPrev {
			return sigUnknown
		}
		v := k.check(payload, off, sig, k.previous, k.current, true)
		if v == sigStale {
			v = sigEarly
		}
		return v
	case 1:
		return k.tryNext(payload, off, sig)
	}
	return sigUnknown
}

func (k *keyring) check(payload []byte, off int, sig [8]byte, key, other dp8.Secret, hasOther bool) sigVerdict {
	switch {
	case k.matches(payload, off, sig, key):
		return sigValid
	case hasOther && k.matches(payload, off, sig, other):
		return sigStale
	}
	return sigInvalid
}

// foresees reports whether a frame of the current epoch verifies with what may be
// the secret of the next.
func (k *keyring) foresees(payload []byte, off int, sig [8]byte) bool {
	if k.cands == nil {
		k.propose()
	}
	for i := range k.cands {
		if c := &k.cands[i]; k.matches(payload, off, sig, c.key) {
			k.follows(c)
			return true
		}
	}
	return false
}

// tryNext checks a frame of the epoch after the current one.
func (k *keyring) tryNext(payload []byte, off int, sig [8]byte) sigVerdict {
	if k.cands == nil {
		k.propose()
	}
	if c, ok := k.certain(); ok {
		k.follows(&c)
		k.advance(c)
		return k.check(payload, off, sig, k.current, k.previous, true)
	}
	if k.matches(payload, off, sig, k.current) {
		return sigStale
	}
	k.pending++
	k.justTried = true
	best := sigUnknown
	for i := range k.cands {
		c := &k.cands[i]
		switch {
		case k.matches(payload, off, sig, c.key):
			k.follows(c)
			c.hits++
			k.drop() // they are forged
			return sigLikely
		case c.hits > 0:
			best = sigUnlikely
		}
	}
	return best
}

// untry takes back that the frame just verified waits for the secret of the next epoch, if it
// does: it may be of another one.
func (k *keyring) untry() {
	if k.justTried {
		k.pending--
		k.justTried = false
	}
}

// certain gives the next key when there is nothing to guess: no reliable payload
// was sent below 192, so the modifier before is used again.
func (k *keyring) certain() (candidate, bool) {
	if k.first == nil || k.first.any.found || !k.hasMod || k.first.seen != [3]uint64{^uint64(0), ^uint64(0), ^uint64(0)} {
		return candidate{}, false
	}
	order := asIs
	if k.proof.set {
		order = k.proof.recipe.order
	}
	for _, c := range k.cands {
		if c.recipe.order == order {
			return c, true
		}
	}
	return candidate{}, false
}

// accepted gives the candidate that is proven, if there is one. A recipe that
// was proven before on this connection needs one frame only.
func (k *keyring) accepted() (candidate, bool) {
	for _, c := range k.cands {
		if c.hits >= ProofFrames || c.hits > 0 && k.isProven(c.recipe) {
			return c, true
		}
	}
	return candidate{}, false
}

func (k *keyring) isProven(r recipe) bool {
	return k.proof.set && k.proof.recipe == r
}

// settleEpoch promotes a proven candidate. It gives how many of the frames
// tried so far verified with it and how many did not.
func (k *keyring) settleEpoch() (valid, invalid uint64, ok bool) {
	c, ok := k.accepted()
	if !ok {
		return 0, 0, false
	}
	valid, invalid = c.hits, k.pending-c.hits
	if c.recipe.how != unchanged {
		*k.proof = proof{c.recipe, true}
	}
	k.modifierIs = c.recipe
	k.advance(c)
	return valid, invalid, true
}

func (k *keyring) advance(c candidate) {
	k.previous, k.hasPrev = k.current, true
	k.current, k.modifier, k.hasMod = c.key, c.modifier, true
	k.epoch++
	k.first, k.later = k.later, nil
	k.cands, k.pending, k.suspects = nil, 0, nil
	k.drop()
	k.trusting = false
}

// propose lists the keys the next epoch may have.
func (k *keyring) propose() {
	if k.first != nil && k.first.any.found {
		for how := derivation(0); how < unchanged; how++ {
			k.proposeOne(recipe{how: how, empty: true}, k.first.any.mods[how], k.first.any.sig)
		}
	}
	if k.first != nil && k.first.full.found && k.first.full.num != k.first.any.num {
		for how := derivation(0); how < unchanged; how++ {
			k.proposeOne(recipe{how: how}, k.first.full.mods[how], k.first.full.sig)
		}
	}
	if k.hasMod {
		k.proposeOne(recipe{how: unchanged}, k.modifier, [8]byte{})
	}
}

func (k *keyring) proposeOne(r recipe, mod dp8.Secret, source [8]byte) {
	for r.order = asIs; r.order < numVariants; r.order++ {
		key, m := r.order.next(k.current, mod)
		k.cands = append(k.cands, candidate{recipe: r, key: key, modifier: m, source: source})
	}
}

// next gives the secret that follows from one with a modifier, and the modifier as it was used.
func (v variant) next(from, mod dp8.Secret) (key, used dp8.Secret) {
	switch v {
	case modifierReversed:
		mod = reversed(mod)
		return from.Next(mod), mod
	case secretReversed:
		return reversed(from.Next(mod)), mod
	}
	return from.Next(mod), mod
}

// of gives where numbers of an epoch are collected: numbers of the next epoch
// are captured before its secret is proven. It is nil for numbers that do not
// count.
func (k *keyring) of(num seq.Num) *firsts {
	switch {
	case !k.known || num&255 >= 192:
	case num>>8 == k.epoch:
		return begun(&k.first)
	case num>>8 == k.epoch+1:
		return begun(&k.later)
	}
	return nil
}

// begun gives what an epoch offers, where something is to be added.
func begun(f **firsts) *firsts {
	if *f == nil {
		*f = new(firsts)
	}
	return *f
}

// offer shows a captured reliable payload to the keyring.
func (k *keyring) offer(num seq.Num, payload, frame []byte, sigOff int) {
	f := k.of(num)
	if f == nil {
		return
	}
	changed := f.any.offer(num, payload, frame, sigOff)
	if len(payload) > 0 {
		changed = f.full.offer(num, payload, frame, sigOff) || changed
	}
	if changed && f == k.first && k.cands != nil {
		k.unresolved += k.pending
		k.cands, k.pending, k.suspects = nil, 0, nil
	}
}

// see notes that a number was captured or given up by its sender, so that it
// hides no reliable payload.
func (k *keyring) see(num seq.Num) {
	if f := k.of(num); f != nil {
		n := num & 255
		f.seen[n>>6] |= 1 << (n & 63)
	}
}

// finish gives the frames that stay without a verdict.
func (k *keyring) finish() (unresolved uint64) {
	unresolved = k.unresolved + k.pending
	k.unresolved, k.pending, k.cands = 0, 0, nil
	return unresolved
}

// A Signature is what is known of the signature of a frame that is not right.
type Signature struct {
	Missing   bool   // there is none
	Stale     bool   // it is made with the secret of the epoch before
	Early     bool   // … of the epoch after
	OutOfStep bool   // it is right, if the epoch of its number is another one
	Doubt     *Doubt // … until it shows whether it is; nil where it will not
}

// A Suspect is a frame of an epoch whose secret was not known when it came.
type Suspect struct {
	Frame uint64
	Time  int64
	Timed bool
}
