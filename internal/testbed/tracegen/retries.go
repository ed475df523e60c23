package tracegen

import (
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/note"
)

// retries counts the units a frame sends again. A frame that is a copy is not
// asked.
func (w *watch) retries(s *sight) {
	n := s.note
	if n.Units == nil {
		before := w.units[n.Number]
		if again(n, before != nil) {
			w.retry(s, w.acknowledged(n.Number))
			w.refer(s)
		}
		return
	}
	for _, u := range n.Units {
		before := w.carriers[u]
		if again(n, len(before) > 0) {
			w.retry(s, slices.ContainsFunc(before, func(c carrier) bool { return w.acknowledged(c.num) }))
			if len(before) > 0 && s.retryOf == 0 {
				s.retryOf = before[0].frame
			}
		}
		w.carriers[u] = append(before, carrier{n.Number, s.d.LastFrame})
	}
}

// again reports whether a unit counts as sent again.
func again(n *note.Note, captured bool) bool {
	if n.Marked {
		return n.Retry
	}
	return captured
}

func (w *watch) retry(s *sight, acknowledged bool) {
	w.Retries++
	s.say("retry")
	if acknowledged {
		w.UnneededRetries++
		s.say("unneeded-retry")
	}
}

// refer links a frame with the first captured one of its number.
func (w *watch) refer(s *sight) {
	if u := w.units[s.note.Number]; u != nil {
		s.retryOf = u.frame
	}
}

func (s *sight) say(word string) {
	if !slices.Contains(s.words, word) {
		s.words = append(s.words, word)
	}
}

// acknowledge enters what a captured frame of the other side acknowledges.
func (w *watch) acknowledge(n *note.Note, now time.Duration, frame int) {
	if n.AckBelow < 0 && len(n.Acks) == 0 && len(n.FromHistory) == 0 {
		return
	}
	w.ackedBelow = max(w.ackedBelow, n.AckBelow)
	for _, num := range n.Acks {
		w.acked[num] = true
	}
	for _, num := range n.FromHistory {
		if w.units[num] != nil {
			w.acked[num] = true
		}
	}
	covers := func(num int64) bool {
		return num < n.AckBelow || slices.Contains(n.Acks, num) || slices.Contains(n.FromHistory, num)
	}
	w.pending = slices.DeleteFunc(w.pending, func(u *unit) bool {
		if covers(u.num) {
			u.acked, u.rtt = true, now-u.at
		}
		return u.acked
	})
	w.waiting = slices.DeleteFunc(w.waiting, func(a awaiting) bool {
		done := covers(a.num)
		if done && w.settle != nil {
			w.settle(a.frame, frame)
		}
		return done
	})
}

// acknowledged reports whether the capture shows that a number is acknowledged.
func (w *watch) acknowledged(num int64) bool { return num < w.ackedBelow || w.acked[num] }
