package config

import (
	"net/netip"
	"strconv"
)

// mostKnown is of how many addresses it is remembered which name they have.
const mostKnown = 1 << 14

// A Namer tells the names of addresses. It is for one goroutine.
type Namer struct {
	exact map[netip.AddrPort]string // for a port of an address
	hosts map[netip.Addr]string     // for an address
	nets  []*Name                   // for networks, in the order of the files
	known map[netip.AddrPort]string // that were asked for
}

// Namer tells the names of the configuration.
func (c *Config) Namer() *Namer {
	r := &Namer{map[netip.AddrPort]string{}, map[netip.Addr]string{}, nil, map[netip.AddrPort]string{}}
	for i := range c.Names {
		n := &c.Names[i]
		switch a := n.prefix.Addr(); {
		case n.prefix.Bits() < a.BitLen():
			r.nets = append(r.nets, n)
		case n.port != 0:
			keep(r.exact, netip.AddrPortFrom(a, n.port), n.Text)
		default:
			keep(r.hosts, a, n.Text)
		}
	}
	return r
}

// keep enters what is not there: the first one counts.
func keep[K comparable](m map[K]string, k K, text string) {
	if _, is := m[k]; !is {
		m[k] = text
	}
}

// NameOf gives the name of an address with a port, "" for none: the one for the port first,
// then the one for the address, then the one for the smallest network, and of equals the
// first.
func (r *Namer) NameOf(a netip.AddrPort) string {
	name, is := r.known[a]
	if !is {
		if len(r.known) >= mostKnown {
			clear(r.known)
		}
		name = r.find(netip.AddrPortFrom(a.Addr().Unmap(), a.Port()))
		r.known[a] = name
	}
	return name
}

func (r *Namer) find(a netip.AddrPort) string {
	if name, is := r.exact[a]; is {
		return name
	}
	name, is := r.hosts[a.Addr()]
	if !is {
		name = r.network(a.Addr())
	}
	if name == "" {
		return ""
	}
	return name + ":" + strconv.Itoa(int(a.Port()))
}

func (r *Namer) network(a netip.Addr) (name string) {
	best := -1
	for _, n := range r.nets {
		if n.prefix.Bits() > best && n.prefix.Contains(a) {
			best, name = n.prefix.Bits(), n.Text
		}
	}
	return name
}
