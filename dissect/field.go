package dissect

import "strings"

// Kind is the type of a field's value. It decides how a filter compares the
// field and which JSON type it becomes.
type Kind uint8

const (
	Group Kind = iota // other fields, nested; a JSON object
	Array             // one element of a repeated group; a JSON array of objects
	Uint              // an unsigned number of up to 64 bits
	Bool              // one bit of a flag byte
	Bytes             // a range of the datagram
	Text              // text that the decoder derived, such as a message name
	IDs               // a list of wire numbers
)

var kindNames = [...]string{"group", "array", "uint", "bool", "bytes", "text", "ids"}

func (k Kind) String() string { return kindNames[k] }

// Base is the notation of a Uint field.
type Base uint8

const (
	Dec     Base = iota // 42; a JSON number
	Hex                 // 0x2a for people, padded to Field.Size; a JSON number
	ID32                // "0x79c9aec6", also in JSON: session ids
	Mask64              // "0x0000000000000005", also in JSON, most significant digit first
	Version             // "1.6" from major<<16|minor, also in JSON
)

// A Field is one row of a protocol's table. Everything a field is called or
// shown as comes from its row: filter name, tree label, JSON key, column,
// error text and reference page.
type Field struct {
	Name    string // filter name, "dp8.seq"; its last part is the JSON key
	Label   string // "Sequence"
	Doc     string // what it means, and the spelling of the text: "bSeq: …"
	Kind    Kind
	Base    Base    // notation of a Uint
	Size    int     // bytes on the wire, 0 when that varies
	Unit    string  // "ms", "bytes" or ""
	Bits    []Bit   // the bits of a flag byte, most significant last
	Values  []Value // names of values
	Clause  string  // "MC-DPL8R 2.2.2"
	Privacy Privacy // what it gives away
}

// A Bit names one flag of a Uint field. In filters it is "<field>_flags.<name>".
type Bit struct {
	Mask  uint64
	Name  string // "retry"
	Label string // "PACKET_CONTROL_RETRY"
	Doc   string
}

// A Value names one value of a Uint field.
type Value struct {
	Value uint64
	Name  string
}

// Key is the JSON key of the field: the last part of its filter name.
func (f *Field) Key() string { return f.Name[strings.LastIndexByte(f.Name, '.')+1:] }

// ValueName is the name of v, or "" when the table has none.
func (f *Field) ValueName(v uint64) string {
	for i := range f.Values {
		if f.Values[i].Value == v {
			return f.Values[i].Name
		}
	}
	return ""
}

// Refs gives the rows of a table as Protocol.Fields wants them.
func Refs(table []Field) []*Field {
	refs := make([]*Field, len(table))
	for i := range table {
		refs[i] = &table[i]
	}
	return refs
}
