package tracegen

import (
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
)

// waits are what Fates.Waits is made of.
type waits struct {
	units    map[unitKey]*waiting
	carriers map[Sender]map[int64][]unitKey // by the number that was captured
	took     map[Sender][]time.Duration
}

// A waiting is a unit whose first captured transmission was at a time.
type waiting struct {
	at   time.Duration
	over bool // it was acknowledged, given up, or its first transmission was not captured
}

// captured takes a datagram of an endpoint that was captured.
func (w *waits) captured(n *note.Note, now time.Duration) {
	from := Sender{n.Conn.ID, n.Side}
	if w.carriers[from] == nil {
		w.carriers[from] = map[int64][]unitKey{}
	}
	w.acknowledged(Sender{n.Conn.ID, 1 - n.Side}, n, now)
	if n.Number < 0 {
		return
	}
	for _, key := range unitsOf(n) {
		if w.units[key] == nil {
			w.units[key] = &waiting{at: now, over: n.Marked && n.Retry}
		}
		w.carriers[from][n.Number] = append(w.carriers[from][n.Number], key)
	}
	for _, num := range n.GivenUp {
		for _, key := range w.carriers[from][num] {
			w.units[key].over = true
		}
	}
}

// acknowledged takes what a datagram acknowledges of a side.
func (w *waits) acknowledged(of Sender, n *note.Note, now time.Duration) {
	for num, keys := range w.carriers[of] {
		if num < n.AckBelow {
			w.end(of, keys, now)
		}
	}
	for _, list := range [][]int64{n.Acks, n.FromHistory} {
		for _, num := range list {
			w.end(of, w.carriers[of][num], now)
		}
	}
}

func (w *waits) end(of Sender, keys []unitKey, now time.Duration) {
	for _, key := range keys {
		if x := w.units[key]; !x.over {
			x.over = true
			w.took[of] = append(w.took[of], now-x.at)
		}
	}
}
