package render

import (
	"strconv"

	"github.com/dpdissect/dpdissect/dissect"
)

// values collects the values of one column of one row.
type values struct {
	options *ColumnOptions
	dst     []byte
	start   int
	n       int
}

// next makes room for one more value; false when it is not wanted.
func (v *values) next() bool {
	v.n++
	switch {
	case v.n == 1:
	case v.options.Occurrence == 'f':
		return false
	case v.options.Occurrence == 'l':
		v.dst = v.dst[:v.start]
	default:
		v.dst = append(v.dst, v.options.Aggregator)
	}
	return true
}

// tree collects all nodes of the rows, in the order of the tree. Each number of
// a list is a value.
func (v *values) tree(rows []columnRow, t *dissect.Tree) {
	if t == nil {
		return
	}
	for i := range t.Nodes {
		for _, row := range rows {
			if t.Nodes[i].Field == row.field {
				v.node(t, &t.Nodes[i], row.mask)
			}
		}
	}
}

func (v *values) node(t *dissect.Tree, n *dissect.Node, mask uint64) {
	switch {
	case mask != 0:
		if v.next() {
			v.dst = strconv.AppendBool(v.dst, n.Val&mask != 0)
		}
	case n.Field.Kind == dissect.IDs:
		for _, id := range t.IDs(n) {
			if v.next() {
				v.dst = strconv.AppendInt(v.dst, id, 10)
			}
		}
	default:
		if v.next() {
			start := len(v.dst)
			v.dst = appendPlain(v.dst, t, n)
			if n.Field.Kind == dissect.Text {
				v.dst = Disarm(v.dst, start)
			}
		}
	}
}
