package filter

import "github.com/dpdissect/dpdissect/dissect"

// A test judges a frame.
type test func(fr *dissect.Frame, t Times) bool

// A cursor is a place in the values of a field. It is passed by value, so that
// walking over them takes nothing from the heap.
type cursor struct{ node, sub int }

// A source gives the first value at or after a place, and the place after it.
type source[V any] func(fr *dissect.Frame, t Times, at cursor) (v V, next cursor, ok bool)

// one is the source of a field that occurs at most once.
func one[V any](get func(fr *dissect.Frame, t Times) (V, bool)) source[V] {
	return func(fr *dissect.Frame, t Times, at cursor) (v V, next cursor, ok bool) {
		if at.node > 0 {
			return v, at, false
		}
		v, ok = get(fr, t)
		return v, cursor{node: 1}, ok
	}
}

// indexed is the source of a field with n values a frame.
func indexed[V any](n func(fr *dissect.Frame) int, get func(fr *dissect.Frame, i int) V) source[V] {
	return func(fr *dissect.Frame, _ Times, at cursor) (v V, next cursor, ok bool) {
		if at.node >= n(fr) {
			return v, at, false
		}
		return get(fr, at.node), cursor{node: at.node + 1}, true
	}
}

// mapped applies a function to each value and leaves out those it refuses.
func mapped[V, W any](s source[V], f func(V) (W, bool)) source[W] {
	return func(fr *dissect.Frame, t Times, at cursor) (w W, next cursor, ok bool) {
		for {
			v, next, ok := s(fr, t, at)
			if !ok {
				return w, next, false
			}
			if w, ok := f(v); ok {
				return w, next, true
			}
			at = next
		}
	}
}

// rows are the rows of a table that share a name: one field of the wire that
// frames of different types describe differently.
type rows []*dissect.Field

// find is the index of the next node of one of the rows, or -1.
func (r rows) find(tree *dissect.Tree, from int) int {
	if tree == nil {
		return -1
	}
	first := r[0]
	for i := from; i < len(tree.Nodes); i++ {
		if f := tree.Nodes[i].Field; f == first || len(r) > 1 && r.has(f) {
			return i
		}
	}
	return -1
}

func (r rows) has(f *dissect.Field) bool {
	for _, row := range r {
		if row == f {
			return true
		}
	}
	return false
}

// present is the test for a node of the rows.
func (r rows) present(fr *dissect.Frame, _ Times) bool { return r.find(fr.Tree, 0) >= 0 }

// nodes is the source of what get makes of each node.
func nodes[V any](r rows, get func(tree *dissect.Tree, n *dissect.Node) V) source[V] {
	return func(fr *dissect.Frame, _ Times, at cursor) (v V, next cursor, ok bool) {
		i := r.find(fr.Tree, at.node)
		if i < 0 {
			return v, at, false
		}
		return get(fr.Tree, &fr.Tree.Nodes[i]), cursor{node: i + 1}, true
	}
}

// numbers is the source of Uint and Bool rows.
func (r rows) numbers() source[uint64] {
	return func(fr *dissect.Frame, _ Times, at cursor) (uint64, cursor, bool) {
		i := r.find(fr.Tree, at.node)
		if i < 0 {
			return 0, at, false
		}
		return fr.Tree.Nodes[i].Val, cursor{node: i + 1}, true
	}
}

// ids is the source of IDs rows: each element of each list is a value.
func (r rows) ids() source[int64] {
	return func(fr *dissect.Frame, _ Times, at cursor) (int64, cursor, bool) {
		for i := r.find(fr.Tree, at.node); i >= 0; i = r.find(fr.Tree, i+1) {
			if i > at.node {
				at = cursor{node: i}
			}
			if list := fr.Tree.IDs(&fr.Tree.Nodes[i]); at.sub < len(list) {
				return list[at.sub], cursor{i, at.sub + 1}, true
			}
		}
		return 0, at, false
	}
}

// A bitRow is one bit of one row.
type bitRow struct {
	field *dissect.Field
	mask  uint64
}

// flags is the source of a flag: 1 when set, 0 when clear.
func flags(refs []bitRow) source[uint64] {
	return func(fr *dissect.Frame, _ Times, at cursor) (uint64, cursor, bool) {
		if fr.Tree == nil {
			return 0, at, false
		}
		for i := at.node; i < len(fr.Tree.Nodes); i++ {
			n := &fr.Tree.Nodes[i]
			for _, ref := range refs {
				if n.Field == ref.field {
					return truthNumber(n.Val&ref.mask != 0), cursor{node: i + 1}, true
				}
			}
		}
		return 0, at, false
	}
}

func truthNumber(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
