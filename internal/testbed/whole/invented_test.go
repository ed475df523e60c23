package whole

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"strconv"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/session"
)

// An invented protocol is one over UDP that numbers and acknowledges its
// datagrams as ours do, in a layout of its own: what a recogniser of behaviour
// must not fall for.
type invented struct {
	data, ack []piece
	ackEvery  int // datagrams an acknowledgement answers
	window    int
	largest   int // bytes of payload
}

// A piece is one field of a header.
type piece struct {
	kind  pieceKind
	size  int
	big   bool
	value uint32
}

type pieceKind int

const (
	constant pieceKind = iota
	kindByte           // one of a few values, at random
	sequence
	acknowledged // the latest received
	expected     // the one after it
	clockMs
	payloadSize
	sessionID
	noise
	zero
	pieceKinds
)

func (k pieceKind) String() string {
	return [...]string{"constant", "kind", "sequence", "acknowledged", "expected", "clock", "size", "session", "noise", "zero"}[k]
}

func inventPieces(rnd *rand.Rand, must ...pieceKind) []piece {
	var list []piece
	for n := rnd.IntN(5); n > 0; n-- {
		list = append(list, piece{kind: pieceKind(rnd.IntN(int(pieceKinds)))})
	}
	for _, k := range must {
		i := rnd.IntN(len(list) + 1)
		list = append(list[:i], append([]piece{{kind: k}}, list[i:]...)...)
	}
	for i := range list {
		p := &list[i]
		p.size, p.big, p.value = []int{1, 1, 2, 2, 3, 4}[rnd.IntN(6)], rnd.IntN(2) == 0, rnd.Uint32()
		if rnd.IntN(2) == 0 {
			p.value &= 0x0f // small constants are what protocols like
		}
	}
	return list
}

// invent makes a protocol. Acknowledgements may come in datagrams of their own,
// with the data, or both.
func invent(rnd *rand.Rand) *invented {
	s := &invented{ackEvery: 1 + rnd.IntN(3), window: 1 + rnd.IntN(4), largest: 1 + rnd.IntN(80)}
	s.data = inventPieces(rnd, sequence)
	if rnd.IntN(2) == 0 {
		s.data = inventPieces(rnd, kindByte, sequence, acknowledged)
	}
	s.ack = inventPieces(rnd, constant, acknowledged)
	return s
}

type inventedEnd struct {
	next, got uint32
	session   uint32
}

func (s *invented) write(rnd *rand.Rand, list []piece, e *inventedEnd, ms uint32, payload int) []byte {
	var b []byte
	for _, p := range list {
		v := p.value
		switch p.kind {
		case kindByte:
			v = p.value + rnd.Uint32N(3)
		case sequence:
			v = e.next
		case acknowledged:
			v = e.got
		case expected:
			v = e.got + 1
		case clockMs:
			v = ms
		case payloadSize:
			v = uint32(payload)
		case sessionID:
			v = e.session
		case noise:
			v = rnd.Uint32()
		case zero:
			v = 0
		}
		var field [4]byte
		if p.big {
			binary.BigEndian.PutUint32(field[:], v)
			b = append(b, field[4-p.size:]...)
		} else {
			binary.LittleEndian.PutUint32(field[:], v)
			b = append(b, field[:p.size]...)
		}
	}
	for range payload {
		b = append(b, byte(rnd.Uint32N(4)*rnd.Uint32N(64)))
	}
	return b
}

// play lets two ends of one talk and gives their datagrams.
func (s *invented) play(rnd *rand.Rand, pair int, n int) (all []dissect.Datagram) {
	ends := [2]inventedEnd{{session: rnd.Uint32()}, {session: rnd.Uint32()}}
	for i := range ends {
		ends[i].next = []uint32{0, 1, rnd.Uint32()}[rnd.IntN(3)]
	}
	addr := func(side dissect.Dir) dissect.Endpoint {
		return dissect.MakeEndpoint(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(pair >> 8), byte(pair), byte(1 + side)}), uint16(20000+side)))
	}
	ms, unanswered := rnd.Uint32(), 0
	say := func(side dissect.Dir, list []piece, payload int) {
		ms += rnd.Uint32N(20)
		b := s.write(rnd, list, &ends[side], ms, payload)
		all = append(all, dissect.Datagram{Time: int64(len(all)+1) * 11e6, HasTime: true, Src: addr(side), Dst: addr(side.Other()),
			Payload: b, Length: len(b), IPID: uint16(len(all) + 1)})
	}
	for len(all) < n {
		side := dissect.Dir(rnd.IntN(2))
		for range 1 + rnd.IntN(s.window) {
			say(side, s.data, rnd.IntN(s.largest))
			ends[side.Other()].got = ends[side].next
			ends[side].next++
			if unanswered++; unanswered >= s.ackEvery {
				unanswered = 0
				say(side.Other(), s.ack, 0)
			}
		}
	}
	return all
}

// TestInventedProtocols: invented protocols that number and acknowledge must never be
// recognised, whatever their layout. DPDISSECT_INVENTED sets how many are tried.
func TestInventedProtocols(t *testing.T) {
	n := 1500
	if s := os.Getenv("DPDISSECT_INVENTED"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	rnd := rand.New(rand.NewPCG(4, 5))
	all := protocols.All(protocols.Options{})
	for i := range n {
		s := invent(rnd)
		tab := session.NewTable(session.Config{Protocols: all})
		for k, d := range s.play(rnd, i, 300) {
			d.Frame = uint64(k + 1)
			tab.Add(&d)
		}
		tab.Close(0)
		for _, c := range tab.Conns() {
			t.Errorf("stranger %d with data %v and acknowledgements %v was taken for %s with %.0f bits", i, layout(s.data), layout(s.ack), c.Protocol.Name, c.Bits)
		}
	}
}

func layout(list []piece) (out []string) {
	for _, p := range list {
		out = append(out, fmt.Sprintf("%v/%d/%#x", p.kind, p.size, p.value))
	}
	return out
}
