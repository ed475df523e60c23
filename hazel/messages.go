package hazel

import (
	"encoding/binary"

	"github.com/dpdissect/dpdissect/dissect"
)

// messageHeader is the length of what stands before the content of a message.
const messageHeader = 3

// AppendMessage appends one application message (Hazel be3f2d8 MessageWriter.cs).
// What does not fit the 16 bits of its length is cut off.
//
//	length:16 little-endian | tag:8 | data
func AppendMessage(b []byte, tag byte, data []byte) []byte {
	data = data[:min(len(data), 1<<16-1)]
	b = binary.LittleEndian.AppendUint16(b, uint16(len(data)))
	return append(append(b, tag), data...)
}

// nextMessage gives the tag and the length of the first message of a payload;
// ok is false when it does not fit.
func nextMessage(b []byte) (tag byte, length int, ok bool) {
	if len(b) < messageHeader {
		return 0, 0, false
	}
	length = int(binary.LittleEndian.Uint16(b))
	return b[2], length, messageHeader+length <= len(b)
}

// maxShown is how many messages of a payload are shown; one with more is shown
// as bytes.
const maxShown = 512

// Tiled reports whether messages fill a payload exactly.
func Tiled(b []byte) bool {
	at := 0
	for i := 0; at < len(b); i++ {
		if i == maxShown || len(b)-at < messageHeader {
			return false
		}
		at += messageHeader + int(binary.LittleEndian.Uint16(b[at:]))
	}
	return at == len(b)
}

// readMessages reads a payload that messages fill.
func readMessages(r *dissect.Reader) {
	shown := 0 // messages in messages
	for r.Len() > 0 {
		_, n, _ := nextMessage(r.Peek(r.Len()))
		r.Tree().Open(&Fields[fMessages], r.Pos(), messageHeader+n)
		r.U16(&Fields[fLength])
		tag := r.U8(&Fields[fTag])
		addName(r, &Fields[fName], &Fields[fTag], tag)
		switch head, ok := gameHead(tag, r.Peek(n)); {
		case ok && shown < maxShown:
			shown += readGame(r, tag, head, n)
		case n > 0:
			r.Bytes(&Fields[fMessageData], n)
		}
		r.Tree().Close()
	}
}

// addName records the name of a tag.
func addName(r *dissect.Reader, row, tags *dissect.Field, tag byte) {
	if name := tags.ValueName(uint64(tag)); name != "" {
		r.Tree().AddText(row, r.Pos(), name)
	}
}
