package filter

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/spell"
	"github.com/dpdissect/dpdissect/dissect/syntax"
)

// A Name is one name of a set, for reference tables and completion.
type Name struct {
	Name string // "dp8.seq"
	Type string // "number", "text", …
	Doc  string // one line
}

// A Set holds the names that filters may use.
type Set struct {
	Zone *time.Location // of times of the day, nil for UTC

	entries   map[string]*entry
	conflicts []string
}

// An entry is what a name stands for.
type entry struct {
	operand
	doc  string
	kind dissect.Kind // of its rows
	rows rows
	bits []bitRow
}

// NewSet gives the names of the packet, of the analysis and of all protocols:
// each field, each flag as "<field>_flags.<bit>", and the protocol's own name,
// which stands for its presence and the bytes of the datagram. Names of rows
// that occur twice stand for either. Neighbours are further values of
// Frame.Protocol that have no fields.
func NewSet(protocols []*dissect.Protocol, neighbours ...string) *Set {
	s := &Set{entries: make(map[string]*entry)}
	for _, e := range packetEntries() {
		s.put(e)
	}
	s.addWords()
	s.addRow(&dissect.Undecoded)
	for _, p := range protocols {
		s.put(protocolEntry(p.Name, p.Title))
		for _, f := range p.Fields {
			s.addRow(f)
		}
	}
	for _, name := range neighbours {
		s.put(protocolEntry(name, ""))
	}
	for _, e := range s.entries {
		e.finish()
	}
	return s
}

// Names lists all names, sorted.
func (s *Set) Names() []Name {
	all := make([]Name, 0, len(s.entries))
	for name, e := range s.entries {
		c := e.class
		if e.plain {
			c = classText
		}
		all = append(all, Name{name, c.String(), e.doc})
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Name < all[j].Name })
	return all
}

// Conflicts lists mistakes of the tables: names that stand for different things.
// Of those the first holds.
func (s *Set) Conflicts() []string { return s.conflicts }

// lookup finds a name.
func (s *Set) lookup(name string) (*entry, bool) {
	e, ok := s.entries[name]
	return e, ok
}

// put adds an entry that has nothing in common with others of its name.
func (s *Set) put(e *entry) {
	if _, taken := s.entries[e.name]; taken {
		s.conflicts = append(s.conflicts, e.name+" is there twice")
		return
	}
	s.entries[e.name] = e
}

// share gives the entry of a name that several rows may have.
func (s *Set) share(name string, c class, k dissect.Kind, doc string) *entry {
	e, ok := s.entries[name]
	if !ok {
		e = &entry{operand: operand{notation: notation{name: name}, class: c, tree: true}, kind: k, doc: doc}
		s.entries[name] = e
	}
	if e.class != c || !e.tree {
		s.conflicts = append(s.conflicts, fmt.Sprintf("%s is %s and %s", name, phrases[e.class], phrases[c]))
		return nil
	}
	return e
}

// rowClasses are the classes of the kinds of rows.
var rowClasses = [...]class{
	dissect.Group: classPresence, dissect.Array: classPresence, dissect.Uint: classUint, dissect.Bool: classBool,
	dissect.Bytes: classBytes, dissect.Text: classText, dissect.IDs: classInt,
}

// addRow adds a row of a table and its bits.
func (s *Set) addRow(f *dissect.Field) {
	s.addName(f.Name, f)
	if len(f.Bits) == 0 {
		return
	}
	s.addName(f.Name+"_flags", f)
	for i := range f.Bits {
		b := &f.Bits[i]
		if e := s.share(f.Name+"_flags."+b.Name, classBool, dissect.Bool, b.Doc); e != nil {
			e.bits = append(e.bits, bitRow{f, b.Mask})
		}
	}
}

// addName adds a row under a name.
func (s *Set) addName(name string, f *dissect.Field) {
	e := s.share(name, rowClasses[f.Kind], f.Kind, f.Doc)
	if e == nil {
		return
	}
	if size := sizeOf(f); len(e.rows) == 0 {
		e.base, e.size = f.Base, size
	} else if size == 0 || e.size != 0 && size > e.size {
		e.size = size
	}
	e.rows = append(e.rows, f)
	e.values = append(e.values, f.Values...)
}

// finish makes the source of an entry whose rows are complete.
func (e *entry) finish() {
	switch {
	case len(e.bits) > 0:
		e.uints = flags(e.bits)
		if len(e.bits) == 1 {
			e.row = e.bits[0]
		}
		return
	case len(e.rows) == 0:
		return
	}
	r := e.rows
	switch e.kind {
	case dissect.Group, dissect.Array:
		e.uints, e.here = r.numbers(), r.present
	case dissect.Uint, dissect.Bool:
		e.uints = r.numbers()
		if len(r) == 1 {
			e.row = bitRow{r[0], math.MaxUint64}
		}
	case dissect.Bytes:
		e.bytes = nodes(r, (*dissect.Tree).Bytes)
	case dissect.Text:
		e.texts = nodes(r, (*dissect.Tree).Text)
	case dissect.IDs:
		e.ints, e.here = r.ids(), r.present
	}
}

// addWords adds the analysis words: bare and after "analysis.", with hyphens
// and with underscores.
func (s *Set) addWords() {
	for i, word := range dissect.WordNames {
		bit := dissect.Words(1) << i
		get := func(fr *dissect.Frame, _ Times) (uint64, bool) { return truthNumber(fr.Words.Has(bit)), true }
		names := map[string]bool{word: true, strings.ReplaceAll(word, "-", "_"): true}
		for name := range names {
			for _, prefix := range []string{"", "analysis."} {
				e := &entry{operand: operand{notation: notation{name: prefix + name}, class: classBool}, doc: "analysis word " + word}
				e.uints = one(get)
				s.put(e)
			}
		}
	}
}

// protocolEntry is the name of a protocol.
func protocolEntry(name, title string) *entry {
	e := &entry{operand: operand{notation: notation{name: name}, class: classBytes}, doc: title}
	e.here = func(fr *dissect.Frame, _ Times) bool { return fr.Protocol == name }
	e.bytes = one(func(fr *dissect.Frame, _ Times) ([]byte, bool) { return fr.Payload, fr.Protocol == name })
	return e
}

// unknown says that there is no such field, and which ones are near.
func (s *Set) unknown(a *atom) string {
	if a.Kind != syntax.Word || !looksLikeName(a.Text) {
		return fmt.Sprintf("%s is a constant, but a field is expected here", a.Text)
	}
	names := make([]string, 0, len(s.entries))
	for name := range s.entries {
		names = append(names, name)
	}
	kind := "name"
	if strings.Contains(a.Text, ".") {
		kind = "field"
	}
	return fmt.Sprintf("unknown %s %s%s", kind, a.Text, spell.DidYouMean(a.Text, names))
}

// Values lists the values of a name that have names themselves, for completion: "CONNECT"
// of dp8.opcode. There are none where values are open.
func (s *Set) Values(name string) []string {
	e, ok := s.entries[name]
	if !ok {
		return nil
	}
	all := append([]string(nil), e.words...)
	for _, v := range e.values {
		all = append(all, v.Name)
	}
	sort.Strings(all)
	return slices.Compact(all)
}
