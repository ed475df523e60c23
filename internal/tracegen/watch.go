package tracegen

import (
	"math/bits"
	"time"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/tracegen/dp8peer"
	"github.com/dpdissect/dpdissect/internal/tracegen/sim"
)

// count counts a captured frame of the endpoint, copies included.
func (w *watch) count(n *dp8peer.Note) {
	switch {
	case n.Type == dp8.TypeSACK:
		w.Acks++
	case n.KeepAlive:
		w.KeepAlives++
	case n.IsData() && len(n.Parts) > 0:
		w.DataFrames++
	}
	if n.KeyEpoch >= 0 {
		w.epochs[n.KeyEpoch]++
		if w.firstEpoch < 0 {
			w.firstEpoch = n.KeyEpoch
		}
	}
	if n.IsData() && len(n.Parts) > 0 && n.Parts[0].Message.Coalesced {
		w.Coalesced++
	}
	if n.SendMask != 0 {
		w.SendMasks++
	}
	if n.SACKMask != 0 {
		w.SACKMasks++
	}
}

// forge counts a frame in the side's name that is not the side's.
func (w *watch) forge(n *dp8peer.Note) {
	if w.Forged == nil {
		w.Forged, w.ForgedTypes = map[string]int{}, map[string]int{}
	}
	w.Forged[n.Forged]++
	kind := n.Type.String()
	if n.KeepAlive {
		kind = "KEEPALIVE"
	}
	w.ForgedTypes[kind]++
}

// duplicate counts a further copy. Without an IPv4 identification only frames
// with a number of their own are told from repetitions.
func (w *watch) duplicate(d *sim.Datagram, n *dp8peer.Note) {
	if n.IsData() {
		w.Numbered++
	}
	if d.ID != 0 || n.Type != dp8.TypeSACK {
		w.Duplicates++
	}
}

// number enters a data frame's number.
func (w *watch) number(n *dp8peer.Note, now time.Duration) {
	u := w.units[n.Seq]
	if u != nil {
		u.captures++
		return
	}
	u = &unit{seq: n.Seq, at: now, captures: 1}
	w.units[n.Seq] = u
	w.pending = append(w.pending, u)
	w.distinct++
	if !w.have {
		w.have, w.first, w.lowest, w.highest = true, n.Seq, n.Seq, n.Seq
		return
	}
	switch {
	case n.Seq > w.highest+1:
		w.Gaps++
	case n.Seq < w.highest && !n.Retry:
		w.OutOfOrder++
	}
	w.highest, w.lowest = max(w.highest, n.Seq), min(w.lowest, n.Seq)
}

// parts enters the messages a data frame carries.
func (w *watch) parts(n *dp8peer.Note, lean bool) {
	for _, p := range n.Parts {
		m := p.Message
		if m.Seen == nil {
			m.Seen = make([]bool, m.Parts)
			w.touched++
			if !lean {
				w.messages = append(w.messages, m)
			}
		}
		if m.Seen[p.Index] {
			continue
		}
		m.Seen[p.Index] = true
		if m.NSeen++; m.NSeen == m.Parts {
			w.whole++
			w.MessageBytes += len(m.Data)
		}
	}
}

// acknowledge enters what a captured frame of the other side acknowledges.
func (w *watch) acknowledge(n *dp8peer.Note, now time.Duration) {
	w.ackedBelow = max(w.ackedBelow, n.NRcv)
	for m := n.SACKMask; m != 0; m &= m - 1 {
		w.sacked[n.NRcv+1+int64(bits.TrailingZeros64(m))] = true
	}
	rest := w.pending[:0]
	for _, u := range w.pending {
		i := u.seq - n.NRcv - 1
		if u.seq < n.NRcv || i >= 0 && i < 64 && n.SACKMask>>i&1 != 0 {
			u.acked, u.rtt = true, now-u.at
		} else {
			rest = append(rest, u)
		}
	}
	w.pending = rest
}

// acknowledged reports whether the capture shows that a number is acknowledged.
func (w *watch) acknowledged(seq int64) bool { return seq < w.ackedBelow || w.sacked[seq] }

// mask enters what a captured frame gives up.
func (w *watch) mask(n *dp8peer.Note) {
	for m := n.SendMask; m != 0; m &= m - 1 {
		seq := n.Seq - 1 - int64(bits.TrailingZeros64(m))
		if u := w.units[seq]; u != nil {
			u.masked = true
		}
	}
}

// prune forgets what no frame can touch any more.
func (w *watch) prune() {
	const far = 2048
	if len(w.units) < 2*far {
		return
	}
	for seq := range w.units {
		if seq < w.highest-far {
			delete(w.units, seq)
		}
	}
	for seq := range w.sacked {
		if seq < w.ackedBelow {
			delete(w.sacked, seq)
		}
	}
}
