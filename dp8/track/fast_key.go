package track

import "github.com/dpdissect/dpdissect/dp8"

// A fastKey is the secret of one side of a fast-signed connection. When it was
// not seen in the handshake it is learned: the signature is the secret, so two
// equal ones give it away.
type fastKey struct {
	secret  dp8.Secret
	known   bool
	guess   dp8.Secret
	guessed uint64 // frames that carried the guess
	in      uint64 // fingerprint of the first of them: a copy of it proves nothing
}

// matches reports whether a signature is the known secret.
func (k *fastKey) matches(sig [8]byte) bool { return k.known && dp8.Secret(sig) == k.secret }

func (k *fastKey) verify(sig [8]byte, hash uint64) sigVerdict {
	switch {
	case k.matches(sig):
		return sigValid
	case k.known:
		return sigInvalid
	case k.guessed > 0 && k.in == hash:
		return sigLikely
	case k.guessed > 0 && dp8.Secret(sig) == k.guess:
		k.secret, k.known = k.guess, true
		return sigValid
	}
	k.guess, k.guessed, k.in = dp8.Secret(sig), 1, hash
	return sigLikely
}
