package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
)

// lifecycle is how far the connection has come.
type lifecycle struct {
	state    session.State
	closer   session.Side // whose closing frame came first
	hard     [2]bool      // HARD_DISCONNECT captured
	graceful bool         // END_STREAM came before any HARD_DISCONNECT
	tries    int          // transmissions of the same thing since the peer was last heard
	trier    dissect.Dir  // direction of those tries

	closeAt int64
	limit   int // tries after which the side gives up
	lastTry int64
}

// heard resets the count of unanswered tries when the other side speaks.
func (l *lifecycle) heard(dir dissect.Dir) {
	if dir != l.trier {
		l.tries = 0
	}
}

// try notes that a side sent the same thing for the n-th time.
func (l *lifecycle) try(dir dissect.Dir, n, limit int, at int64) {
	if dir != l.trier {
		l.trier, l.tries = dir, 0
	}
	l.tries, l.limit, l.lastTry = max(l.tries, n), limit, at
}

// gaveUp reports whether a side tried without any reaction until it must have given up; end
// is the time of the last packet captured.
func (l *lifecycle) gaveUp(end int64) bool {
	return l.tries > 0 && (l.tries >= l.limit || l.tries >= l.limit-missedTries && end-l.lastTry >= giveUpSilence)
}
