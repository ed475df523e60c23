package report

import "github.com/dpdissect/dpdissect/session"

// FindingSchema is the name and version of the finding record.
const FindingSchema = "dpdissect/finding/1"

// AppendFindingJSON appends the record of a proven finding, compact and without
// a newline. Its connection has its id.
func AppendFindingJSON(dst []byte, f *session.Finding) []byte { return appendFinding(dst, f, 0) }

// appendFinding is AppendFindingJSON with the number of the file, from 1, where files
// are judged one by one; 0 is none.
func appendFinding(dst []byte, f *session.Finding, file int) []byte {
	e := encoder{b: append(dst, '{')}
	e.text("schema", FindingSchema)
	e.text("rule", f.Rule.ID)
	e.text("severity", f.Severity.String())
	e.text("verdict", verdictOf(f))
	e.text("clause", f.Rule.Clause)
	if f.Conn != nil {
		e.integer("connection", int64(f.Conn.ID))
		if f.Dir == session.SideA || f.Dir == session.SideB {
			e.text("direction", f.Dir.String())
		}
	}
	if f.Frame != 0 {
		e.count("frame", f.Frame)
	}
	if file > 0 {
		e.integer("file", int64(file))
	}
	e.counts("frames", f.Frames)
	if f.HasTime {
		e.time("time", f.Time)
	}
	e.text("message", f.Message)
	if n := f.Times(); n > 1 {
		e.count("times", n)
	}
	if !f.Failed() {
		e.text("guard", f.Guard.String()+": "+f.Guard.Asks())
	}
	e.close('}')
	return e.b
}

func verdictOf(f *session.Finding) string {
	if f.Failed() {
		return "fail"
	}
	return "inconclusive"
}
