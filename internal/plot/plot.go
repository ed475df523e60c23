package plot

import "math"

// A Span is what is drawn of one step of time: from Low to High, and nothing unless Some.
// An area has a Low of 0.
type Span struct {
	Low, High float64
	Some      bool
}

// Dots is how many steps of time a plot of so many columns shows one by one.
func Dots(columns int) int { return 2 * columns }

// Top is the greatest value of spans, 0 where there is none.
func Top(spans []Span) (top float64) {
	for _, s := range spans {
		if s.Some {
			top = max(top, s.High)
		}
	}
	return top
}

// Lines draws spans over the whole width, at most Dots of them: lines of columns characters,
// the uppermost first. Its height stands for the values from 0 to top. Whatever is not 0 has
// a dot, also where it is too small for one.
func Lines(spans []Span, columns, rows int, top float64) []string {
	c := newCanvas(columns, rows)
	for x := range Dots(columns) {
		if len(spans) == 0 {
			break
		}
		s := &spans[x*len(spans)/Dots(columns)]
		if !s.Some || s.High <= 0 || top <= 0 {
			continue
		}
		height := float64(4 * rows)
		high := min(int(math.Ceil(s.High/top*height)), 4*rows)
		low := min(int(s.Low/top*height), high-1)
		for y := max(low, 0); y < high; y++ {
			c.set(x, y)
		}
	}
	return c.lines()
}
