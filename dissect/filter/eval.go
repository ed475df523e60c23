package filter

import (
	"regexp"

	"github.com/dpdissect/dpdissect/dissect"
)

// allTests is the conjunction.
func allTests(tests []test) test {
	return func(fr *dissect.Frame, t Times) bool {
		for _, f := range tests {
			if !f(fr, t) {
				return false
			}
		}
		return true
	}
}

// anyTest is the disjunction.
func anyTest(tests []test) test {
	return func(fr *dissect.Frame, t Times) bool {
		for _, f := range tests {
			if f(fr, t) {
				return true
			}
		}
		return false
	}
}

// oddTests holds when an odd number of tests does.
func oddTests(tests []test) test {
	return func(fr *dissect.Frame, t Times) bool {
		odd := false
		for _, f := range tests {
			odd = odd != f(fr, t)
		}
		return odd
	}
}

// inverse is the negation.
func inverse(f test) test {
	return func(fr *dissect.Frame, t Times) bool { return !f(fr, t) }
}

// exists holds when there is a value.
func exists[V any](s source[V]) test {
	return func(fr *dissect.Frame, t Times) bool {
		_, _, ok := s(fr, t, cursor{})
		return ok
	}
}

// counted is the number of values.
func counted[V any](s source[V]) source[uint64] {
	return one(func(fr *dissect.Frame, t Times) (n uint64, ok bool) {
		for _, at, ok := s(fr, t, cursor{}); ok; _, at, ok = s(fr, t, at) {
			n++
		}
		return n, true
	})
}

// quantified holds when any value satisfies, or when there are values and all do.
func quantified[V any](m mode, s source[V], satisfies func(V) bool) test {
	all := m == modeAll
	return func(fr *dissect.Frame, t Times) bool {
		v, at, ok := s(fr, t, cursor{})
		if !ok {
			return false
		}
		for ; ok; v, at, ok = s(fr, t, at) {
			if satisfies(v) != all {
				return !all
			}
		}
		return all
	}
}

// quantifiedPairs is quantified over every pair of values of two sources.
func quantifiedPairs[V any](m mode, a, b source[V], satisfies func(v, w V) bool) test {
	all := m == modeAll
	return func(fr *dissect.Frame, t Times) bool {
		some := false
		for v, i, ok := a(fr, t, cursor{}); ok; v, i, ok = a(fr, t, i) {
			for w, j, ok := b(fr, t, cursor{}); ok; w, j, ok = b(fr, t, j) {
				if satisfies(v, w) != all {
					return !all
				}
				some = true
			}
		}
		return all && some
	}
}

// An interval is a constant: a number, a subnet or a range of a set.
type interval[V any] struct{ lo, hi V }

// holds gives the relation to a constant.
func holds[V any](op relop, compare func(a, b V) int, c interval[V]) func(V) bool {
	lo, hi := c.lo, c.hi
	switch op {
	case opNe:
		return func(v V) bool { return compare(v, lo) < 0 || compare(v, hi) > 0 }
	case opGt:
		return func(v V) bool { return compare(v, hi) > 0 }
	case opLt:
		return func(v V) bool { return compare(v, lo) < 0 }
	case opGe:
		return func(v V) bool { return compare(v, lo) >= 0 }
	case opLe:
		return func(v V) bool { return compare(v, hi) <= 0 }
	}
	if compare(lo, hi) == 0 {
		return func(v V) bool { return compare(v, lo) == 0 }
	}
	return func(v V) bool { return compare(v, lo) >= 0 && compare(v, hi) <= 0 }
}

// relates gives the relation between two values.
func relates[V any](op relop, compare func(a, b V) int) func(v, w V) bool {
	switch op {
	case opNe:
		return func(v, w V) bool { return compare(v, w) != 0 }
	case opGt:
		return func(v, w V) bool { return compare(v, w) > 0 }
	case opLt:
		return func(v, w V) bool { return compare(v, w) < 0 }
	case opGe:
		return func(v, w V) bool { return compare(v, w) >= 0 }
	case opLe:
		return func(v, w V) bool { return compare(v, w) <= 0 }
	}
	return func(v, w V) bool { return compare(v, w) == 0 }
}

// within is membership of a set; want is false for not in.
func within[V any](compare func(a, b V) int, set []interval[V], want bool) func(V) bool {
	return func(v V) bool {
		for i := range set {
			if compare(v, set[i].lo) >= 0 && compare(v, set[i].hi) <= 0 {
				return want
			}
		}
		return !want
	}
}

// matchText and matchBytes search for a regular expression.
func matchText(re *regexp.Regexp) func(string) bool  { return re.MatchString }
func matchBytes(re *regexp.Regexp) func([]byte) bool { return re.Match }
