package tables

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/explain"
	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/internal/timeline"
	"github.com/dpdissect/dpdissect/session"
)

// A row is one that is made, as compact JSON.
type row struct {
	engine *Engine
	table  *Table
	b      []byte
}

// begin begins a row with the first part of its key.
func (e *Engine) begin(table string) *row {
	r := &row{engine: e, table: Named(table)}
	r.b = append(r.b, '{')
	r.text("point", e.o.Point)
	r.text("chain", e.o.Chain)
	return r
}

func (r *row) name(name string) {
	if len(r.b) > 1 {
		r.b = append(r.b, ',')
	}
	r.b = append(append(append(r.b, '"'), name...), '"', ':')
}

func (r *row) text(name, s string) {
	r.name(name)
	r.b = render.AppendJSONString(r.b, s)
}

func (r *row) integer(name string, n int64) {
	r.name(name)
	r.b = strconv.AppendInt(r.b, n, 10)
}

func (r *row) time(name string, ns int64) {
	r.name(name)
	r.b = time.Unix(0, ns).UTC().AppendFormat(r.b, `"2006-01-02T15:04:05.000000000Z"`)
}

// record adds what a record says, but for what the table has no column for, and what is part of
// its key.
func (r *row) record(record []byte) {
	report.EachFlat(record, nil, func(path string, value []byte) {
		c := r.table.names[path]
		if c == nil || c.Key {
			return
		}
		r.name(c.Name)
		r.b = append(r.b, r.engine.o.Keys.value(c, value)...)
	})
}

// cells adds the cells of round trips, where there are any.
func (r *row) cells(cells timeline.Cells) {
	if len(cells) == 0 {
		return
	}
	r.name("rtt_cells")
	r.b = append(r.b, '{')
	for i, cell := range slices.Sorted(maps.Keys(cells)) {
		if i > 0 {
			r.b = append(r.b, ',')
		}
		r.b = append(strconv.AppendInt(append(r.b, '"'), int64(cell), 10), '"', ':')
		r.b = strconv.AppendInt(r.b, cells[cell], 10)
	}
	r.b = append(r.b, '}')
}

// end hands the row over. at is the time, in ns, that decides into which folder.
func (r *row) end(key []byte, at int64) {
	e := r.engine
	r.integer("step", int64(e.step))
	r.text("build", e.o.Build)
	r.b = append(r.b, '}')
	if e.err == nil {
		e.err = e.spool.put(pileKey{r.table, dayOf(at)}, key, r.b)
	}
}

// connKeyOf is the key of a connection among those of its chain.
func connKeyOf(c *session.Conn) []byte { return appendOrdered(nil, int64(c.FirstFrame)) }

// writeConn writes the rows of a connection and of its end.
func (e *Engine) writeConn(c *session.Conn, story *explain.Story) {
	record := report.AppendConnectionJSON(nil, c, story)
	if e.has("connections") {
		r := e.begin("connections")
		r.integer("conn", int64(c.FirstFrame))
		r.record(record)
		r.end(connKeyOf(c), c.LastStamp)
	}
	if !e.has("ends") {
		return
	}
	report.EachFlat(record, func(path string) bool { return path == "end" }, func(path string, value []byte) {
		if path != "end" {
			return
		}
		r := e.begin("ends")
		r.integer("conn", int64(c.FirstFrame))
		r.record(value)
		at := c.LastStamp
		if v, ok := story.Verdict(c); ok && v.When() != 0 {
			at = v.When()
		}
		r.end(connKeyOf(c), at)
	})
}

// writeFindings writes those of a connection, or of none.
func (e *Engine) writeFindings(c *session.Conn, list []session.Finding) {
	if !e.has("findings") || len(list) == 0 {
		return
	}
	report.SortFindings(list)
	var b []byte
	equals := map[string]int{}
	for i := range list {
		f := &list[i]
		b = report.AppendFindingJSON(b[:0], f)
		print := fingerprint(c, f, equals)
		r := e.begin("findings")
		r.text("fingerprint", print)
		if c != nil {
			r.integer("conn", int64(c.FirstFrame))
		}
		r.record(b)
		at := f.Time
		if !f.HasTime && c != nil {
			at = c.LastStamp
		}
		r.end([]byte(print), at)
	}
}

// fingerprint is the key of a finding among those of its chain: 16 hex digits over connection,
// direction, rule and frame, and the ordinal among those that are equal in these.
func fingerprint(c *session.Conn, f *session.Finding, equals map[string]int) string {
	var conn uint64
	if c != nil {
		conn = c.FirstFrame
	}
	of := fmt.Sprintf("%d %s %s %d", conn, f.Dir, f.Rule.ID, f.Frame)
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", of, equals[of]))
	equals[of]++
	return hex.EncodeToString(sum[:8])
}

// writeInterval writes an interval of a side, and adds it to its minute.
func (e *Engine) writeInterval(c *session.Conn, dir dissect.Dir, v *timeline.Interval) {
	if minute%int64(e.o.Interval) == 0 {
		e.rollup.add(c, dir, v)
	}
	if !e.has("intervals") {
		return
	}
	r := e.begin("intervals")
	r.integer("conn", int64(c.FirstFrame))
	r.text("direction", "ab"[dir:dir+1])
	r.time("from_time", v.From)
	r.record(report.AppendIntervalJSON(nil, c, dir, v))
	r.cells(v.Cells)
	r.end(appendOrdered(append(connKeyOf(c), byte(dir)), v.From), v.From)
}

func (e *Engine) writeRollup(k *rollupKey, s *rollupSum) {
	if s.empty() {
		return
	}
	r := e.begin("rollup")
	r.text("protocol", k.protocol)
	r.text("role", k.role)
	r.time("from_time", k.from)
	r.integer("connections_open", s.open)
	r.integer("connections_begun", s.begun)
	r.integer("connections_ended", s.ended)
	for _, i := range measure.InInterval {
		r.integer(measure.Table[i].Key, s.counts[i])
	}
	r.cells(s.cells)
	r.end(k.bytes(nil), k.from)
}

func (s *rollupSum) empty() bool {
	return s.open|s.begun|s.ended == 0 && s.counts == measure.Values{} && len(s.cells) == 0
}

// writeMessage writes a message.
func (e *Engine) writeMessage(m *session.Message) {
	c := m.Conn
	r := e.begin("messages")
	r.integer("conn", int64(c.FirstFrame))
	r.text("direction", "ab"[m.Dir:m.Dir+1])
	r.integer("index", int64(m.Index))
	r.record(report.AppendMessageJSON(nil, m, int(c.FirstFrame), false))
	at := m.Time
	if !m.HasTime {
		at = c.LastStamp
	}
	key := append(connKeyOf(c), byte(m.Dir))
	r.end(binary.BigEndian.AppendUint64(key, m.Index), at)
}

// unquoted is a text of JSON.
func unquoted(value []byte) (s string) {
	if err := json.Unmarshal(value, &s); err != nil {
		panic(err) // this program wrote it
	}
	return s
}
