//go:build (windows && (amd64 || 386)) || (libpcap && cgo && !windows)

package capture

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// A pump moves packets from the library, which makes its callers wait, to where
// they can be had without: several interfaces are read in turn. When nobody takes
// them it stops, and the system's buffer fills.
type pump struct {
	ready chan struct{} // holds something when there may be packets, or an error

	reading batch // what Read is giving
	next    int   // packet of it

	mu      sync.Mutex // of these three
	room    *sync.Cond // filling was taken, or the pump is to end
	filling batch
	err     error

	library sync.Mutex // of these: one call of the library at a time
	handle  pcapHandle
	link    LinkType
	passed  uint64
	losses  losses

	ending atomic.Bool
	done   chan struct{}
}

// A batch is packets one after the other. Two of them are all that a pump holds.
type batch struct {
	data  []byte
	heads []pumped
}

type pumped struct {
	end   int // of its bytes in data
	wire  int
	time  int64
	drops uint64
}

// What a batch holds at most, if it is not a single packet.
const (
	batchBytes   = 1 << 20
	batchPackets = 1 << 13
)

// pollPackets is how often losses are asked for: after so many packets, and when
// there is none.
const pollPackets = 256

func newPump(handle pcapHandle, link LinkType) *pump {
	p := &pump{ready: make(chan struct{}, 1), handle: handle, link: link, done: make(chan struct{})}
	p.room = sync.NewCond(&p.mu)
	p.losses.since = time.Now().UnixNano()
	go p.run()
	return p
}

func (p *pump) run() {
	defer close(p.done)
	for !p.ending.Load() {
		if err := p.move(); err != nil {
			p.mu.Lock()
			p.err = err
			p.mu.Unlock()
			p.wake()
			return
		}
	}
}

func (p *pump) wake() {
	select {
	case p.ready <- struct{}{}:
	default:
	}
}

// move waits for a packet, no longer than the delay of the capture, and moves it.
func (p *pump) move() error {
	p.library.Lock()
	defer p.library.Unlock()
	data, wire, at, err := p.handle.next()
	if errors.Is(err, errQuiet) {
		p.poll()
		return nil
	}
	if err != nil {
		return err
	}
	p.passed++
	if p.passed%pollPackets == 0 {
		p.poll()
	}
	p.put(data, pumped{wire: wire, time: at, drops: p.losses.before(at)})
	return nil
}

// put adds a packet, when there is room.
func (p *pump) put(data []byte, h pumped) {
	p.mu.Lock()
	for b := &p.filling; len(b.heads) > 0 && (len(b.data)+len(data) > batchBytes || len(b.heads) >= batchPackets); {
		if p.ending.Load() {
			p.mu.Unlock()
			return
		}
		p.library.Unlock() // Counts may be called
		p.room.Wait()
		p.mu.Unlock()
		p.library.Lock()
		p.mu.Lock()
	}
	b := &p.filling
	b.data = append(b.data, data...)
	h.end = len(b.data)
	b.heads = append(b.heads, h)
	p.mu.Unlock()
	p.wake()
}

// Read implements device.
func (p *pump) Read(rec *Record) (bool, error) {
	if p.ending.Load() {
		return false, errors.New("the capture is closed")
	}
	if p.next == len(p.reading.heads) {
		if err := p.take(); err != nil || len(p.reading.heads) == 0 {
			return false, err
		}
	}
	h, start := &p.reading.heads[p.next], 0
	if p.next > 0 {
		start = p.reading.heads[p.next-1].end
	}
	p.next++
	*rec = Record{
		Data: p.reading.data[start:h.end:h.end], WireLen: h.wire, Time: h.time, HasTime: true,
		HasDrops: h.drops > 0, Drops: h.drops, Link: p.link,
	}
	return true, nil
}

// take makes what was filled what is read. The error comes after all packets.
func (p *pump) take() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reading, p.filling = p.filling, batch{p.reading.data[:0], p.reading.heads[:0]}
	p.next = 0
	p.room.Signal()
	if len(p.reading.heads) == 0 {
		return p.err
	}
	return nil
}

// poll asks the library for losses.
func (p *pump) poll() {
	if n, err := p.handle.dropped(); err == nil {
		p.losses.add(n, time.Now().UnixNano())
	}
}

// Counts counts what was read itself: what the library says was received is,
// with the system, before or after the filter, and on Linux twice for loopback.
// It may wait as long as a packet may.
func (p *pump) Counts() DeviceCounts {
	p.library.Lock()
	defer p.library.Unlock()
	if !p.ending.Load() {
		p.poll()
	}
	return DeviceCounts{Received: p.passed + p.losses.total, Dropped: p.losses.total}
}

// Close keeps the counts. It waits as long as a packet may.
func (p *pump) Close() error {
	if p.ending.Swap(true) {
		return nil
	}
	p.mu.Lock()
	p.room.Signal()
	p.mu.Unlock()
	<-p.done
	p.library.Lock()
	defer p.library.Unlock()
	p.poll()
	p.handle.close()
	return nil
}
