package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
)

// trySupplied looks for supplied secrets that explain a signature, when the
// handshake's were not captured. A match is proof: it has a chance of 2^-64.
func (c *conn) trySupplied(dir dissect.Dir, num seq.Num, off int, sig [8]byte) {
	if c.hs.Secrets || c.secretKnown(dir) {
		return
	}
	for i := range c.pair.opts.Secrets {
		s := &c.pair.opts.Secrets[i]
		if c.c.HasSessionID && !s.IsFor(c.c.SessionID) {
			continue
		}
		if c.useSupplied(s, dir, num, off, sig, s.Connector, dir) || c.useSupplied(s, dir, num, off, sig, s.Listener, dir.Other()) {
			return
		}
	}
}

func (c *conn) secretKnown(dir dissect.Dir) bool {
	s := &c.side[dir]
	return c.mode == ModeFast && s.fast.known || c.mode != ModeFast && s.keys.known
}

// useSupplied adopts one secret for a side when it verifies the frame.
func (c *conn) useSupplied(s *dp8.SuppliedSecrets, dir dissect.Dir, num seq.Num, off int, sig [8]byte, secret dp8.Secret, connector dissect.Dir) bool {
	if c.connector >= 0 && c.connector != connector {
		return false
	}
	side := &c.side[dir]
	switch {
	case s.Mode != "full" && c.mode != ModeFull && dp8.Secret(sig) == secret:
		c.knowMode(ModeFast, true)
		side.fast = fastKey{secret: secret, known: true}
	case s.Mode != "fast" && c.mode != ModeFast && side.keys.matches(c.Frame.Payload, off, sig, secret):
		c.knowMode(ModeFull, true)
		side.keys.start(secret, num>>8, !s.Current)
	default:
		return false
	}
	if c.connector < 0 {
		c.knowConnector(connector)
		c.c.Infer("roles")
	}
	return true
}
