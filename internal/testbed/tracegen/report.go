package tracegen

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"maps"
	"slices"
	"time"
)

// maxListed is the largest capture whose truth lists its frames.
const maxListed = 350

// report makes the truth of what the truthWatch saw.
func (l *truthWatch) report(s *Scenario, t *Trace) *Truth {
	out := &Truth{Schema: Schema, Name: s.Name, Clause: s.Clause, Proves: s.Proves, Expect: s.Expect, Seed: s.Seed,
		Packets: l.packets, Datagrams: l.datagrams, IPFragments: l.fragments, NotUDP: l.notUDP, Forged: l.forged, Malformed: l.malformed}
	if len(l.neighbours) > 0 {
		out.Neighbours = maps.Clone(l.neighbours)
	}
	seen := slices.DeleteFunc(slices.Clone(l.order), func(w *connWatch) bool { return w.first == 0 })
	slices.SortFunc(seen, func(a, b *connWatch) int { return cmp.Compare(a.first, b.first) })
	place := map[int]int{}
	for i, w := range seen {
		place[w.conn.ID] = i
		l.succeed(w)
		out.Connections = append(out.Connections, w.report(t))
	}
	if l.compact || l.packets > maxListed {
		return out
	}
	out.Frames, out.Uncaptured = l.frames, l.unseen
	for _, list := range [][]Frame{out.Frames, out.Uncaptured} {
		for i := range list {
			l.place(&list[i], place)
		}
	}
	return out
}

// succeed gives a connection that its server starts again the sides of the one before on the
// same addresses, whose opening was captured.
func (l *truthWatch) succeed(w *connWatch) {
	for _, old := range l.order {
		if c := old.conn; old != w && old.first < w.first && old.opened && c.Hosts == w.conn.Hosts && c.Roles[old.a] == "client" {
			w.a = old.a
		}
	}
}

// place names a listed frame's side and connection as the report does.
func (l *truthWatch) place(f *Frame, place map[int]int) {
	if f.Neighbour != "" {
		f.Conn, f.Dir = 0, ""
		return
	}
	w := l.order[slices.IndexFunc(l.order, func(w *connWatch) bool { return w.conn.ID == f.Conn })]
	f.Dir = w.letter(int(f.Dir[0] - '0'))
	f.Conn = place[f.Conn]
}

func (w *connWatch) report(t *Trace) Connection {
	c := w.conn
	out := Connection{Protocol: c.Protocol, SessionID: c.SessionID, Version: c.Version, Signing: c.Signing, Complete: w.opened,
		First: w.first, Last: w.last, Directions: map[string]Direction{}}
	sides := [2]Side{}
	for i := range sides {
		sides[i] = Side{Address: c.Hosts[i].Addr.String(), Role: c.Roles[i], Version: c.Versions[i]}
		out.Directions[w.letter(i)] = w.direction(i)
	}
	out.A, out.B = sides[w.a], sides[1-w.a]
	if c.Players != nil {
		out.Players = []uint32{c.Players[w.a], c.Players[1-w.a]}
	}
	out.State, out.ClosedBy = w.state(t.truthWatch)
	if t.HideState {
		out.State, out.ClosedBy = "", ""
	}
	if w.extra != nil {
		w.extra.report(w, &out)
	}
	return out
}

func (w *connWatch) direction(side int) Direction {
	s := w.sides[side]
	d := s.Direction
	d.NMessages, d.Incomplete = s.whole, s.touched-s.whole
	d.Dialect, d.Proven = w.conn.Dialects[side], s.proven
	if s.have {
		d.Missing = int(s.highest-s.lowest) + 1 - s.distinct
		d.FirstNumber, d.HighestNumber = &s.first, &s.highest
	}
	d.RTT = s.times()
	d.MaxFlight = w.conn.Flight[side]
	for _, m := range w.conn.Messages[side] {
		if m.Sent {
			d.Sent++
		}
		if m.Reliable && !m.Delivered {
			d.Undelivered++
		}
	}
	s.list(&d)
	return d
}

// list lists what the capture shows of the side's messages.
func (w *watch) list(d *Direction) {
	slices.SortStableFunc(w.messages, func(a, b seen) int {
		if (a.Number < 0) != (b.Number < 0) {
			return cmp.Compare(b.Number, a.Number) // those without number last
		}
		if a.Number < 0 {
			return 0
		}
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Done, b.Done), cmp.Compare(a.Slot, b.Slot))
	})
	all := sha256.New()
	for _, m := range w.messages {
		d.Messages = append(d.Messages, w.message(m, all))
	}
	if len(w.messages) > 0 {
		d.Digest = hex.EncodeToString(all.Sum(nil))
	}
}

// message tells one message and adds it to the digest of all.
func (w *watch) message(m seen, all hash.Hash) Message {
	sum := sha256.Sum256(m.Data)
	whole := m.whole || m.Seen != nil && m.NSeen == m.Parts
	if whole {
		all.Write(m.Data)
	}
	out := Message{Number: -1, Size: len(m.Data), SHA256: hex.EncodeToString(sum[:8]),
		Reliable: m.Reliable, Sequential: m.Ordered, Visible: whole, Parts: m.Parts, Delivered: m.Delivered}
	if m.Number >= 0 {
		out.Number = m.Number - w.cycle()
	}
	return out
}

// cycle is what the analysis does not know of message numbers: the cycles
// before the first one captured.
func (w *watch) cycle() int64 {
	if m := w.conn.Modulus; m > 0 {
		return w.base - w.base%m
	}
	return 0
}

// times are the round trips of numbers captured once and not given up.
func (w *watch) times() *RTT {
	var all []time.Duration
	for _, u := range w.units {
		if u.acked && u.captures == 1 && !u.givenUp {
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
