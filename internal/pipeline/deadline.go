package pipeline

import (
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// A deadline is what a queue needs to print frames in time. Its clock is the
// monotonic one: that of the capture may be set.
type deadline struct {
	source waiter
	limit  time.Duration
	began  time.Time
	now    time.Duration // since began, when it was looked at
	looked bool          // since frames were printed
}

// A waiter is a capture.Source that waits for packets.
type waiter interface {
	MaxWait(time.Duration) time.Duration
	WakeAt(time.Time)
}

// PrintWithin makes the queue print every frame so long after it was read at the latest,
// whatever is known of it by then: for sources that wait for packets. Where they come
// as from a file the source knows, and frames wait as those of files.
func (q *Queue) PrintWithin(r *Run, limit time.Duration) {
	q.deadline = &deadline{source: r.Source, limit: limit, began: time.Now()}
	q.endless = r.Source.Live()
	r.Idle = q.expire
	for i := range q.sinks {
		q.sinks[i].watch(q.endless)
	}
}

// note keeps when a packet was read, and its payload: it may have to be printed before
// the tracker says anything of it. Packets that were read without a pause came at one
// time.
func (h *deadline) note(s *Slot, p *capture.Packet) {
	if !h.looked {
		h.now, h.looked = time.Since(h.began), true
	}
	s.came = h.now
	if p.Class == capture.UDP {
		s.raw = append(s.raw[:0], p.Payload...)
		s.Datagram.Payload = s.raw
	}
}

// expire prints what waited long enough and writes everything printed.
func (q *Queue) expire() error {
	h := q.deadline
	h.looked = false
	now := time.Now()
	limit := h.source.MaxWait(h.limit)
	due := now.Sub(h.began) - limit // what came until then
	for ; q.head <= q.tracked; q.head++ {
		s := q.at(q.head).slot
		if s.came > due {
			h.source.WakeAt(now.Add(s.came - due))
			break
		}
		q.print(s)
	}
	if limit > time.Hour {
		return q.err // nobody waits for it
	}
	return q.Flush()
}
