package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
)

// A FieldRow is a field of the reference table, as `dpdissect fields` lists it.
type FieldRow struct {
	Name    string     `json:"name"`
	Label   string     `json:"label"`
	Type    string     `json:"type"`
	Unit    string     `json:"unit,omitempty"`
	Doc     string     `json:"doc,omitempty"`
	Clause  string     `json:"clause,omitempty"`
	Privacy string     `json:"privacy"`        // what dpdissect redact makes of it
	Of      string     `json:"of,omitempty"`   // of a flag: the field it is a bit of
	Mask    uint64     `json:"mask,omitempty"` // of a flag: that bit
	Bits    []BitRow   `json:"bits,omitempty"`
	Values  []ValueRow `json:"values,omitempty"`
}

// A BitRow is one flag of a field, which has a row of its own, too.
type BitRow struct {
	Name  string `json:"name"` // in filters: "<field>_flags.<name>"
	Mask  uint64 `json:"mask"`
	Label string `json:"label,omitempty"`
	Doc   string `json:"doc,omitempty"`
}

// A ValueRow is the name of a value.
type ValueRow struct {
	Value uint64 `json:"value"`
	Name  string `json:"name"`
}

// FieldRows lists all fields of the protocols, in their order, each with its flags after
// it: every name that a filter and -e take.
func FieldRows(protocols []*dissect.Protocol) []FieldRow {
	rows := []FieldRow{}
	for _, p := range protocols {
		for _, f := range p.Fields {
			rows = append(rows, fieldRow(f))
			for i := range f.Bits {
				rows = append(rows, flagRow(f, &f.Bits[i]))
			}
		}
	}
	return rows
}

func fieldRow(f *dissect.Field) FieldRow {
	row := FieldRow{Name: f.Name, Label: f.Label, Type: typeName(f), Unit: f.Unit, Doc: f.Doc, Clause: f.Clause, Privacy: f.Privacy.String()}
	for _, b := range f.Bits {
		row.Bits = append(row.Bits, BitRow{b.Name, b.Mask, b.Label, b.Doc})
	}
	for _, v := range f.Values {
		row.Values = append(row.Values, ValueRow(v))
	}
	return row
}

func flagRow(f *dissect.Field, b *dissect.Bit) FieldRow {
	return FieldRow{Name: f.Name + "_flags." + b.Name, Label: b.Label, Type: "bool", Doc: b.Doc, Clause: f.Clause, Privacy: dissect.Keep.String(), Of: f.Name, Mask: b.Mask}
}

// typeName is the kind, for a number with its width: "uint8", "mask64",
// "version".
func typeName(f *dissect.Field) string {
	if f.Kind != dissect.Uint {
		return f.Kind.String()
	}
	switch f.Base {
	case dissect.ID32:
		return "id32"
	case dissect.Mask64:
		return "mask64"
	case dissect.Version:
		return "version"
	}
	if f.Size == 0 {
		return "uint"
	}
	return fmt.Sprintf("uint%d", 8*f.Size)
}

// FieldsHeader names the columns of FieldsTable.
var FieldsHeader = []string{"Field", "Type", "Label", "Meaning", "Clause"}

// FieldsTable gives the rows of the text table; each flag has one of its own.
func FieldsTable(protocols []*dissect.Protocol) [][]string {
	var rows [][]string
	for _, f := range FieldRows(protocols) {
		rows = append(rows, []string{f.Name, f.typeAndUnit(), f.Label, f.meaning(), f.Clause})
	}
	return rows
}

func (r *FieldRow) typeAndUnit() string {
	if r.Unit == "" {
		return r.Type
	}
	return r.Type + ", " + r.Unit
}

func (r *FieldRow) meaning() string {
	if r.Of != "" {
		return strings.TrimSuffix(fmt.Sprintf("0x%02x: %s", r.Mask, r.Doc), ": ")
	}
	if len(r.Values) == 0 {
		return r.Doc
	}
	var names []string
	for _, v := range r.Values {
		names = append(names, fmt.Sprintf("%d %s", v.Value, v.Name))
	}
	return strings.TrimPrefix(r.Doc+"; ", "; ") + strings.Join(names, ", ")
}

// FieldsJSON gives the list as an indented JSON array.
func FieldsJSON(protocols []*dissect.Protocol) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(FieldRows(protocols))
	return b.Bytes(), err
}

// FieldsMarkdown gives the reference page: a section with a table for each
// protocol.
func FieldsMarkdown(protocols []*dissect.Protocol) []byte {
	var b bytes.Buffer
	for i, p := range protocols {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "## %s\n\n", p.Title)
		if len(p.Texts) > 0 {
			fmt.Fprintf(&b, "Text: %s.\n\n", strings.Join(p.Texts, ", "))
		}
		fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(FieldsHeader, " | "), strings.Repeat("---|", len(FieldsHeader)))
		for _, row := range FieldsTable([]*dissect.Protocol{p}) {
			for i := range row {
				row[i] = strings.NewReplacer("|", `\|`, "\n", " ").Replace(row[i])
			}
			row[0] = "`" + row[0] + "`"
			fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		}
	}
	return b.Bytes()
}
