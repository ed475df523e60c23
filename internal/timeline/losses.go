package timeline

import (
	"sync"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// maxSuspects bounds the numbers that may be lost and are kept, of all directions together.
const maxSuspects = 1 << 20

// Losses keep what is concluded about numbers that may be lost, so that the losses that are
// counted can be placed in time once the run is over. Shards may use it at the same time.
type Losses struct {
	wanted func(c *session.Conn) bool
	max    int // numbers of a direction
	mu     sync.Mutex
	of     map[*session.Conn]*[2]suspects
	kept   int
}

// suspects are what is concluded about the numbers of one direction.
type suspects struct {
	list []seq.Settled
	more bool // there were more than are kept
}

// NewLosses keeps at most so many numbers of each direction of the connections that are
// wanted; nil wants all.
func NewLosses(max int, wanted func(c *session.Conn) bool) *Losses {
	return &Losses{wanted: wanted, max: max, of: map[*session.Conn]*[2]suspects{}}
}

// Hear takes a conclusion (session.Config.Settled).
func (l *Losses) Hear(c *session.Conn, dir dissect.Dir, x seq.Settled) {
	if !x.Suspects() || l.wanted != nil && !l.wanted(c) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.of[c]
	if s == nil {
		s = new([2]suspects)
		l.of[c] = s
	}
	d := &s[dir]
	if len(d.list) >= l.max || l.kept >= maxSuspects {
		d.more = true
		return
	}
	d.list = append(d.list, x)
	l.kept++
}

// Complete reports whether all that is counted of a direction can be placed in time.
func (l *Losses) Complete(c *session.Conn, dir dissect.Dir) bool {
	s := l.of[c]
	return s == nil || !s[dir].more
}

// Of gives the numbers of a direction that are counted as lost or as not captured, once the
// run is over, and how many of those lost are not among them. Their times are those of the
// tracker's clock.
func (l *Losses) Of(c *session.Conn, dir dissect.Dir) (claims []seq.Claim, left uint64) {
	counted := c.Dir[dir].Lost()
	s := l.of[c]
	if s == nil {
		return nil, 0
	}
	claims = counted.Claims(s[dir].list)
	if !s[dir].more {
		return claims, 0
	}
	left = counted.BeforeCapture + counted.AfterCapture
	for i := range claims {
		if claims[i].Place != seq.NotCaptured {
			left -= min(left, 1)
		}
	}
	return claims, left
}
