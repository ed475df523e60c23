package capture

// losses are the packets that a library says were lost, and where among the
// packets that is to be told. The library counts when it is asked, and gives
// packets later than they came: a loss since it was asked last is told with the
// first packet that came after that.
type losses struct {
	total   uint64
	since   int64  // when the library was asked last, nanoseconds since 1970
	said    uint32 // what it said then: the count wraps
	pending []missed
}

type missed struct {
	since   int64
	packets uint64
}

// maxMissed bounds how many losses wait for their packet. Further ones are told
// with the last of them.
const maxMissed = 256

// add takes what the library says now.
func (l *losses) add(said uint32, now int64) {
	if n := uint64(said - l.said); n > 0 {
		l.total += n
		if k := len(l.pending); k < maxMissed {
			l.pending = append(l.pending, missed{l.since, n})
		} else {
			l.pending[k-1].packets += n
		}
	}
	l.said, l.since = said, now
}

// before counts the packets that are to be told as lost before one that came at a time.
func (l *losses) before(at int64) (n uint64) {
	for len(l.pending) > 0 && l.pending[0].since <= at {
		n += l.pending[0].packets
		l.pending = l.pending[1:]
	}
	return n
}
