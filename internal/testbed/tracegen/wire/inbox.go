package wire

import (
	"net/netip"
	"sync"
	"time"
)

// An arrival is a datagram a socket received. Its bytes were sent here, so their
// sum is all that is needed to find it.
type arrival struct {
	at   time.Duration // since the loop's start
	on   *socket
	from netip.AddrPort
	print
}

// An inbox takes what readers receive until the loop has time.
type inbox struct {
	mu   sync.Mutex
	list []arrival
	wake chan struct{} // has something when list may have
}

func (b *inbox) put(a arrival) {
	b.mu.Lock()
	b.list = append(b.list, a)
	first := len(b.list) == 1
	b.mu.Unlock()
	if first {
		select {
		case b.wake <- struct{}{}:
		default:
		}
	}
}

// take gives all that came in exchange for an empty list.
func (b *inbox) take(empty []arrival) []arrival {
	b.mu.Lock()
	defer b.mu.Unlock()
	full := b.list
	b.list = empty[:0]
	return full
}
