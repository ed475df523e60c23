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
}

// A stretch is frames of one input in a row.
type stretch struct {
	first  uint64 // frame
	number uint64 // of this frame in its input
	input  int32
}

// maxStretches bounds the memory for inputs that alternate: what comes later is
// taken for frames of the last one.
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
	if n := len(p.runs); n < maxStretches && (n == 0 || p.runs[n-1].input != int32(k.File)) {
		p.runs = append(p.runs, stretch{k.Frame, p.counts[k.File], int32(k.File)})
	}
}

// of gives the input of a frame, and the number of the frame there.
func (p *places) of(frame uint64) (input int, number uint64) {
	i := sort.Search(len(p.runs), func(i int) bool { return p.runs[i].first > frame }) - 1
	if i < 0 {
		return 0, frame
	}
	s := &p.runs[i]
	return int(s.input), s.number + frame - s.first
}
