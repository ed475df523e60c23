package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Handshake is how far the handshake has come (MC-DPL8R 3.1.5.1).
type Handshake struct {
	Connects  int  // CONNECTs captured
	Answered  bool // the listener's CONNECTED or CONNECTED_SIGNED was captured
	Confirmed bool // the connector's was captured
	Signed    bool // by CONNECTED_SIGNED
	plain     bool // by CONNECTED
	Secrets   bool // the connector's secrets were captured

	any       bool // some frame of it was captured
	mix       mixState
	tick      uint32 // of the latest CONNECT
	connectAt int64  // when that was captured
	answer    uint64 // frame of the listener's only answer, until the connector's; 0 for none or several
	Loop      int64  // from the CONNECT to the connector's confirmation: once around the path, 0 when not known
	ModeAt    int64  // when the latest frame was captured that keeps to signed or plain
}

// handshake tracks a CONNECT, CONNECTED, CONNECTED_SIGNED or HARD_DISCONNECT.
func (c *conn) handshake(dir dissect.Dir) {
	h := &c.Packet.Handshake
	if h.Opcode == dp8.OpHardDisconnect {
		c.hardDisconnect(dir)
		return
	}
	c.life.heard(dir)
	c.Frame.Words |= dissect.Handshake | c.c.Dir[dir].Unnumbered(c.sending(0, seq.Unmarked), true)
	c.hs.any = true
	c.Greeting, c.Ticking, c.Stray = Greeting{}, Ticking{}, nil
	c.c.DetectedBy = max(c.c.DetectedBy, session.ByHandshake)
	if !c.started() {
		c.c.Complete = true
	}
	if !c.heedsHandshake(dir, h) {
		return
	}
	// The capture may have cut the frame: what is not there is not known.
	if there := len(c.Frame.Payload); there >= 12 {
		c.knowVersion(dir, h.Version)
		if h.SessionID != 0 || h.Version < dp8.Version15 || h.Opcode != dp8.OpConnect {
			c.knowSession(h.SessionID)
		}
	}
	switch h.Opcode {
	case dp8.OpConnect:
		if c.Frame.HasTime && len(c.Frame.Payload) >= 16 && !(c.hs.Connects > 0 && h.Timestamp == c.hs.tick) {
			c.coarsen(c.Frame.Time)
		}
		c.hs.Connects++
		c.hs.tick, c.hs.connectAt = h.Timestamp, c.Frame.Time
		for i := range c.side { // the answers may be repeated when data has passed
			c.c.Dir[i].Begin(0)
		}
		c.correctRoles(dir)
		c.knowConnector(dir)
		c.life.try(dir, c.hs.Connects, connectGiveUp, c.Frame.Time)
	case dp8.OpConnected, dp8.OpConnectedSigned:
		c.answer(dir, h)
	}
	c.tell(dir, Heeded)
	if !c.started() {
		c.expectZero()
	}
}

// answer tracks CONNECTED and CONNECTED_SIGNED: with POLL they come from the
// listener, without from the connector (MC-DPL8R 2.2.1.2, 2.2.1.3).
func (c *conn) answer(dir dissect.Dir, h *dp8.Handshake) {
	fromListener := h.Command&dp8.Poll != 0
	if c.connector >= 0 {
		fromListener = dir != c.connector // what CONNECT showed beats the flag
	} else if fromListener {
		c.knowConnector(dir.Other())
	} else {
		c.knowConnector(dir)
	}
	if fromListener {
		c.hs.answer = c.Frame.Frame
		if c.hs.Answered {
			c.hs.answer = 0
		}
		c.hs.Answered = true
	} else {
		c.Frame.Answers, c.hs.answer = c.hs.answer, 0
		if c.hs.Answered && !c.hs.Confirmed && c.hs.Connects > 0 && c.Frame.HasTime {
			c.hs.Loop = c.Frame.Time - c.hs.connectAt
		}
		c.hs.Confirmed = true
	}
	if h.Opcode == dp8.OpConnectedSigned {
		c.knowSigned(h, fromListener)
	} else {
		c.knowMode(ModeNone, false)
	}
	if c.hs.Answered && c.hs.Confirmed {
		c.establish()
	}
}

// knowSigned learns mode and secrets from a CONNECTED_SIGNED. Both secrets are
// the connector's choice and zero in the listener's frame.
func (c *conn) knowSigned(h *dp8.Handshake, fromListener bool) {
	c.hs.Signed = true
	c.params.Signing = dp8.Signed
	if opts := h.SigningOpts & (dp8.SigningFast | dp8.SigningFull); (opts == dp8.SigningFast || opts == dp8.SigningFull) && (c.signed.Mode == 0 || c.signed.Mode == opts) {
		m := ModeFull
		if opts == dp8.SigningFast {
			m = ModeFast
		}
		if c.knowMode(m, false); c.signed.torn {
			c.mode, c.c.Signing = ModeUnknown, "" // the frames will tell
		}
	}
	if fromListener || c.hs.Secrets || c.signed.badKeys || h.SenderSecret == (dp8.Secret{}) || h.ReceiverSecret == (dp8.Secret{}) {
		return
	}
	c.hs.Secrets = true
	c.Greeting.Secrets = true
	c.useSecrets(h.SenderSecret, h.ReceiverSecret, true)
	c.rejudge()
}

// useSecrets sets the secrets the connector and the listener sign with.
func (c *conn) useSecrets(connector, listener dp8.Secret, handshake bool) {
	for dir := range dissect.Dirs {
		s, secret := &c.side[dir], listener
		if dir == c.connector {
			secret = connector
		}
		s.fast = fastKey{secret: secret, known: true}
		s.doubts = nil // what comes later is right by another secret than theirs
		c.c.Dir[dir].Signatures.Learned = false
		epoch := seq.Num(0)
		if ref, ok := s.seq.Known(); ok {
			epoch = ref >> 8
		}
		s.keys.start(secret, epoch, handshake)
	}
}
