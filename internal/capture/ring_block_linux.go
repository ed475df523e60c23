//go:build linux && !libpcap

package capture

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// blockSize is a part of the ring that is filled and handed over as a whole. It
// holds the largest packet that loopback makes.
const blockSize = 128 << 10

// A loss is packets that were lost before a block began.
type loss struct{ block, packets uint64 }

// block is the header of the block at hand.
func (r *ring) block() *unix.TpacketHdrV1 { return r.blockOf(r.taken) }

func (r *ring) blockOf(number uint64) *unix.TpacketHdrV1 {
	desc := (*unix.TpacketBlockDesc)(unsafe.Pointer(&r.mem[number%r.blocks*blockSize]))
	return (*unix.TpacketHdrV1)(unsafe.Pointer(&desc.Hdr))
}

// isFull reports whether the kernel handed a block over: it is full, or its time was
// over.
func (r *ring) isFull(number uint64) bool {
	return atomic.LoadUint32(&r.blockOf(number).Block_status)&unix.TP_STATUS_USER != 0
}

// waits reports whether the block after the one at hand can be read.
func (r *ring) waits() bool {
	next := r.taken
	if r.held {
		next++
	}
	return r.fd >= 0 && r.isFull(next)
}

// takeBlock gives the block at hand back to the kernel and takes the next one, if
// it is full or its time is over.
func (r *ring) takeBlock() bool {
	if r.held {
		r.giveBack()
	}
	if !r.isFull(r.taken) {
		return false
	}
	b := r.block()
	r.held, r.left = true, b.Num_pkts
	r.passed += uint64(b.Num_pkts)
	r.at = uintptr(r.taken%r.blocks*blockSize) + uintptr(b.Offset_to_first_pkt)
	for len(r.lost) > 0 && r.lost[0].block <= r.taken {
		r.due += r.lost[0].packets
		r.lost = r.lost[1:]
	}
	return r.left > 0 || r.takeBlock()
}

// giveBack ends the use of the block at hand. What was lost since the last time was
// lost because no block was free: after the newest of those that wait, before the
// one that the kernel fills once it has this one back.
func (r *ring) giveBack() {
	// While the newest one is not full the kernel had room, and need not be asked.
	short := r.isFull(r.taken+r.blocks-1) || r.taken%askEvery == 0
	next := r.taken + r.blocks
	if short {
		r.ask()
	}
	b := r.block()
	atomic.StoreUint32(&b.Block_status, unix.TP_STATUS_KERNEL)
	r.held = false
	r.taken++
	if !short {
		return
	}
	// Between the two calls above it was lost for the same reason, unless the block
	// is full again by now: then the last of it may be after that block.
	n := r.poll()
	if n > 1 && r.isFull(next) {
		r.lose(next, n-1)
		next, n = next+1, 1
	}
	r.lose(next, n)
}

// askEvery is the number of blocks that pass between two looks at the kernel's counters when
// nothing is short: losses may have other reasons than a full ring.
const askEvery = 256

// lose notes packets that were lost before a block.
func (r *ring) lose(block, packets uint64) {
	if packets > 0 {
		r.lost = append(r.lost, loss{block, packets})
	}
}

// ask notes what was lost since the kernel was asked last: after the newest of the blocks
// that wait.
func (r *ring) ask() { r.lose(r.taken+r.blocks, r.poll()) }

// poll reads the kernel's counters, which begin at 0 each time, and gives how many
// packets were lost since.
func (r *ring) poll() uint64 {
	s, err := unix.GetsockoptTpacketStatsV3(r.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS)
	if err != nil {
		return 0
	}
	r.counts.Received += uint64(s.Packets)
	r.counts.Dropped += uint64(s.Drops)
	return uint64(s.Drops)
}

// holdsBack reports whether the kernel has packets in a block that it did not hand
// over yet: on a busy machine it does that later than it was told to.
func (r *ring) holdsBack() bool {
	if r.fd < 0 {
		return false
	}
	r.ask()
	return r.counts.Received > r.counts.Dropped+r.passed
}
