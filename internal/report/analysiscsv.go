package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/session"
)

// AnalysisColumns are the columns of the analysis as CSV: the paths of a connection in the
// JSON document, and those of a direction, which stand for directions.a or directions.b as
// the column direction says. The dialect of a side is directions.dialect.
var AnalysisColumns = append(append(strings.Fields(beforeTimes), timesColumns()...), strings.Fields(behindTimes)...)

const beforeTimes = `
	id direction protocol dialect dialects detected_by confidence_bits a.address a.role b.address b.role
	first_frame last_frame first_time last_time duration_ms complete state closed_by reason icmp.notices icmp.first_frame
	session_id version signing players inferred summed_up internal_error.frame internal_error.message
	frames bytes data_frames acks retries sendings unneeded_retries duplicates out_of_order gaps missing
	lost.before_capture lost.after_capture lost.not_captured messages message_bytes incomplete_messages keepalives`

const behindTimes = `
	signatures.valid signatures.invalid signatures.unverifiable directions.dialect
	end.cause end.side end.certainty end.time end.frame end.frames end.sentence end.would_refute end.candidates end.reason
	findings.error findings.warn findings.note`

// WriteCSV writes the analysis as CSV: a line for each direction of each connection. What
// is not known is empty; the elements of a list are apart by a space, or by "; " where
// they are texts of several words.
func WriteCSV(w io.Writer, a *Analysis) error {
	if _, err := w.Write(appendCSVRow(nil, ColumnNames(AnalysisColumns))); err != nil {
		return err
	}
	var e encoder
	for c := range session.Unpacked(a.Conns) {
		e.b = e.b[:0]
		text, err := e.csvRows(c, a.Story)
		if err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// csvRows makes the lines of a connection from its JSON, so that both say the same.
func (e *encoder) csvRows(c *session.Conn, story *explain.Story) ([]byte, error) {
	e.b = append(e.b, '[')
	e.conn(c, story)
	values := map[string]string{}
	if err := flatten(values, "", e.b[1:]); err != nil {
		return nil, err
	}
	var rows []byte
	for _, side := range []string{"a", "b"} {
		cells := make([]string, len(AnalysisColumns))
		for i, name := range AnalysisColumns {
			of := "directions." + side + "." + strings.TrimPrefix(name, "directions.")
			v, ok := values[name]
			switch {
			case name == "direction":
				v = side
			case !ok && name != "dialect": // each direction has its own in directions.dialect
				v = values[of]
			}
			cells[i] = v
		}
		rows = appendCSVRow(rows, cells)
	}
	return rows, nil
}

// flatten enters the values of a JSON object by their paths.
func flatten(into map[string]string, path string, object []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(object, &fields); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for k, v := range fields {
		switch at := path + k; v[0] {
		case '{':
			if err := flatten(into, at+".", v); err != nil {
				return err
			}
		default:
			text, err := csvText(v)
			if err != nil {
				return fmt.Errorf("%s: %w", at, err)
			}
			into[at] = text
		}
	}
	return nil
}

// csvText is a JSON value in a cell: numbers and booleans as they are written.
func csvText(v json.RawMessage) (string, error) {
	switch v[0] {
	case '"':
		var s string
		err := json.Unmarshal(v, &s)
		return s, err
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(v, &list); err != nil {
			return "", err
		}
		gap, texts := " ", make([]string, len(list))
		for i := range list {
			text, err := csvText(list[i])
			if err != nil {
				return "", err
			}
			if texts[i] = text; strings.Contains(text, " ") {
				gap = "; "
			}
		}
		return strings.Join(texts, gap), nil
	}
	return string(bytes.TrimSpace(v)), nil
}
