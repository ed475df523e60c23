package main

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/pipeline"
)

// TestPlaces: frames of merged inputs are found where they came from.
func TestPlaces(t *testing.T) {
	var r pipeline.Run
	p := newPlaces(&r, 3)
	files := []int{2, 2, 0, 1, 1, 2, 0}
	for i, f := range files {
		r.Before(&capture.Packet{Datagram: dissect.Datagram{Frame: uint64(i + 1), File: f}})
	}
	var seen [3]uint64
	for i, f := range files {
		seen[f]++
		if input, number := p.of(uint64(i + 1)); input != f || number != seen[f] {
			t.Errorf("frame %d is number %d of input %d, want %d of %d", i+1, number, input, seen[f], f)
		}
	}
	if input, number := p.of(0); input != 0 || number != 0 {
		t.Errorf("no frame is number %d of input %d", number, input)
	}
	one := newPlaces(&pipeline.Run{}, 1)
	if input, number := one.of(17); input != 0 || number != 17 {
		t.Errorf("frame 17 of the only input is number %d of %d", number, input)
	}
}

// TestPlacesBeyondTheBound: of inputs that alternate too often a later frame is in no input that
// is known, so that a report names none, rather than a wrong one.
func TestPlacesBeyondTheBound(t *testing.T) {
	p := newPlaces(new(pipeline.Run), 2)
	for i := range uint64(maxStretches + 10) {
		p.see(&capture.Packet{Datagram: dissect.Datagram{Frame: i + 1, File: int(i & 1)}})
	}
	for frame, want := range map[uint64]uint64{maxStretches: maxStretches / 2, maxStretches + 1: 0, maxStretches + 9: 0} {
		input, number := p.of(frame)
		if known := want > 0; input >= 0 != known || known && number != want || !known && number != frame || len(p.runs) > maxStretches {
			t.Errorf("frame %d is number %d of input %d", frame, number, input)
		}
	}
}
