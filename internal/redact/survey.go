package redact

import (
	"net"
	"net/netip"
	"slices"
	"strconv"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/session"
)

// maxSeen bounds how many values are told apart to be counted; further ones count each time.
const maxSeen = 1 << 20

// Options say how values are replaced.
type Options struct {
	Key        *Key
	KeepPrefix bool // equal prefixes of addresses stay equal
	MapPorts   bool // ports are replaced, too
}

// A Survey learns what a capture has that must not be published: the first pass.
type Survey struct {
	Replacer
	counts  counts
	players map[netip.Addr]bool // addresses of sessions that are followed
	guessed map[way]*dissect.Protocol
	now     uint64           // number of the packet at hand
	late    map[uint64]*told // frames of which the tracker told long after they came
	seen    set
	layout  layout
	pieces  []piece
	blocks  map[int]*blocks
	keys    learnedKeys
}

// counts are of different values.
type counts struct{ names, payloads, payloadBytes, secrets, signatures uint64 }

// NewSurvey has seen nothing.
func NewSurvey(o Options) *Survey {
	return &Survey{
		Replacer: Replacer{Key: o.Key, Addresses: NewAddresses(o.Key, o.KeepPrefix, o.MapPorts), Originals: NewOriginals()},
		players:  map[netip.Addr]bool{}, late: map[uint64]*told{}, blocks: map[int]*blocks{}, keys: newLearnedKeys(),
	}
}

// Keys is to be told of secrets while the survey is made.
func (s *Survey) Keys() track.KeyWatch { return &s.keys }

// Attach makes a run of one worker show what it reads; its sink is set already, and goes on.
// The run has trees, and its source blocks.
func (s *Survey) Attach(r *pipeline.Run) {
	watch(r, s.packet, s.frame)
}

// watch shows all packets of a run, and all frames.
func watch(r *pipeline.Run, packet func(*capture.Packet), frame func(*dissect.Frame)) {
	before, sink := r.Before, r.Sink
	r.Before = func(p *capture.Packet) {
		if before != nil {
			before(p)
		}
		packet(p)
	}
	r.Sink = func(shard int) session.Sink { return watcher{sink(shard), frame} }
}

// maxPairs bounds the pairs of which it is known when they came; further ones are in one table.
const maxPairs = 1 << 20

// InOrder makes a run of one worker spread address pairs over its tables in the order in which
// they come, whatever their addresses are.
func InOrder(r *pipeline.Run) {
	tables := map[way]int{}
	r.Shard = func(d *dissect.Datagram) int {
		table, ok := tables[way{d.Src, d.Dst}]
		if !ok && len(tables) < maxPairs {
			table = len(tables) / 2 % pipeline.Shards
			tables[way{d.Src, d.Dst}], tables[way{d.Dst, d.Src}] = table, table
		}
		return table
	}
}

// A watcher is a sink that shows frames.
type watcher struct {
	session.Sink
	show func(*dissect.Frame)
}

// Frame implements session.Sink.
func (w watcher) Frame(fr *dissect.Frame, c *session.Conn) {
	w.show(fr)
	w.Sink.Frame(fr, c)
}

// blocksOf are those of an input.
func blocksOf(m map[int]*blocks, input int) *blocks {
	if m[input] == nil {
		m[input] = &blocks{}
	}
	return m[input]
}

// told is what the tracker tells of a frame.
type told struct {
	pieces  []piece
	version uint32
}

// What comes from so many packets after a frame on may come too late for the writer. It is
// remembered of so many frames.
const (
	lateAfter = 512
	mostLate  = 1 << 16
)

func (s *Survey) packet(p *capture.Packet) {
	s.now = p.Frame
	s.layout.read(p.Record)
	for _, at := range s.layout.places {
		s.Addresses.note(at.kind, at.of(p.Record.Data))
	}
	blocksOf(s.blocks, p.File).texts(p.Record.Before, func(b []byte, _ bool) { s.Originals.addTexts(b) })
	comments(p.Record, s.Originals.addTexts)
}

// isOurs reports a frame of a protocol that is known: of others no field is.
func isOurs(fr *dissect.Frame) bool { return fr.Protocol != "" && fr.Protocol != "udp" }

// A way is who sends to whom.
type way struct{ from, to dissect.Endpoint }

// guesses finds the pairs of a run that were not recognised and of which there is something to
// tell all the same, as that they go on with a connection from another port: they are read by
// the protocol that they most likely speak.
func guesses(r *pipeline.Run) map[way]*dissect.Protocol {
	type heading struct {
		from netip.Addr
		to   dissect.Endpoint
		name string
	}
	known := map[heading]bool{}
	for _, c := range r.Conns() {
		known[heading{c.A.Addr(), c.B, c.Protocol.Name}], known[heading{c.B.Addr(), c.A, c.Protocol.Name}] = true, true
	}
	found := map[way]*dissect.Protocol{}
	for _, p := range r.Stories() {
		name, _ := p.Guess()
		if p.Protocol != "" || !p.Tells() && !known[heading{p.Src.Addr(), p.Dst, name}] {
			continue
		}
		for _, of := range r.Config.Protocols {
			if of.Name == name {
				found[way{p.Src, p.Dst}], found[way{p.Dst, p.Src}] = of.Protocol, of.Protocol
			}
		}
	}
	return found
}

// guessedPieces are those of a datagram as a protocol reads it without more knowledge.
func guessedPieces(p *dissect.Protocol, payload []byte) []piece {
	fr := dissect.Frame{Tree: &dissect.Tree{Data: payload}}
	fr.Type, fr.Err = p.Decode(fr.Tree)
	return pieces(nil, &fr)
}

func (s *Survey) frame(fr *dissect.Frame) {
	if !isOurs(fr) || fr.Kind != dissect.UDP {
		return
	}
	for _, e := range [...]*dissect.Endpoint{&fr.Src, &fr.Dst} {
		if a := e.Addr(); !stays(a) {
			s.players[a] = true
		}
	}
	s.pieces = pieces(s.pieces[:0], fr)
	if s.now >= fr.Frame+lateAfter && len(s.late) < mostLate {
		s.late[fr.Frame] = &told{slices.Clone(s.pieces), fr.Layout.Version}
	}
	for _, p := range s.pieces {
		v := p.of(fr.Payload)
		switch p.class {
		case dissect.Address, dissect.Port:
			unmasked(fr.Payload, p, s.Addresses.note)
		default:
			s.value(p.class, v)
		}
		if p.class == dissect.Signature && len(v) == 8 {
			s.keys.saw([8]byte(v))
		}
	}
}

// value counts a value, and notes it, when it is seen for the first time.
func (s *Survey) value(class dissect.Privacy, v []byte) {
	if isZero(v) {
		return
	}
	id := s.Key.id(v) ^ uint64(class)
	if s.seen.n >= maxSeen && !s.seen.has(id) || s.seen.n < maxSeen && s.seen.add(id) {
		c := &s.counts
		switch class {
		case dissect.Name:
			c.names++
		case dissect.Payload:
			c.payloads++
			c.payloadBytes += uint64(len(v))
		case dissect.Secret:
			c.secrets++
		case dissect.Signature:
			c.signatures++
			return // nobody's, and made again
		}
		s.Originals.add(v, class == dissect.Name)
	}
}

// Assign decides what stands for what, once a run has seen all.
func (s *Survey) Assign(r *pipeline.Run) error {
	s.guessed = guesses(r)
	eachRest(r.Source, s.blocks, func(b []byte, _ bool) { s.Originals.addTexts(b) })
	s.Originals.addAddresses(s.Addresses)
	return s.Addresses.Assign()
}

// eachRest shows the blocks after the last packets.
func eachRest(src *capture.Source, m map[int]*blocks, show func(b []byte, number bool)) {
	for input := range src.Infos() {
		b, _ := src.Rest(input)
		blocksOf(m, input).texts(b, show)
	}
}

// Map is what stands for what, for who may know.
func (s *Survey) Map() map[string]map[string]string {
	m := map[string]map[string]string{"macs": {}, "ips": {}, "ports": {}}
	for from, to := range s.Addresses.macs {
		m["macs"][net.HardwareAddr(from[:]).String()] = net.HardwareAddr(to[:]).String()
	}
	for from, to := range s.Addresses.ips {
		m["ips"][from.String()] = to.String()
	}
	for from, to := range s.Addresses.ports {
		m["ports"][strconv.Itoa(int(from))] = strconv.Itoa(int(to))
	}
	return m
}

// Hosts are how many addresses play, and how many others are in the capture.
func (s *Survey) Hosts() (players, others int) {
	for a := range s.players {
		if _, ok := s.Addresses.ips[a]; ok {
			players++
		}
	}
	return players, len(s.Addresses.ips) - players
}

// Counts are how many different values are replaced: MAC, IPv4 and IPv6 addresses, ports,
// names, payloads, bytes of these, secrets and signatures.
func (s *Survey) Counts() [9]uint64 {
	ipv4 := 0
	for a := range s.Addresses.ips {
		if a.Is4() {
			ipv4++
		}
	}
	c := &s.counts
	return [9]uint64{uint64(len(s.Addresses.macs)), uint64(ipv4), uint64(len(s.Addresses.ips) - ipv4), uint64(len(s.Addresses.ports)),
		c.names, c.payloads, c.payloadBytes, c.secrets, c.signatures}
}

// Secret is what stands for a secret that was given.
func (s *Survey) Secret(from dp8.Secret) dp8.Secret { return s.Key.secret(from) }
