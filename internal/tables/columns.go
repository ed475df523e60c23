package tables

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/internal/report"
)

// A Type is that of a column.
type Type uint8

const (
	Text    Type = iota // UTF-8
	BigInt              // 64 bits, signed
	Integer             // 32 bits, signed
	Double              // 64 bits
	Boolean
	Time    // ns since 1970, UTC, not marked as adjusted to it; in NDJSON as in the documents
	BigInts // a list of BigInt
	Texts   // a list of Text
	CellMap // of Integer, a cell (seq.Cell), to BigInt, how many times fell into it
)

// A Column of a table; what is not known is absent, or NULL.
type Column struct {
	Name string
	Type Type
	Key  bool // a part of the key, never NULL
	Few  bool // text of few different values

	path string // of the value in the record
}

// A Table is one of those that rows go to.
type Table struct {
	Name    string
	Default bool // written unless others are named
	Columns []Column

	names map[string]*Column // by path
	date  string             // the column whose day is that of the row's folder
}

// makers make the tables. Their columns are those of the schemas, which help need not read.
var makers = []struct {
	name string
	make func(name string) *Table
}{
	{"connections", connections},
	{"ends", ends},
	{"findings", findings},
	{"intervals", intervals},
	{"rollup", rollups},
	{"messages", messages},
}

// All are the tables. Columns are only ever added to them.
var All = sync.OnceValue(func() (all []*Table) {
	for _, m := range makers {
		all = append(all, m.make(m.name))
	}
	return all
})

// Named gives a table by its name, nil when there is none.
func Named(name string) *Table {
	i := slices.IndexFunc(All(), func(t *Table) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	return All()[i]
}

// Names are those of all tables.
func Names() (names []string) {
	for _, m := range makers {
		names = append(names, m.name)
	}
	return names
}

var (
	pointKey     = Column{Name: "point", Type: Text, Key: true, Few: true}
	chainKey     = Column{Name: "chain", Type: Text, Key: true, Few: true}
	connKey      = Column{Name: "conn", Type: BigInt, Key: true}
	directionKey = Column{Name: "direction", Type: Text, Key: true, Few: true}
	fromKey      = Column{Name: "from_time", Type: Time, Key: true, path: "from"}
	cells        = Column{Name: "rtt_cells", Type: CellMap}
)

// table makes a table of the columns of its key, those of a record, and those of every table.
func table(name, date string, key []Column, more ...Column) *Table {
	t := &Table{Name: name, Default: name != "messages", date: date, Columns: slices.Concat([]Column{pointKey, chainKey}, key, more,
		[]Column{{Name: "step", Type: Integer}, {Name: "build", Type: Text, Few: true}})}
	t.names = map[string]*Column{}
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.path == "" {
			c.path = c.Name
		}
		t.names[c.path] = c
	}
	return t
}

func connections(name string) *Table {
	s := schemaOf("analysis")
	return table(name, "last_time", []Column{connKey}, s.columns(s.Defs["connection"], "id", "end")...)
}

func ends(name string) *Table {
	s := schemaOf("analysis")
	return table(name, "time", []Column{connKey}, s.columns(s.Defs["verdict"])...)
}

func findings(name string) *Table {
	s := schemaOf("finding")
	conn := connKey
	conn.Key = false
	return table(name, "time", []Column{{Name: "fingerprint", Type: Text, Key: true}}, append([]Column{conn}, s.columns(&s.node, "schema", "connection", "file")...)...)
}

func intervals(name string) *Table {
	s := schemaOf("interval")
	return table(name, "from_time", []Column{connKey, directionKey, fromKey}, append(s.columns(&s.node, "schema", "connection", "direction", "from"), cells)...)
}

func rollups(name string) *Table {
	key := []Column{{Name: "protocol", Type: Text, Key: true, Few: true}, {Name: "role", Type: Text, Key: true, Few: true}, fromKey}
	more := []Column{{Name: "connections_open", Type: BigInt}, {Name: "connections_begun", Type: BigInt}, {Name: "connections_ended", Type: BigInt}}
	for _, i := range measure.InInterval {
		more = append(more, Column{Name: measure.Table[i].Key, Type: BigInt})
	}
	return table(name, "from_time", key, append(more, cells)...)
}

func messages(name string) *Table {
	s := schemaOf("message")
	index := Column{Name: "index", Type: BigInt, Key: true}
	return table(name, "time", []Column{connKey, directionKey, index}, s.columns(&s.node, "schema", "connection", "direction", "index", "payload")...)
}

// A node is a part of a JSON Schema.
type node struct {
	Ref        string          `json:"$ref"`
	Type       string          `json:"type"`
	Enum       []any           `json:"enum"`
	Const      any             `json:"const"`
	Pattern    string          `json:"pattern"`
	Items      *node           `json:"items"`
	Properties json.RawMessage `json:"properties"`
}

// A schema is that of a document.
type schema struct {
	node
	Defs map[string]*node `json:"$defs"`
}

func schemaOf(name string) *schema {
	text, _ := report.Schema(name)
	s := new(schema)
	if err := json.Unmarshal(text, s); err != nil {
		panic(fmt.Sprintf("schema %s: %v", name, err)) // it is ours
	}
	return s
}

// columns are those of an object, in the order of the schema, without some of its members.
func (s *schema) columns(n *node, without ...string) []Column {
	return s.members(nil, n, "", without)
}

func (s *schema) members(list []Column, n *node, prefix string, without []string) []Column {
	order := json.NewDecoder(strings.NewReader(string(n.Properties)))
	order.Token() // the brace
	for order.More() {
		key, _ := order.Token()
		name := key.(string)
		m := new(node)
		if err := order.Decode(m); err != nil {
			panic(err) // it is ours
		}
		if prefix == "" && slices.Contains(without, name) {
			continue
		}
		path := prefix + name
		if m = s.resolved(m); m.Properties != nil {
			list = s.members(list, m, path+".", without)
			continue
		}
		list = append(list, Column{Name: columnName(path), Type: s.typeOf(m), Few: m.Enum != nil, path: path})
	}
	return list
}

// columnName is the path in JSON with _ for dots, directions left out, and no word of SQL.
func columnName(path string) string {
	name := strings.ReplaceAll(strings.TrimPrefix(path, "directions."), ".", "_")
	if name == "from" || name == "to" {
		name += "_time"
	}
	return name
}

// resolved follows references.
func (s *schema) resolved(n *node) *node {
	for n.Ref != "" {
		n = s.Defs[strings.TrimPrefix(n.Ref, "#/$defs/")]
	}
	return n
}

func (s *schema) typeOf(n *node) Type {
	_, isTrue := n.Const.(bool)
	switch {
	case n.Type == "integer":
		return BigInt
	case n.Type == "number":
		return Double
	case n.Type == "boolean", isTrue:
		return Boolean
	case n.Type == "array" && s.typeOf(s.resolved(n.Items)) == BigInt:
		return BigInts
	case n.Type == "array":
		return Texts
	case strings.HasSuffix(n.Pattern, `[0-9]{9}Z$`):
		return Time
	}
	return Text
}
