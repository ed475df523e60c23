package redact

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/pipeline"
)

// mostPlaces is how many places are listed where something was found.
const mostPlaces = 20

// A Search looks for originals in a capture: the last pass.
type Search struct {
	Found  [numKinds]uint64
	Places []string // the first ones

	o      *Originals
	a      *Addresses
	layout layout
	pieces []piece
	blocks map[int]*blocks
}

// NewSearch looks for what a survey has seen.
func NewSearch(s *Survey) *Search {
	return &Search{o: s.Originals, a: s.Addresses, blocks: map[int]*blocks{}}
}

// Attach makes a run of one worker show what it reads, as Survey.Attach does.
func (s *Search) Attach(r *pipeline.Run) { watch(r, s.packet, s.frame) }

// Rest searches what stands behind the last packets of the inputs.
func (s *Search) Rest(src *capture.Source) {
	eachRest(src, s.blocks, func(b []byte, number bool) {
		s.look(b, number, func() string { return "a block after the last packet" })
	})
}

// All is how much was found.
func (s *Search) All() (n uint64) {
	for _, f := range s.Found {
		n += f
	}
	return n
}

func (s *Search) found(k Kind, where string) {
	s.Found[k]++
	place := fmt.Sprintf("%s: %s of the original", where, k)
	if n := len(s.Places); n < mostPlaces && (n == 0 || s.Places[n-1] != place) {
		s.Places = append(s.Places, place)
	}
}

// look searches bytes. Numbers, and digests, may be an address by chance: as such only its
// text counts there, and all of IPv6.
func (s *Search) look(b []byte, number bool, where func() string) {
	for {
		i, n, k := s.o.at(b)
		switch {
		case i < 0:
			return
		case !number || k != AnAddress || n > len(mac{}):
			s.found(k, where())
			return
		}
		b = b[i+1:]
	}
}

// packet searches what is no content of a datagram that is put together: all but the numbers
// of headers.
func (s *Search) packet(p *capture.Packet) {
	where := func() string { return fmt.Sprintf("packet %d", p.Frame) }
	blocksOf(s.blocks, p.File).texts(p.Record.Before, func(b []byte, number bool) {
		s.look(b, number, func() string { return fmt.Sprintf("a block in front of packet %d", p.Frame) })
	})
	comments(p.Record, func(b []byte) { s.look(b, false, where) })
	b, l := p.Record.Data, &s.layout
	l.read(p.Record)
	for _, at := range l.places {
		s.place(at, b, where)
	}
	for _, e := range append(l.blank, l.nops...) {
		s.look(e.of(b), false, where)
	}
	s.look(b[:min(l.end, len(b))], true, where)
	switch {
	case l.content.size() > 0 && (p.Class == capture.Fragment || p.Class == capture.NotUDP):
		s.look(l.content.of(b), false, where)
	case l.content.size() == 0 && l.end < len(b):
		s.look(b[l.end:], false, where)
	}
}

// place looks whether an address is one of the original.
func (s *Search) place(at place, b []byte, where func() string) {
	v := at.of(b)
	is := false
	switch at.kind {
	case linkAddress:
		_, is = s.a.macs[mac(v)]
	case ipAddress:
		is = s.o.hasIP(v)
	case udpPort:
		_, is = s.a.ports[portOf(v)]
	}
	if is {
		s.found(AnAddress, where())
	}
}

// frame searches the fields of a datagram.
func (s *Search) frame(fr *dissect.Frame) {
	if fr.Kind != dissect.UDP {
		return
	}
	where := func() string { return fmt.Sprintf("packet %d", fr.Frame) }
	if fr.Tree == nil || !isOurs(fr) {
		s.look(fr.Payload, false, where)
		return
	}
	s.pieces = pieces(s.pieces[:0], fr)
	for _, p := range s.pieces {
		switch p.class {
		case dissect.Address, dissect.Port:
			unmasked(fr.Payload, p, func(kind placeKind, v []byte) { s.place(place{kind, extent{0, len(v)}}, v, where) })
		default:
			s.look(p.of(fr.Payload), p.class == dissect.Signature, where)
		}
	}
}
