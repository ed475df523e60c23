package tracegen

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/tracegen/dp8peer"
)

// maxListed is the largest capture whose truth lists its frames.
const maxListed = 350

// report makes the truth of what the ledger saw.
func (l *ledger) report(s *Scenario, t *Trace) *Truth {
	out := &Truth{Schema: Schema, Name: s.Name, Clause: s.Clause, Proves: s.Proves, Expect: s.Expect, Seed: s.Seed,
		Packets: l.packets, Datagrams: l.datagrams, IPFragments: l.fragments, NotUDP: l.notUDP, Forged: l.forged}
	seen := slices.DeleteFunc(slices.Clone(l.order), func(w *connWatch) bool { return w.first == 0 })
	slices.SortFunc(seen, func(a, b *connWatch) int { return cmp.Compare(a.first, b.first) })
	place := map[int]int{}
	for i, w := range seen {
		place[w.conn.ID] = i
		out.Connections = append(out.Connections, w.report(t))
	}
	if l.lean || l.packets > maxListed {
		return out
	}
	out.Frames, out.Uncaptured = l.frames, l.unseen
	for _, list := range [][]Frame{out.Frames, out.Uncaptured} {
		for i := range list {
			w := l.order[slices.IndexFunc(l.order, func(w *connWatch) bool { return w.conn.ID == list[i].Conn })]
			list[i].Dir = letter(w, int(list[i].Dir[0]-'0'))
			list[i].Conn = place[list[i].Conn]
		}
	}
	return out
}

// letter names a side of the connection.
func letter(w *connWatch, side int) string {
	if side == w.a {
		return "a"
	}
	return "b"
}

func (w *connWatch) report(t *Trace) Connection {
	c := w.conn
	out := Connection{Protocol: "dp8", SessionID: fmt.Sprintf("0x%08x", c.SessionID), Version: version(c.Version()),
		Signing: [...]string{"none", "fast", "full"}[c.Signing()], Complete: w.opened,
		First: w.first, Last: w.last, Directions: map[string]Direction{}}
	sides := [2]Side{}
	for i := range sides {
		sides[i] = Side{Address: c.Hosts[i].Addr.String(), Role: [...]string{"connector", "listener"}[i], Version: version(c.Configs[i].Version)}
		out.Directions[letter(w, i)] = w.direction(i, t)
	}
	out.A, out.B = sides[w.a], sides[1-w.a]
	out.State, out.ClosedBy = w.state()
	if t.HideState {
		out.State, out.ClosedBy = "", ""
	}
	if c.Signing() != dp8peer.Unsigned {
		out.Secrets = w.secretsReport()
	}
	return out
}

func version(v uint32) string { return fmt.Sprintf("%d.%d", v>>16, v&0xffff) }

// secretsReport is what a secrets file would say.
func (w *connWatch) secretsReport() *Secrets {
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

// state says how the connection ended, as the capture shows it.
func (w *connWatch) state() (state, by string) {
	ends, hards := [2]int{w.sides[0].ended, w.sides[1].ended}, [2]int{w.sides[0].hard, w.sides[1].hard}
	switch {
	case ends[0] > 0 && ends[1] > 0:
		return "closed", w.closer(ends)
	case ends[0] == 0 && ends[1] == 0 && hards[0]+hards[1] > 0:
		return "reset", w.closer(hards)
	case w.unreachable && !w.answered:
		return "refused", ""
	case w.unreachable:
		return "reset", ""
	case ends[0]+ends[1] > 0:
		return "closing", w.closer(ends)
	}
	for _, p := range w.conn.Peers {
		if p != nil && p.Lost() {
			return "timed-out", ""
		}
	}
	switch {
	case !w.opened:
		return "unknown", ""
	case w.sides[0].have && w.sides[1].have:
		return "established", ""
	}
	return "opening", ""
}

// closer names the side whose closing frame was captured first, or both when
// neither was an answer.
func (w *connWatch) closer(frames [2]int) string {
	if w.conn.Ended[0] && w.conn.Ended[1] && frames[0] > 0 && frames[1] > 0 {
		return "both"
	}
	if frames[1] == 0 || frames[0] > 0 && frames[0] < frames[1] {
		return letter(w, 0)
	}
	return letter(w, 1)
}

func (w *connWatch) direction(side int, t *Trace) Direction {
	s := w.sides[side]
	d := s.Direction
	d.NMessages, d.Incomplete = s.whole, s.touched-s.whole
	if s.have {
		d.Missing = int(s.highest-s.lowest) + 1 - s.distinct
		d.FirstNumber, d.HighestNumber = &s.first, &s.highest
	}
	d.RTT = s.times()
	if w.conn.Signing() != dp8peer.Unsigned {
		d.Signatures, d.UnverifiedOf = w.signatures(side)
		for e := range s.epochs {
			d.Epochs = max(d.Epochs, e)
		}
	}
	if p := w.conn.Peers[side]; p != nil {
		d.MaxFlight = p.MaxFlight
	}
	w.messages(side, &d, t)
	return d
}

// messages lists what the capture shows of the side's messages.
func (w *connWatch) messages(side int, d *Direction, t *Trace) {
	for _, m := range w.conn.Messages[side] {
		if m.First >= 0 {
			d.Sent++
		}
		if m.Reliable && !m.Delivered {
			d.Undelivered++
		}
	}
	s := w.sides[side]
	slices.SortFunc(s.messages, func(a, b *dp8peer.Message) int {
		return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Slot, b.Slot))
	})
	all := sha256.New()
	for _, m := range s.messages {
		sum := sha256.Sum256(m.Data)
		whole := m.NSeen == m.Parts
		if whole {
			all.Write(m.Data)
		}
		d.Messages = append(d.Messages, Message{Number: m.First - s.first&^0xff, Size: len(m.Data), SHA256: hex.EncodeToString(sum[:8]),
			Reliable: m.Reliable, Sequential: m.Sequential, Visible: whole, Parts: m.Parts, Delivered: m.Delivered})
	}
	if len(s.messages) > 0 {
		d.Digest = hex.EncodeToString(all.Sum(nil))
	}
}

// times are the round trips of numbers captured once and not given up.
func (w *watch) times() *RTT {
	var all []time.Duration
	for _, u := range w.units {
		if u.acked && u.captures == 1 && !u.masked {
			all = append(all, u.rtt)
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.Sort(all)
	at := func(percent int) float64 {
		i := (len(all)*percent + 99) / 100
		return float64(all[max(i, 1)-1].Microseconds()) / 1000
	}
	return &RTT{Samples: len(all), Min: at(0), P50: at(50), P95: at(95), Max: at(100)}
}

// signatures follows the chain of secrets as far as the capture gives it: the
// secret of an epoch follows from that before it and from the payload its
// modifier came from (MC-DPL8R 3.1.4.4).
func (w *connWatch) signatures(side int) (*Signatures, []int64) {
	s, c := w.sides[side], w.conn
	out := &Signatures{Invalid: s.Forged["bad-signature"] + s.Forged["stale-key"], Unsigned: s.Forged["unsigned"]}
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
			modifier = s.units[src] != nil && derive != "unknown"
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
