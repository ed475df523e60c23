package pairs

import (
	"fmt"
	"net/netip"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
)

// A translator gives datagrams the addresses that they have at a point.
type translator struct {
	plan  *Plan
	log   *tracegen.WireLog
	start int64
	ports map[client]uint16 // that routers gave
	moved map[client]bool   // the server knows them by another port
}

// A client is an address of a player.
type client struct {
	address netip.AddrPort
	player  int
}

// address is the addresses of a datagram that is seen at a point at a true time.
func (x *translator) address(d *tracegen.SentDatagram, point int, now int64) (from, to netip.AddrPort) {
	far := point == x.plan.first(1) // beyond routers, as the clients see it
	c, server := client{d.From, d.Player}, d.To
	if d.Side == 1 {
		c.address, server = d.To, d.From
	} else if far {
		x.moved[c] = x.plan.Rebind > 0 && now-x.start >= int64(x.plan.Rebind)
	}
	from, to = x.client(c, point, far), server
	if far && x.plan.NAT == Proxy {
		to = outside(server, "10.0.0.5", server.Port()+1000)
	}
	if d.Side == 1 {
		from, to = to, from
	}
	return from, to
}

func (x *translator) client(c client, point int, far bool) netip.AddrPort {
	switch {
	case far && x.plan.NAT != NoNAT:
		port, known := x.ports[c]
		if !known {
			port = uint16(40000 + 31*len(x.ports))
			x.ports[c] = port
		}
		if x.moved[c] {
			port += 5003
		}
		if x.plan.NAT == Proxy {
			return outside(c.address, "10.0.0.9", port)
		}
		return outside(c.address, "203.0.113.7", port)
	case c.address == x.log.Alias && order(x.plan.At[point]) == 0: // the session's own router hides it
		c.address = x.log.Hosts[0]
	}
	if x.log.Players > 1 {
		return outside(c.address, fmt.Sprintf("192.0.2.%d", 100+c.player), c.address.Port())
	}
	return c.address
}

// outside is an address of the family of another one.
func outside(like netip.AddrPort, host string, port uint16) netip.AddrPort {
	if like.Addr().Is6() {
		host = "2001:db8:9::" + host
	}
	return netip.AddrPortFrom(netip.MustParseAddr(host), port)
}
