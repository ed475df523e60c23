package track

import "github.com/dpdissect/dpdissect/dp8"

// A KeyWatch is told of the secrets of fully signed connections while they are followed: who
// changes frames has to sign them again.
type KeyWatch interface {
	// Signs tells that a signature is right, and the secret that it is made with.
	Signs(signature [8]byte, key dp8.Secret)
	// Follows tells how a secret follows from the one before.
	Follows(d Derived)
}

// Derived is how the secret of an epoch follows from that of the epoch before.
type Derived struct {
	Key    dp8.Secret
	From   dp8.Secret
	Source [8]byte // signature of the frame whose payload makes the modifier, zero where the modifier before is used again
	recipe recipe
}

// Again derives a secret in the same way from another one. The modifier is made of a signed
// data frame in the place of the source or, where the one before is used again, is that.
func (d *Derived) Again(from, before dp8.Secret, source []byte, p dp8.Params) (key, modifier dp8.Secret) {
	if d.recipe.how != unchanged {
		before = modifierOf(source, d.recipe.how, p)
	}
	return d.recipe.order.next(from, before)
}

// modifierOf derives the modifier from a signed data frame, zero where it is none.
func modifierOf(frame []byte, how derivation, p dp8.Params) (m dp8.Secret) {
	var f dp8.Frame
	if f.Decode(frame, p, nil) != nil || f.Type != dp8.TypeDFrame {
		return m
	}
	payload, ok := modifierPayload(&f.DFrame)
	if !ok {
		return m
	}
	return modifiers(payload, frame, f.DFrame.SignatureOff)[how]
}

// follows tells of a guess that is right.
func (k *keyring) follows(c *candidate) {
	if k.watch != nil {
		k.watch.Follows(Derived{Key: c.key, From: k.current, Source: c.source, recipe: c.recipe})
	}
}
