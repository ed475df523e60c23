package record

import (
	"encoding/binary"
	"slices"
)

// Blocks of pcapng that a Copy knows (draft-ietf-opsawg-pcapng section 4), and how long one
// may be that it makes.
const (
	blockSection    = 0x0a0d0d0a
	blockInterface  = 1
	blockPacket     = 2 // obsolete
	blockSimple     = 3
	blockNames      = 4
	blockStatistics = 5
	blockEnhanced   = 6
	blockSecrets    = 10
	blockCustom     = 0xbad
	customNoCopy    = 0x40000bad

	sectionMagic = 0x1a2b3c4d
	minBlock     = 12
	maxBlock     = 16 << 20

	optEnd     = 0
	optComment = 1

	packetHead = 28 // in front of the bytes of a packet
)

// MaxComment is the longest comment, in bytes.
const MaxComment = 0xffff

// appendCommented appends the block of a packet, or of a section, with a comment after its
// other options.
func appendCommented(dst, block []byte, order byteOrder, comment []byte) []byte {
	typ := order.Uint32(block)
	if len(comment) == 0 || len(comment) > MaxComment || typ != blockEnhanced && typ != blockPacket && typ != blockSection ||
		len(block)+len(comment)+16 > maxBlock {
		return append(dst, block...)
	}
	start := len(dst)
	dst = append(dst, block[:endOfOptions(block, order)]...)
	dst = order.AppendUint16(order.AppendUint16(dst, optComment), uint16(len(comment)))
	dst = append(append(dst, comment...), make([]byte, -len(comment)&3)...)
	dst = append(dst, 0, 0, 0, 0) // the end of the options
	size := uint32(len(dst) - start + 4)
	order.PutUint32(dst[start+4:], size)
	return order.AppendUint32(dst, size)
}

// endOfOptions is where the options of such a block end, in front of the mark of the end.
func endOfOptions(block []byte, order byteOrder) int {
	at, end := optionsAt(block, order), len(block)-4
	for at+4 <= end {
		code, n := order.Uint16(block[at:]), int(order.Uint16(block[at+2:]))
		if code == optEnd || at+4+n > end {
			break
		}
		at += min(4+(n+3)&^3, end-at)
	}
	return at
}

// sectionHead is the length of a section header in front of its options.
const sectionHead = 24

// optionsAt is where the options of a packet or of a section begin, if it has any.
func optionsAt(block []byte, order binary.ByteOrder) int {
	if isSection(block) {
		return min(sectionHead, len(block)-4)
	}
	return min(packetHead+(int(order.Uint32(block[20:]))+3)&^3, len(block)-4)
}

// swapBlock turns a block of big-endian numbers into one of little-endian ones. What it does
// not know stays as it is.
func swapBlock(b []byte) {
	at, options := 8, func(uint16) []int { return nil }
	typ := binary.BigEndian.Uint32(b)
	end := len(b) - 4
	swap(b, 4, 4)
	swap(b[end:], 4)
	body := b[:end]
	switch typ {
	case blockInterface:
		at, options = swapAt(body, at, 2, 2, 4), ifaceWidths
	case blockEnhanced:
		swapAt(body, at, 4, 4, 4, 4, 4)
		at, options = optionsAt(b, binary.LittleEndian), packetWidths
	case blockPacket:
		swapAt(body, at, 2, 2, 4, 4, 4, 4)
		at, options = optionsAt(b, binary.LittleEndian), packetWidths
	case blockStatistics:
		at, options = swapAt(body, at, 4, 4, 4), statisticsWidths
	case blockNames:
		at = swapNames(body, at)
	case blockSecrets:
		at = swapAt(body, at, 4, 4)
		if at == 16 {
			at += int(min((int64(binary.LittleEndian.Uint32(b[12:]))+3)&^3, int64(len(body)-at)))
		}
	case blockSimple, blockCustom, customNoCopy:
		swapAt(body, at, 4)
		return
	default:
		return
	}
	swapOptions(body, at, options)
}

// swapAt turns numbers of these widths around, as far as there are bytes, and gives what
// stands after them.
func swapAt(b []byte, at int, widths ...int) int {
	return at + swap(b[min(at, len(b)):], widths...)
}

func swap(b []byte, widths ...int) (n int) {
	for _, w := range widths {
		if n+w > len(b) {
			break
		}
		slices.Reverse(b[n : n+w])
		n += w
	}
	return n
}

// swapOptions turns the options at a place around: their codes and lengths, and values of
// known widths.
func swapOptions(b []byte, at int, widths func(code uint16) []int) {
	for at+4 <= len(b) {
		swapAt(b, at, 2, 2)
		code, n := binary.LittleEndian.Uint16(b[at:]), int(binary.LittleEndian.Uint16(b[at+2:]))
		at += 4
		if code == optEnd || at+n > len(b) {
			return
		}
		value := b[at : at+n]
		if isCustom(code) {
			swap(value, 4) // whose it is
		} else {
			swap(value, widths(code)...)
		}
		at += (n + 3) &^ 3
	}
}

// isCustom reports the options that begin with a number of their maker.
func isCustom(code uint16) bool {
	return code == 2988 || code == 2989 || code == 19372 || code == 19373
}

// swapNames turns the records of a block of names around, and gives where its options begin.
func swapNames(b []byte, at int) int {
	for at+4 <= len(b) {
		swapAt(b, at, 2, 2)
		typ, n := binary.LittleEndian.Uint16(b[at:]), int(binary.LittleEndian.Uint16(b[at+2:]))
		at += 4
		if typ == 0 {
			break
		}
		at += (n + 3) &^ 3
	}
	return at
}

// The widths of numbers in options.
func ifaceWidths(code uint16) []int {
	switch code {
	case 8, 14, 16, 17: // speed, offset of times, speeds of sending and receiving
		return []int{8}
	case 10: // time zone
		return []int{4}
	}
	return nil
}

func packetWidths(code uint16) []int {
	switch code {
	case 2, 6: // flags, queue
		return []int{4}
	case 4, 5: // drops, id
		return []int{8}
	}
	return nil
}

func statisticsWidths(code uint16) []int {
	switch {
	case code == 2 || code == 3: // times: two halves
		return []int{4, 4}
	case code >= 4 && code <= 8: // counts
		return []int{8}
	}
	return nil
}
