package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// handshakeState is how far the handshake has come (MC-DPL8R 3.1.5.1).
type handshakeState struct {
	any          bool // some frame of it was captured
	sessionKnown bool
	connects     int    // CONNECTs captured
	answered     bool   // the listener's CONNECTED or CONNECTED_SIGNED was captured
	confirmed    bool   // the connector's was captured
	signed       bool   // by CONNECTED_SIGNED
	plain        bool   // by CONNECTED
	secrets      bool   // the connector's secrets were captured
	tick         uint32 // of the latest CONNECT
	connectAt    int64  // when that was captured
	loop         int64  // from the CONNECT to the connector's confirmation: once around the path, 0 when not known
	mix          mixState
	modeAt       int64 // when the latest frame was captured that keeps to signed or plain
}

// handshake tracks a CONNECT, CONNECTED, CONNECTED_SIGNED or HARD_DISCONNECT.
func (c *conn) handshake(dir int) {
	h := &c.f.Handshake
	if h.Opcode == dp8.OpHardDisconnect {
		c.hardDisconnect(dir)
		return
	}
	c.life.heard(dir)
	c.fr.Words |= dissect.Handshake | c.c.Dir[dir].Unnumbered(c.sending(0, seq.Unmarked), true)
	c.hs.any = true
	c.c.DetectedBy = max(c.c.DetectedBy, session.ByHandshake)
	if !c.started() {
		c.c.Complete = true
	}
	if !c.heedsHandshake(dir, h) {
		return
	}
	// The capture may have cut the frame: what is not there is not known.
	if there := len(c.fr.Payload); there >= 12 {
		c.knowVersion(dir, h.Version)
		if h.SessionID != 0 || h.Version < dp8.Version15 || h.Opcode != dp8.OpConnect {
			c.knowSession(h.SessionID)
		}
	}
	switch h.Opcode {
	case dp8.OpConnect:
		if c.fr.HasTime && len(c.fr.Payload) >= 16 && !(c.hs.connects > 0 && h.Timestamp == c.hs.tick) {
			c.coarsen(c.fr.Time)
		}
		if c.judge != nil {
			c.judge.retries().judgeConnects(h)
		}
		c.hs.connects++
		c.hs.tick, c.hs.connectAt = h.Timestamp, c.fr.Time
		for i := range c.side { // the answers may be repeated when data has passed
			c.c.Dir[i].Begin(0)
		}
		c.correctRoles(dir)
		c.knowConnector(dir)
		c.life.try(dir, c.hs.connects, connectGiveUp, c.fr.Time)
	case dp8.OpConnected, dp8.OpConnectedSigned:
		c.answer(dir, h)
	}
	if !c.started() {
		c.expectZero()
	}
}

// answer tracks CONNECTED and CONNECTED_SIGNED: with POLL they come from the
// listener, without from the connector (MC-DPL8R 2.2.1.2, 2.2.1.3).
func (c *conn) answer(dir int, h *dp8.Handshake) {
	fromListener := h.Command&dp8.Poll != 0
	if c.connector >= 0 {
		fromListener = dir != c.connector // what CONNECT showed beats the flag
	} else if fromListener {
		c.knowConnector(1 - dir)
	} else {
		c.knowConnector(dir)
	}
	if fromListener {
		if c.judge != nil {
			c.judge.retries().judgeConnectedLate()
		}
		c.hs.answered = true
	} else {
		if c.hs.answered && !c.hs.confirmed && c.hs.connects > 0 && c.fr.HasTime {
			c.hs.loop = c.fr.Time - c.hs.connectAt
		}
		c.hs.confirmed = true
	}
	if h.Opcode == dp8.OpConnectedSigned {
		c.knowSigned(h, fromListener)
	} else {
		c.knowMode(modeNone, false)
	}
	if c.hs.answered && c.hs.confirmed {
		c.establish()
	}
}

// knowSigned learns mode and secrets from a CONNECTED_SIGNED. Both secrets are
// the connector's choice and zero in the listener's frame.
func (c *conn) knowSigned(h *dp8.Handshake, fromListener bool) {
	c.hs.signed = true
	c.params.Signing = dp8.Signed
	if opts := h.SigningOpts & (dp8.SigningFast | dp8.SigningFull); (opts == dp8.SigningFast || opts == dp8.SigningFull) && (c.signed.mode == 0 || c.signed.mode == opts) {
		m := modeFull
		if opts == dp8.SigningFast {
			m = modeFast
		}
		if c.knowMode(m, false); c.signed.torn {
			c.mode, c.c.Signing = modeUnknown, "" // the frames will tell
		}
	}
	if fromListener || c.hs.secrets || c.signed.badKeys || h.SenderSecret == (dp8.Secret{}) || h.ReceiverSecret == (dp8.Secret{}) {
		return
	}
	c.hs.secrets = true
	if c.judge != nil {
		c.judge.signing().judgeSigningVersion()
		c.judge.signing().judgeLeak(h)
		c.judge.signing().checkSupplied(h)
	}
	c.useSecrets(h.SenderSecret, h.ReceiverSecret, true)
	c.rejudge()
}

// useSecrets sets the secrets the connector and the listener sign with.
func (c *conn) useSecrets(connector, listener dp8.Secret, handshake bool) {
	for dir := range c.side {
		s, secret := &c.side[dir], listener
		if dir == c.connector {
			secret = connector
		}
		s.fast = fastKey{secret: secret, known: true}
		c.c.Dir[dir].Signatures.Learned = false
		epoch := int64(0)
		if ref, ok := s.seq.Known(); ok {
			epoch = ref >> 8
		}
		s.keys.start(secret, epoch, handshake)
	}
}
