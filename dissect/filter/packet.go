package filter

import (
	"github.com/dpdissect/dpdissect/dissect"
)

// packetEntries are the names of what every frame has: its place in the capture,
// its addresses, what it is, and its findings.
func packetEntries() []*entry {
	var all []*entry
	all = append(all, frameEntries()...)
	all = append(all, ipEntries("ip", false)...)
	all = append(all, ipEntries("ipv6", true)...)
	all = append(all, udpEntries()...)
	return append(all, verdictEntries()...)
}

func newEntry(name string, c class, size int, doc string) *entry {
	return &entry{operand: operand{notation: notation{name: name, size: size}, class: c}, doc: doc}
}

func presence(name, doc string, here func(fr *dissect.Frame) bool) *entry {
	e := newEntry(name, classPresence, 0, doc)
	e.here = func(fr *dissect.Frame, _ Times) bool { return here(fr) }
	return e
}

func number(name string, size int, doc string, get func(fr *dissect.Frame) (uint64, bool)) *entry {
	e := newEntry(name, classUint, size, doc)
	e.uints = one(func(fr *dissect.Frame, _ Times) (uint64, bool) { return get(fr) })
	return e
}

func instant(name string, c class, doc string, get func(fr *dissect.Frame, t Times) int64) *entry {
	e := newEntry(name, c, 0, doc)
	e.ints = one(func(fr *dissect.Frame, t Times) (int64, bool) { return get(fr, t), fr.HasTime })
	return e
}

// text is a text field that is absent when it is empty.
func text(name, doc string, words []string, get func(fr *dissect.Frame) string) *entry {
	e := newEntry(name, classText, 0, doc)
	e.words = words
	e.texts = one(func(fr *dissect.Frame, _ Times) (string, bool) {
		s := get(fr)
		return s, s != ""
	})
	return e
}

func frameEntries() []*entry {
	return []*entry{
		presence("frame", "every frame", func(*dissect.Frame) bool { return true }),
		number("frame.number", 8, "number in the capture, from 1", func(fr *dissect.Frame) (uint64, bool) { return fr.Frame, true }),
		number("frame.len", 8, "bytes on the wire", func(fr *dissect.Frame) (uint64, bool) { return uint64(fr.WireLen), true }),
		number("frame.cap_len", 8, "bytes captured", func(fr *dissect.Frame) (uint64, bool) { return uint64(fr.CapLen), true }),
		instant("frame.time", classTime, "arrival, as in \"2026-01-31T12:00:00Z\", or \"12:00:05\" on the day of the first packet", func(fr *dissect.Frame, _ Times) int64 { return fr.Time }),
		instant("frame.time_epoch", classTime, "arrival, seconds since 1970", func(fr *dissect.Frame, _ Times) int64 { return fr.Time }),
		instant("frame.time_relative", classSeconds, "seconds since the first packet", func(_ *dissect.Frame, t Times) int64 { return t.Relative }),
		instant("frame.time_delta", classSeconds, "seconds since the previous packet", func(_ *dissect.Frame, t Times) int64 { return t.Delta }),
	}
}

// ipEntries are the names of one version of IP, absent in frames of the other.
func ipEntries(prefix string, six bool) []*entry {
	ends := func(name, doc string, first, n int) *entry {
		e := newEntry(prefix+name, classAddress, 0, doc)
		e.addresses = indexed(
			func(fr *dissect.Frame) int { return n * int(truthNumber(fr.IPv6 == six)) },
			func(fr *dissect.Frame, i int) address { return makeAddress(&end(fr, first+i).IP) })
		return e
	}
	hops := "ttl"
	if six {
		hops = "hlim"
	}
	all := []*entry{
		presence(prefix, "a frame over this version of IP", func(fr *dissect.Frame) bool { return fr.IPv6 == six }),
		ends(".addr", "source or destination address", 0, 2),
		ends(".src", "source address", 0, 1),
		ends(".dst", "destination address", 1, 1),
		number(prefix+"."+hops, 1, "hops left", func(fr *dissect.Frame) (uint64, bool) { return uint64(fr.TTL), fr.IPv6 == six }),
	}
	if !six {
		all = append(all, number("ip.id", 2, "identification", func(fr *dissect.Frame) (uint64, bool) { return uint64(fr.IPID), !fr.IPv6 }))
	}
	return all
}

// end is the source (0) or the destination (1).
func end(fr *dissect.Frame, i int) *dissect.Endpoint {
	if i == 0 {
		return &fr.Src
	}
	return &fr.Dst
}

// udpHeader is the length of a UDP header, which udp.length counts.
const udpHeader = 8

func udpEntries() []*entry {
	ports := newEntry("udp.port", classUint, 2, "source or destination port")
	ports.uints = bothPorts
	payload := newEntry("udp.payload", classBytes, 0, "captured bytes of the datagram")
	payload.bytes = one(func(fr *dissect.Frame, _ Times) ([]byte, bool) { return fr.Payload, len(fr.Payload) > 0 })
	return []*entry{
		presence("udp", "every frame", func(*dissect.Frame) bool { return true }),
		notices(),
		ports,
		payload,
		number("udp.srcport", 2, "source port", func(fr *dissect.Frame) (uint64, bool) { return uint64(fr.Src.Port), true }),
		number("udp.dstport", 2, "destination port", func(fr *dissect.Frame) (uint64, bool) { return uint64(fr.Dst.Port), true }),
		number("udp.length", 2, "bytes of the datagram with its header", func(fr *dissect.Frame) (uint64, bool) { return uint64(fr.Length + udpHeader), true }),
	}
}

// notices is the only name that asks for packets that are no datagrams.
func notices() *entry {
	e := presence("icmp", "an ICMP notice that a datagram could not be delivered, with the addresses of that datagram", func(fr *dissect.Frame) bool { return fr.Kind == dissect.Unreachable })
	e.notices = true
	return e
}

// bothPorts is the source of udp.port, the field that filters ask for most.
func bothPorts(fr *dissect.Frame, _ Times, at cursor) (uint64, cursor, bool) {
	switch at.node {
	case 0:
		return uint64(fr.Src.Port), cursor{node: 1}, true
	case 1:
		return uint64(fr.Dst.Port), cursor{node: 2}, true
	}
	return 0, at, false
}

// directions are the values of direction.
var directions = []string{"a", "b"}

// severities are the values of note.severity.
var severities = []string{"error", "warn", "note"}

func verdictEntries() []*entry {
	analysis := newEntry("analysis", classText, 0, "the analysis words of the frame")
	analysis.words, analysis.texts = dissect.WordNames[:], wordTexts
	summary := newEntry("summary", classBytes, 0, "the summary line of the frame")
	summary.plain = true // bytes, because a string of them would be a copy
	summary.bytes = one(func(fr *dissect.Frame, _ Times) ([]byte, bool) { return fr.Summary, len(fr.Summary) > 0 })
	return append(generatedEntries(),
		text("protocol", "protocol of the frame", nil, func(fr *dissect.Frame) string { return fr.Protocol }),
		text("type", "type of the frame, such as \"SACK\"", nil, func(fr *dissect.Frame) string { return fr.Type }),
		text("direction", "side that sent it: \"a\" or \"b\"", directions, direction),
		summary,
		analysis,
		late(number("connection", 8, "id of its connection", func(fr *dissect.Frame) (uint64, bool) { return uint64(fr.Connection), fr.Connection >= 0 })),
		late(presence("note", "a frame with findings", func(fr *dissect.Frame) bool { return len(fr.Notes) > 0 })),
		note("note.rule", "rule of a finding", nil, func(n *dissect.Note) string { return n.Rule }),
		note("note.severity", "\"error\", \"warn\" or \"note\"", severities, func(n *dissect.Note) string { return n.Severity }),
		note("note.message", "text of a finding", nil, func(n *dissect.Note) string { return n.Message }),
	)
}

// wordTexts gives the names of the words that are set.
func wordTexts(fr *dissect.Frame, _ Times, at cursor) (string, cursor, bool) {
	for i := at.node; i < len(dissect.WordNames); i++ {
		if fr.Words.Has(1 << i) {
			return dissect.WordNames[i], cursor{node: i + 1}, true
		}
	}
	return "", at, false
}

func direction(fr *dissect.Frame) string {
	switch fr.Direction {
	case 'a':
		return directions[0]
	case 'b':
		return directions[1]
	}
	return ""
}

func note(name, doc string, words []string, get func(n *dissect.Note) string) *entry {
	e := newEntry(name, classText, 0, doc)
	e.words = words
	e.texts = indexed(func(fr *dissect.Frame) int { return len(fr.Notes) },
		func(fr *dissect.Frame, i int) string { return get(&fr.Notes[i]) })
	return late(e)
}

// generatedEntries are what the analysis gives a frame.
func generatedEntries() (all []*entry) {
	for i := range dissect.GeneratedFields {
		v := &dissect.GeneratedFields[i]
		e := newEntry(v.Name, classUint, 8, v.In("seconds"))
		switch {
		case v.Time:
			e.class, e.size = classSeconds, 0
			e.ints = one(func(fr *dissect.Frame, _ Times) (int64, bool) { n := v.Of(fr); return int64(n), n != 0 })
		case v.All != nil:
			e.uints = indexed(func(fr *dissect.Frame) int { return len(v.All(fr)) }, func(fr *dissect.Frame, i int) uint64 { return v.All(fr)[i] })
		default:
			e.uints = one(func(fr *dissect.Frame, _ Times) (uint64, bool) { n := v.Of(fr); return n, n != 0 })
		}
		e.late = v.Late
		all = append(all, e)
	}
	return all
}

// late marks what is known of a frame only when it is printed.
func late(e *entry) *entry {
	e.late = true
	return e
}
