package main

import (
	"sort"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/pipeline"
)

// Places remember which input frames came from, when there are several.
type places struct {
	runs   []stretch
	counts []uint64 // packets of each input
	beyond uint64   // first frame of which it is not remembered, 0 for none
}

// A stretch is frames of one input in a row.
type stretch struct {
	first  uint64 // frame
	number uint64 // of this frame in its input
	input  int32
}

// maxStretches bounds the memory for inputs that alternate: it is not known from which of
// them frames came later.
const maxStretches = 1 << 20

func newPlaces(r *pipeline.Run, inputs int) *places {
	p := &places{counts: make([]uint64, inputs)}
	if inputs > 1 {
		before := r.Before
		r.Before = func(at *capture.Packet) {
			if before != nil {
				before(at)
			}
			p.see(at)
		}
	}
	return p
}

func (p *places) see(k *capture.Packet) {
	p.counts[k.File]++
	switch n := len(p.runs); {
	case p.beyond > 0 || n > 0 && p.runs[n-1].input == int32(k.File):
	case n == maxStretches:
		p.beyond = k.Frame
	default:
		p.runs = append(p.runs, stretch{k.Frame, p.counts[k.File], int32(k.File)})
	}
}

// of gives the input of a frame, and the number of the frame there; -1, and its number among
// all frames, where that is not known.
func (p *places) of(frame uint64) (input int, number uint64) {
	if p.beyond > 0 && frame >= p.beyond {
		return -1, frame
	}
	i := sort.Search(len(p.runs), func(i int) bool { return p.runs[i].first > frame }) - 1
	if i < 0 {
		return 0, frame
	}
	s := &p.runs[i]
	return int(s.input), s.number + frame - s.first
}
