package pairs

import (
	"net/netip"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
)

// A translator gives datagrams the addresses that they have at a point.
type translator struct {
	plan  *Plan
	log   *tracegen.WireLog
	start int64
	moved map[int]bool // players whose clients the server knows by another port
}

// address is the addresses of a datagram that is seen at a point at a true time.
func (x *translator) address(d *tracegen.SentDatagram, point int, now int64) (from, to netip.AddrPort) {
	far := point == x.plan.first(1) // beyond routers, as the clients see it
	if far && d.Side == 0 {
		x.moved[d.Player] = x.plan.Rebind > 0 && now-x.start >= int64(x.plan.Rebind)
	}
	return x.one(d.From, d.Player, point, far), x.one(d.To, d.Player, point, far)
}

func (x *translator) one(a netip.AddrPort, player, point int, far bool) netip.AddrPort {
	client := a == x.log.Hosts[0] || a == x.log.Alias
	switch {
	case client && far && x.plan.NAT != NoNAT:
		port := 40000 + uint16(31*player)
		if a == x.log.Alias {
			port += 7
		}
		if x.moved[player] {
			port += 5003
		}
		host := "203.0.113.7"
		if x.plan.NAT == Proxy {
			host = "10.0.0.9"
		}
		return outside(a, host, port)
	case client && order(x.plan.At[point]) == 0: // within what the session's own router hides
		a = x.log.Hosts[0]
	case a == x.log.Hosts[1] && far && x.plan.NAT == Proxy:
		return outside(a, "10.0.0.5", a.Port()+1000)
	}
	if client && x.log.Players > 1 {
		return outside(a, "192.0.2."+string(rune('1'+player/10))+string(rune('0'+player%10)), a.Port())
	}
	return a
}

// outside is an address of the family of another one.
func outside(like netip.AddrPort, host string, port uint16) netip.AddrPort {
	if like.Addr().Is6() {
		host = "2001:db8:9::" + host
	}
	return netip.AddrPortFrom(netip.MustParseAddr(host), port)
}
