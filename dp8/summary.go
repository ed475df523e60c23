package dp8

import (
	"math/bits"

	"github.com/dpdissect/dpdissect/dissect"
)

// AppendSummary appends one line for people: the type, then numbers and
// acknowledgements, then what is carried and how, then the rarer flags.
//
//	CONNECT ver=1.6 session=0x79c9aec6 msg=0 rsp=0 poll
//	SACK nseq=3 nrcv=6 sack=8,10-13 drop=2
//	DFRAME seq=5 nrcv=3 len=6 unreliable sequential poll
//	DFRAME seq=7 nrcv=2 3 payloads (12+40+9) reliable sequential retry
//	KeepAlive seq=0 nrcv=0 session=0x79c9aec6 poll
func AppendSummary(dst []byte, f *Frame) []byte {
	switch f.Type {
	case TypeConnect, TypeConnected, TypeConnectedSigned, TypeHardDisconnect:
		return f.Handshake.appendSummary(dst, f.Type)
	case TypeSACK:
		return f.SACK.appendSummary(dst)
	case TypeDFrame:
		return f.DFrame.appendSummary(dst)
	}
	return append(dst, "not DirectPlay 8"...)
}

// AppendPartialSummary is AppendSummary of a frame that was perhaps not decoded whole:
// then only what is certainly there is named.
func AppendPartialSummary(dst []byte, f *Frame, err *dissect.Error) []byte {
	if err == nil || f.Type == TypeNone {
		return AppendSummary(dst, f)
	}
	dst = append(dst, f.Type.String()...)
	if f.Type == TypeDFrame && err.Offset >= 4 {
		dst = dissect.AppendNumber(dst, " seq=", f.DFrame.Seq)
		dst = dissect.AppendNumber(dst, " nrcv=", f.DFrame.NRcv)
	}
	return dst
}

func (h *Handshake) appendSummary(b []byte, t Type) []byte {
	b = append(b, t.String()...)
	if t != TypeHardDisconnect { // its version means nothing (MC-DPL8R 2.2.1.4)
		b = dissect.AppendNumber(b, " ver=", h.Version>>16)
		b = dissect.AppendNumber(b, ".", h.Version&0xffff)
	}
	b = appendSession(b, h.SessionID)
	b = dissect.AppendNumber(b, " msg=", h.MsgID)
	b = dissect.AppendNumber(b, " rsp=", h.RspID)
	b = appendIf(b, h.Command&Poll != 0, " poll")
	if t == TypeConnectedSigned {
		b = appendIf(b, h.SigningOpts&SigningFast != 0, " fast")
		b = appendIf(b, h.SigningOpts&SigningFull != 0, " full")
	}
	b = appendIf(b, h.HasSignature, " signed")
	return appendTrailing(b, len(h.Trailing))
}

func (s *SACK) appendSummary(b []byte) []byte {
	b = append(b, "SACK"...)
	b = dissect.AppendNumber(b, " nseq=", s.NSeq)
	b = dissect.AppendNumber(b, " nrcv=", s.NRcv)
	b = appendSacked(b, s.NRcv, s.SACKMask)
	b = appendDropped(b, s.NSeq, s.SendMask)
	b = appendIf(b, s.Flags&SACKResponse != 0 && s.Retry != 0, " of-retry")
	b = appendIf(b, s.Command&Poll != 0, " poll")
	b = appendIf(b, s.HasSignature, " signed")
	return appendTrailing(b, len(s.Trailing))
}

func (d *DFrame) appendSummary(b []byte) []byte {
	if d.KeepAlive {
		b = append(b, "KeepAlive"...)
	} else {
		b = append(b, "DFRAME"...)
	}
	b = dissect.AppendNumber(b, " seq=", d.Seq)
	b = dissect.AppendNumber(b, " nrcv=", d.NRcv)
	if d.Control&(CtlSACK1|CtlSACK2|CtlSend1|CtlSend2) != 0 {
		b = appendSacked(b, d.NRcv, d.SACKMask)
		b = appendDropped(b, d.Seq, d.SendMask)
	}
	if d.KeepAlive {
		b = appendSession(b, d.SessionID)
		b = appendTrailing(b, len(d.Payload))
	} else {
		b = d.appendContent(b)
	}
	b = append(b, controlWords[d.Control&(CtlRetry|CtlEndStream)]...)
	b = appendIf(b, d.Control&CtlKeepAlive != 0 && !d.KeepAlive, " correlate")
	b = appendIf(b, d.Command&Poll != 0, " poll")
	return appendIf(b, d.HasSignature, " signed")
}

// appendContent says what the frame carries and how it is delivered.
func (d *DFrame) appendContent(b []byte) []byte {
	if d.Coalesced {
		b = d.Coalesce.appendSizes(b)
		b = appendTrailing(b, len(d.Coalesce.Trailing))
	} else {
		b = dissect.AppendNumber(b, " len=", len(d.Payload))
		if d.Command&User1 != 0 {
			if s := CoreMessage(d.Payload); s != "" {
				b = append(append(b, ' '), s...)
			}
		}
	}
	b = appendIf(b, d.Command&User2 != 0, " voice")
	b = append(b, deliveryWords[d.Command&(Reliable|Sequential)]...)
	return append(b, partWords[d.Command&(NewMsg|EndMsg)]...)
}

var deliveryWords = [...]string{
	0:                     " unreliable unordered",
	Reliable:              " reliable unordered",
	Sequential:            " unreliable sequential",
	Reliable | Sequential: " reliable sequential",
}

var partWords = [...]string{0: " part", NewMsg: " first part", EndMsg: " last part", NewMsg | EndMsg: ""}

var controlWords = [...]string{CtlRetry: " retry", CtlEndStream: " end-stream", CtlRetry | CtlEndStream: " retry end-stream"}

// maxSizes is how many sizes of coalesced payloads a summary lists.
const maxSizes = 8

func (c *Coalesce) appendSizes(b []byte) []byte {
	b = dissect.AppendNumber(b, " ", c.N)
	b = append(b, " payloads"...)
	if c.N == 1 {
		b = b[:len(b)-1]
	}
	sep := " ("
	for i := range c.Parts[:c.N] {
		if i == maxSizes {
			b = append(b, "+..."...)
			break
		}
		b = dissect.AppendNumber(b, sep, c.Parts[i].Size)
		sep = "+"
	}
	return appendIf(b, c.N > 0, ")")
}

// appendSacked appends the sequences after nrcv that a SACK mask names, runs
// joined: " sack=8,10-13".
func appendSacked(b []byte, nrcv uint8, mask uint64) []byte {
	sep := " sack="
	for i := 0; mask != 0; {
		skip := bits.TrailingZeros64(mask)
		run := bits.TrailingZeros64(^(mask >> skip))
		i += skip
		b = appendRun(b, sep, nrcv+1+uint8(i), run)
		i += run
		mask = mask >> skip >> run
		sep = ","
	}
	return b
}

// appendDropped appends the sequences before seq that a send mask gives up,
// oldest first: " drop=2".
func appendDropped(b []byte, seq uint8, mask uint64) []byte {
	sep := " drop="
	for mask != 0 {
		top := 63 - bits.LeadingZeros64(mask)
		run := bits.LeadingZeros64(^(mask << (63 - top)))
		b = appendRun(b, sep, seq-1-uint8(top), run)
		mask &= 1<<(top+1-run) - 1
		sep = ","
	}
	return b
}

func appendRun(b []byte, sep string, first uint8, n int) []byte {
	b = dissect.AppendNumber(b, sep, first)
	if n == 1 {
		return b
	}
	sep = "-"
	if n == 2 {
		sep = ","
	}
	return dissect.AppendNumber(b, sep, first+uint8(n-1))
}

func appendSession(b []byte, id uint32) []byte {
	return appendHex(append(b, " session="...), id, 8)
}

// appendHex appends v as 0x and so many hex digits.
func appendHex(b []byte, v uint32, digits int) []byte {
	b = append(b, "0x"...)
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		b = append(b, "0123456789abcdef"[v>>shift&15])
	}
	return b
}

func appendTrailing(b []byte, n int) []byte {
	if n == 0 {
		return b
	}
	return dissect.AppendNumber(b, " trailing=", n)
}

func appendIf(b []byte, cond bool, s string) []byte {
	if cond {
		return append(b, s...)
	}
	return b
}
