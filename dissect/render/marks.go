package render

import (
	"math/bits"
	"strconv"

	"github.com/dpdissect/dpdissect/dissect"
)

// marks are the words that stand in brackets before a summary. Words that every
// connection is full of have none.
var marks = [len(dissect.WordNames)]string{
	"[Retry] ", "[Unneeded Retry] ", "[Duplicate] ", "[Out-Of-Order] ", "[Gap] ", "[Gap Filled] ", "", "[Duplicate Ack] ",
	"[Ack Of Uncaptured] ", "[Window Full] ", "[Keep-Alive] ", "", "", "[New Connection] ",
	"[Bad Signature] ", "", "",
}

// marked are the words that have a mark.
const marked = dissect.Retry | dissect.UnneededRetry | dissect.Duplicate | dissect.OutOfOrder | dissect.Gap |
	dissect.GapFilled | dissect.DuplicateAck | dissect.AckOfUncaptured | dissect.WindowFull | dissect.KeepAlive |
	dissect.NewConnection | dissect.BadSignature

func appendMarks(dst []byte, w dissect.Words) []byte {
	for ; w != 0; w &= w - 1 {
		if i := bits.TrailingZeros32(uint32(w)); i < len(marks) {
			dst = append(dst, marks[i]...)
		}
	}
	return dst
}

// AppendMalformed appends "Malformed: dp8.seq at byte 2: …". The capture is
// named, not the sender, when it was the capture that cut the datagram.
func AppendMalformed(dst []byte, fr *dissect.Frame) []byte {
	word := "Malformed"
	if fr.Cut() && !fr.Words.Has(dissect.Malformed) {
		word = "Cut short by the capture"
	}
	dst = append(dst, word...)
	if fr.Err == nil {
		return dst
	}
	return appendError(append(dst, ": "...), fr.Err)
}

// appendError is Error.Error without allocating.
func appendError(dst []byte, e *dissect.Error) []byte {
	if e.Field != nil {
		dst = append(dst, e.Field.Name...)
	}
	dst = append(dst, " at byte "...)
	dst = strconv.AppendInt(dst, int64(e.Offset), 10)
	dst = append(dst, ": "...)
	dst = AppendEscaped(dst, e.Reason)
	if e.Field != nil && e.Field.Clause != "" {
		dst = append(dst, " ("...)
		dst = append(dst, e.Field.Clause...)
		dst = append(dst, ')')
	}
	return dst
}

// appendWords appends the names of words, with a separator.
func appendWords(dst []byte, w dissect.Words, sep string) []byte {
	for first := true; w != 0; w &= w - 1 {
		i := bits.TrailingZeros32(uint32(w))
		if i >= len(dissect.WordNames) {
			break
		}
		if !first {
			dst = append(dst, sep...)
		}
		first = false
		dst = append(dst, dissect.WordNames[i]...)
	}
	return dst
}

// Marks are what stands in front of a summary for words of the analysis, by word; words that
// have none are left out.
func Marks() map[string]string {
	all := map[string]string{}
	for i, mark := range marks {
		if mark != "" {
			all[dissect.WordNames[i]] = mark
		}
	}
	return all
}
