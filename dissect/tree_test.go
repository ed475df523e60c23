package dissect

import (
	"slices"
	"testing"
)

func TestTreeKeepsListsAndTexts(t *testing.T) {
	ids, text := &Field{Name: "t.ids", Kind: IDs}, &Field{Name: "t.text", Kind: Text}
	var tree Tree
	for range 2 { // the second time into the storage of the first
		tree.Reset([]byte{1, 2, 3})
		list := []int64{5, 6}
		tree.AddIDs(ids, 1, list)
		list[0] = 99 // the list is copied
		tree.AddIDs(ids, 1, nil)
		tree.AddIDs(ids, 1, []int64{-7})
		tree.AddText(text, 2, "one")
		tree.AddText(text, 2, "two")
		tree.Add(fP, 1, 2, 0)
		for i, want := range [][]int64{{5, 6}, {}, {-7}} {
			if got := tree.IDs(&tree.Nodes[i]); !slices.Equal(got, want) {
				t.Errorf("list %d: %v, want %v", i, got, want)
			}
		}
		if a, b := tree.Text(&tree.Nodes[3]), tree.Text(&tree.Nodes[4]); a != "one" || b != "two" {
			t.Errorf("texts %q, %q", a, b)
		}
		if got := tree.Bytes(tree.Find(fP)); !slices.Equal(got, []byte{2, 3}) {
			t.Errorf("bytes % x", got)
		}
		if tree.Find(fA) != nil {
			t.Error("found a field that is not there")
		}
	}
	if n := testing.AllocsPerRun(50, func() {
		tree.Reset(tree.Data)
		tree.AddIDs(ids, 1, []int64{1, 2, 3})
		tree.AddText(text, 2, "three")
	}); n != 0 {
		t.Errorf("%v allocations in a reused tree", n)
	}
}

func TestTreeNests(t *testing.T) {
	g := &Field{Name: "t.g", Kind: Group}
	var tree Tree
	tree.Reset([]byte{1, 2})
	tree.Open(g, 0, 2)
	tree.Add(fA, 0, 1, 1)
	tree.Open(g, 1, 1)
	tree.AddText(fA, 1, "x")
	tree.Close()
	tree.Close()
	tree.Add(fA, 1, 1, 2)
	var depths []int
	for _, n := range tree.Nodes {
		depths = append(depths, n.Depth)
	}
	if !slices.Equal(depths, []int{0, 1, 1, 2, 0}) {
		t.Errorf("depths %v", depths)
	}
}

// TestNilTree: decoders record without asking whether a tree is wanted.
func TestNilTree(t *testing.T) {
	var tree *Tree
	tree.Add(fA, 0, 1, 1)
	tree.Open(fA, 0, 1)
	tree.AddIDs(fA, 0, []int64{1})
	tree.AddText(fA, 0, "x")
	tree.Close()
}
