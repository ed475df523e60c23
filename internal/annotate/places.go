package annotate

import (
	"slices"
	"strconv"

	"github.com/dpdissect/dpdissect/dissect"
)

// mostPlaces bounds the packets of the output that are remembered by their numbers.
const mostPlaces = 1 << 20

// places are the numbers that packets of the input have in the output, or in one of several
// files.
type places struct {
	file    uint32   // links are to packets of it
	frames  []uint64 // rising
	numbers []uint64 // of each
	files   []uint32 // where each is
}

// add notes the number of a packet in the file at hand; they come in order. Links to the
// oldest are forgotten.
func (p *places) add(frame, number uint64) {
	if len(p.frames) == mostPlaces {
		p.frames = append(p.frames[:0], p.frames[mostPlaces/2:]...)
		p.numbers = append(p.numbers[:0], p.numbers[mostPlaces/2:]...)
		p.files = append(p.files[:0], p.files[mostPlaces/2:]...)
	}
	p.frames, p.numbers, p.files = append(p.frames, frame), append(p.numbers, number), append(p.files, p.file)
}

// of is the number of a packet in the file at hand, 0 when it is not there or not there yet.
func (p *places) of(frame uint64) uint64 {
	if i, ok := slices.BinarySearch(p.frames, frame); ok && p.files[i] == p.file {
		return p.numbers[i]
	}
	return 0
}

// appendLinks appends the links of a frame to earlier ones by the numbers of the output. What a
// later frame tells leads to a packet that is not written yet.
func (p *places) appendLinks(dst []byte, fr *dissect.Frame) []byte {
	for i := range dissect.GeneratedFields {
		switch v := &dissect.GeneratedFields[i]; {
		case v.Late:
		case v.All != nil:
			dst = p.appendLink(dst, v.Record(), v.All(fr)...)
		default:
			dst = p.appendLink(dst, v.Record(), v.Of(fr))
		}
	}
	return dst
}

// appendLink appends a link to those of some frames that are in the output.
func (p *places) appendLink(dst []byte, name string, frames ...uint64) []byte {
	sep := " here." + name + "="
	for _, n := range frames {
		if number := p.of(n); number != 0 && len(dst) <= maxLine {
			dst, sep = strconv.AppendUint(append(dst, sep...), number, 10), ","
		}
	}
	return dst
}
