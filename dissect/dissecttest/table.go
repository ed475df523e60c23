package dissecttest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
)

var (
	protoName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)?$`)
	partName  = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
)

// A table collects what is wrong with a protocol's description.
type table struct {
	p      *dissect.Protocol
	rows   map[*dissect.Field]bool
	byName map[string]*dissect.Field
	errs   []error
}

func (t *table) errorf(format string, args ...any) {
	t.errs = append(t.errs, fmt.Errorf(format, args...))
}

func checkTable(p *dissect.Protocol) []error {
	t := table{p: p, rows: map[*dissect.Field]bool{}, byName: map[string]*dissect.Field{}}
	t.header()
	for i, f := range p.Fields {
		switch {
		case f == nil:
			t.errorf("row %d is nil", i)
			continue
		case t.rows[f]:
			t.errorf("%s: the same row stands twice in the table", f.Name)
			continue
		}
		t.rows[f] = true
		t.row(f)
		t.bits(f)
		t.values(f)
		t.sameName(f)
	}
	t.relations()
	t.numbered()
	return t.errs
}

// numbered checks that the numbers of frames are in rows of the table, by types there are.
func (t *table) numbered() {
	for typ, f := range t.p.Numbered {
		if !slices.Contains(t.p.Types, typ) {
			t.errorf("%s: frames of the type %s are numbered, and there are none", t.p.Name, typ)
		}
		if f == nil || !t.rows[f] || f.Kind != dissect.Uint {
			t.errorf("%s: the number of %s is in no row of a number", t.p.Name, typ)
		}
	}
}

func (t *table) header() {
	p := t.p
	if !protoName.MatchString(p.Name) {
		t.errorf("protocol name %q is not a lower-case word or two", p.Name)
	}
	if p.Title == "" || len(p.Texts) == 0 {
		t.errorf("%s: title or texts are missing", p.Name)
	}
	if len(p.Fields) == 0 || len(p.Types) == 0 {
		t.errorf("%s: no fields or no types", p.Name)
	}
	seen := map[string]bool{}
	for _, typ := range p.Types {
		if typ == "" || seen[typ] {
			t.errorf("%s: type %q is empty or listed twice", p.Name, typ)
		}
		seen[typ] = true
	}
}

func (t *table) row(f *dissect.Field) {
	rest, ok := strings.CutPrefix(f.Name, t.p.Name+".")
	if !ok {
		t.errorf("%s: name does not begin with %q", f.Name, t.p.Name+".")
	}
	for part := range strings.SplitSeq(rest, ".") {
		if !partName.MatchString(part) {
			t.errorf("%s: %q is not lower_snake_case", f.Name, part)
		}
	}
	if f.Label == "" {
		t.errorf("%s: no label", f.Name)
	}
	if f.Doc == "" {
		t.errorf("%s: no doc", f.Name)
	}
	if f.Clause == "" {
		t.errorf("%s: no clause", f.Name)
	}
	if f.Kind > dissect.IDs {
		t.errorf("%s: unknown kind %d", f.Name, f.Kind)
	}
	if f.Size < 0 || f.Kind == dissect.Uint && f.Size > 8 {
		t.errorf("%s: size %d", f.Name, f.Size)
	}
	if f.Base != dissect.Dec && f.Kind != dissect.Uint {
		t.errorf("%s: a base, but not a uint", f.Name)
	}
}

// limit is the largest value of a field of the given size.
func limit(size int) uint64 {
	if size == 0 || size >= 8 {
		return ^uint64(0)
	}
	return 1<<(8*size) - 1
}

func (t *table) bits(f *dissect.Field) {
	if len(f.Bits) > 0 && f.Kind != dissect.Uint {
		t.errorf("%s: bits, but not a uint", f.Name)
	}
	names := map[string]bool{}
	var all, last uint64
	for _, b := range f.Bits {
		name := f.Name + "_flags." + b.Name
		if !partName.MatchString(b.Name) {
			t.errorf("%s: %q is not lower_snake_case", name, b.Name)
		}
		if names[b.Name] {
			t.errorf("%s: two bits of one name", name)
		}
		if b.Mask == 0 || b.Mask > limit(f.Size) {
			t.errorf("%s: mask %#x is outside of %d bytes", name, b.Mask, f.Size)
		}
		if b.Mask&all != 0 {
			t.errorf("%s: mask %#x overlaps another bit", name, b.Mask)
		}
		if b.Mask < last {
			t.errorf("%s: the most significant bit must come last", name)
		}
		if b.Label == "" || b.Doc == "" {
			t.errorf("%s: no label or no doc", name)
		}
		names[b.Name], all, last = true, all|b.Mask, b.Mask
	}
}

func (t *table) values(f *dissect.Field) {
	if len(f.Values) > 0 && f.Kind != dissect.Uint {
		t.errorf("%s: value names, but not a uint", f.Name)
	}
	seen := map[uint64]bool{}
	for _, v := range f.Values {
		if seen[v.Value] {
			t.errorf("%s: value %d is named twice", f.Name, v.Value)
		}
		if v.Name == "" || v.Value > limit(f.Size) {
			t.errorf("%s: value %d has no name or is outside of %d bytes", f.Name, v.Value, f.Size)
		}
		seen[v.Value] = true
	}
}

// sameName lets two rows share a name only where a filter and a column can't
// tell them apart: a field that stands in several types of frame.
func (t *table) sameName(f *dissect.Field) {
	g := t.byName[f.Name]
	if g == nil {
		t.byName[f.Name] = f
		return
	}
	if f.Kind != g.Kind || f.Base != g.Base || f.Size != g.Size || f.Unit != g.Unit {
		t.errorf("%s: two rows of this name differ in kind, base, size or unit", f.Name)
	}
	for _, a := range f.Bits {
		for _, b := range g.Bits {
			if a.Name == b.Name && a.Mask != b.Mask {
				t.errorf("%s_flags.%s: two rows give this bit different masks", f.Name, a.Name)
			}
		}
	}
}

// relations checks names against each other: a part of a group has its group in
// the table, and the object of a field's bits is not a field itself.
func (t *table) relations() {
	for name, f := range t.byName {
		if i := strings.LastIndexByte(name, '.'); i > len(t.p.Name) {
			g := t.byName[name[:i]]
			if g == nil || g.Kind != dissect.Group && g.Kind != dissect.Array {
				t.errorf("%s: %s is no group of the table", name, name[:i])
			}
		}
		if len(f.Bits) > 0 && t.byName[name+"_flags"] != nil {
			t.errorf("%s: the name is taken by the bits of %s", name+"_flags", name)
		}
	}
}
