//go:build linux && !libpcap

package capture

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Segmentation offload: on the host that sends or receives, a packet socket gives one
// packet for several that are on the wire. With PACKET_VNET_HDR the kernel puts a
// header before each packet that tells how long they are.
//
//	flags:8 | gso type:8 | header length:16 | gso size:16 | checksum start:16 | checksum offset:16
const (
	vnetHeader    = 10
	vnetNeedsSum  = 1 // of flags: checksum start is there
	vnetUDP       = 5 // VIRTIO_NET_HDR_GSO_UDP_L4
	vnetCongested = 0x80
)

// vnetKernel is the first version of Linux that tells of UDP. Those before drop
// packets of UDP segmentation offload when they are to tell.
const (
	vnetMajor = 6
	vnetMinor = 2
)

// noSegments is said where packets of segmentation offload come as they are.
const noSegments = "this kernel does not report the segments of UDP segmentation offload: its packets are split only where their content shows how"

// askSegments makes the kernel tell of segmentation offload; where it can't, the
// capture goes on without.
func (r *ring) askSegments() {
	r.notice = noSegments
	var u unix.Utsname
	if unix.Uname(&u) != nil || !tellsUDP(unix.ByteSliceToString(u.Release[:])) {
		return
	}
	if unix.SetsockoptInt(r.fd, unix.SOL_PACKET, unix.PACKET_VNET_HDR, 1) == nil {
		r.vnet, r.notice = true, ""
	}
}

// tellsUDP reports whether a version of Linux tells of UDP segmentation offload.
func tellsUDP(release string) bool {
	major, minor := 0, 0
	if n, _ := fmt.Sscanf(release, "%d.%d", &major, &minor); n < 2 {
		return false
	}
	return major > vnetMajor || major == vnetMajor && minor >= vnetMinor
}

// segment reads the header before a packet: the length of its segments, 0 for a packet
// that is one datagram, and where the UDP header of these is, 0 for unknown.
func (r *ring) segment(hdr *unix.Tpacket3Hdr, start uintptr) (size, udp int) {
	if !r.vnet {
		return 0, 0
	}
	b := r.mem[start+uintptr(hdr.Mac)-vnetHeader:]
	if b[1]&^vnetCongested != vnetUDP {
		return 0, 0
	}
	if b[0]&vnetNeedsSum != 0 {
		udp = int(binary.NativeEndian.Uint16(b[6:]))
	}
	return int(binary.NativeEndian.Uint16(b[4:])), udp
}

// wholeUDP makes a program keep packets of UDP as they are, whatever it keeps of
// others: of what is several datagrams all headers lie in the first bytes.
func wholeUDP(udp, others []bpf.Instruction) []bpf.Instruction {
	const network = 0xfff00000 // SKF_NET_OFF: offsets from the network layer
	prog := []bpf.Instruction{
		bpf.LoadExtension{Num: bpf.ExtProto},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: etherIPv4, SkipFalse: 2},
		bpf.LoadAbsolute{Off: network + 9, Size: 1},
		bpf.Jump{Skip: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: etherIPv6, SkipFalse: 2},
		bpf.LoadAbsolute{Off: network + 6, Size: 1},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: protoUDP, SkipTrue: 1},
		bpf.Jump{Skip: uint32(len(udp))},
	}
	return append(append(prog, udp...), others...)
}

// looksInside reports whether a filter may judge the datagrams of a packet otherwise
// than the packet: it asks for lengths, identification, or what lies after the ports.
// header is the length of the link layer.
func looksInside(prog []bpf.Instruction, header uint32) bool {
	for _, ins := range prog {
		switch x := ins.(type) {
		case bpf.LoadAbsolute:
			if x.Off >= header && !sharedField(x.Off-header) {
				return true
			}
		case bpf.LoadIndirect:
			if x.Off != header && x.Off != header+2 { // the ports
				return true
			}
		case bpf.LoadExtension:
			if x.Num == bpf.ExtLen {
				return true
			}
		case bpf.RawInstruction:
			return true
		}
	}
	return false
}

// sharedField reports a place in IP that is the same in all datagrams of a packet:
// version, fragment, protocol and addresses, and of IPv6 the ports.
func sharedField(off uint32) bool {
	return off == 0 || off == 6 || off == 9 || off >= 8 && off < 44
}
