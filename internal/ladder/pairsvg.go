package ladder

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/dpdissect/dpdissect/dissect/stable"
	"github.com/dpdissect/dpdissect/internal/compare"
	"github.com/dpdissect/dpdissect/internal/report"
)

// Places and sizes of the picture of a pair, in pixels.
const (
	pairWidth   = 1180
	pairLeft    = 270 // lifeline of point 1
	pairRight   = 910 // lifeline of point 2
	pairHead    = 70  // first datagram, below the lines about clocks
	pairSlant   = 44  // how far an arrow of the usual length goes down
	pairQuiet   = 70  // more than this without a datagram is cut out
	pairCut     = 40  // and takes this
	pairEach    = 10  // at least for each datagram, on average
	pairLetters = 86
	pairLine    = 13   // between labels
	pairMost    = 20.0 // pixels a ms
	pairLeast   = 0.02
	pairPart    = 0.6 // of the way, how far what is lost comes
)

const pairStyle = `.fate{stroke-dasharray:6 4}.halo{paint-order:stroke;stroke:#fff;stroke-width:3}
@media(prefers-color-scheme:dark){.halo{stroke:#0d1117}}
`

// A pairPicture draws ladders of a pair: each arrow begins and ends at the heights that belong to
// the times of its frames, on one scale, whatever its length. Times in which nothing is on its
// way are cut out.
type pairPicture struct {
	svgWriter
	p     *Pair
	scale float64 // pixels a ms
	cuts  []quiet
	room  [2][]float64 // heights of labels at each lifeline
	ways  [2][]float64 // of labels of arrows
}

// A quiet is a time with nothing on its way.
type quiet struct {
	from, to int64
	y        float64 // of its beginning
	cut      bool    // it is cut out
}

// WritePairSVG draws the ladder of a pair as a picture that stands alone.
func WritePairSVG(w io.Writer, p *Pair) error {
	s := &pairPicture{svgWriter: svgWriter{Writer: bufio.NewWriter(w), at: map[uint64]int{}}, p: p}
	s.draw(true)
	return s.Flush()
}

// WritePairPart draws the same as a part of a page, which has the style.
func WritePairPart(w io.Writer, p *Pair) error {
	s := &pairPicture{svgWriter: svgWriter{Writer: bufio.NewWriter(w), at: map[uint64]int{}}, p: p}
	s.draw(false)
	return s.Flush()
}

func (s *pairPicture) draw(alone bool) {
	clocks := report.ComparedClocks(s.p.Doc)
	s.y = pairHead + 6 + 18*len(clocks)
	if !alone {
		s.y = 46
	}
	s.scale = s.pixels()
	end := s.layOut()
	height := int(end) + 30
	fmt.Fprintf(s, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" data-rows="%d" data-px-per-ms="%s"`, pairWidth, height, len(s.p.Every), strconv.FormatFloat(s.scale, 'g', -1, 64))
	if alone {
		fmt.Fprintf(s, ` width="%d" height="%d">`+"\n<title>%s</title>\n<style>%s%s</style>\n"+`<rect class="bg" width="%d" height="%d"/>`+"\n",
			pairWidth, height, xmlText(escaped(s.p.title())), svgStyle, pairStyle, pairWidth, height)
		s.text(16, 22, "title", "start", s.p.title())
		for i, words := range clocks {
			s.text(16, 42+18*i, "dim", "start", words)
		}
	} else {
		s.WriteString(` class="pair">` + "\n")
	}
	left := s.p.left()
	for at, x := range []int{pairLeft, pairRight} {
		side, anchor := left, "start"
		if at == compare.Point2 {
			side, anchor = left.Other(), "end"
		}
		edge := [2]int{16, pairWidth - 16}[at]
		s.text(edge, s.y-30, "title", anchor, s.p.Doc.Points[at].Name)
		s.text(edge, s.y-14, "h"+sideOf(side), anchor, s.p.SideName(side))
		s.shaft("life", x, s.y-8, x, height-10)
	}
	for _, c := range s.cuts {
		if c.cut {
			s.text((pairLeft+pairRight)/2, int(c.y)+16, "dim", "middle", seconds(c.to-c.from)+" with nothing on its way")
		}
	}
	s.reserve()
	for i := range s.p.Every {
		s.arrow(&s.p.Every[i])
	}
	if len(s.p.Every) == 0 {
		s.text((pairLeft+pairRight)/2, s.y+8, "dim", "middle", "no datagram of the connection was chosen")
	}
	s.WriteString("</svg>\n")
}

// pixels is how many a ms takes: so many that arrows of the usual length are seen to go down, and
// that datagrams are told apart.
func (s *pairPicture) pixels() float64 {
	var all []int64
	for i := range s.p.Every {
		if w := s.p.Every[i].Way; w.HasOneWay && w.OneWay > 0 {
			all = append(all, w.OneWay)
		}
	}
	if len(all) == 0 {
		return 1
	}
	slices.Sort(all)
	busy := int64(1)
	for _, x := range s.busy() {
		busy += x.to - x.from
	}
	return min(pairMost, max(pairLeast, pairSlant/ms(all[len(all)/2]), pairEach*float64(len(s.p.Every))/ms(busy)))
}

// busy are the times in which something is on its way.
func (s *pairPicture) busy() (out []quiet) {
	var all []quiet
	for i := range s.p.Every {
		if w := s.p.Every[i].Way; s.p.Every[i].HasTime {
			all = append(all, quiet{from: min(w.Begin, w.End), to: max(w.Begin, w.End)})
		}
	}
	stable.Sort(all, func(a, b quiet) int { return cmp.Compare(a.from, b.from) })
	for _, x := range all {
		if n := len(out); n > 0 && x.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, x.to)
			continue
		}
		out = append(out, x)
	}
	return out
}

// layOut finds which times are cut out, and gives the height of the end.
func (s *pairPicture) layOut() float64 {
	all := s.busy()
	if len(all) == 0 {
		return float64(s.y)
	}
	y, since, until := float64(s.y), all[0].from, all[0].to
	s.cuts = []quiet{{to: since, y: y}}
	for _, x := range all[1:] {
		if ms(x.from-until)*s.scale > pairQuiet {
			y += ms(until-since)*s.scale + pairLine
			s.cuts = append(s.cuts, quiet{until, x.from, y, true})
			y += pairCut
			since = x.from
		}
		until = x.to
	}
	return y + ms(until-since)*s.scale
}

// height is where a time is drawn.
func (s *pairPicture) height(t int64) float64 {
	if len(s.cuts) == 0 {
		return float64(s.y)
	}
	i, _ := slices.BinarySearchFunc(s.cuts, t, func(c quiet, t int64) int {
		if c.to <= t {
			return -1
		}
		return 1
	})
	c := s.cuts[max(0, i-1)]
	y := c.y + ms(t-c.to)*s.scale
	if c.cut {
		y += pairCut
	}
	return y
}

// reserve gives labels their room: those of what is worth telling first.
func (s *pairPicture) reserve() {
	for _, notable := range []bool{true, false} {
		for i := range s.p.Every {
			r := &s.p.Every[i]
			if w := r.Way; notable == (len(r.remarks()) > 0 || r.Focus) {
				s.place(&s.ways[w.from()], s.height(w.Begin))
				for at, f := range w.Frames {
					if f != 0 {
						s.place(&s.room[at], s.end(w, at))
					}
				}
			}
		}
	}
}

// place takes the room for a label, where there is some.
func (s *pairPicture) place(room *[]float64, y float64) {
	if i, _ := slices.BinarySearch(*room, y); !near(*room, y) {
		*room = slices.Insert(*room, i, y)
	}
}

// has reports whether a label has room at a height.
func has(room []float64, y float64) bool {
	_, found := slices.BinarySearch(room, y)
	return found
}

// near reports whether there is a label within a line of a height.
func near(room []float64, y float64) bool {
	i, _ := slices.BinarySearch(room, y-pairLine)
	return i < len(room) && room[i] < y+pairLine
}

// end is the height of the end of an arrow at a point.
func (s *pairPicture) end(w *Way, at int) float64 {
	if at == w.from() {
		return s.height(w.Begin)
	}
	return s.height(w.End)
}

// arrow draws a datagram. How far its arrow comes, and how it is drawn, says what became of it.
func (s *pairPicture) arrow(r *Row) {
	w := r.Way
	class, part := sideOf(r.From), 1.0
	switch w.Fate {
	case compare.Delivered:
	case compare.LostBetween:
		part = pairPart
	case compare.LostBefore:
		class, part = class+" fate", 0.1
	case compare.Uncertain:
		class, part = class+" fate", pairPart
	case compare.Outside:
		if class += " fate"; w.Frames[w.from()] != 0 {
			part = pairPart / 2
		}
	default:
		class += " fate"
	}
	x1, x2 := float64(pairLeft), float64(pairRight)
	if !w.Right {
		x1, x2 = x2, x1
	}
	y1, y2 := s.height(w.Begin), s.height(w.End)
	x2, y2 = x1+(x2-x1)*part, y1+(y2-y1)*part
	fmt.Fprintf(s, `<g data-kind="%s" data-fate="%s"`, r.Kind, w.Fate)
	for at, f := range w.Frames {
		if f != 0 {
			fmt.Fprintf(s, ` data-frame-%d="%d"`, at+1, f)
		}
	}
	told := r.Label
	if l := w.length(); l != "" {
		told += ", " + l
	}
	for _, x := range r.remarks() {
		told += " · " + x.text
	}
	fmt.Fprintf(s, "><title>%s</title>\n", xmlText(escaped(w.framesAtBoth()+" "+told)))
	fmt.Fprintf(s, `<path class="%s" d="M%s %sL%s %s"/>`+"\n", class, digits(x1), digits(y1), digits(x2), digits(y2))
	s.tip(w, part, x2, y2)
	s.labels(r, x1, y1)
	s.WriteString("</g>\n")
}

// tip ends an arrow: with a head where it arrives, with a cross where it was lost.
func (s *pairPicture) tip(w *Way, part, x, y float64) {
	switch {
	case part == 1:
		back := 10
		if w.Right {
			back = -10
		}
		fmt.Fprintf(s, `<path class="h%s" d="M%s %sl%d -4v8z"/>`+"\n", sideOf(w.From), digits(x), digits(y), back)
	case w.Fate == compare.LostBetween, w.Fate == compare.LostBefore:
		fmt.Fprintf(s, `<path class="cross" d="M%s %sl12 12m0 -12l-12 12"/>`+"\n", digits(x-6), digits(y-6))
	case w.Fate == compare.Uncertain:
		s.text(int(x), int(y)+4, "loss", "middle", "?")
	}
}

// labels writes what a datagram is where it leaves, and its frames and times where it was
// captured, as far as there is room.
func (s *pairPicture) labels(r *Row, x1, y1 float64) {
	w, told := r.Way, r.Label
	if has(s.ways[w.from()], y1) {
		x, anchor, class := int(x1)+12, "start", "halo"
		if !w.Right {
			x, anchor = int(x1)-12, "end"
		}
		if rest := r.remarks(); len(rest) > 0 {
			class += " " + remarkClasses[rest[0].kind]
			for _, m := range rest {
				told += " · " + m.text
			}
		}
		letters := pairLetters
		if near(s.ways[1-w.from()], y1) {
			letters = pairLetters/2 - 1
		}
		s.text(x, int(y1)-3, class, anchor, clip(escaped(told), letters, "…"))
	}
	for at, f := range w.Frames {
		if f == 0 || !has(s.room[at], s.end(w, at)) {
			continue
		}
		text, x, anchor := strconv.FormatUint(f, 10), pairLeft-10, "end"
		if at == compare.Point2 {
			x, anchor = pairRight+10, "start"
			text += "  " + w.Clocks[at]
		} else {
			text = w.Clocks[at] + "  " + text
		}
		if long := w.length(); long != "" && at != w.from() {
			if at == compare.Point2 {
				text += "  " + long
			} else {
				text = long + "  " + text
			}
		}
		s.text(x, int(s.end(w, at))+4, "dim", anchor, text)
	}
}

// digits is a number of pixels.
func digits(x float64) string { return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64) }
