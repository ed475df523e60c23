//go:build linux && !libpcap

package capture

import (
	"errors"
	"fmt"
	"net"
	"time"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"github.com/dpdissect/dpdissect/internal/capfilter"
)

// A ring captures from a packet socket whose buffer is shared with the kernel
// (TPACKET_V3, packet_mmap): no packet is copied and blocks of packets cost one
// look each.
type ring struct {
	fd     int
	name   string
	index  int // of the interface, 0 for all
	mem    []byte
	blocks uint64
	cook   bool // SLL2 is put in the place of the link layer, which differs from packet to packet
	loop   int  // index of the loopback interface: what leaves it comes back
	desc   Interface

	filter  *Filter
	judge   uint8 // which packets the filter must judge again
	snaplen int
	vnet    bool     // the kernel tells of segmentation offload
	apart   segments // of the packet at hand
	tagged  bool     // it had a VLAN tag
	notice  string   // what people must know of the capture, "" for nothing

	taken uint64  // number of the block at hand, or of the next one
	held  bool    // the block at hand is not given back yet
	left  uint32  // packets in it that were not read
	at    uintptr // where the next one begins

	counts    DeviceCounts
	passed    uint64 // packets in the blocks that the kernel handed over
	discarded uint64 // packets the kernel counts and Read does not give
	more      uint64 // packets that Read gives and the kernel counts as part of others
	lost      []loss
	due       uint64 // lost before the packet that is given next
	gone      error  // what the socket failed with
	goneAt    time.Time
}

// Which packets the filter must judge after the kernel.
const (
	judgeNone   = iota
	judgeTagged // those the kernel took a VLAN tag off
	judgeAll    // the kernel has no filter
)

// openDevice opens an interface, "any" for all of them.
func openDevice(name string, o *LiveOptions) (device, error) {
	r := &ring{name: name, fd: -1, filter: o.Filter, snaplen: o.Snaplen}
	if err := r.find(); err != nil {
		return nil, err
	}
	// Without a protocol the socket gets nothing until it is bound: no packet comes
	// before the filter is in place.
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, r.opening(err)
	}
	r.fd = fd
	r.desc.Snaplen = uint32(o.Snaplen)
	if err := r.prepare(o); err != nil {
		r.Close()
		return nil, r.opening(err)
	}
	return r, nil
}

// find looks the interface up and decides what its packets look like.
func (r *ring) find() error {
	r.desc = Interface{Name: r.name, Link: anyLink}
	all, err := net.Interfaces()
	if err != nil {
		return fmt.Errorf("network interfaces: %w", err)
	}
	for _, i := range all {
		if i.Flags&net.FlagLoopback != 0 {
			r.loop = i.Index
		}
		if i.Name == r.name {
			r.index = i.Index
		}
	}
	switch {
	case r.name == anyDevice:
		r.cook = true
	case r.index == 0:
		return NoDeviceError(r.name)
	default:
		kinds, err := hardwareKinds()
		if err != nil {
			return fmt.Errorf("network interfaces: %w", err)
		}
		r.desc.Link, r.cook = linkOf(kinds[r.index].arphrd)
	}
	return nil
}

func (r *ring) prepare(o *LiveOptions) error {
	set := func(opt, v int) error { return unix.SetsockoptInt(r.fd, unix.SOL_PACKET, opt, v) }
	if err := set(unix.PACKET_VERSION, unix.TPACKET_V3); err != nil {
		return fmt.Errorf("packet ring: %w", err)
	}
	if err := set(unix.PACKET_RESERVE, headroom); err != nil {
		return fmt.Errorf("packet ring: %w", err)
	}
	r.askSegments()
	// Somebody must ask for times when packets arrive: else each socket notes when
	// it gets them, later and each another.
	unix.SetsockoptInt(r.fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
	if r.index == r.loop {
		set(unix.PACKET_IGNORE_OUTGOING, 1) // kernels without it give both, and Read leaves one out
	}
	if err := r.attach(o); err != nil {
		return err
	}
	if err := r.share(o); err != nil {
		return err
	}
	if o.Promiscuous && r.index != 0 && r.index != r.loop {
		m := unix.PacketMreq{Ifindex: int32(r.index), Type: unix.PACKET_MR_PROMISC}
		if err := unix.SetsockoptPacketMreq(r.fd, unix.SOL_PACKET, unix.PACKET_ADD_MEMBERSHIP, &m); err != nil {
			return fmt.Errorf("promiscuous mode: %w", err)
		}
	}
	if err := unix.Bind(r.fd, &unix.SockaddrLinklayer{Protocol: bigEndian(unix.ETH_P_ALL), Ifindex: r.index}); err != nil {
		return err
	}
	// An interface that is down can be bound to: the socket has the error.
	if code, err := unix.GetsockoptInt(r.fd, unix.SOL_SOCKET, unix.SO_ERROR); err == nil && code != 0 {
		return unix.Errno(code)
	}
	return nil
}

// attach puts the filter into the kernel, or notes that it can't be.
func (r *ring) attach(o *LiveOptions) error {
	prog := []bpf.Instruction{bpf.RetConstant{Val: MaxPacket}}
	if o.Filter != nil {
		full, err := o.Filter.program(r.desc.Link)
		if err != nil {
			return err
		}
		if _, err := o.Filter.vm(r.desc.Link); err != nil {
			return err
		}
		if r.cook { // the kernel sees other bytes in front of the network layer
			r.judge = judgeAll
		} else {
			prog, r.judge = capfilter.AcceptTagged(full), judgeTagged
		}
	}
	udp, others := prog, snapped(prog, o.Snaplen)
	if r.vnet && r.judge == judgeTagged && looksInside(prog, linkHeader(r.desc.Link)) {
		udp, r.judge = []bpf.Instruction{bpf.RetConstant{Val: MaxPacket}}, judgeAll
	}
	if !r.vnet {
		prog = others
	} else if r.judge == judgeAll && !r.cook || o.Snaplen < MaxPacket {
		prog = wholeUDP(udp, others)
	}
	raw, err := bpf.Assemble(prog)
	if err != nil {
		return fmt.Errorf("the capture filter: %w", err)
	}
	fprog := unix.SockFprog{Len: uint16(len(raw)), Filter: (*unix.SockFilter)(unsafe.Pointer(&raw[0]))}
	if err := unix.SetsockoptSockFprog(r.fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &fprog); err != nil {
		return fmt.Errorf("the capture filter: %w", err)
	}
	return nil
}

// linkHeader is the length of what stands before the network layer.
func linkHeader(link LinkType) uint32 {
	if link == LinkEthernet {
		return etherHeader
	}
	return 0
}

// snapped makes a program keep so many bytes of what it accepts.
func snapped(prog []bpf.Instruction, snaplen int) []bpf.Instruction {
	out := make([]bpf.Instruction, len(prog))
	for i, ins := range prog {
		if ret, ok := ins.(bpf.RetConstant); ok && ret.Val > uint32(snaplen) {
			ins = bpf.RetConstant{Val: uint32(snaplen)}
		}
		out[i] = ins
	}
	return out
}

// share makes the ring.
func (r *ring) share(o *LiveOptions) error {
	r.blocks = uint64(max(2, (o.Buffer+blockSize-1)/blockSize))
	const frame = 2048 // only its multiple counts in this version of rings
	req := unix.TpacketReq3{
		Block_size: blockSize, Block_nr: uint32(r.blocks),
		Frame_size: frame, Frame_nr: uint32(r.blocks) * (blockSize / frame),
		Retire_blk_tov: uint32(max(1, o.Delay.Milliseconds())),
	}
	if err := unix.SetsockoptTpacketReq3(r.fd, unix.SOL_PACKET, unix.PACKET_RX_RING, &req); err != nil {
		return fmt.Errorf("a packet buffer of %d MiB: %w", o.Buffer>>20, err)
	}
	mem, err := unix.Mmap(r.fd, 0, int(r.blocks)*blockSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("a packet buffer of %d MiB: %w", o.Buffer>>20, err)
	}
	r.mem = mem
	return nil
}

// opening explains why an interface can't be opened.
func (r *ring) opening(err error) error {
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return noRight(r.name)
	case errors.Is(err, unix.ENETDOWN):
		return fmt.Errorf("%s is down: 'ip link set %s up' brings it up", r.name, r.name)
	}
	return fmt.Errorf("%s: %w", r.name, err)
}

// Read implements device.
func (r *ring) Read(rec *Record) (bool, error) {
	for {
		for r.apart.next(rec) {
			if r.keep(rec, r.tagged) {
				return true, nil
			}
			r.discarded++
		}
		if r.left == 0 && !r.takeBlock() {
			return false, r.failure()
		}
		hdr := (*unix.Tpacket3Hdr)(unsafe.Pointer(&r.mem[r.at]))
		start := r.at
		r.at += uintptr(hdr.Next_offset)
		r.left--
		if r.record(hdr, start, rec) {
			return true, nil
		}
		r.discarded++
	}
}

// lastWords is how long after its end an interface may still have something in a
// block.
const lastWords = 200 * time.Millisecond

// failure is why nothing more will come, or nil. What the kernel has still in the
// block it was filling comes first.
func (r *ring) failure() error {
	if r.gone == nil || time.Since(r.goneAt) < lastWords {
		return nil
	}
	return r.gone
}

// fail notes an error of the socket.
func (r *ring) fail() {
	code, err := unix.GetsockoptInt(r.fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err == nil && code != 0 {
		err = unix.Errno(code)
	}
	if err == nil || r.gone != nil {
		return
	}
	r.goneAt = time.Now()
	if errors.Is(err, unix.ENETDOWN) {
		if r.exists() {
			err = errors.New("the interface went down")
		} else {
			err = errors.New("the interface vanished")
		}
	}
	r.gone = err
}

func (r *ring) exists() bool {
	i, err := net.InterfaceByIndex(r.index)
	return err == nil && i.Name == r.name
}

// Describe implements device.
func (r *ring) Describe() Interface { return r.desc }

// Notice is what people must know of the capture, "" for nothing.
func (r *ring) Notice() string { return r.notice }

// Counts implements device.
func (r *ring) Counts() DeviceCounts {
	if r.fd >= 0 {
		r.ask()
	}
	received := r.counts.Received + r.more
	return DeviceCounts{received - min(r.discarded, received), r.counts.Dropped}
}

// Close implements device.
func (r *ring) Close() error {
	if r.fd < 0 {
		return nil
	}
	r.Counts()
	var err error
	if r.mem != nil {
		err = unix.Munmap(r.mem)
		r.mem = nil
	}
	err = errors.Join(err, unix.Close(r.fd))
	r.fd, r.left, r.held = -1, 0, false
	return err
}
