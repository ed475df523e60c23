package render

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/spell"
)

// Columns prints chosen fields of frames, one line a frame: what -e asks for.
type Columns struct {
	Options ColumnOptions
	names   []string
	columns []column
}

// A column is resolved from a name: a packet field, or all rows of that name
// with, for a flag, the bit in each.
type column struct {
	packet *packetField
	rows   []columnRow
}

type columnRow struct {
	field *dissect.Field
	mask  uint64 // of the flag, 0 for the field itself
}

// NewColumns resolves names against the protocols' tables and Packet. An
// unknown name is an error that names the nearest known ones.
func NewColumns(names []string, o ColumnOptions, protocols []*dissect.Protocol) (*Columns, error) {
	c := &Columns{Options: o, names: names}
	known := columnNames(protocols)
	for _, name := range names {
		col, ok := known[name]
		if !ok {
			hint := spell.DidYouMean(name, slices.Collect(maps.Keys(known)))
			return nil, fmt.Errorf("unknown field %q%s", name, cmp.Or(hint, "; see `dpdissect fields`"))
		}
		c.columns = append(c.columns, *col)
	}
	return c, nil
}

func columnNames(protocols []*dissect.Protocol) map[string]*column {
	known := map[string]*column{}
	add := func(name string, row columnRow) {
		if known[name] == nil {
			known[name] = &column{}
		}
		known[name].rows = append(known[name].rows, row)
	}
	addField := func(f *dissect.Field) {
		add(f.Name, columnRow{field: f})
		for _, b := range f.Bits {
			add(f.Name+"_flags."+b.Name, columnRow{f, b.Mask})
		}
	}
	for _, p := range protocols {
		for _, f := range p.Fields {
			addField(f)
		}
	}
	addField(&dissect.Undecoded)
	for i := range packetFields {
		known[packetFields[i].field.Name] = &column{packet: &packetFields[i]}
	}
	return known
}

// AppendHeader appends the line of names, and a byte order mark, as the options
// say; it may append nothing.
func (c *Columns) AppendHeader(dst []byte) []byte {
	if c.Options.BOM {
		dst = append(dst, "\ufeff"...)
	}
	if c.Options.Header {
		dst = append(append(dst, strings.Join(c.names, string(rune(c.Options.Separator)))...), '\n')
	}
	return dst
}

// AppendRow appends the frame's line. A field that the frame does not have is
// an empty column. The clock is read only.
func (c *Columns) AppendRow(dst []byte, fr *dissect.Frame, clock *Clock) []byte {
	for i := range c.columns {
		if i > 0 {
			dst = append(dst, c.Options.Separator)
		}
		start := len(dst)
		dst = c.appendValues(dst, &c.columns[i], fr, clock)
		if q := c.quote(&c.columns[i], dst[start:]); q != 0 {
			dst = appendQuoted(dst, start, q)
		}
	}
	return append(dst, '\n')
}

// quote is what stands around a value. Text is quoted also where nothing asks for it
// when it would be taken for more than one column, or for a quoted one. Between commas
// every value is quoted that RFC 4180 wants quoted, several numbers of one field, too.
func (c *Columns) quote(col *column, value []byte) byte {
	switch {
	case len(value) == 0:
		return 0
	case c.Options.Quote != 0:
		return c.Options.Quote
	case c.Options.Separator == ',' && bytes.ContainsAny(value, ",\"\r\n"):
		return '"'
	case col.text() && (value[0] == '"' || bytes.IndexByte(value, c.Options.Separator) >= 0):
		return '"'
	}
	return 0
}

// text reports whether values may be as packets have them, and so of anybody's making.
func (c *column) text() bool {
	if c.packet != nil {
		return c.packet.free
	}
	for _, r := range c.rows {
		if r.field.Kind == dissect.Text {
			return true
		}
	}
	return false
}

func (c *Columns) appendValues(dst []byte, col *column, fr *dissect.Frame, clock *Clock) []byte {
	v := values{options: &c.Options, dst: dst, start: len(dst)}
	switch {
	case col.packet == nil:
		v.tree(col.rows, fr.Tree)
	case col.packet.append != nil:
		dst = col.packet.append(dst, fr, clock)
		if col.packet.free {
			dst = Disarm(dst, v.start)
		}
		return dst
	case col.packet.note != nil:
		for i := range fr.Notes {
			if v.next() {
				start := len(v.dst)
				v.dst = Disarm(AppendEscaped(v.dst, col.packet.note(&fr.Notes[i])), start)
			}
		}
	case col.packet.all != nil:
		for _, a := range col.packet.all(fr) {
			if v.next() {
				v.dst = strconv.AppendUint(v.dst, a, 10)
			}
		}
	default:
		for i, name := range dissect.WordNames {
			if fr.Words.Has(1<<i) && v.next() {
				v.dst = append(v.dst, name...)
			}
		}
	}
	return v.dst
}

// Disarm puts a ' before the text from start on, which AppendEscaped appended, where a
// spreadsheet would take it for a formula, and run it, or where GitHub would take it at the
// start of a line for a command, ::error::. Tabs and line ends, which a spreadsheet would
// skip, are escaped already; full-width characters begin formulas in some of its languages.
func Disarm(dst []byte, start int) []byte {
	r, _ := utf8.DecodeRune(dst[start:])
	if strings.ContainsRune("=+-@＝＋－＠", r) || isLogCommand(dst[start:]) {
		return slices.Insert(dst, start, '\'')
	}
	return dst
}

// isLogCommand reports whether text has the form of a command for GitHub: :: twice, which no
// IPv6 address has.
func isLogCommand(text []byte) bool {
	text, found := bytes.CutPrefix(bytes.TrimLeft(text, " "), []byte("::"))
	return found && bytes.Contains(text, []byte("::"))
}

// appendQuoted puts what stands from start in quotes; quotes inside are doubled.
func appendQuoted(dst []byte, start int, q byte) []byte {
	inside := bytes.ReplaceAll(dst[start:], []byte{q}, []byte{q, q})
	return append(append(append(dst[:start], q), inside...), q)
}
