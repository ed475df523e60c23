package capfilter

import (
	"encoding/binary"
	"math/bits"
	"net/netip"
	"strconv"
	"strings"

	"github.com/dpdissect/dpdissect/dissect/syntax"
	"golang.org/x/net/bpf"
)

// named tests for a protocol.
func (g *generator) named(word string) cond {
	if typ, ok := etherTypes[word]; ok {
		return g.carries(typ)
	}
	p := protocols[word]
	switch {
	case p.ip4 && p.ip6:
		return g.proto("", p.number)
	case p.ip4:
		return g.proto("ip", p.number)
	case p.ip6:
		return g.proto("ip6", p.number)
	}
	g.Fail(g.at, "%s alone is not a test", word)
	return always(false)
}

// proto tests the protocol field of IP, and that of an IPv6 fragment header.
func (g *generator) proto(version string, n uint32) cond {
	switch version {
	case "ip":
		return allOf(g.carries(typeIP4), g.equal(g.net()+9, 1, n))
	case "ip6":
		return allOf(g.carries(typeIP6), either{g.equal(g.net()+6, 1, n),
			allOf(g.equal(g.net()+6, 1, 44), g.equal(g.net()+40, 1, n))})
	}
	return either{g.proto("ip", n), g.proto("ip6", n)}
}

// identified tests for an id with its qualifiers.
func (g *generator) identified(x *identified) cond {
	if x.mask != nil && x.typ != "net" {
		g.Fail(x.mask.whole, "only networks have a mask (net %s)", x.id.Text)
	}
	switch x.typ {
	case "proto":
		return g.protoID(x)
	case "port", "portrange":
		return g.portID(x)
	}
	switch {
	case x.proto == "ether" || x.proto == "link":
		return g.linkAddress(x)
	case x.id.Kind == tokNumber || x.id.Kind == tokIPv4:
		return g.ip4ID(x)
	case x.id.Kind == tokIPv6:
		return g.ip6ID(x)
	case x.id.Kind == tokMAC:
		g.Fail(x.id.At, "a MAC address needs ether host, ether src or ether dst before it")
	default:
		g.Fail(x.id.At, "%s is not an address (names are not looked up)", x.id.Text)
	}
	return always(false)
}

// protoID tests for a protocol by its number or name.
func (g *generator) protoID(x *identified) cond {
	ether := x.proto == "ether" || x.proto == "link"
	n, known := uint32(x.id.Number), x.id.Kind == tokNumber
	if x.id.Kind == syntax.Word || x.id.Kind == tokEscaped {
		if n, known = ipNames[x.id.Text]; ether {
			n, known = etherTypes[x.id.Text]
		}
	}
	switch {
	case !known:
		g.Fail(x.id.At, "%s is not a number of a protocol, nor a name that is known", x.id.Text)
	case ether:
		return g.carries(n)
	case x.proto == "" || x.proto == "ip" || x.proto == "ip6":
		return g.proto(x.proto, n)
	default:
		g.Fail(x.at, "%s proto makes no sense (ether proto, ip proto and ip6 proto do)", x.proto)
	}
	return always(false)
}

// linkAddress tests for a MAC address.
func (g *generator) linkAddress(x *identified) cond {
	switch {
	case x.id.Kind != tokMAC:
		g.Fail(x.id.At, "%s is not a MAC address", x.id.Text)
	case x.typ == "net":
		g.Fail(x.at, "a MAC address is not a network (ether host)")
	case g.link.family != famEthernet:
		g.Fail(x.at, "%s has no MAC addresses", g.link.name)
	}
	mac, _ := parseMAC(x.id.Text)
	return x.dir.join(func(src bool) cond { return g.mac(pick(src, 6, 0), mac) })
}

// join makes the tests of a direction.
func (d direction) join(make func(src bool) cond) cond {
	switch d {
	case dirSrc:
		return make(true)
	case dirDst:
		return make(false)
	case dirBoth:
		return both{make(true), make(false)}
	}
	return either{make(true), make(false)}
}

// pick is a if src is true, else b.
func pick(src bool, a, b uint32) uint32 {
	if src {
		return a
	}
	return b
}

// ip4ID tests for an IPv4 address or network.
func (g *generator) ip4ID(x *identified) cond {
	addr, mask := g.ip4Network(x)
	if addr&^mask != 0 {
		g.Fail(x.mask.whole, "the address has bits outside its mask")
	}
	switch x.proto {
	case "ip", "arp", "rarp":
		return g.ip4Addr(x, x.proto, addr, mask)
	case "":
		return anyOf(g.ip4Addr(x, "ip", addr, mask), g.ip4Addr(x, "arp", addr, mask), g.ip4Addr(x, "rarp", addr, mask))
	}
	g.Fail(x.at, "%s packets have no IPv4 addresses of their own", x.proto)
	return always(false)
}

// ip4Network gives the address and mask of an id.
func (g *generator) ip4Network(x *identified) (addr, mask uint32) {
	addr, mask = uint32(x.id.Number), 0xffffffff
	switch m := x.mask; {
	case x.id.Kind == tokIPv4:
		mask <<= 32 - 8*(1+strings.Count(x.id.Text, "."))
		if m == nil {
			break
		}
		if m.addr != nil {
			return addr, uint32(m.addr.Number)
		}
		if m.bits > 32 {
			g.Fail(m.at, "IPv4 addresses have 32 bits")
		}
		mask = 0xffffffff << (32 - min(32, m.bits))
	case x.typ == "net":
		shift := bits.LeadingZeros32(addr) &^ 7 & 31
		if addr == 0 {
			shift = 0
		}
		return addr << shift, mask << shift
	}
	return addr, mask
}

// ip4Addr tests the addresses of one protocol.
func (g *generator) ip4Addr(x *identified, proto string, addr, mask uint32) cond {
	src, dst := uint32(12), uint32(16)
	if proto != "ip" {
		src, dst = 14, 24
	}
	return x.dir.join(func(s bool) cond {
		return both{g.carries(etherTypes[proto]), g.masked(g.net()+pick(s, src, dst), addr, mask)}
	})
}

// ip6ID tests for an IPv6 address or network.
func (g *generator) ip6ID(x *identified) cond {
	width := uint32(128)
	if x.mask != nil {
		if width = x.mask.bits; width > 128 {
			g.Fail(x.mask.at, "IPv6 addresses have 128 bits")
			return always(false)
		}
	}
	if x.proto != "" && x.proto != "ip6" {
		g.Fail(x.at, "%s packets have no IPv6 addresses of their own", x.proto)
	}
	addr := netip.MustParseAddr(x.id.Text).As16()
	for i := range addr {
		if addr[i]&^byte(maskWord(width, 8, uint32(i))) != 0 {
			g.Fail(x.mask.whole, "the address has bits outside its mask")
		}
	}
	return x.dir.join(func(src bool) cond {
		c := g.carries(typeIP6)
		for i := range uint32(4) {
			word := binary.BigEndian.Uint32(addr[4*i:])
			c = both{c, g.masked(g.net()+pick(src, 8, 24)+4*i, word, uint32(maskWord(width, 32, i)))}
		}
		return c
	})
}

// maskWord is the i-th word of a mask with so many bits set.
func maskWord(width, wordBits, i uint32) uint64 {
	set := min(wordBits, max(width, wordBits*i)-wordBits*i)
	whole := uint64(1)<<wordBits - 1
	return whole << (wordBits - set) & whole
}

// portRange reads the ids of port and portrange.
func (g *generator) portRange(x *identified) (low, high uint32) {
	first, last, found := strings.Cut(x.id.Text, "-")
	switch {
	case x.id.Kind == tokNumber:
		low, high = uint32(x.id.Number), uint32(x.id.Number)
	case x.typ == "portrange" && x.id.Kind == syntax.Word && found && allDigits([]string{first, last}) && !leadingZero(first, last):
		l, err1 := strconv.ParseUint(first, 10, 32)
		h, err2 := strconv.ParseUint(last, 10, 32)
		if err1 != nil || err2 != nil {
			l = 1 << 16
		}
		low, high = uint32(min(l, h)), uint32(max(l, h))
	case x.typ == "portrange":
		g.Fail(x.id.At, "%s is not a range of ports (names are not looked up)", x.id.Text)
	default:
		g.Fail(x.id.At, "%s is not a port (names are not looked up)", x.id.Text)
	}
	if high > 65535 {
		g.Fail(x.id.At, "port numbers go up to 65535")
	}
	return low, high
}

// leadingZero tells numbers that could be meant as octal ones.
func leadingZero(numbers ...string) bool {
	for _, s := range numbers {
		if len(s) > 1 && s[0] == '0' {
			return true
		}
	}
	return false
}

// portID tests for ports.
func (g *generator) portID(x *identified) cond {
	low, high := g.portRange(x)
	protos := []uint32{132, 6, 17}
	switch x.proto {
	case "":
	case "tcp", "udp", "sctp":
		protos = []uint32{protocols[x.proto].number}
	default:
		g.Fail(x.at, "%s has no ports", x.proto)
		return always(false)
	}
	fits := func(v *value) cond {
		if x.typ == "port" {
			return compare(v, bpf.JumpEqual, low)
		}
		return both{compare(v, bpf.JumpGreaterOrEqual, low), inverse{compare(v, bpf.JumpGreaterThan, high)}}
	}
	net := g.net()
	ip6 := g.transports(protos, 6, func() cond {
		return x.dir.join(func(src bool) cond { return fits(g.load(net+pick(src, 40, 42), 2)) })
	})
	ip4 := g.transports(protos, 9, func() cond {
		return both{g.unfragmented(), x.dir.join(func(src bool) cond {
			return fits(g.loadAt(net+pick(src, 0, 2), g.header(net), 2))
		})}
	})
	return either{both{g.carries(typeIP6), ip6}, both{g.carries(typeIP4), ip4}}
}

// transports tests, for each protocol, its number in the IP header and the rest.
func (g *generator) transports(protos []uint32, at uint32, rest func() cond) cond {
	var each []cond
	for _, n := range protos {
		each = append(each, both{g.equal(g.net()+at, 1, n), rest()})
	}
	return anyOf(each[0], each[1:]...)
}

// unfragmented tests that an IPv4 packet is no later fragment.
func (g *generator) unfragmented() cond {
	return inverse{compare(g.load(g.net()+6, 2), bpf.JumpBitsSet, 0x1fff)}
}
