package render

import (
	"strconv"

	"github.com/dpdissect/dpdissect/dissect"
)

// A level remembers which keys the open object of one nesting depth has. For each key it has the
// serial number of the last object that took it, so that nothing is cleared between objects.
type level struct{ taken []uint64 }

// take reports whether the object may have the key: not a second time.
func (l *level) take(key int, object uint64) bool {
	if key >= len(l.taken) {
		l.taken = append(l.taken, make([]uint64, key+1-len(l.taken))...)
	}
	before := l.taken[key]
	l.taken[key] = object
	return before != object
}

// AppendFields appends a tree as the record's "fields" object. Groups nest,
// Array nodes of one field are collected into one array, and no object gets a
// key twice: of fields that share one, the first counts.
func (e *FrameEncoder) AppendFields(dst []byte, t *dissect.Tree) []byte {
	if t == nil {
		return append(dst, "{}"...)
	}
	dst, _ = e.object(dst, t, 0, 0, 0)
	return dst
}

// object appends the nodes from i on that are at least as deep as depth, and
// gives the first that isn't.
func (e *FrameEncoder) object(dst []byte, t *dissect.Tree, i, depth, nesting int) ([]byte, int) {
	for nesting >= len(e.levels) {
		e.levels = append(e.levels, &level{})
	}
	e.serial++
	object, lv := e.serial, e.levels[nesting]
	start, fk := len(dst), &e.keys.start
	for nodes := t.Nodes; i < len(nodes); {
		n := &nodes[i]
		if n.Depth < depth && nesting > 0 {
			break
		}
		fk = e.keys.follow(fk, n.Field)
		if !lv.take(fk.id, object) {
			i = after(t, i)
			continue
		}
		dst = fk.appendKey(dst)
		if fk.plain {
			dst = dissect.AppendUint(dst, n.Val)
			i++
			continue
		}
		switch n.Field.Kind {
		case dissect.Group:
			dst, i = e.object(dst, t, i+1, n.Depth+1, nesting+1)
		case dissect.Array:
			dst, i = e.array(dst, t, i, nesting)
		default:
			dst = appendJSONValue(dst, t, n)
			i++
			if fl := fk.flags; fl != nil && lv.take(fl.id, object) {
				dst = fl.appendFlags(append(append(dst, ','), fl.key...), n.Val)
			}
		}
	}
	if len(dst) == start {
		dst = append(dst, '{')
	}
	dst[start] = '{' // in place of the first key's comma
	return append(dst, '}'), i
}

// array appends all elements of the array that begins at node i, also those that stand after
// other siblings, and gives the node after the first run. object meets the other runs later and
// passes over them: the array has their key already.
func (e *FrameEncoder) array(dst []byte, t *dissect.Tree, i, nesting int) ([]byte, int) {
	first := &t.Nodes[i]
	dst = append(dst, '[')
	dst, i = e.object(dst, t, i+1, first.Depth+1, nesting+1)
	afterRun := i
	for inRun := true; i < len(t.Nodes) && t.Nodes[i].Depth >= first.Depth; {
		n := &t.Nodes[i]
		if n.Depth != first.Depth || !sameArray(n.Field, first.Field) {
			inRun = false
			i++
			continue
		}
		dst, i = e.object(append(dst, ','), t, i+1, first.Depth+1, nesting+1)
		if inRun {
			afterRun = i
		}
	}
	return append(dst, ']'), afterRun
}

// sameArray reports whether two rows make elements of one array.
func sameArray(f, g *dissect.Field) bool {
	return f == g || f.Kind == dissect.Array && f.Key() == g.Key()
}

// after is the node after i and what i holds.
func after(t *dissect.Tree, i int) int {
	n := &t.Nodes[i]
	i++
	if n.Field.Kind == dissect.Group || n.Field.Kind == dissect.Array {
		for i < len(t.Nodes) && t.Nodes[i].Depth > n.Depth {
			i++
		}
	}
	return i
}

func appendJSONValue(dst []byte, t *dissect.Tree, n *dissect.Node) []byte {
	switch n.Field.Kind {
	case dissect.Uint:
		return appendJSONUint(dst, n)
	case dissect.Bool:
		return strconv.AppendBool(dst, n.Val != 0)
	case dissect.Bytes:
		dst = append(dst, '"')
		return append(appendHex(dst, t.Bytes(n)), '"')
	case dissect.Text:
		return AppendJSONString(dst, t.Text(n))
	case dissect.IDs:
		return appendJSONIDs(dst, t.IDs(n))
	}
	return append(dst, "null"...)
}

func appendJSONUint(dst []byte, n *dissect.Node) []byte {
	switch n.Field.Base {
	case dissect.ID32, dissect.Mask64, dissect.Version:
		dst = append(dst, '"')
		return append(appendUint(dst, n.Field, n.Len, n.Val), '"')
	}
	return dissect.AppendUint(dst, n.Val)
}

func appendJSONIDs(dst []byte, ids []int64) []byte {
	dst = append(dst, '[')
	for i, id := range ids {
		if i > 0 {
			dst = append(dst, ',')
		}
		if id < 0 {
			dst, id = append(dst, '-'), -id
		}
		dst = dissect.AppendUint(dst, uint64(id))
	}
	return append(dst, ']')
}
