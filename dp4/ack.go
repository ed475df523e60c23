package dp4

import "github.com/dpdissect/dpdissect/dissect"

// decodeACK reads what follows the flags of an ACK (MC-DPL4R 2.2.4): the frame
// it names and all before it were received.
func (f *Frame) decodeACK(r *dissect.Reader) {
	f.MessageID = r.U8(&Fields[fMessageID])
	f.Sequence = r.U8(&Fields[fSeq])
	f.Serial = r.U8(&Fields[fSerial])
	f.BytesReceived = r.U32(&Fields[fBytesReceived])
	f.Tick = r.U32(&Fields[fTick])
	f.Trailing = r.Rest(&Fields[fTrailing])
}

// decodeNACK reads what follows the flags of a NACK (MC-DPL4R 2.2.3): the frame
// it names is the first that is missing, the mask tells which others are.
func (f *Frame) decodeNACK(r *dissect.Reader, length int) {
	f.ExtFlags = r.U8(&Fields[fExtFlags])
	f.MessageID = r.U8(&Fields[fMessageID])
	f.Sequence = r.U8(&Fields[fSeq])
	f.BytesReceived = r.U32(&Fields[fBytesReceived])
	f.Tick = r.U32(&Fields[fTick])
	f.Order = orderOf(f.ExtFlags, length-r.Pos())
	f.readMask(r)
	if r.OK() && r.Tree() != nil {
		f.addMissing(r)
	}
	f.Trailing = r.Rest(&Fields[fTrailing])
}

// readMask reads a NACK mask: the first byte holds bits 0-7 (AMB-DP4-04).
func (f *Frame) readMask(r *dissect.Reader) {
	n := f.Order.MaskSize(f.ExtFlags)
	off := r.Pos()
	b := r.Peek(n)
	if r.Skip(&Fields[FNackMask], n); !r.OK() {
		return
	}
	f.MaskSize = uint8(n)
	for i, v := range b {
		f.Mask |= uint32(v) << (8 * i)
	}
	if t := r.Tree(); t != nil {
		if n > 0 {
			t.Add(&Fields[FNackMask], off, n, uint64(f.Mask))
		}
		t.Add(&Fields[fNNack], r.Pos(), 0, uint64(n))
		t.AddText(&Fields[fExtOrder], r.Pos(), f.Order.String())
	}
}

// addMissing records the sequences a NACK reports missing, its own first.
func (f *Frame) addMissing(r *dissect.Reader) {
	var ids [25]int64
	ids[0] = int64(f.Sequence)
	n := 1
	for i := range 24 {
		if f.Mask>>i&1 != 0 {
			ids[n] = int64(f.Sequence + 1 + uint8(i))
			n++
		}
	}
	r.Tree().AddIDs(&Fields[fMissing], r.Pos(), ids[:n])
}
