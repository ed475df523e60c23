package annotate

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/record"
)

// sentences say what the words of the analysis mean, in the order of their bits. What is
// malformed, and which frames are meant, is said beside.
var sentences = [len(dissect.WordNames)]string{
	"Retry: its sender had sent it before",
	"Unneeded retry: its acknowledgement had been captured before",
	"Duplicate: a copy made by the network or the capture, not by the sender",
	"Out of order: captured after a higher number of its side",
	"Gap: the numbers of its side jump forward here",
	"Gap filled: its number was missing until here",
	"Acknowledgement",
	"Duplicate acknowledgement: it acknowledges nothing new",
	"Acknowledgement of a number that was not captured",
	"Window full: no further number of its side fits before an acknowledgement",
	"KeepAlive: it shows that its sender is there",
	"Handshake: part of the opening of the connection",
	"Close: part of the end of the connection",
	"New connection: another one of the same two addresses begins here",
	"Bad signature",
	"Signature not verified: not all secrets are known",
	"",
}

// appendText appends what people read of a frame: a line for each finding and for each word,
// each with a line feed in front.
func appendText(dst []byte, fr *dissect.Frame) []byte {
	for i := range fr.Notes {
		dst = render.AppendNote(append(dst, '\n'), &fr.Notes[i])
	}
	named := false // the frame that this one repeats
	for i, text := range sentences {
		if word := dissect.Words(1 << i); text == "" || !fr.Words.Has(word) {
			continue
		} else if dst = append(append(dst, '\n'), text...); word == dissect.Ack {
			dst = appendAcks(dst, fr.Acks)
		}
		if fr.RetryOf != 0 && !named {
			switch named = true; dissect.Words(1 << i) {
			case dissect.Retry:
				dst = strconv.AppendUint(append(dst, ", in frame "...), fr.RetryOf, 10)
			case dissect.Duplicate:
				dst = strconv.AppendUint(append(dst, "; of frame "...), fr.RetryOf, 10)
			default:
				named = false
			}
		}
	}
	if fr.Err != nil || fr.Words.Has(dissect.Malformed) {
		dst = render.AppendMalformed(append(dst, '\n'), fr)
	}
	return dst
}

// mostAcks bounds the frames that a line for people names.
const mostAcks = 10

// appendAcks appends " of frames 3, 4 and 2 more".
func appendAcks(dst []byte, acks []uint64) []byte {
	for i, a := range acks[:min(len(acks), mostAcks)] {
		switch {
		case i > 0:
			dst = append(dst, ", "...)
		case len(acks) == 1:
			dst = append(dst, " of frame "...)
		default:
			dst = append(dst, " of frames "...)
		}
		dst = strconv.AppendUint(dst, a, 10)
	}
	if more := len(acks) - mostAcks; more > 0 {
		dst = append(strconv.AppendInt(append(dst, " and "...), int64(more), 10), " more"...)
	}
	return dst
}

// cut makes a comment fit its place: it ends at a character, and never within a line for
// machines.
func cut(comment []byte) []byte {
	if len(comment) <= record.MaxComment {
		return comment
	}
	end := record.MaxComment
	for end > 0 && !utf8.RuneStart(comment[end]) {
		end--
	}
	if line := bytes.LastIndexByte(comment[:end], '\n'); bytes.HasPrefix(comment[line+1:], []byte(Mark+" ")) {
		end = max(line, 0)
	}
	return comment[:end]
}
