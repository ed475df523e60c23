package annotate

import (
	"slices"
	"strconv"

	"github.com/dpdissect/dpdissect/dissect"
)

// mostPlaces is how many packets of the output are remembered by their numbers.
const mostPlaces = 1 << 20

// places are the numbers that packets of the input have in the output.
type places struct {
	frames  []uint64 // rising
	numbers []uint64 // of each
}

// add notes the number of a packet; they come in order. Links to the oldest are forgotten.
func (p *places) add(frame, number uint64) {
	if len(p.frames) == mostPlaces {
		p.frames = append(p.frames[:0], p.frames[mostPlaces/2:]...)
		p.numbers = append(p.numbers[:0], p.numbers[mostPlaces/2:]...)
	}
	p.frames, p.numbers = append(p.frames, frame), append(p.numbers, number)
}

// of is the number of a packet in the output, 0 when it is not there or not there yet.
func (p *places) of(frame uint64) uint64 {
	if i, ok := slices.BinarySearch(p.frames, frame); ok {
		return p.numbers[i]
	}
	return 0
}

// appendLinks appends the links of a frame by the numbers of the output.
func (p *places) appendLinks(dst []byte, fr *dissect.Frame) []byte {
	for i := range dissect.GeneratedFields {
		v := &dissect.GeneratedFields[i]
		if v.Time {
			continue
		}
		var all []uint64
		if v.All != nil {
			all = v.All(fr)
		} else if n := v.Of(fr); n != 0 {
			all = []uint64{n}
		}
		sep := " here." + v.Record() + "="
		for _, n := range all {
			if number := p.of(n); number != 0 && len(dst) <= maxLine {
				dst, sep = strconv.AppendUint(append(dst, sep...), number, 10), ","
			}
		}
	}
	return dst
}
