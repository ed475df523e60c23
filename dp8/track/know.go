package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session"
)

func (c *conn) knowSession(id uint32) {
	if !c.c.HasSessionID {
		c.c.SessionID, c.c.HasSessionID = id, true
	}
}

// knowVersion keeps what a side reports; the lower of the two counts
// (MC-DPL8R 2.2.1.1). Of a side that contradicts itself the higher one does: an old
// system does not know it.
func (c *conn) knowVersion(dir dissect.Dir, v uint32) {
	known, op := c.side[dir].Version, c.Packet.Handshake.Opcode
	if v>>16 != 1 || known >= v || known != 0 && op == dp8.OpHardDisconnect || op == dp8.OpConnectedSigned && v < dp8.Version15 {
		return
	}
	c.side[dir].Version = v
	a, b := c.side[0].Version, c.side[1].Version
	if a != 0 && b != 0 {
		c.c.Version = min(a, b)
		c.params.Version = c.c.Version
		c.c.Confirm("version")
	}
}

func (c *conn) knowConnector(dir dissect.Dir) {
	if c.connector < 0 {
		c.connector = dir
		c.c.Roles[dir], c.c.Roles[dir.Other()] = "connector", "listener"
	}
}

// correctRoles exchanges the roles when answers captured before the first CONNECT had a
// POLL that says otherwise than that does: who sends CONNECT is the connector.
func (c *conn) correctRoles(dir dissect.Dir) {
	if c.connector != dir.Other() || c.hs.Connects > 1 || !c.hs.Answered && !c.hs.Confirmed {
		return
	}
	c.connector = -1
	c.hs.Answered, c.hs.Confirmed = c.hs.Confirmed, c.hs.Answered
	c.Greeting.Exchanged = true
}

// knowMode sets the signing mode; inferred says that it was concluded.
func (c *conn) knowMode(m Mode, inferred bool) {
	if c.mode != ModeUnknown && inferred {
		return
	}
	c.mode = m
	c.c.Signing = modeNames[m]
	c.params.Signing = dp8.Signed
	if m == ModeNone {
		c.params.Signing = dp8.Unsigned
	}
	if inferred {
		c.c.Infer("signing")
	} else {
		c.c.Confirm("signing")
	}
}

// started reports whether data was captured before: then a handshake frame is a
// late repetition and not the start.
func (c *conn) started() bool {
	_, a := c.c.Dir[0].Window().Highest()
	_, b := c.c.Dir[1].Window().Highest()
	return a || b
}

// expectZero makes numbers and messages start at 0 (MC-DPL8R 3.1.5.2.1).
func (c *conn) expectZero() {
	for i := range c.side {
		c.side[i].asm.start(0)
	}
}

func (c *conn) establish() {
	if c.life.state < session.Established {
		c.life.state = session.Established
	}
	c.pair.active = c
}

// versionsSeen reports whether both sides said their version.
func (c *conn) versionsSeen() bool { return c.side[0].Version != 0 && c.side[1].Version != 0 }
