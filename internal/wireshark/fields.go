package wireshark

import (
	"fmt"
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/hazel"
	"github.com/dpdissect/dpdissect/knet"
)

// Protocols are those that the plugin shows, in the order of its tables. DTLS is Wireshark's own.
func Protocols() []*dissect.Protocol {
	return []*dissect.Protocol{dp8.DP8, dp8.DPLHP, dp8.DPLNAT, dp4.DP4, dp4.DPL4CS, knet.KNet, hazel.Hazel, hazel.LAN}
}

// filterName is what a protocol is called in Wireshark, which has a knet of its own.
func filterName(protocol string) string {
	if protocol == "knet" {
		return "knet-udp"
	}
	return protocol
}

// A Field is one that the plugin registers.
type Field struct {
	Name     string `json:"name"`
	Type     string `json:"type"`           // as Wireshark names it: FT_UINT8, …
	Base     string `json:"base,omitempty"` // BASE_DEC or BASE_HEX; the width in bits of the byte of a flag
	Label    string `json:"label"`
	Protocol string `json:"protocol"` // its filter name
	Doc      string `json:"doc"`

	mask   uint64
	names  []dissect.Value
	expert string // of an expert info: "group, severity"
}

// width is how wide the type of a number is.
func width(ft string) int {
	var n int
	fmt.Sscanf(ft, "FT_UINT%d", &n)
	return n
}

// typeOf gives the type and base of a row.
func typeOf(f *dissect.Field) (ft, base string) {
	switch f.Kind {
	case dissect.Bool:
		return "FT_BOOLEAN", ""
	case dissect.Bytes:
		return "FT_BYTES", ""
	case dissect.Text:
		return "FT_STRING", ""
	case dissect.IDs:
		return "FT_UINT32", "BASE_DEC"
	}
	base = "BASE_DEC"
	switch f.Base {
	case dissect.Version:
		return "FT_STRING", ""
	case dissect.Mask64:
		return "FT_UINT64", "BASE_HEX"
	case dissect.Hex, dissect.ID32:
		base = "BASE_HEX"
	}
	switch f.Size {
	case 1, 2, 3, 4:
		return fmt.Sprintf("FT_UINT%d", 8*f.Size), base
	case 0:
		return "FT_UINT32", base
	}
	return "FT_UINT64", base
}

// A table is the rows of a protocol and the fields they became.
type table struct {
	protocol *dissect.Protocol
	rows     []row
}

// A row is a row of a protocol's table in the plugin.
type row struct {
	key   string // what the templates call it
	field *Field // nil of an array
	bits  []*Field
	from  *dissect.Field
}

// tables makes rows and fields. Rows that share a name share the field: with the names of
// values of all, and the wider type where types differ.
func tables() (all []table, fields []*Field) {
	for _, p := range Protocols() {
		t := table{protocol: p}
		byName, keys := map[string]*Field{}, map[string]int{}
		share := func(f Field) *Field {
			old := byName[f.Name]
			if old == nil {
				old = &f
				byName[f.Name] = old
				fields = append(fields, old)
				return old
			}
			if width(f.Type) > width(old.Type) {
				old.Type = f.Type
			}
			for _, v := range f.names {
				if valueName(old.names, v.Value) == "" {
					old.names = append(old.names, v)
				}
			}
			return old
		}
		for _, f := range p.Fields {
			key := strings.ReplaceAll(strings.TrimPrefix(f.Name, p.Name+"."), ".", "_")
			if keys[key]++; keys[key] > 1 {
				key = fmt.Sprintf("%s_%d", key, keys[key])
			}
			r := row{key: key, from: f}
			if f.Kind != dissect.Array && f.Kind != dissect.Group {
				ft, base := typeOf(f)
				r.field = share(Field{Name: f.Name, Type: ft, Base: base, Label: ascii(f.Label), Protocol: filterName(p.Name), Doc: ascii(f.Doc), names: f.Values})
			}
			for _, b := range f.Bits {
				r.bits = append(r.bits, share(Field{Name: f.Name + "_flags." + b.Name, Type: "FT_BOOLEAN", Base: fmt.Sprint(8 * f.Size),
					Label: ascii(b.Label), Protocol: filterName(p.Name), Doc: ascii(b.Doc), mask: b.Mask}))
			}
			t.rows = append(t.rows, r)
		}
		all = append(all, t)
	}
	return all, fields
}

func valueName(names []dissect.Value, v uint64) string {
	for _, n := range names {
		if n.Value == v {
			return n.Name
		}
	}
	return ""
}

// ascii spells a text in 7 bits.
func ascii(s string) string {
	s = strings.NewReplacer("–", "-", "…", "...", "→", "->", "×", "x").Replace(s)
	return strings.Map(func(c rune) rune {
		if c > 0x7e || c < ' ' {
			return '?'
		}
		return c
	}, s)
}

// Fields are those that the plugin registers, in its order: the rows of the protocols, then
// what comments say.
func Fields() []Field {
	_, fields := tables()
	var all []Field
	for _, f := range fields {
		all = append(all, *f)
	}
	return append(all, analysisFields()...)
}
