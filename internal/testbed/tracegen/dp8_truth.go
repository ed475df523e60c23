package tracegen

import (
	"encoding/hex"
	"maps"
	"slices"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/dp8peer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
)

// dp8Watch counts what DirectPlay 8 alone has: signatures, secrets, masks.
type dp8Watch struct {
	conn    *dp8peer.Conn
	secrets bool // captured
	sides   [2]dp8Side
}

// dp8Side is one direction's share.
type dp8Side struct {
	epochs                         map[int64]int // captured signed frames
	firstEpoch                     int64
	coalesced, sendMasks, ackMasks int
}

func watchDP8(c *note.Conn) extension {
	w := &dp8Watch{conn: c.Own.(*dp8peer.Conn)}
	for i := range w.sides {
		w.sides[i] = dp8Side{epochs: map[int64]int{}, firstEpoch: -1}
	}
	return w
}

func (w *dp8Watch) captured(r note.Remark) {
	n := r.(*dp8peer.Note)
	s := &w.sides[n.Side]
	w.secrets = w.secrets || n.Secrets
	if n.KeyEpoch >= 0 {
		s.epochs[n.KeyEpoch]++
		if s.firstEpoch < 0 {
			s.firstEpoch = n.KeyEpoch
		}
	}
	if n.IsData() && len(n.Parts) > 0 && n.Parts[0].Message.Coalesced {
		s.coalesced++
	}
	if n.SendMask != 0 {
		s.sendMasks++
	}
	if n.SACKMask != 0 {
		s.ackMasks++
	}
}

func (w *dp8Watch) report(of *connWatch, out *Connection) {
	for i := range w.sides {
		s := &w.sides[i]
		d := out.Directions[of.letter(i)]
		d.Coalesced, d.SendMasks, d.SACKMasks = s.coalesced, s.sendMasks, s.ackMasks
		if w.conn.Signing() != dp8peer.Unsigned {
			d.Signatures, d.UnverifiedOf = w.signatures(i, of.sides[i])
			for e := range s.epochs {
				d.Epochs = max(d.Epochs, e)
			}
		}
		out.Directions[of.letter(i)] = d
	}
	if w.conn.Signing() != dp8peer.Unsigned {
		out.Secrets = w.secretsReport()
	}
}

// secretsReport is what a secrets file would say.
func (w *dp8Watch) secretsReport() *Secrets {
	c := w.conn
	s := &Secrets{Connector: hex.EncodeToString(c.Secrets[0][:]), Listener: hex.EncodeToString(c.Secrets[1][:]), Needed: !w.secrets}
	for i, to := range []*string{&s.InForceConnector, &s.InForceListener} {
		key := c.Secrets[i]
		if e := w.sides[i].firstEpoch; e > 0 && e < int64(len(c.History[i])) {
			key = c.History[i][e]
		}
		*to = hex.EncodeToString(key[:])
	}
	return s
}

// signatures follows the chain of secrets as far as the capture gives it: the
// secret of an epoch follows from that before it and from the payload its
// modifier came from (MC-DPL8R 3.1.4.4).
func (w *dp8Watch) signatures(side int, seen *watch) (*Signatures, []int64) {
	s, c := &w.sides[side], w.conn
	out := &Signatures{Invalid: seen.Forged["bad-signature"] + seen.Forged["stale-key"], Unsigned: seen.Forged["unsigned"]}
	var unknown []int64
	at := int64(0)
	if !w.secrets {
		at = s.firstEpoch
	}
	modifier := w.secrets // known: the first is the secret of the handshake
	good := map[int64]bool{at: true}
	for last := slices.Max(append(slices.Collect(maps.Keys(s.epochs)), at)); at < last; at++ {
		src, ok := c.Sources[side][at]
		if derive := c.Configs[side].Derive; ok && derive != "unchanged" {
			modifier = seen.units[src] != nil && derive != "unknown"
		}
		if !modifier {
			break
		}
		good[at+1] = true
	}
	for _, e := range slices.Sorted(maps.Keys(s.epochs)) {
		if c.Signing() != dp8.SigningFull || good[e] {
			out.Valid += s.epochs[e]
		} else {
			out.Unverifiable += s.epochs[e]
			unknown = append(unknown, e)
		}
	}
	return out, unknown
}
