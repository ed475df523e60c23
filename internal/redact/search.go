package redact

import (
	"bytes"
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/pipeline"
)

// mostPlaces bounds the places that are listed where something was found.
const mostPlaces = 20

// A Search looks for originals in a capture: the last pass.
type Search struct {
	Found  [numKinds]uint64
	Places []string // the first ones

	o      *Originals
	a      *Addresses
	layout layout
	pieces []piece
	later  []dissect.Datagram // that were not recognised, and hold something
	blocks map[int]*blocks
}

// NewSearch looks for what a survey has seen.
func NewSearch(s *Survey) *Search {
	return &Search{o: s.Originals, a: s.Addresses, blocks: map[int]*blocks{}}
}

// Attach makes a run of one worker show what it reads, as Survey.Attach does.
func (s *Search) Attach(r *pipeline.Run) { watch(r, s.packet, s.frame) }

// Rest searches what is known at the end of the run: what stands after the last packets of the
// inputs, and pairs that were not recognised.
func (s *Search) Rest(r *pipeline.Run) {
	guessed := guesses(r)
	for i := range s.later {
		d := &s.later[i]
		if p := guessed[way{d.Src, d.Dst}]; p != nil {
			s.datagram(d, guessedPieces(p, d.Payload))
		} else {
			s.look(d.Payload, false, placeOf(d))
		}
	}
	eachRest(r.Source, s.blocks, func(b []byte, number bool) {
		s.look(b, number, func() string { return "a block after the last packet" })
	})
}

// All counts what was found.
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

// mostLater bounds the datagrams that wait for what the end of the run tells of them.
const mostLater = 1 << 12

// frame searches the fields of a datagram.
func (s *Search) frame(fr *dissect.Frame) {
	if fr.Kind == dissect.UDP && isOurs(fr) {
		s.pieces = pieces(s.pieces[:0], fr)
		s.datagram(fr.Datagram, s.pieces)
		return
	}
	switch i, _, _ := s.o.at(fr.Payload); {
	case fr.Kind != dissect.UDP || i < 0:
	case len(s.later) < mostLater:
		d := *fr.Datagram
		d.Payload = bytes.Clone(d.Payload)
		s.later = append(s.later, d)
	default:
		s.look(fr.Payload, false, placeOf(fr.Datagram))
	}
}

func placeOf(d *dissect.Datagram) func() string {
	return func() string { return fmt.Sprintf("packet %d", d.Frame) }
}

func (s *Search) datagram(d *dissect.Datagram, all []piece) {
	where := placeOf(d)
	for _, p := range all {
		switch p.class {
		case dissect.Address, dissect.Port:
			unmasked(d.Payload, p, func(kind placeKind, v []byte) { s.place(place{kind, extent{0, len(v)}}, v, where) })
		default:
			s.look(p.of(d.Payload), p.class == dissect.Signature, where)
		}
	}
}
