package tracegen

import (
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/dp8peer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// A forgery is a datagram a third party sends in an endpoint's name.
type forgery struct {
	kind string // bad-signature, stale-key or unsigned
	typ  dp8.Type
	side int // in whose name
}

// forge injects a forgery at the capture point. It fits the connection in all
// but its signature: the number is the next one, the acknowledgement says
// nothing new.
func (t *DP8Trace) forge(c *dp8peer.Conn, f forgery) {
	p, other := c.Peers[f.side], c.Peers[1-f.side]
	seq, nrcv := p.NextSend(), other.Acknowledged()
	note := &dp8peer.Note{Conn: c, Side: f.side, Type: f.typ, Seq: seq, NRcv: nrcv, KeyEpoch: -1, Forged: f.kind}
	fr := dp8.Frame{Type: f.typ}
	signed := f.kind != "unsigned"
	switch f.typ {
	case dp8.TypeSACK:
		fr.SACK = dp8.SACK{Command: dp8.CFrame, Flags: dp8.SACKResponse, NSeq: uint8(seq), NRcv: uint8(nrcv),
			Timestamp: c.Hosts[f.side].TickAt(t.Net.Clock.Now()), HasSignature: signed}
	case dp8.TypeHardDisconnect:
		fr.Handshake = dp8.Handshake{Command: dp8.CFrame, Opcode: dp8.OpHardDisconnect, MsgID: 9, RspID: uint8(seq),
			Version: c.Configs[f.side].Version, SessionID: c.SessionID, Timestamp: c.Hosts[f.side].TickAt(t.Net.Clock.Now()), HasSignature: signed}
	default:
		fr.DFrame = dp8.DFrame{Command: dp8.Data | dp8.Reliable | dp8.Sequential | dp8.NewMsg | dp8.EndMsg,
			Seq: uint8(seq), NRcv: uint8(nrcv), HasSignature: signed, Payload: []byte("FORGED: kick the admin")}
	}
	t.Net.Send(&sim.Datagram{From: c.Hosts[f.side], To: c.Hosts[1-f.side], Payload: t.falsify(&fr, p, f.kind, seq), Note: note, Injected: true})
}

// falsify encodes the frame with the signature of its kind.
func (t *DP8Trace) falsify(fr *dp8.Frame, p *dp8peer.Peer, kind string, seq int64) []byte {
	b := fr.Append(nil)
	off := len(b) - 8
	if fr.Type == dp8.TypeDFrame {
		off = 4
	}
	switch kind {
	case "bad-signature":
		for i := range 8 {
			b[off+i] = byte(t.Rand.Uint32())
		}
	case "stale-key":
		// Signed with the secret of the epoch before: a thief who knows an old one.
		key, _ := p.LocalKey(seq - 256)
		sig, _ := dp8.Digest(nil, b, off, key)
		copy(b[off:], sig[:])
	}
	return b
}
