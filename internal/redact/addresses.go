package redact

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/dpdissect/dpdissect/dissect/stable"
)

// A mac is the address of a link.
type mac [6]byte

// Addresses is what stands for the addresses and ports of a capture, one to one. First it is
// shown all of them; then Assign decides. No replacement is one of those that were shown.
type Addresses struct {
	key        *Key
	keepPrefix bool
	mapPorts   bool
	full       bool // there are more than are noted
	macs       map[mac]mac
	ips        map[netip.Addr]netip.Addr
	ports      map[uint16]uint16
}

// NewAddresses knows none yet. keepPrefix keeps equal prefixes of /16 and /24, of IPv6 /48 and
// /64, equal; mapPorts replaces ports as well.
func NewAddresses(k *Key, keepPrefix, mapPorts bool) *Addresses {
	return &Addresses{key: k, keepPrefix: keepPrefix, mapPorts: mapPorts,
		macs: map[mac]mac{}, ips: map[netip.Addr]netip.Addr{}, ports: map[uint16]uint16{}}
}

// stays reports an address that stands for many hosts, for none, or for the host itself.
func stays(a netip.Addr) bool {
	a = a.Unmap()
	return a.IsLoopback() || a.IsUnspecified() || a.IsMulticast() || a == netip.AddrFrom4([4]byte{255, 255, 255, 255})
}

func addressOf(b []byte) netip.Addr { ip, _ := netip.AddrFromSlice(b); return ip }
func portOf(b []byte) uint16        { return binary.BigEndian.Uint16(b) }

// mostAddresses bounds how many of a kind there are; a capture with more is refused.
const mostAddresses = 1 << 19

// note shows what is at a place.
func (a *Addresses) note(kind placeKind, b []byte) {
	if max(len(a.macs), len(a.ips)) >= mostAddresses {
		a.full = true
		return
	}
	switch kind {
	case linkAddress:
		if m := mac(b); m[0]&1 == 0 && m != (mac{}) { // a group, or none, stays
			a.macs[m] = m
		}
	case ipAddress:
		if ip := addressOf(b); !stays(ip) {
			a.ips[ip] = ip
		}
	case udpPort:
		a.ports[portOf(b)] = portOf(b)
	}
}

// replace replaces what is at a place. What was not shown stays.
func (a *Addresses) replace(kind placeKind, b []byte) {
	switch kind {
	case linkAddress:
		if to, ok := a.macs[mac(b)]; ok {
			copy(b, to[:])
		}
	case ipAddress:
		if to, ok := a.ips[addressOf(b)]; ok {
			copy(b, to.AsSlice())
		}
	case udpPort:
		if to, ok := a.ports[portOf(b)]; ok {
			binary.BigEndian.PutUint16(b, to)
		}
	}
}

// Port is what stands for a port.
func (a *Addresses) Port(p uint16) uint16 {
	if to, ok := a.ports[p]; ok {
		return to
	}
	return p
}

var errFull = fmt.Errorf("the capture has more than %d addresses, or more ports than there are replacements", mostAddresses)

// Assign decides what stands for all that was shown, in an order that does not depend on the
// packets.
func (a *Addresses) Assign() (err error) {
	if a.full {
		return errFull
	}
	if !a.mapPorts {
		clear(a.ports)
	}
	a.macs, err = assign(a.macs, func(x, y mac) int { return bytes.Compare(x[:], y[:]) }, func(m mac, turn uint32) (mac, bool) {
		r := mac(a.key.hash(forMAC, turn, m[:])[:6])
		r[0] = 2
		return r, true
	})
	if err == nil {
		a.ips, err = assign(a.ips, netip.Addr.Compare, a.candidate)
	}
	if err == nil {
		a.ports, err = assign(a.ports, cmp.Compare[uint16], func(p uint16, turn uint32) (uint16, bool) {
			r := binary.LittleEndian.Uint16(a.key.hash(forPort, turn, []byte{byte(p >> 8), byte(p)})[:])
			return r, r >= 1024
		})
	}
	return err
}

// mostTries is how many replacements of a value are tried before all are said to be taken.
const mostTries = 1 << 20

// assign takes for each of some values the first candidate that is none of them, and is not
// taken.
func assign[T comparable](of map[T]T, order func(a, b T) int, candidate func(v T, turn uint32) (T, bool)) (map[T]T, error) {
	all := make([]T, 0, len(of))
	for v := range of {
		all = append(all, v)
	}
	stable.Sort(all, order)
	to, taken := make(map[T]T, len(all)), make(map[T]bool, len(all))
	for _, v := range all {
		for turn := uint32(0); ; turn++ {
			if turn == mostTries {
				return nil, errFull
			}
			r, ok := candidate(v, turn)
			if _, there := of[r]; ok && !there && !taken[r] {
				to[v], taken[r] = r, true
				break
			}
		}
	}
	return to, nil
}

// candidate is what may stand for an address: in 10.0.0.0/8 or 2001:db8::/32. One that ends
// like the broadcast of a network stands for one that does.
func (a *Addresses) candidate(ip netip.Addr, turn uint32) (netip.Addr, bool) {
	b, r, what, parts := ip.AsSlice(), []byte{10, 0, 0, 0}, byte(forIPv4), [...]int{1, 2, 3}
	if ip.Is6() {
		r = append([]byte{0x20, 0x01, 0x0d, 0xb8}, make([]byte, 12)...)
		what, parts = forIPv6, [...]int{4, 6, 8}
	}
	copy(r[parts[0]:], a.key.hash(what, turn, b)[:])
	if a.keepPrefix { // what stands for a prefix is another one when its addresses are used up
		copy(r[parts[0]:parts[1]], a.key.hash(what, 0, b[:parts[1]])[:])
		copy(r[parts[1]:parts[2]], a.key.hash(what, turn>>12, b[:parts[2]])[:])
	}
	last := len(r) - 1
	if ip.Is4() && b[last] == 255 {
		r[last] = 255
		return addressOf(r), true
	}
	return addressOf(r), ip.Is6() || r[last] != 0 && r[last] != 255
}
