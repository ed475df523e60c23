package dissecttest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// The fake protocol: a flag byte, a count, that many items of one byte each, and
// the rest as data. Each test below breaks it in one way and expects the check
// to say so: a check that can't fail is worth nothing.
const (
	fkFlags = iota
	fkCount
	fkSum
	fkItems
	fkItem
	fkName
	fkData
)

type fake struct {
	dissect.Protocol
	decode func(r *dissect.Reader, t *dissect.Tree) string
	r      dissect.Reader
}

func newFake() *fake {
	f := &fake{Protocol: dissect.Protocol{
		Name: "fake", Title: "Fake", Texts: []string{"FAKE v1"}, Types: []string{"EMPTY", "FULL"},
		Fields: []*dissect.Field{
			fkFlags: {Name: "fake.flags", Label: "Flags", Doc: "d", Kind: dissect.Uint, Base: dissect.Hex, Size: 1, Clause: "FAKE 1",
				Bits: []dissect.Bit{{Mask: 1, Name: "one", Label: "ONE", Doc: "d"}, {Mask: 0x80, Name: "two", Label: "TWO", Doc: "d"}}},
			fkCount: {Name: "fake.count", Label: "Count", Doc: "d", Kind: dissect.Uint, Size: 1, Clause: "FAKE 1", Values: []dissect.Value{{Value: 0, Name: "none"}}},
			fkSum:   {Name: "fake.sum", Label: "Sum", Doc: "d", Kind: dissect.IDs, Clause: "FAKE 1"},
			fkItems: {Name: "fake.items", Label: "Item", Doc: "d", Kind: dissect.Array, Clause: "FAKE 1"},
			fkItem:  {Name: "fake.items.value", Label: "Value", Doc: "d", Kind: dissect.Uint, Size: 1, Clause: "FAKE 1"},
			fkName:  {Name: "fake.items.name", Label: "Name", Doc: "d", Kind: dissect.Text, Clause: "FAKE 1"},
			fkData:  {Name: "fake.data", Label: "Data", Doc: "d", Kind: dissect.Bytes, Clause: "FAKE 1"},
		},
		Samples: func() [][]byte { return [][]byte{{0, 0}, {0x81, 3, 7, 8, 9, 'x', 'y'}} },
	}}
	f.decode = f.good
	f.Decode = func(t *dissect.Tree) (string, *dissect.Error) {
		f.r = dissect.NewReader(t.Data, t)
		typ := f.decode(&f.r, t)
		return typ, f.r.Err()
	}
	f.Reencode = func(b []byte) ([]byte, bool) {
		if len(b) < 2 || len(b) < 2+int(b[1]) || b[0]&0x40 != 0 {
			return nil, false
		}
		return bytes.Clone(b), true
	}
	return f
}

func (f *fake) good(r *dissect.Reader, t *dissect.Tree) string {
	if flags := r.U8(f.Fields[fkFlags]); flags&0x40 != 0 {
		r.FailAt(f.Fields[fkFlags], 0, "reserved")
	}
	n := int(r.U8(f.Fields[fkCount]))
	if n > 0 && r.OK() {
		t.AddIDs(f.Fields[fkSum], r.Pos(), []int64{int64(n)})
	}
	for ; n > 0 && r.OK(); n-- {
		t.Open(f.Fields[fkItems], r.Pos(), min(1, r.Len()))
		if r.U8(f.Fields[fkItem]) == 9 {
			t.AddText(f.Fields[fkName], r.Pos(), "nine")
		}
		t.Close()
	}
	if len(r.Rest(f.Fields[fkData])) > 0 {
		return "FULL"
	}
	return "EMPTY"
}

func TestFakeProtocolPasses(t *testing.T) {
	Protocol(t, &newFake().Protocol, AllocFree(), Mutations(100))
}

func FuzzFake(f *testing.F) { Fuzz(f, &newFake().Protocol) }

// TestEachCheckCanFail runs all checks on a broken protocol and looks for the
// complaint of one of them.
func TestEachCheckCanFail(t *testing.T) {
	tests := []struct {
		check, want string
		breakIt     func(f *fake)
	}{
		{"table", "not a lower-case word", func(f *fake) { f.Name = "Fake" }},
		{"table", "title or texts are missing", func(f *fake) { f.Texts = nil }},
		{"table", "no fields or no types", func(f *fake) { f.Types = nil }},
		{"table", `type "FULL" is empty or listed twice`, func(f *fake) { f.Types = append(f.Types, "FULL") }},
		{"table", "row 7 is nil", func(f *fake) { f.Fields = append(f.Fields, nil) }},
		{"table", "the same row stands twice", func(f *fake) { f.Fields = append(f.Fields, f.Fields[0]) }},
		{"table", "name does not begin with", func(f *fake) { f.Fields[fkData].Name = "flake.data" }},
		{"table", "is not lower_snake_case", func(f *fake) { f.Fields[fkData].Name = "fake.Data" }},
		{"table", "no label", func(f *fake) { f.Fields[fkData].Label = "" }},
		{"table", "no doc", func(f *fake) { f.Fields[fkData].Doc = "" }},
		{"table", "no clause", func(f *fake) { f.Fields[fkData].Clause = "" }},
		{"table", "frames of the type HALF are numbered", func(f *fake) { f.Numbered = map[string]*dissect.Field{"HALF": f.Fields[fkCount]} }},
		{"table", "the number of FULL is in no row", func(f *fake) { f.Numbered = map[string]*dissect.Field{"FULL": f.Fields[fkData]} }},
		{"table", "unknown kind", func(f *fake) { f.Fields[fkData].Kind = 99 }},
		{"table", "size 9", func(f *fake) { f.Fields[fkCount].Size = 9 }},
		{"table", "a base, but not a uint", func(f *fake) { f.Fields[fkData].Base = dissect.Hex }},
		{"table", "bits, but not a uint", func(f *fake) { f.Fields[fkData].Bits = f.Fields[fkFlags].Bits }},
		{"table", "fake.flags_flags.One", func(f *fake) { f.Fields[fkFlags].Bits[0].Name = "One" }},
		{"table", "two bits of one name", func(f *fake) { f.Fields[fkFlags].Bits[1].Name = "one" }},
		{"table", "is outside of 1 bytes", func(f *fake) { f.Fields[fkFlags].Bits[1].Mask = 0x100 }},
		{"table", "overlaps another bit", func(f *fake) { f.Fields[fkFlags].Bits[1].Mask = 0x81 }},
		{"table", "most significant bit must come last", func(f *fake) { f.Fields[fkFlags].Bits[0].Mask, f.Fields[fkFlags].Bits[1].Mask = 0x80, 1 }},
		{"table", "no label or no doc", func(f *fake) { f.Fields[fkFlags].Bits[0].Doc = "" }},
		{"table", "value names, but not a uint", func(f *fake) { f.Fields[fkData].Values = f.Fields[fkCount].Values }},
		{"table", "is named twice", func(f *fake) {
			f.Fields[fkCount].Values = append(f.Fields[fkCount].Values, f.Fields[fkCount].Values...)
		}},
		{"table", "value 256 has no name or is outside", func(f *fake) { f.Fields[fkCount].Values[0].Value = 256 }},
		{"table", "differ in kind, base, size or unit", func(f *fake) { f.Fields[fkData].Name = "fake.count" }},
		{"table", "different masks", func(f *fake) {
			g := *f.Fields[fkFlags]
			g.Bits = []dissect.Bit{{Mask: 2, Name: "one", Label: "l", Doc: "d"}}
			f.Fields = append(f.Fields, &g)
		}},
		{"table", "fake.things is no group", func(f *fake) { f.Fields[fkItem].Name = "fake.things.value" }},
		{"table", "taken by the bits", func(f *fake) { f.Fields[fkData].Name = "fake.flags_flags" }},

		{"samples", "has no samples", func(f *fake) { f.Samples = func() [][]byte { return nil } }},
		{"samples", "truncated: want 1 byte", func(f *fake) { f.Samples = func() [][]byte { return [][]byte{{0}} } }},
		{"samples", "no sample has type FULL", func(f *fake) { f.Samples = func() [][]byte { return [][]byte{{0, 0}} } }},

		{"cuts", "is gone", func(f *fake) {
			f.wrap(func(r *dissect.Reader, t *dissect.Tree) string {
				if len(t.Data) == 3 { // forget what was read: the bytes become undecoded
					r.Fail(f.Fields[fkItem], "too short")
					*r, *t = dissect.NewReader(t.Data, nil), dissect.Tree{Data: t.Data}
					t.Add(&dissect.Undecoded, 0, 3, 0)
					r.FailAt(f.Fields[fkItem], 3, "too short")
					return "EMPTY"
				}
				return f.good(r, t)
			})
		}},
		{"cuts", "is not in the tree of the whole datagram", func(f *fake) {
			f.wrap(func(r *dissect.Reader, t *dissect.Tree) string {
				if len(t.Data) < 4 {
					t.AddIDs(f.Fields[fkSum], 0, []int64{99})
				}
				return f.good(r, t)
			})
			f.Fields[fkSum].Name = "fake.summe"
		}},

		{"mutations", "panic: boom", func(f *fake) {
			f.wrap(func(r *dissect.Reader, t *dissect.Tree) string {
				if len(t.Data) > 0 && t.Data[0] == 0x80 {
					panic("boom")
				}
				return f.good(r, t)
			})
		}},
		{"samples", "changed the payload", func(f *fake) {
			f.wrap(func(r *dissect.Reader, t *dissect.Tree) string { t.Data[0] ^= 1; return f.good(r, t) })
			f.Reencode = func(b []byte) ([]byte, bool) { b[0] = 0xee; return bytes.Clone(b), true }
		}},
		{"samples", "another result than into a new one", func(f *fake) {
			calls := 0
			f.wrap(func(r *dissect.Reader, t *dissect.Tree) string {
				if calls++; calls%2 == 0 {
					return "EMPTY"
				}
				return f.good(r, t)
			})
		}},
		{"samples", "accepted=false", func(f *fake) { f.Reencode = func([]byte) ([]byte, bool) { return nil, false } }},
		{"mutations", "accepted=true", func(f *fake) { f.Reencode = func(b []byte) ([]byte, bool) { return b, true } }},
		{"samples", "encoded to other bytes", func(f *fake) { f.Reencode = func(b []byte) ([]byte, bool) { return b[1:], true } }},
		{"samples", `type "ODD" is not in the list`, func(f *fake) {
			f.wrap(func(r *dissect.Reader, t *dissect.Tree) string { f.good(r, t); return "ODD" })
		}},
		{"cuts", `type "ODD" of a refused payload`, func(f *fake) {
			f.wrap(func(r *dissect.Reader, t *dissect.Tree) string {
				if typ := f.good(r, t); r.OK() {
					return typ
				}
				return "ODD"
			})
		}},
		{"cuts", "does not name a field of the table", func(f *fake) {
			f.refuse(func([]byte) *dissect.Error { return &dissect.Error{Offset: 1, Reason: "r"} })
		}},
		{"cuts", "the error is at byte 8 of", func(f *fake) {
			f.refuse(func([]byte) *dissect.Error { return &dissect.Error{Field: f.Fields[0], Offset: 8, Reason: "r"} })
		}},
		{"cuts", "gives no reason", func(f *fake) {
			f.refuse(func([]byte) *dissect.Error { return &dissect.Error{Field: f.Fields[0]} })
		}},
		{"samples", "is not a row of the table", func(f *fake) {
			other := *f.Fields[fkData]
			f.tail(func(r *dissect.Reader, t *dissect.Tree) { r.Rest(&other) })
		}},
		{"samples", "is at bytes 6+2 of 7", func(f *fake) {
			f.tail(func(r *dissect.Reader, t *dissect.Tree) { t.Add(f.Fields[fkData], 6, 2, 0) })
		}},
		{"samples", "without a group above it", func(f *fake) {
			f.tail(func(r *dissect.Reader, t *dissect.Tree) {
				t.Nodes = append(t.Nodes, dissect.Node{Field: f.Fields[fkData], Depth: 2})
			})
		}},
		{"samples", "not the last one at the top", func(f *fake) {
			f.tail(func(r *dissect.Reader, t *dissect.Tree) {
				t.Add(&dissect.Undecoded, 5, 1, 0)
				t.Add(&dissect.Undecoded, 6, 1, 0)
			})
		}},
		{"samples", "accepted, but 2 bytes are undecoded", func(f *fake) {
			f.tail(func(r *dissect.Reader, t *dissect.Tree) {})
		}},
		{"samples", "fake.items.value has 1 bytes, its row says 2", func(f *fake) { f.Fields[fkItem].Size = 2 }},
		{"samples", "value 0x100 of fake.count is outside", func(f *fake) {
			f.wrap(func(r *dissect.Reader, t *dissect.Tree) string {
				typ := f.good(r, t)
				for i := range t.Nodes {
					if t.Nodes[i].Field == f.Fields[fkCount] {
						t.Nodes[i].Val = 0x100
					}
				}
				return typ
			})
		}},
		{"samples", "byte 5 has two owners", func(f *fake) {
			f.tail(func(r *dissect.Reader, t *dissect.Tree) {
				t.Add(f.Fields[fkData], 5, 2, 0)
				r.Rest(f.Fields[fkData])
			})
		}},
		{"samples", "byte 5 has no owner", func(f *fake) {
			f.tail(func(r *dissect.Reader, t *dissect.Tree) { r.Skip(f.Fields[fkData], r.Len()) })
		}},
		{"samples", `key "data" stands twice`, func(f *fake) {
			f.tail(func(r *dissect.Reader, t *dissect.Tree) {
				r.Bytes(f.Fields[fkData], min(1, r.Len()))
				r.Rest(f.Fields[fkData])
			})
		}},
		{"samples", `key "flags_flags" stands twice`, func(f *fake) { f.Fields[fkCount].Name = "fake.flags_flags" }},
		{"samples", `key "items" stands twice`, func(f *fake) { f.Fields[fkData].Name = "fake.items" }},
		{"samples", `key "value" stands twice`, func(f *fake) { f.Fields[fkName].Name = "fake.items.value" }},
		{"allocations", "allocates 1 times", func(f *fake) {
			f.wrap(func(r *dissect.Reader, t *dissect.Tree) string { sink = new(int); return f.good(r, t) })
		}},
	}
	for _, tt := range tests {
		t.Run(tt.check+" "+tt.want, func(t *testing.T) {
			f := newFake()
			tt.breakIt(f)
			for _, c := range checks([]Option{AllocFree(), Mutations(20)}) {
				if c.name != tt.check {
					continue
				}
				errs := c.run(&f.Protocol)
				if !strings.Contains(fmt.Sprint(errs), tt.want) {
					t.Errorf("check %s gave %v, want %q in it", c.name, errs, tt.want)
				}
				return
			}
			t.Errorf("there is no check %s", tt.check)
		})
	}
}

var sink *int

func (f *fake) wrap(decode func(*dissect.Reader, *dissect.Tree) string) { f.decode = decode }

// tail decodes all but the data, which it leaves to do.
func (f *fake) tail(do func(*dissect.Reader, *dissect.Tree)) {
	f.wrap(func(r *dissect.Reader, t *dissect.Tree) string {
		r.U8(f.Fields[fkFlags])
		n := int(r.U8(f.Fields[fkCount]))
		for ; n > 0 && r.OK(); n-- {
			t.Open(f.Fields[fkItems], r.Pos(), min(1, r.Len()))
			r.U8(f.Fields[fkItem])
			t.Close()
		}
		if r.Len() == 0 {
			return "EMPTY"
		}
		do(r, t)
		return "FULL"
	})
}

// refuse replaces the errors of the good decoder.
func (f *fake) refuse(with func([]byte) *dissect.Error) {
	decode := f.Decode
	f.Decode = func(t *dissect.Tree) (string, *dissect.Error) {
		typ, err := decode(t)
		if err != nil {
			err = with(t.Data)
		}
		return typ, err
	}
}

// TestMaxErrors: a decoder that fails everywhere does not drown the reader.
func TestMaxErrors(t *testing.T) {
	f := newFake()
	f.Reencode = func([]byte) ([]byte, bool) { return nil, false }
	if n := len(checkMutations(&f.Protocol, 100)); n != maxErrors {
		t.Errorf("%d errors, want %d", n, maxErrors)
	}
}
