package hazel

import "github.com/dpdissect/dpdissect/dissect"

// Tags of Among Us whose messages hold others.
const (
	tagGameData   = 5
	tagGameDataTo = 6
)

// Tags of the messages in them.
const (
	tagData        = 1
	tagRPC         = 2
	tagSpawn       = 4
	tagDespawn     = 5
	tagSceneChange = 6
	tagReady       = 7
)

// gameIDSize is the length of the number of a game.
const gameIDSize = 4

// gameHead gives the length of what stands in front of the messages in a GameData or
// GameDataTo; ok is false when messages do not fill the rest.
//
//	GameData    game:32 little-endian | messages
//	GameDataTo  game:32 little-endian | client, packed | messages
func gameHead(tag byte, b []byte) (head int, ok bool) {
	switch {
	case len(b) <= gameIDSize:
		return 0, false
	case tag == tagGameData:
		head = gameIDSize
	case tag == tagGameDataTo:
		_, n := packed(b[gameIDSize:])
		if n == 0 {
			return 0, false
		}
		head = gameIDSize + n
	default:
		return 0, false
	}
	return head, head < len(b) && Tiled(b[head:])
}

// packed reads a packed number, seven bits a byte, the lowest first (Hazel
// MessageReader.cs); n is its length, 0 when it is not there.
func packed(b []byte) (v uint32, n int) {
	for i, c := range b[:min(len(b), 5)] {
		if v |= uint32(c&0x7f) << (7 * i); c < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}

// readGame reads the content of a GameData or GameDataTo, of n bytes, and gives how many
// messages it holds.
func readGame(r *dissect.Reader, tag byte, head, n int) (shown int) {
	r.U32(&Fields[fGameID])
	if tag == tagGameDataTo {
		off := r.Pos()
		v, size := packed(r.Peek(head - gameIDSize))
		r.Skip(&Fields[fTarget], size)
		r.Tree().Add(&Fields[fTarget], off, size, uint64(v))
	}
	for end := r.Pos() + n - head; r.Pos() < end; shown++ {
		_, size, _ := nextMessage(r.Peek(end - r.Pos()))
		r.Tree().Open(&Fields[fInner], r.Pos(), messageHeader+size)
		r.U16(&Fields[fInnerLength])
		tag := r.U8(&Fields[fInnerTag])
		addName(r, &Fields[fInnerName], &Fields[fInnerTag], tag)
		addIDs(r.Tree(), r.Pos(), tag, r.Peek(size))
		if size > 0 {
			r.Bytes(&Fields[fInnerData], size)
		}
		r.Tree().Close()
	}
	return shown
}

// addIDs records the ids at the beginning of a game message.
func addIDs(t *dissect.Tree, off int, tag byte, b []byte) {
	row := 0
	switch tag {
	case tagData, tagRPC, tagDespawn:
		row = fNetID
	case tagSpawn:
		row = fSpawnID
	case tagSceneChange, tagReady:
		row = fClientID
	}
	v, n := packed(b)
	if row == 0 || n == 0 {
		return
	}
	t.Add(&Fields[row], off, 0, uint64(v))
	switch rest := b[n:]; {
	case tag == tagRPC && len(rest) > 0:
		t.Add(&Fields[fCallID], off+n, 0, uint64(rest[0]))
	case tag == tagSpawn:
		if v, m := packed(rest); m > 0 {
			t.Add(&Fields[fClientID], off+n, 0, uint64(v))
		}
	}
}
