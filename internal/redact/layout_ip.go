package redact

import "github.com/dpdissect/dpdissect/internal/capture"

// IP protocol numbers.
const (
	protoHopByHop = 0
	protoICMP     = 1
	protoIPv4     = 4
	protoUDP      = 17
	protoIPv6     = 41
	protoRouting  = 43
	protoFragment = 44
	protoAH       = 51
	protoICMPv6   = 58
	protoDestOpts = 60
)

const udpHeader = 8

// ip tells the versions apart by the first four bits.
func (l *layout) ip(e extent) {
	if e.size() == 0 || !l.deeper() {
		return
	}
	switch l.b[e.from] >> 4 {
	case 4:
		l.ipv4(e)
	case 6:
		l.ipv6(e)
	}
}

// until ends an extent where its header says. After that is padding of the link, which may
// hold anything. It reports whether all is there.
func (l *layout) until(e *extent, to int) (whole bool) {
	if to < e.to {
		l.clear(max(to, e.from), e.to)
		e.to = max(to, e.from)
	}
	return to <= e.to
}

func (l *layout) ipv4(e extent) {
	if e.size() < 20 {
		return
	}
	start, n, total := e.from, int(l.b[e.from]&15)*4, l.u16(e.from+2)
	l.add(ipAddress, start+12, 4)
	l.add(ipAddress, start+16, 4)
	l.pseudo = [2]extent{{start + 12, start + 16}, {start + 16, start + 20}}
	if n < 20 || n > e.size() || total != 0 && total < n {
		return
	}
	l.nops = append(l.nops, extent{start + 20, start + n})
	l.sums = append(l.sums, checksum{kind: sumIP, at: start + 10, over: extent{start, start + n}, whole: true})
	whole := total == 0 || l.until(&e, start+total)
	l.skip(&e, n)
	if frag := l.u16(start + 6); frag&0x3fff != 0 {
		l.fragment(l.b[start+9], e, frag&0x1fff*8)
		return
	}
	l.transport(false, l.b[start+9], e, whole)
}

func (l *layout) ipv6(e extent) {
	if e.size() < 40 {
		return
	}
	start, n := e.from, l.u16(e.from+4)
	l.add(ipAddress, start+8, 16)
	l.add(ipAddress, start+24, 16)
	l.pseudo = [2]extent{{start + 8, start + 24}, {start + 24, start + 40}}
	l.skip(&e, 40)
	whole := n == 0 || l.until(&e, start+40+n)
	l.extensions(true, l.b[start+6], e, whole)
}

// extensions walks over extension headers to the transport.
func (l *layout) extensions(v6 bool, proto byte, e extent, whole bool) {
	for l.deeper() && e.size() >= 8 {
		n, is := capture.Extension(proto, e.of(l.b))
		if !is {
			l.transport(v6, proto, e, whole)
			return
		}
		head := extent{e.from, e.from + n}
		if n == 0 || !l.skip(&e, n) {
			return
		}
		switch proto {
		case protoFragment:
			if f := l.u16(head.from + 2); f&^6 != 0 {
				l.fragment(l.b[head.from], e, f&^7)
				return
			}
		case protoRouting:
			l.routing(head)
		case protoHopByHop, protoDestOpts:
			l.clear(head.from+2, head.to) // options that are padding
		}
		proto = l.b[head.from]
	}
}

// routing notes the addresses of a routing header. As long as segments are left, checksums
// are over the last one.
func (l *layout) routing(e extent) {
	for at := e.from + 8; at+16 <= e.to; at += 16 {
		l.add(ipAddress, at, 16)
	}
	if l.b[e.from+3] != 0 && e.size() >= 24 {
		l.pseudo[1] = extent{e.to - 16, e.to}
	}
}

func (l *layout) transport(v6 bool, proto byte, e extent, whole bool) {
	switch {
	case proto == protoUDP:
		l.udp(e, whole)
	case proto == protoICMP && !v6 && !l.quoted, proto == protoICMPv6 && v6 && !l.quoted:
		l.icmp(e, v6)
	case proto == protoAH && !v6:
		l.extensions(v6, proto, e, whole)
	case proto == protoIPv4 || proto == protoIPv6:
		l.ip(e)
	}
}

// udp notes a header of UDP and the extent of what it carries.
func (l *layout) udp(e extent, whole bool) {
	if e.size() >= 4 {
		l.add(udpPort, e.from, 2)
		l.add(udpPort, e.from+2, 2)
	}
	start := e.from
	if !l.skip(&e, udpHeader) {
		l.skip(&e, e.size())
		return
	}
	n := l.u16(start + 4)
	if n == 0 {
		n = e.to - start
	}
	if n < udpHeader {
		return
	}
	sum := checksum{kind: sumUDP, at: start + 6, over: extent{start, start + udpHeader}, pseudo: l.pseudo, length: n, part: l.isPart}
	if !l.isPart { // else the content lies in other packets, too
		sum.whole = l.until(&e, start+n) && whole
		sum.over.to = e.to
	}
	l.sums = append(l.sums, sum)
	if l.quoted {
		l.clear(e.from, e.to)
		l.end = e.to
		return
	}
	l.isUDP, l.content = true, e
}

// fragment notes a part of a datagram: the header of UDP stands in the first one.
func (l *layout) fragment(proto byte, e extent, offset int) {
	if l.isPart {
		return // a fragment within another one is not put together
	}
	if l.isPart = true; offset == 0 {
		start := e.from
		l.extensions(true, proto, e, false)
		l.offset = l.content.from - start
		return
	}
	switch proto {
	case protoUDP, protoHopByHop, protoRouting, protoDestOpts, protoAH:
		if l.offset, l.content = offset, e; l.quoted {
			l.clear(e.from, e.to)
			l.end = e.to
		}
	}
}

// icmp notes what messages quote, and the addresses of neighbour discovery. Of others nothing
// is known.
func (l *layout) icmp(e extent, v6 bool) {
	if e.size() < 8 {
		return
	}
	typ := l.b[e.from]
	sum := checksum{kind: sumICMP, at: e.from + 2, over: e, whole: true}
	if v6 {
		sum.kind, sum.pseudo, sum.length = sumICMPv6, l.pseudo, e.size()
	}
	switch {
	case v6 && typ >= 1 && typ <= 4, !v6 && (typ >= 3 && typ <= 5 || typ == 11 || typ == 12):
		l.sums = append(l.sums, sum)
		if !v6 && typ == 5 { // redirect: a gateway
			l.add(ipAddress, e.from+4, 4)
		}
		l.skip(&e, 8)
		l.quoted = true
		l.ip(e)
	case v6 && typ >= 133 && typ <= 137:
		l.sums = append(l.sums, sum)
		l.discovery(e, typ)
	}
}

// discovery notes the addresses of neighbour discovery: of targets, and of links in options
// (RFC 4861).
func (l *layout) discovery(e extent, typ byte) {
	all := e.to
	l.skip(&e, 8)
	targets := map[byte]int{135: 1, 136: 1, 137: 2}[typ] // solicitation, advertisement, redirect
	for ; targets > 0 && e.size() >= 16; targets-- {
		l.add(ipAddress, e.from, 16)
		e.from += 16
	}
	if typ == 134 { // of a router: two times
		l.skip(&e, 8)
	}
	for e.size() >= 8 {
		n := int(l.b[e.from+1]) * 8
		if n == 0 || n > e.size() {
			break
		}
		switch kind := l.b[e.from]; {
		case kind == 1 || kind == 2:
			l.add(linkAddress, e.from+2, 6)
			l.clear(e.from+8, e.from+n)
		case kind == 3 && n == 32: // a prefix
			l.add(ipAddress, e.from+16, 16)
		case kind != 5: // anything but the MTU
			l.clear(e.from+2, e.from+n)
		}
		e.from += n
	}
	l.clear(e.from, all)
	l.end = all
}
