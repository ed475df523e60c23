package redact

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/dp8/track"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/record"
)

// room is how many bytes of packets may wait: for what later packets tell of them, and for
// the other fragments of their datagram.
const room = 16 << 20

// A Writer writes the packets of a run again with other values: the second pass.
type Writer struct {
	pipeline.NoMessages

	*Replacer
	Packets, Cut, Dropped uint64

	drop    bool   // packets of other protocols are left out
	last    uint64 // number of the last packet: with the first it tells how long was captured
	signer  signer
	blocks  map[int]*blocks
	out     *record.Copy
	read    []*packet // not printed yet
	at      *packet   // being printed
	more    int       // datagrams of it that are not printed yet
	parts   fragments
	pieces  []piece
	layout  layout
	guessed map[way]*dissect.Protocol
	late    map[uint64]*told
	told    map[string]bool
	lines   []string // secrets, as a file has them
	err     error
}

// A packet is on its way to be written.
type packet struct {
	record  capture.Record // of its own
	before  []byte
	section blocks
	file    int
	part    uint64 // of which datagram it is a fragment
	ends    bool   // it ends that datagram, or is none of its fragments
	isUDP   bool
	stays   bool // though it is of no protocol that is known: a notice of ICMP, or the first or last packet
	body    []byte
	known   bool   // body is what its datagrams become
	ours    bool   // they are of a protocol that is known
	change  uint16 // of the sum of body
	front   int    // bytes of headers in front of the content of a datagram that came in fragments
	cut     bool
	ready   bool
}

// NewWriter writes what a survey has seen. drop leaves packets of other protocols out; join
// puts several inputs into one section.
func NewWriter(s *Survey, drop, join bool) *Writer {
	return &Writer{Replacer: &s.Replacer, drop: drop, guessed: s.guessed, last: s.now, late: s.late, blocks: map[int]*blocks{}, out: record.NewCopy(record.CopyOptions{Join: join}),
		signer: signer{key: s.Key, learned: &s.keys, fresh: map[dp8.Secret]freshKey{}}, told: map[string]bool{}}
}

// Keys is to be told of secrets while packets are written.
func (w *Writer) Keys() track.KeyWatch { return &w.signer }

// Secrets are the fresh ones, as lines of a secrets file.
func (w *Writer) Secrets() []string { return w.lines }

// Err is why writing ended, nil as long as nothing went wrong.
func (w *Writer) Err() error { return w.err }

// Attach makes a run of one worker give its packets to the writer, which is the printer of
// the queue. It is for before the queue is attached. The source of the run gives blocks.
func (w *Writer) Attach(r *pipeline.Run, q *pipeline.Queue) {
	r.Config.Trees, q.Room = true, room
	before := r.Before
	r.Before = func(p *capture.Packet) {
		if before != nil {
			before(p)
		}
		w.hold(p)
	}
}

// hold keeps a packet until its turn comes.
func (w *Writer) hold(p *capture.Packet) {
	if p.Record.Block == nil {
		w.err = fmt.Errorf("%v does not fit in a pcapng file", p.Record.Link)
	}
	k := &packet{record: *p.Record, before: bytes.Clone(p.Record.Before), file: p.File, part: p.Assembly,
		ends: p.Class != capture.Fragment, isUDP: p.Class == capture.UDP, stays: p.Class == capture.Unreachable || p.Frame == 1 || p.Frame == w.last}
	k.record.Block, k.record.Data = bytes.Clone(p.Record.Block), bytes.Clone(p.Record.Data)
	w.read = append(w.read, k)
}

// A head stands with the content of a datagram until that is printed: what its sum was, where
// its signature is, and the secret that is made with.
type head struct {
	Ours      bool
	Sum       uint16
	At        uint16 // 0 for none
	Version   uint32
	Signature [8]byte
	Secret    dp8.Secret
}

// Prepare implements pipeline.Printer: values are replaced while the fields are known.
func (w *Writer) Prepare(_ int, s *pipeline.Slot, fr *dissect.Frame) {
	s.Settle()
	switch {
	case fr.Kind != dissect.UDP:
	case isOurs(fr):
		w.tell(fr)
		w.pieces = pieces(w.pieces[:0], fr)
		w.prepare(s, fr.Payload, &told{w.pieces, fr.Layout.Version})
	case fr.Fragments > 0: // what is cut would not be put together: it becomes zero
		w.prepare(s, fr.Payload, nil)
	}
}

// prepare makes of a datagram what it becomes but for its signature: of one of which nothing
// is told, zeros.
func (w *Writer) prepare(s *pipeline.Slot, payload []byte, t *told) {
	h := head{Ours: t != nil, Sum: fold(sum16(0, payload))}
	s.Body = append(s.Body[:0], payload...)
	if t == nil {
		clear(s.Body)
	} else {
		h.Version = t.version
		h.sign(payload, t.pieces, &w.signer)
		w.replace(s.Body, t.pieces)
	}
	s.Head, _ = binary.Append(s.Head[:0], binary.LittleEndian, &h) // numbers alone do not fail
}

// sign notes the signature of a datagram, if it is right.
func (h *head) sign(payload []byte, all []piece, s *signer) {
	for _, p := range all {
		if p.class != dissect.Signature || p.size() != 8 {
			continue
		}
		h.Signature = [8]byte(p.of(payload))
		if key, ok := s.secretOf(h.Signature); ok {
			h.At, h.Secret = uint16(p.from), key
		}
	}
}

// remember prepares a datagram that the tracker has told nothing of up to now: the survey
// knows what it will tell, or that its pair goes on with a connection.
func (w *Writer) remember(p *packet, s *pipeline.Slot) {
	if !p.isUDP || p.part != 0 || len(s.Head) > 0 {
		return
	}
	t := w.late[s.Datagram.Frame]
	g := w.guessed[way{s.Datagram.Src, s.Datagram.Dst}]
	if t == nil && g == nil && !s.Datagram.BadChecksum { // which would not be seen of one that is cut
		return
	}
	w.layout.read(&p.record)
	payload := w.layout.content.of(p.record.Data)
	if t == nil && g != nil {
		t = &told{pieces: guessedPieces(g, payload)}
	}
	w.prepare(s, payload, t)
}

// tell notes the secrets that a handshake gives away, as they are now.
func (w *Writer) tell(fr *dissect.Frame) {
	var h dp8.Frame
	if fr.Type != "CONNECTED_SIGNED" || h.Decode(fr.Payload, dp8.Params{}, nil) != nil || h.Handshake.SenderSecret == [8]byte{} {
		return
	}
	w.Tell(&dp8.SuppliedSecrets{SessionID: h.Handshake.SessionID, Connector: w.Key.secret(h.Handshake.SenderSecret),
		Listener: w.Key.secret(h.Handshake.ReceiverSecret)})
}

// Tell notes fresh secrets, each once.
func (w *Writer) Tell(s *dp8.SuppliedSecrets) {
	line := fmt.Sprintf("DP8 %08x %x %x", s.SessionID, s.Connector, s.Listener)
	if s.Mode != "" {
		line += " " + s.Mode
	}
	if s.Current {
		line += " current"
	}
	if !w.told[line] {
		w.told[line] = true
		w.lines = append(w.lines, line)
	}
}

// Print implements pipeline.Printer: the packet is changed with the last of its datagrams.
func (w *Writer) Print(dst []byte, s *pipeline.Slot) []byte {
	if w.more == 0 {
		w.at, w.read = w.read[0], w.read[1:]
		w.more = s.More()
	} else {
		w.more--
	}
	p := w.at
	if w.remember(p, s); p.isUDP && len(s.Head) > 0 {
		var h head
		if _, err := binary.Decode(s.Head, binary.LittleEndian, &h); err != nil {
			w.err = err
			return dst
		}
		if h.At != 0 {
			w.signer.sign(s.Body, int(h.At), h.Signature, h.Secret, dp8.Params{Signing: dp8.Signed, Version: h.Version})
		}
		p.ours, p.known, p.change = h.Ours, true, minus(fold(sum16(0, s.Body)), h.Sum)
		p.body = append(p.body, s.Body...)
	}
	if w.more > 0 || w.err != nil {
		return dst
	}
	return w.flush(w.settle(dst, p))
}

// settle changes a packet, and those that have waited for it.
func (w *Writer) settle(dst []byte, p *packet) []byte {
	o := blocksOf(w.blocks, p.file)
	p.record.Before, p.section = o.others(p.before), *o
	w.parts.wait(p)
	switch {
	case p.part == 0:
		w.change(p, p.body)
	case p.ends:
		all := w.parts.whole(p)
		for _, f := range all {
			if w.layout.read(&f.record); w.layout.isUDP {
				p.front = w.layout.offset
			}
		}
		for _, f := range all {
			f.ours, f.known, f.change, f.front = p.ours, p.known, p.change, p.front
			w.change(f, p.body)
		}
	default:
		if d := w.parts.done(p.part); d != nil {
			p.ours, p.known, p.change, p.front = d.ours, d.known, d.change, d.front
			w.change(p, d.body)
		}
	}
	for w.parts.full() {
		w.change(w.parts.list[0], nil)
		dst = w.flush(dst)
	}
	return dst
}

// flush writes what waits for nothing.
func (w *Writer) flush(dst []byte) []byte {
	for len(w.parts.list) > 0 && w.parts.list[0].ready && w.err == nil {
		dst = w.write(dst, w.parts.next())
	}
	return dst
}

// write appends a packet and the blocks in front of it.
func (w *Writer) write(dst []byte, p *packet) []byte {
	wanted := p.ours || p.stays || !w.drop
	switch {
	case !wanted:
		w.Dropped++
	case p.cut:
		w.Cut++
	}
	if w.err = w.out.Hold(&p.record, p.file); w.err == nil {
		dst, w.err = w.out.Next(dst, 0, wanted, nil)
	}
	if wanted {
		w.Packets++
	}
	return dst
}

// Finish appends what waits still, and what stands after the last packets of the inputs.
func (w *Writer) Finish(dst []byte, src *capture.Source) []byte {
	for len(w.parts.list) > 0 && w.err == nil {
		if !w.parts.list[0].ready {
			w.change(w.parts.list[0], nil)
		}
		dst = w.flush(dst)
	}
	for file := range src.Infos() {
		b, _ := src.Rest(file)
		if w.err == nil {
			dst, w.err = w.out.Rest(dst, file, blocksOf(w.blocks, file).others(b))
		}
	}
	return w.out.End(dst)
}

// change changes a packet: addresses and ports, the content, and what sums cover it. body is
// what its datagram becomes.
func (w *Writer) change(p *packet, body []byte) {
	if p.ready || w.err != nil {
		return
	}
	p.ready = true
	l, b := &w.layout, p.record.Data
	l.read(&p.record)
	for i := range l.sums {
		l.sums[i].look(b)
	}
	for _, at := range l.places {
		w.Addresses.replace(at.kind, at.of(b))
	}
	for _, e := range l.blank {
		clear(e.of(b))
	}
	for _, e := range l.nops {
		copy(e.of(b), bytes.Repeat([]byte{1}, e.size()))
	}
	end := w.fill(p, body)
	for i := len(l.sums) - 1; i >= 0; i-- {
		more := uint16(0)
		if l.sums[i].part {
			more = p.change
		}
		l.sums[i].update(b, more)
	}
	p.cut = end < len(b)
	p.record.Block = p.section.packet(p.record.Block, len(b), b[:end])
}

// fill writes the content of a packet, and says how much is left of the packet.
func (w *Writer) fill(p *packet, body []byte) (end int) {
	l, b := &w.layout, p.record.Data
	content := l.content.of(b)
	switch {
	case !l.isUDP && len(content) == 0:
		return l.end
	case p.known && p.part == 0 && len(body) != len(content):
		w.err = errLayout
	case p.known && p.part == 0:
		copy(content, body)
	case p.known:
		from := min(max(l.offset-p.front, 0), len(body))
		clear(content[copy(content, body[from:]):])
	case p.part != 0:
		w.Key.replace(content, false, w.Originals)
	case len(content) > 0:
		return l.content.from
	}
	return len(b)
}

var errLayout = errors.New("a datagram lies in its packet where it was not expected")
