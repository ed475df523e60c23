package dp4

import "github.com/dpdissect/dpdissect/dissect"

// decodeData reads what follows the flags of a data frame (MC-DPL4R 2.2.2).
// Extended flags and mask stand after the serial (AMB-DP4-08), and their
// length tells nothing: data of any length follows.
func (f *Frame) decodeData(r *dissect.Reader) {
	f.MessageID = r.U8(&Fields[fMessageID])
	f.Sequence = r.U8(&Fields[fSeq])
	f.Serial = r.U8(&Fields[fSerial])
	if f.Flags&EXT != 0 {
		f.ExtFlags = r.U8(&Fields[fExtFlags])
		f.readMask(r)
	}
	f.Data = r.Rest(&Fields[fData])
	if r.Tree() != nil && f.Flags&STA != 0 {
		addCore(r, f.Data)
	}
}
