package filter

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpdissect/dpdissect/dissect"
)

// A model is an expression together with a plain reading of what it means.
type model struct {
	level int // 0 or, 1 xor, 2 and, 3 not or relation
	text  string
	truth func(v *values) bool
}

// values are what the model looks at in a frame.
type values struct {
	fields map[string][]uint64
	words  dissect.Words
}

var modelFields = []string{"tp.seq", "tp.payloads.size", "tp.absent", "udp.port", "tp.sacked"}

// drawFrame makes a frame and its model.
func drawFrame(t *rapid.T) (*dissect.Frame, *values) {
	small := rapid.SliceOfN(rapid.Uint64Range(0, 5), 0, 3)
	v := &values{fields: map[string][]uint64{
		"tp.seq": small.Draw(t, "seq"), "tp.payloads.size": small.Draw(t, "sizes"), "tp.sacked": small.Draw(t, "sacked"),
		"udp.port": rapid.SliceOfN(rapid.Uint64Range(0, 5), 2, 2).Draw(t, "ports"),
	}, words: dissect.Words(rapid.Uint32Range(0, 7).Draw(t, "words"))}
	fr := testFrame()
	fr.Words = v.words
	fr.Src.Port, fr.Dst.Port = uint16(v.fields["udp.port"][0]), uint16(v.fields["udp.port"][1])
	fr.Tree.Reset(fr.Payload)
	for _, n := range v.fields["tp.seq"] {
		fr.Tree.Add(&fSeq, 0, 1, n)
	}
	for _, n := range v.fields["tp.payloads.size"] {
		fr.Tree.Add(&fSize, 0, 1, n)
	}
	var ids []int64
	for _, n := range v.fields["tp.sacked"] {
		ids = append(ids, int64(n))
	}
	fr.Tree.AddIDs(&fSacked, 0, ids)
	return fr, v
}

// drawModel makes an expression of at most the given depth.
func drawModel(t *rapid.T, depth int) model {
	if depth == 0 {
		return drawLeaf(t)
	}
	switch rapid.IntRange(0, 4).Draw(t, "node") {
	case 0:
		return joinModels(t, 0, []string{"or", "||"}, depth, func(a, b bool) bool { return a || b })
	case 1:
		return joinModels(t, 1, []string{"xor", "^^"}, depth, func(a, b bool) bool { return a != b })
	case 2:
		return joinModels(t, 2, []string{"and", "&&"}, depth, func(a, b bool) bool { return a && b })
	case 3:
		x := drawModel(t, depth-1)
		not := rapid.SampledFrom([]string{"not ", "!", "! "}).Draw(t, "not")
		return model{3, not + x.at(3), func(v *values) bool { return !x.truth(v) }}
	}
	return drawLeaf(t)
}

// at is the text of a model where at least the given level is wanted.
func (m model) at(level int) string {
	if m.level < level {
		return "(" + m.text + ")"
	}
	return m.text
}

func joinModels(t *rapid.T, level int, spellings []string, depth int, f func(a, b bool) bool) model {
	first := drawModel(t, depth-1)
	text, truth := first.at(level+1), first.truth
	for range rapid.IntRange(1, 3).Draw(t, "terms") {
		left, right := truth, drawModel(t, depth-1)
		text += " " + rapid.SampledFrom(spellings).Draw(t, "op") + " " + right.at(level+1)
		truth = func(v *values) bool { return f(left(v), right.truth(v)) }
	}
	return model{level, text, truth}
}

// modelOps are the spellings, what they compare and whether they want all.
var modelOps = []struct {
	names []string
	holds func(a, b uint64) bool
	all   bool
}{
	{[]string{"==", "eq", "any_eq"}, func(a, b uint64) bool { return a == b }, false},
	{[]string{"!=", "ne", "all_ne"}, func(a, b uint64) bool { return a != b }, true},
	{[]string{"===", "all_eq"}, func(a, b uint64) bool { return a == b }, true},
	{[]string{"!==", "any_ne"}, func(a, b uint64) bool { return a != b }, false},
	{[]string{">", "gt"}, func(a, b uint64) bool { return a > b }, false},
	{[]string{"<", "lt"}, func(a, b uint64) bool { return a < b }, false},
	{[]string{">=", "ge"}, func(a, b uint64) bool { return a >= b }, false},
	{[]string{"<=", "le"}, func(a, b uint64) bool { return a <= b }, false},
}

func drawLeaf(t *rapid.T) model {
	field := rapid.SampledFrom(modelFields).Draw(t, "field")
	switch rapid.IntRange(0, 4).Draw(t, "leaf") {
	case 0:
		word := rapid.IntRange(0, 2).Draw(t, "word")
		return model{3, dissect.WordNames[word], func(v *values) bool { return v.words.Has(1 << word) }}
	case 1:
		if field == "tp.sacked" { // an empty list is there and has no value
			field = "tp.seq"
		}
		return model{3, field, func(v *values) bool { return len(v.fields[field]) > 0 }}
	case 2:
		return drawMember(t, field)
	case 3:
		other := rapid.SampledFrom(modelFields).Draw(t, "other")
		return drawRelation(t, field, other, func(v *values) []uint64 { return v.fields[other] })
	}
	n := rapid.Uint64Range(0, 5).Draw(t, "n")
	constant := fmt.Sprintf(rapid.SampledFrom([]string{"%d", "0x%x", "0%o"}).Draw(t, "base"), n)
	return drawRelation(t, field, constant, func(*values) []uint64 { return []uint64{n} })
}

func drawRelation(t *rapid.T, field, rhs string, right func(v *values) []uint64) model {
	op := rapid.SampledFrom(modelOps).Draw(t, "op")
	all := op.all
	prefix := rapid.SampledFrom([]string{"", "any ", "all "}).Draw(t, "prefix")
	if prefix != "" {
		all = prefix == "all "
	}
	text := prefix + field + " " + rapid.SampledFrom(op.names).Draw(t, "spelling") + " " + rhs
	return model{3, text, func(v *values) bool {
		some, every := false, true
		for _, a := range v.fields[field] {
			for _, b := range right(v) {
				some, every = some || op.holds(a, b), every && op.holds(a, b)
			}
		}
		there := len(v.fields[field]) > 0 && len(right(v)) > 0
		return there && (all && every || !all && some)
	}}
}

func drawMember(t *rapid.T, field string) model {
	lo := rapid.Uint64Range(0, 5).Draw(t, "lo")
	hi := rapid.Uint64Range(lo, 5).Draw(t, "hi")
	n := rapid.Uint64Range(0, 5).Draw(t, "n")
	not := rapid.Bool().Draw(t, "not")
	text := fmt.Sprintf("%s in {%d..%d, %d}", field, lo, hi, n)
	if not {
		text = strings.Replace(text, " in", " not in", 1)
	}
	return model{3, text, func(v *values) bool {
		list := v.fields[field]
		in := slices.ContainsFunc(list, func(a uint64) bool { return lo <= a && a <= hi || a == n })
		return len(list) > 0 && in != not
	}}
}

// An expression means what the model says, with the fewest parentheses that the
// precedence asks for.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fr, v := drawFrame(t)
		m := drawModel(t, 4)
		f, err := Compile(m.text, testSet)
		if err != nil {
			t.Fatalf("%v", err)
		}
		if got, want := f.Match(fr, Times{}), m.truth(v); got != want {
			t.Fatalf("%s: %v, want %v", m.text, got, want)
		}
	})
}

// The laws of logic hold for any two expressions.
func TestLaws(t *testing.T) {
	laws := [][2]string{
		{"not (not A)", "A"}, {"not (A and B)", "not A or not B"}, {"not (A or B)", "not A and not B"},
		{"A xor B", "A and not B or not A and B"}, {"A and A", "A"}, {"A or A and B", "A"},
	}
	rapid.Check(t, func(t *rapid.T) {
		fr, _ := drawFrame(t)
		r := strings.NewReplacer("A", drawModel(t, 2).at(3), "B", drawModel(t, 2).at(3))
		for _, law := range laws {
			l, err1 := Compile(r.Replace(law[0]), testSet)
			r, err2 := Compile(r.Replace(law[1]), testSet)
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			if l.Match(fr, Times{}) != r.Match(fr, Times{}) {
				t.Fatalf("%s is not %s", l, r)
			}
		}
	})
}
