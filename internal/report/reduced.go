package report

import (
	"fmt"
	"strings"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/internal/verdict"
)

// ReduceSchema is the name and version of the document of reduce.
const ReduceSchema = "dpdissect/reduce/1"

// A Reduced is a capture that was reduced to a finding.
type Reduced struct {
	Finding verdict.Expected // in the whole capture
	Packets uint64           // of the whole capture
	Frames  []uint64         // numbers there of the packets that are left
	Frame   uint64           // of the finding among these, 0 where it is about no frame
	Tries   int
	Minimal bool
}

// AppendReducedJSON appends the document, indented, with a newline.
func AppendReducedJSON(dst []byte, r *Reduced) []byte {
	e := encoder{b: []byte{'{'}}
	e.text("schema", ReduceSchema)
	e.text("rule", r.Finding.Rule)
	e.text("severity", r.Finding.Severity)
	e.text("verdict", r.Finding.Verdict)
	place := func(key string, frame, packets uint64) {
		e.open(key, '{')
		if frame != 0 {
			e.count("frame", frame)
		}
		e.count("packets", packets)
		e.close('}')
	}
	place("from", r.Finding.Frame, r.Packets)
	place("to", r.Frame, uint64(len(r.Frames)))
	e.counts("frames", r.Frames)
	e.count("tries", uint64(r.Tries))
	e.boolean("minimal", r.Minimal)
	e.close('}')
	return append(render.AppendIndented(dst, e.b, 0), '\n')
}

// AppendReducedText appends the same for people.
func AppendReducedText(dst []byte, r *Reduced) []byte {
	dst = fmt.Appendf(dst, "%s, of %s.\n", r.Finding, terminal.Counted(r.Packets, "packet"))
	dst = fmt.Appendf(dst, "%s left, by the numbers there: %s.\n", terminal.Counted(uint64(len(r.Frames)), "packet"), strings.Trim(fmt.Sprint(r.Frames), "[]"))
	if r.Frame != 0 {
		dst = fmt.Appendf(dst, "The finding is at frame %d of them.\n", r.Frame)
	}
	if r.Minimal {
		return fmt.Appendf(dst, "None of them can be left out: %s were checked.\n", terminal.Counted(uint64(r.Tries), "capture"))
	}
	return fmt.Appendf(dst, "Perhaps more can be left out: the search ended after %s.\n", terminal.Counted(uint64(r.Tries), "capture"))
}
