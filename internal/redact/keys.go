package redact

import (
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
)

// maxUnverified is how many signatures of which nothing is known are remembered: the secret
// may come to be known later.
const maxUnverified = 1 << 16

// learnedKeys is what the survey learns of secrets.
type learnedKeys struct {
	from  map[dp8.Secret]track.Derived
	of    map[[8]byte][]dp8.Secret // secrets that derive from the frame with a signature
	right recent                   // signatures, and their secrets, while frames with them come
	doubt recent                   // signatures that were not known to be right when their frame came
	late  map[[8]byte]dp8.Secret   // of these, those that came to be known
}

func newLearnedKeys() learnedKeys {
	return learnedKeys{from: map[dp8.Secret]track.Derived{}, of: map[[8]byte][]dp8.Secret{}, late: map[[8]byte]dp8.Secret{}}
}

// Signs implements track.KeyWatch.
func (k *learnedKeys) Signs(signature [8]byte, key dp8.Secret) {
	if _, ok := k.doubt.get(signature); ok {
		k.late[signature] = key
	}
	k.right.put(signature, key)
}

// Follows implements track.KeyWatch.
func (k *learnedKeys) Follows(d track.Derived) {
	if _, ok := k.from[d.Key]; !ok && d.Key != d.From {
		k.from[d.Key] = d
		k.of[d.Source] = append(k.of[d.Source], d.Key)
	}
}

// saw notes that a frame with a signature came.
func (k *learnedKeys) saw(signature [8]byte) {
	if _, ok := k.right.get(signature); !ok {
		k.doubt.put(signature, dp8.Secret{})
	}
}

// recent remembers the latest signatures.
type recent struct {
	keys map[[8]byte]dp8.Secret
	ring [][8]byte
	next int
}

func (r *recent) get(s [8]byte) (dp8.Secret, bool) {
	k, ok := r.keys[s]
	return k, ok
}

func (r *recent) put(s [8]byte, key dp8.Secret) {
	if _, ok := r.keys[s]; ok {
		r.keys[s] = key
		return
	}
	if r.keys == nil {
		r.keys = map[[8]byte]dp8.Secret{}
	}
	if len(r.ring) < maxUnverified {
		r.ring = append(r.ring, s)
	} else {
		delete(r.keys, r.ring[r.next])
		r.ring[r.next] = s
		r.next = (r.next + 1) % maxUnverified
	}
	r.keys[s] = key
}

// A signer signs frames again that were signed rightly, with the secrets that stand for theirs.
type signer struct {
	key     *Key
	learned *learnedKeys
	right   recent // of this pass
	fresh   map[dp8.Secret]freshKey
	scratch []byte
}

// A freshKey stands for a secret, and the modifier that goes with it for its own.
type freshKey struct{ key, modifier dp8.Secret }

// Signs and Follows implement track.KeyWatch.
func (s *signer) Signs(signature [8]byte, key dp8.Secret) { s.right.put(signature, key) }
func (s *signer) Follows(track.Derived)                   {}

// secretOf is the secret that a frame is signed with, if that is known.
func (s *signer) secretOf(signature [8]byte) (dp8.Secret, bool) {
	if k, ok := s.right.get(signature); ok {
		return k, true
	}
	k, ok := s.learned.late[signature]
	return k, ok
}

// freshOf is what stands for a secret: one of a handshake, or one that derives from another.
// Those that derive from frames are known when these were signed.
func (s *signer) freshOf(key dp8.Secret) freshKey {
	if f, ok := s.fresh[key]; ok {
		return f
	}
	first := s.key.secret(key)
	f := freshKey{first, first}
	if d, ok := s.learned.from[key]; ok {
		if d.Source != [8]byte{} {
			return f // the frame never came: what it signs is not right
		}
		before := s.freshOf(d.From)
		f.key, f.modifier = d.Again(before.key, before.modifier, nil, dp8.Params{})
	}
	s.fresh[key] = f
	return f
}

// sign signs a frame that was changed, and derives the secrets that follow from it.
func (s *signer) sign(frame []byte, at int, was [8]byte, key dp8.Secret, p dp8.Params) {
	var sum [8]byte
	sum, s.scratch = dp8.Digest(s.scratch, frame, at, s.freshOf(key).key)
	copy(frame[at:], sum[:])
	for _, next := range s.learned.of[was] {
		if _, ok := s.fresh[next]; !ok {
			d := s.learned.from[next]
			before := s.freshOf(d.From)
			k, m := d.Again(before.key, before.modifier, frame, p)
			s.fresh[next] = freshKey{k, m}
		}
	}
}
