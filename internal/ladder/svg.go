package ladder

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session/seq"
)

// Places and sizes of the picture, in pixels.
const (
	svgWidth   = 960
	svgLeft    = 200 // lifeline of a
	svgRight   = 900 // lifeline of b
	svgMiddle  = (svgLeft + svgRight) / 2
	svgHead    = 76 // first row
	svgRow     = 26
	svgLine    = 15 // a remark
	svgBend    = 26 // how far the link of a retry leaves its lifeline
	svgLetters = 100
)

// svgStyle gives the picture its colours, which people tell apart who see no red or green;
// dashes and crosses say the same.
const svgStyle = `text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1b1f24}
.bg{fill:#fff}.life{stroke:#57606a;stroke-width:1.5}.point{stroke:#8c959f;stroke-dasharray:2 4}
.a{stroke:#0072b2;fill:none}.b{stroke:#9a5b00;fill:none}.ha{fill:#0072b2}.hb{fill:#9a5b00}
.run{stroke-width:4}.dash{stroke-dasharray:6 4}.link{stroke:#8c959f;fill:none;stroke-dasharray:3 3}
.cross{stroke:#c2185b;stroke-width:2.5}.dim{fill:#57606a}.loss,.error{fill:#b3003c}.warn,.words{fill:#7a4a00}.note,.proof{fill:#005a8c}
.title{font-weight:bold}.focus{fill:#ffd54a;fill-opacity:.35}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.bg{fill:#0d1117}.life{stroke:#9198a1}.point,.link{stroke:#6e7681}
.a{stroke:#56b4e9}.b{stroke:#e69f00}.ha{fill:#56b4e9}.hb{fill:#e69f00}.cross{stroke:#ff7eb6}
.dim{fill:#9198a1}.loss,.error{fill:#ff8fb0}.warn,.words{fill:#f0c060}.note,.proof{fill:#7cc4f0}.focus{fill:#8a6d00}}
`

// remarkClasses are the classes of remarks.
var remarkClasses = [...]string{aboutWords: "words", aboutLoss: "loss", aboutFault: "error", aboutError: "error", aboutWarn: "warn", aboutNote: "note", aboutProof: "proof", aboutNotice: "note"}

// An svgWriter draws a ladder as SVG.
type svgWriter struct {
	*bufio.Writer
	at map[uint64]int // heights of the arrows of frames
	y  int
}

// WriteSVG draws a ladder as a picture that stands alone.
func WriteSVG(w io.Writer, l *Ladder, names func(dissect.Endpoint) string) error {
	s := &svgWriter{Writer: bufio.NewWriter(w), at: map[uint64]int{}, y: svgHead}
	height := svgHead + svgRow
	for i := range l.Rows {
		height += svgHeight(&l.Rows[i])
	}
	c := l.Conn
	title := fmt.Sprintf("connection %d, %s", c.ID, c.Protocol.Name)
	if l.Story != nil {
		title += ", " + l.Story.Brief()
	}
	fmt.Fprintf(s, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" data-rows="%d" data-frames="%d">`+"\n", svgWidth, height, svgWidth, height, len(l.Rows), l.Frames)
	fmt.Fprintf(s, "<title>%s</title>\n<style>%s</style>\n", xmlText(title), svgStyle)
	fmt.Fprintf(s, `<rect class="bg" width="%d" height="%d"/>`+"\n", svgWidth, height)
	s.text(16, 22, "title", "start", title)
	s.text(16, 42, "dim", "start", l.near())
	s.text(svgLeft-20, 62, "ha", "start", l.SideName(0, names))
	s.text(svgRight+20, 62, "hb", "end", l.SideName(1, names))
	for _, x := range []int{svgLeft, svgRight} {
		s.shaft("life", x, svgHead-6, x, height-10)
	}
	s.shaft("point", svgMiddle, svgHead-6, svgMiddle, height-10)
	for i := range l.Rows {
		s.row(&l.Rows[i])
	}
	if len(l.Rows) == 0 {
		s.text(svgMiddle, svgHead+8, "dim", "middle", "no frame of the connection was chosen")
	}
	s.WriteString("</svg>\n")
	return s.Flush()
}

// svgHeight is how much room a row takes.
func svgHeight(r *Row) int { return svgRow + svgLine*len(svgRemarks(r)) }

// svgRemarks are the lines below the arrow of a row.
func svgRemarks(r *Row) (lines []remark) {
	for _, x := range r.remarks() {
		for _, s := range wrap(escaped(x.text), svgLetters-8) {
			lines = append(lines, remark{x.kind, s})
		}
	}
	return lines
}

// row draws a row and moves on.
func (s *svgWriter) row(r *Row) {
	height, y := svgHeight(r), s.y+18
	fmt.Fprintf(s, `<g data-kind="%s"`, r.Kind)
	if r.Frame() != 0 {
		fmt.Fprintf(s, ` data-frame="%d"`, r.Frame())
	}
	s.WriteString("><title>" + xmlText(escaped(r.Label)) + "</title>\n")
	if r.Focus {
		fmt.Fprintf(s, `<rect class="focus" x="0" y="%d" width="%d" height="%d"/>`+"\n", s.y, svgWidth, height)
	}
	if r.Kind == Pause {
		s.text(svgMiddle, y-2, "dim", "middle", r.Label)
	} else {
		s.arrow(r, y)
		s.link(r, y)
	}
	for i, x := range svgRemarks(r) {
		at, anchor := svgLeft+10, "start"
		if r.From == 1 {
			at, anchor = svgRight-10, "end"
		}
		s.text(at, y+13+svgLine*i, remarkClasses[x.kind], anchor, x.text)
	}
	s.WriteString("</g>\n")
	s.y += height
}

// arrow draws what goes from one lifeline to the other, with its frame and its time.
func (s *svgWriter) arrow(r *Row, y int) {
	if r.Frame() != 0 {
		s.text(60, y+4, "", "end", strconv.FormatUint(r.Frame(), 10))
	}
	s.text(70, y+4, "dim", "start", r.Clock)
	from, to, side := svgLeft, svgRight, "a"
	if r.From == 1 {
		from, to, side = svgRight, svgLeft, "b"
	}
	class, end := side, to
	switch {
	case r.Kind == Run:
		class += " run"
	case r.Lost == seq.NotCaptured:
		class += " dash"
	case r.Lost == seq.BeforeCapture:
		end = (3*from + to) / 4
	case r.Lost == seq.AfterCapture:
		end = (from + 3*to) / 4
	}
	s.shaft(class, from, y, end, y)
	if end != to {
		s.shaft("cross", end-6, y-6, end+6, y+6)
		s.shaft("cross", end-6, y+6, end+6, y-6)
	} else {
		back := 10
		if r.From == 0 {
			back = -10
		}
		fmt.Fprintf(s, `<path class="h%s" d="M%d %dl%d -5v10z"/>`+"\n", side, to, y, back)
	}
	at, anchor := svgLeft+10, "start"
	if r.From == 1 {
		at, anchor = svgRight-10, "end"
	}
	s.text(at, y-5, "", anchor, clip(escaped(r.Label), svgLetters-8, "…"))
}

// link draws the way back from a retry to what it repeats, where that is in the picture.
func (s *svgWriter) link(r *Row, y int) {
	x, bend := svgLeft, -svgBend
	if r.From == 1 {
		x, bend = svgRight, svgBend
	}
	if first, ok := s.at[r.RetryOf]; ok && r.RetryOf != 0 {
		fmt.Fprintf(s, `<path class="link" data-retry-of="%d" d="M%d %dC%d %d %d %d %d %d"/>`+"\n", r.RetryOf, x, y, x+bend, y, x+bend, first, x, first)
	}
	for _, f := range r.Frames {
		s.at[f] = y
	}
}

func (s *svgWriter) shaft(class string, x1, y1, x2, y2 int) {
	fmt.Fprintf(s, `<path class="%s" d="M%d %dL%d %d"/>`+"\n", class, x1, y1, x2, y2)
}

// text writes text that comes from anywhere.
func (s *svgWriter) text(x, y int, class, anchor, text string) {
	if text == "" {
		return
	}
	if class != "" {
		class = ` class="` + class + `"`
	}
	if anchor != "start" {
		class += ` text-anchor="` + anchor + `"`
	}
	fmt.Fprintf(s, `<text x="%d" y="%d"%s>%s</text>`+"\n", x, y, class, xmlText(escaped(text)))
}

// xmlText escapes text for the place between tags.
func xmlText(s string) string {
	var b bytes.Buffer
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		return ""
	}
	return b.String()
}
