package capfilter

import "golang.org/x/net/bpf"

// A link says what the packets of a link type begin with.
type link struct {
	name   string
	family family
	typeAt uint32 // of the field that says what the packet carries
	net    uint32 // of the network header
}

// family is how a link says what its packets carry.
type family uint8

const (
	famEthernet family = iota // EtherType, or a length and LLC
	famCooked                 // EtherType, or 4 and LLC
	famCooked2                // EtherType
	famRaw                    // nothing: the version of IP
	famRaw4                   // always IPv4
	famRaw6                   // always IPv6
	famNull                   // an address family in the order of a little-endian machine
	famLoop                   // an address family in network order
	famPPP                    // a protocol of PPP
	famOpaque                 // can't be told
)

// links are the link types, by LINKTYPE_ number.
var links = map[uint32]*link{
	0:   {"BSD loopback", famNull, 0, 4},
	1:   {"Ethernet", famEthernet, 12, 14},
	9:   {"PPP", famPPP, 2, 4},
	12:  {"raw IP", famRaw, 0, 0},
	14:  {"raw IP", famRaw, 0, 0},
	50:  {"PPP in HDLC framing", famPPP, 2, 4},
	101: {"raw IP", famRaw, 0, 0},
	108: {"OpenBSD loopback", famLoop, 0, 4},
	113: {"Linux cooked v1", famCooked, 14, 16},
	204: {"PPP with direction", famOpaque, 0, 0},
	228: {"raw IPv4", famRaw4, 0, 0},
	229: {"raw IPv6", famRaw6, 0, 0},
	276: {"Linux cooked v2", famCooked2, 0, 20},
}

// Numbers of protocols in link headers.
const (
	typeIP4     = 0x800
	typeIP6     = 0x86dd
	maxLength   = 1500 // an EtherType above is none, but a length
	sapIP       = 0x06 // SAPs that stand twice in LLC headers
	sapNetBEUI  = 0xf0
	sapISO      = 0xfe
	sapIPX      = 0xe0
	sapSTP      = 0x42
	typeAtalk   = 0x809b
	typeAARP    = 0x80f3
	cookedLLC   = 4
	familyIP4   = 2
	typeDECnet  = 0x6003
	typeXeroxNS = 0x600
)

// familiesIP6 are the numbers of IPv6 on NetBSD and macOS, FreeBSD.
var familiesIP6 = [...]uint32{0x1e, 0x18, 0x1c}

// carries tests what a packet carries, by EtherType or SAP.
func (g *generator) carries(typ uint32) cond {
	at := g.link.typeAt + g.shift
	switch g.link.family {
	case famEthernet, famCooked:
		return g.etherType(at, typ)
	case famCooked2:
		return g.equal(at, 2, typ)
	case famPPP:
		return g.pppType(at, typ)
	case famRaw:
		switch typ {
		case typeIP4:
			return g.version(0x40)
		case typeIP6:
			return g.version(0x60)
		}
		return always(false)
	case famRaw4:
		return always(typ == typeIP4)
	case famRaw6:
		return always(typ == typeIP6)
	case famNull, famLoop:
		return g.addressFamily(at, typ)
	}
	g.Fail(g.at, "%s packets don't say what they carry", g.link.name)
	return always(false)
}

// etherType tests an EtherType, or for small numbers the SAP of an LLC header.
func (g *generator) etherType(at, typ uint32) cond {
	switch typ {
	case sapIPX, typeAtalk, typeAARP:
		g.Fail(g.at, "the protocol %#x, which comes in several forms, is not supported", typ)
	case sapIP, sapNetBEUI, sapISO:
		return allOf(g.hasLLC(at), g.equal(at+2, 2, typ<<8|typ))
	}
	if typ > maxLength {
		return g.equal(at, 2, typ)
	}
	return allOf(g.hasLLC(at), g.equal(at+2, 1, typ))
}

// hasLLC tests whether an LLC header comes instead of an EtherType.
func (g *generator) hasLLC(at uint32) cond {
	if g.link.family == famCooked {
		return g.equal(at, 2, cookedLLC)
	}
	return inverse{compare(g.load(at, 2), bpf.JumpGreaterThan, maxLength)}
}

// pppTypes are protocols of PPP by EtherType or SAP.
var pppTypes = map[uint32]uint32{
	typeIP4: 0x21, typeIP6: 0x57, sapISO: 0x23, typeXeroxNS: 0x25, typeDECnet: 0x27, typeAtalk: 0x29,
	sapIPX: 0x2b, sapSTP: 0x31,
}

// pppType tests the protocol of PPP for an EtherType.
func (g *generator) pppType(at, typ uint32) cond {
	if ppp, ok := pppTypes[typ]; ok {
		typ = ppp
	}
	return g.equal(at, 2, typ)
}

// version tests the upper half of the first byte of the IP header.
func (g *generator) version(k uint32) cond {
	return compare(g.join(bpf.ALUOpAnd, g.load(0, 1), g.constant(0xf0)), bpf.JumpEqual, k)
}

// addressFamily tests the family of loopback headers for an EtherType.
func (g *generator) addressFamily(at, typ uint32) cond {
	order := func(k uint32) uint32 {
		if g.link.family == famNull {
			return k << 24
		}
		return k
	}
	switch typ {
	case typeIP4:
		return g.equal(at, 4, order(familyIP4))
	case typeIP6:
		return anyOf(g.equal(at, 4, order(familiesIP6[0])), g.equal(at, 4, order(familiesIP6[1])),
			g.equal(at, 4, order(familiesIP6[2])))
	}
	return always(false)
}

// vlan tests for a tag, and moves the places for what comes after.
func (g *generator) vlan(x *vlan) cond {
	if g.link.family != famEthernet {
		g.Fail(x.at, "%s has no VLAN tags", g.link.name)
		return always(false)
	}
	at := g.link.typeAt + g.shift
	g.shift += 4
	c := anyOf(g.equal(at, 2, 0x8100), g.equal(at, 2, 0x88a8), g.equal(at, 2, 0x9100))
	if x.id == nil {
		return c
	}
	if uint32(x.id.Number) > 0xfff {
		g.Fail(x.id.At, "VLAN numbers go up to 4095")
	}
	id := g.join(bpf.ALUOpAnd, g.load(at+2, 2), g.constant(0xfff))
	return both{c, compare(id, bpf.JumpEqual, uint32(x.id.Number))}
}

// cast tests for broadcast and multicast.
func (g *generator) cast(x *cast) cond {
	switch {
	case x.proto == "ip" && x.multi:
		return allOf(g.carries(typeIP4), compare(g.load(g.net()+16, 1), bpf.JumpGreaterOrEqual, 0xe0))
	case x.proto == "ip6" && x.multi:
		return allOf(g.carries(typeIP6), g.equal(g.net()+24, 1, 0xff))
	case x.proto == "ip":
		g.Fail(x.at, "ip broadcast is not supported: the netmask is not known")
	case x.proto != "" && x.proto != "ether" && x.proto != "link":
		g.Fail(x.at, "%s has no broadcast or multicast addresses", x.proto)
	case g.link.family != famEthernet:
		g.Fail(x.at, "%s has no broadcast or multicast addresses", g.link.name)
	case x.multi:
		return compare(g.load(0, 1), bpf.JumpBitsSet, 1)
	}
	return g.mac(0, [6]byte{255, 255, 255, 255, 255, 255})
}

// mac tests a MAC address.
func (g *generator) mac(at uint32, m [6]byte) cond {
	return allOf(
		g.equal(at+2, 4, uint32(m[2])<<24|uint32(m[3])<<16|uint32(m[4])<<8|uint32(m[5])),
		g.equal(at, 2, uint32(m[0])<<8|uint32(m[1])))
}
