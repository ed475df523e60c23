package filter

import "github.com/dpdissect/dpdissect/dissect"

// quantified is quantified with a shortcut for numbers of one row.
func (k kit[V]) quantified(m mode, o *operand, satisfies func(V) bool) test {
	if number, ok := any(satisfies).(func(uint64) bool); ok && o.row.field != nil {
		return scanned(m, o, number)
	}
	return quantified(m, k.source(o), satisfies)
}

// scanned is quantified over one row: most tests of most filters. It visits the
// nodes in one loop.
func scanned(m mode, o *operand, satisfies func(uint64) bool) test {
	field, mask, flag, all := o.row.field, o.row.mask, o.class == classBool, m == modeAll
	return func(fr *dissect.Frame, _ Times) bool {
		if fr.Tree == nil {
			return false
		}
		some := false
		for i := range fr.Tree.Nodes {
			n := &fr.Tree.Nodes[i]
			if n.Field != field {
				continue
			}
			v := n.Val & mask
			if flag {
				v = truthNumber(v != 0)
			}
			if satisfies(v) != all {
				return !all
			}
			some = true
		}
		return all && some
	}
}
