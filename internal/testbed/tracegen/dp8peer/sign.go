package dp8peer

import (
	"crypto/sha1"

	"github.com/dpdissect/dpdissect/dp8"
)

// A Derivation makes a secret modifier from a payload. MC-DPL8R 3.1.4.4 does
// not say how (AMB-DP8-12).
type Derivation func(payload []byte, before dp8.Secret) dp8.Secret

// Derivations by name. "unknown" is one that nobody would think of.
var Derivations = map[string]Derivation{
	"sha1": DeriveSHA1, "sha1-reversed": deriveReversed, "raw8": deriveRaw8, "last8": deriveLast8,
	"xor": deriveXor, "unchanged": deriveUnchanged, "unknown": deriveUnknown,
}

// DeriveSHA1 takes the first 8 bytes of the payload's SHA-1 digest.
func DeriveSHA1(payload []byte, _ dp8.Secret) dp8.Secret {
	sum := sha1.Sum(payload)
	return dp8.Secret(sum[:8])
}

func deriveReversed(payload []byte, before dp8.Secret) dp8.Secret {
	s := DeriveSHA1(payload, before)
	for i := range 4 {
		s[i], s[7-i] = s[7-i], s[i]
	}
	return s
}

// deriveRaw8 takes the first 8 bytes of the payload, zeros after a short one.
func deriveRaw8(payload []byte, _ dp8.Secret) (s dp8.Secret) {
	copy(s[:], payload)
	return s
}

// deriveLast8 takes the last 8 bytes of the payload, zeros after a short one.
func deriveLast8(payload []byte, _ dp8.Secret) (s dp8.Secret) {
	copy(s[:], payload[max(0, len(payload)-8):])
	return s
}

// deriveXor folds the payload into 8 bytes.
func deriveXor(payload []byte, _ dp8.Secret) (s dp8.Secret) {
	for i, b := range payload {
		s[i&7] ^= b
	}
	return s
}

func deriveUnchanged(_ []byte, before dp8.Secret) dp8.Secret { return before }

func deriveUnknown(payload []byte, before dp8.Secret) dp8.Secret {
	return DeriveSHA1(append(append([]byte{}, payload...), before[:]...), before)
}

// A Keyring holds the secrets of one direction.
type Keyring struct {
	derive   Derivation
	full     bool
	base     int64        // epoch of keys[0]
	keys     []dp8.Secret // the latest few epochs
	modifier dp8.Secret   // of the latest cycle that had one
	next     *dp8.Secret  // the current cycle's, once its first reliable payload is known
	scratch  []byte
}

// NewKeyring starts with the secret of the handshake, which is the first
// modifier too (MC-DPL8R 3.1.4.4).
func NewKeyring(secret dp8.Secret, mode uint32, derive Derivation) *Keyring {
	if derive == nil {
		derive = DeriveSHA1
	}
	return &Keyring{derive: derive, full: mode == Full, keys: []dp8.Secret{secret}, modifier: secret}
}

// keptEpochs bounds the history: a retry is never more than one epoch old.
const keptEpochs = 4

// Key gives the secret of an epoch.
func (k *Keyring) Key(epoch int64) (dp8.Secret, bool) {
	i := epoch - k.base
	if !k.full {
		i = 0
	}
	if i < 0 || i >= int64(len(k.keys)) {
		return dp8.Secret{}, false
	}
	return k.keys[i], true
}

// Payload shows the keyring a reliable payload that is not a KeepAlive. Of those
// numbered below 192 in a cycle the first one shown counts (MC-DPL8R 3.1.4.4);
// Payload reports whether it was this one.
func (k *Keyring) Payload(seq int64, payload []byte) bool {
	if !k.full || k.next != nil || seq&0xff >= 192 || len(payload) == 0 {
		return false
	}
	m := k.derive(payload, k.modifier)
	k.next = &m
	return true
}

// Advance makes the secret of the next epoch.
func (k *Keyring) Advance() {
	if !k.full {
		return
	}
	// MC-DPL8R 3.1.4.4: without a reliable payload the modifier is reused.
	if k.next != nil {
		k.modifier, k.next = *k.next, nil
	}
	k.keys = append(k.keys, k.keys[len(k.keys)-1].Next(k.modifier))
	if len(k.keys) > keptEpochs {
		k.keys = append(k.keys[:0], k.keys[1:]...)
		k.base++
	}
}

// Signature is what a frame must carry whose number is seq.
func (k *Keyring) Signature(frame []byte, sigOff int, seq int64) (sig [8]byte, ok bool) {
	key, ok := k.Key(seq >> 8)
	if !ok || !k.full {
		return key, ok
	}
	sig, k.scratch = dp8.Digest(k.scratch, frame, sigOff, key)
	return sig, true
}
