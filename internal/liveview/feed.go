package liveview

import "github.com/dpdissect/dpdissect/internal/sampler"

// A Feed carries snapshots from the tracker to who shows them and never makes the
// tracker wait: one that was not taken yet gives way to the next.
type Feed chan *sampler.Snapshot

// NewFeed makes a Feed.
func NewFeed() Feed { return make(Feed, 1) }

// Offer puts a snapshot into the feed. One goroutine may offer.
func (f Feed) Offer(s *sampler.Snapshot) {
	select {
	case f <- s:
		return
	default:
	}
	select {
	case <-f: // too old
	default:
	}
	select {
	case f <- s:
	default:
	}
}
