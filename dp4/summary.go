package dp4

import (
	"math/bits"
	"strconv"

	"github.com/dpdissect/dpdissect/dissect"
)

// AppendSummary appends one line for people: the type, the players, the
// numbers, then what is carried and how, then the rarer flags.
//
//	DATA 1>2 msg=1 seq=1 serial=0 len=117 reliable sak
//	DATA 2>1 msg=9 seq=12 serial=3 len=1400 part reliable
//	DATA 1>2 msg=2 seq=2 serial=0 len=16 PING unreliable
//	ACK 2>1 msg=1 seq=1 serial=0 received=121 tick=434155038
//	NACK 2>1 msg=2 seq=7 missing=7-9 received=8954 tick=434155038
func AppendSummary(dst []byte, f *Frame) []byte {
	if f.Type == TypeNone {
		return append(dst, "not DirectPlay 4"...)
	}
	dst = f.appendHead(dst)
	dst = dissect.AppendNumber(dst, " msg=", f.MessageID)
	dst = dissect.AppendNumber(dst, " seq=", f.Sequence)
	if f.Type != TypeNACK {
		dst = dissect.AppendNumber(dst, " serial=", f.Serial)
	}
	if f.Type == TypeData {
		return f.appendContent(dst)
	}
	if f.Type == TypeNACK {
		dst = appendMissing(dst, f.Sequence, f.Mask)
		dst = f.appendOrder(dst)
	}
	dst = dissect.AppendNumber(dst, " received=", f.BytesReceived)
	dst = dissect.AppendNumber(dst, " tick=", f.Tick)
	dst = appendIf(dst, f.Ignored(), " ignored")
	if n := len(f.Trailing); n > 0 {
		dst = dissect.AppendNumber(dst, " trailing=", n)
	}
	return dst
}

// AppendPartialSummary is AppendSummary of a frame that was perhaps not decoded whole:
// then only what is certainly there is named.
func AppendPartialSummary(dst []byte, f *Frame, err *dissect.Error) []byte {
	switch {
	case err == nil || f.Type == TypeNone:
		return AppendSummary(dst, f)
	case f.numbered(err):
		dst = f.appendHead(dst)
		dst = dissect.AppendNumber(dst, " msg=", f.MessageID)
		return dissect.AppendNumber(dst, " seq=", f.Sequence)
	}
	return f.appendHead(dst)
}

// numbered reports whether messageid and sequence were decoded before an error.
func (f *Frame) numbered(err *dissect.Error) bool {
	if f.Type == TypeNone {
		return false
	}
	return err == nil || err.Field != &Fields[fMessageID] && err.Field != &Fields[fSeq] && (f.Type != TypeNACK || err.Field != &Fields[fExtFlags])
}

func (f *Frame) appendHead(b []byte) []byte {
	b = append(append(b, f.Type.String()...), ' ')
	b = strconv.AppendUint(b, uint64(f.From.Value), 10)
	return dissect.AppendNumber(b, ">", f.To.Value)
}

// appendContent says what a data frame carries and how it is delivered.
func (f *Frame) appendContent(b []byte) []byte {
	b = dissect.AppendNumber(b, " len=", len(f.Data))
	if f.Flags&STA != 0 {
		if command, _, ok := CoreCommand(f.Data); ok {
			if s := CoreName(command); s != "" {
				b = append(append(b, ' '), s...)
			}
		}
	}
	b = append(b, partWords[f.Flags>>3&3]...)
	b = append(b, deliveryWords[f.Flags&RLY]...)
	b = appendIf(b, f.Flags&SAK != 0, " sak")
	b = appendIf(b, f.Flags&BIG != 0, " big")
	b = appendIf(b, f.Flags&CMD == 0, " no-cmd")
	if f.Flags&EXT != 0 {
		b = f.appendOrder(b)
	}
	return appendIf(b, f.Ignored(), " ignored")
}

var (
	partWords     = [...]string{" part", " last part", " first part", ""} // by STA and EOM
	deliveryWords = [...]string{0: " unreliable", RLY: " reliable"}
)

// appendOrder says how the extended flags were read where it is not the usual
// way.
func (f *Frame) appendOrder(b []byte) []byte {
	return appendIf(b, f.Order == MSBFirst, " msb-first")
}

// appendMissing appends the sequences a NACK reports missing, runs joined:
// " missing=7-9,12".
func appendMissing(b []byte, seq uint8, mask uint32) []byte {
	sep := " missing="
	for i, m := 0, uint64(mask)<<1|1; m != 0; sep = "," {
		skip := bits.TrailingZeros64(m)
		run := bits.TrailingZeros64(^(m >> skip))
		i += skip
		b = appendRun(b, sep, seq+uint8(i), run)
		i += run
		m = m >> skip >> run
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

func appendIf(b []byte, cond bool, s string) []byte {
	if cond {
		return append(b, s...)
	}
	return b
}
