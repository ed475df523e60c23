package dp4peer

import "github.com/dpdissect/dpdissect/dp4"

// Extended sends a data frame with extended flags and a NACK mask after its
// serial, as MC-DPL4R 2.2.2 draws it and forbids it: its receiver must ignore
// it. It repeats the numbers of the packet to be sent next.
func (p *Peer) Extended(data []byte, mask uint32, size int) {
	f := dp4.Frame{Flags: dp4.CMD | dp4.EXT | dp4.STA | dp4.EOM | dp4.RLY, MessageID: uint8(p.nextMsg), Sequence: uint8(p.nextSeq),
		ExtFlags: p.cfg.Order.ExtFlags(size), MaskSize: uint8(size), Mask: mask, Data: data}
	n := p.note(dp4.TypeData)
	n.Data = true
	p.send(n, p.encode(&f))
}

// Broken sends bytes that are no frame.
func (p *Peer) Broken(b []byte) {
	n := p.note(dp4.TypeNone)
	n.Malformed = true
	p.send(n, b)
}

// Truncated sends an ACK or NACK that lacks its last bytes.
func (p *Peer) Truncated(flags dp4.Flags, lacks int) {
	b := p.encode(&dp4.Frame{Flags: flags, MessageID: uint8(p.nextMsg), Sequence: uint8(p.nextSeq), BytesReceived: p.bytes, Tick: p.node.Host.TickAt(p.now())})
	p.Broken(b[:len(b)-lacks])
}
