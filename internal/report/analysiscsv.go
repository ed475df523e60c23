package report

import (
	"io"
	"slices"
	"strings"

	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/session"
)

// AnalysisColumns are the columns of the analysis as CSV: the paths of a connection in the
// JSON document, and those of a direction, which stand for directions.a or directions.b as
// the column direction says. The dialect of a side is directions.dialect.
var AnalysisColumns = slices.Concat(strings.Fields(ofConnection), counterColumns(0, measure.ValidSignatures), timesColumns(),
	counterColumns(measure.ValidSignatures, measure.Counters), strings.Fields(ofEnd))

const ofConnection = `
	id direction protocol dialect dialects detected_by confidence_bits a.address a.role b.address b.role
	first_frame last_frame first_time last_time duration_ms complete state closed_by reason icmp.notices icmp.first_frame
	session_id version signing players inferred summed_up internal_error.frame internal_error.message`

const ofEnd = `
	directions.dialect
	end.cause end.side end.certainty end.time end.frame end.frames end.sentence end.would_refute end.candidates end.reason
	findings.error findings.warn findings.note`

// WriteCSV writes the analysis as CSV: a line for each direction of each connection, made of
// its JSON, so that both say the same. What is not known is empty.
func WriteCSV(w io.Writer, a *Analysis) error {
	text, n := appendCSVRow(nil, ColumnNames(AnalysisColumns)), len(AnalysisColumns)
	paths, cells := analysisCells(), make([][]byte, 2*n)
	out := pieces{w: w}
	var e encoder
	for c := range session.Unpacked(a.Conns) {
		e.b = append(e.b[:0], '[') // in front of an element stands no comma
		e.conn(c, a.Story)
		clear(cells)
		paths.fill(cells, e.b[1:])
		for side := range 2 {
			cells[side*n+directionColumn] = []byte("ab"[side : side+1])
			text = appendCSVRow(text, cells[side*n:][:n])
		}
		text = out.put(text)
	}
	return out.end(text)
}

// directionColumn is the column of AnalysisColumns that says of which side a line is.
var directionColumn = slices.Index(AnalysisColumns, "direction")

// analysisCells are the paths of the cells of both lines of a connection.
func analysisCells() *cellPath {
	root := new(cellPath)
	for i, path := range AnalysisColumns {
		for side, name := range []string{"a", "b"} {
			cell, of := side*len(AnalysisColumns)+i, "directions."+name+"."
			if part, ok := strings.CutPrefix(path, "directions."); ok {
				root.add(of+part, cell)
				continue
			}
			if root.add(path, cell); path != "dialect" { // each direction has its own in directions.dialect
				root.add(of+path, cell)
			}
		}
	}
	return root
}
