package dissect

import "slices"

// A Node is one decoded field: its row, its byte range and its value.
type Node struct {
	Field *Field
	Off   int    // first byte in Tree.Data
	Len   int    // bytes owned; 0 for a value derived from other fields
	Depth int    // 0 at the top; children follow their group with a greater depth
	Val   uint64 // Uint and Bool: the value; IDs and Text: use Tree.IDs and Tree.Text
}

// A Tree is what was read of one datagram, in the order shown. Leaf nodes with
// a length own their bytes: no byte belongs to two leaves, and together with
// the Undecoded row they cover the datagram. A Tree is meant to be reused:
// Reset keeps its storage.
type Tree struct {
	Data  []byte
	Nodes []Node

	ids   []int64
	texts []string
	depth int
}

// Undecoded is the row of the bytes after a decode error.
var Undecoded = Field{Name: "frame.undecoded", Label: "Undecoded", Kind: Bytes, Privacy: Payload, Doc: "bytes after the point where decoding stopped"}

// Reset empties the tree for a datagram with the given payload.
func (t *Tree) Reset(data []byte) {
	t.Data, t.Nodes, t.ids, t.depth = data, t.Nodes[:0], t.ids[:0], 0
	clear(t.texts)
	t.texts = t.texts[:0]
}

// Add appends a Uint, Bool or Bytes node. On a nil tree it does nothing, and so
// do all methods that add.
func (t *Tree) Add(f *Field, off, length int, val uint64) {
	if t != nil {
		t.Nodes = append(t.Nodes, Node{f, off, length, t.depth, val})
	}
}

// Open appends a Group or one element of an Array; what is added until Close
// belongs to it.
func (t *Tree) Open(f *Field, off, length int) {
	if t != nil {
		t.Nodes = append(t.Nodes, Node{f, off, length, t.depth, 0})
		t.depth++
	}
}

// Close ends the innermost open group.
func (t *Tree) Close() {
	if t != nil {
		t.depth--
	}
}

// AddIDs appends a derived list of numbers. The list is copied.
func (t *Tree) AddIDs(f *Field, off int, ids []int64) {
	if t != nil {
		start := len(t.ids)
		t.ids = append(t.ids, ids...)
		t.Nodes = append(t.Nodes, Node{f, off, 0, t.depth, uint64(start)<<32 | uint64(len(ids))})
	}
}

// AddText appends a derived text.
func (t *Tree) AddText(f *Field, off int, s string) {
	if t != nil {
		t.texts = append(t.texts, s)
		t.Nodes = append(t.Nodes, Node{f, off, 0, t.depth, uint64(len(t.texts) - 1)})
	}
}

// IDs is the list of an IDs node.
func (t *Tree) IDs(n *Node) []int64 {
	start := n.Val >> 32
	return t.ids[start : start+n.Val&0xffffffff]
}

// Text is the text of a Text node.
func (t *Tree) Text(n *Node) string { return t.texts[n.Val] }

// Bytes is the byte range a node covers.
func (t *Tree) Bytes(n *Node) []byte { return t.Data[n.Off : n.Off+n.Len] }

// Find is the first node of a field, or nil.
func (t *Tree) Find(f *Field) *Node {
	for i := range t.Nodes {
		if t.Nodes[i].Field == f {
			return &t.Nodes[i]
		}
	}
	return nil
}

// Clone copies the tree onto a copy of its datagram.
func (t *Tree) Clone(data []byte) *Tree {
	return &Tree{Data: data, Nodes: slices.Clone(t.Nodes), ids: slices.Clone(t.ids), texts: slices.Clone(t.texts)}
}
