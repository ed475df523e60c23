package verdict

import (
	"math"
	"strconv"
)

// A BudgetResult says how a budget ended.
type BudgetResult struct {
	*Budget
	Evaluated bool
	Held      bool    // when it was evaluated
	Value     float64 // of the run, or at the worst place
	Limit     float64
	Worst     *WorstPlace // nil when the budget is about the whole run
	Why       string      // why it was not evaluated
}

// A WorstPlace is a connection, or a direction of one, with its own value.
type WorstPlace struct {
	Connection int
	Direction  string // "a", "b" or ""
	Value      float64
}

// LimitText is the limit as written, with its comparison: "< 2%".
func (b *Budget) LimitText() string { return b.compare + " " + b.limit }

// Format writes a value of the budget for people.
func (b *Budget) Format(v float64) string {
	if b.percent {
		return strconv.FormatFloat(v*100, 'g', 4, 64) + "%"
	}
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 5, 64)
}

// held compares a value with the limit.
func (b *Budget) held(v, limit float64) bool {
	switch b.compare {
	case "<":
		return v < limit
	case "<=":
		return v <= limit
	case ">":
		return v > limit
	case ">=":
		return v >= limit
	case "==":
		return v == limit
	}
	return v != limit
}

// badness orders values: the larger, the worse.
func (b *Budget) badness(v, limit float64) float64 {
	switch b.compare {
	case "<", "<=":
		return v - limit
	case ">", ">=":
		return limit - v
	case "==":
		return math.Abs(v - limit)
	}
	return -math.Abs(v - limit)
}

// finest is the lowest level that names of the budget belong to; each says that
// the budget must hold place by place.
func (b *Budget) finest() (finest level, each bool) {
	sided, dirs := false, false
	see := func(x *node) {
		finest = max(finest, x.num.level)
		each = each || x.num.each
		sided = sided || x.side != 0
		dirs = dirs || x.num.level == ofDirection && x.side == 0
	}
	b.left.visit(see)
	b.right.visit(see)
	if finest == ofDirection && sided && !dirs {
		finest = ofConnection // its names say which side
	}
	return finest, each
}

// Weigh evaluates the budget.
func (b *Budget) Weigh(n *Numbers) BudgetResult {
	r := BudgetResult{Budget: b}
	l, each := b.finest()
	places := b.weighPlaces(n, l)
	if each {
		r.fromPlaces(places)
	} else {
		r.fromWhole(n)
	}
	if w := places.worst; w != nil && r.Evaluated && l >= ofConnection {
		r.Worst = &WorstPlace{Connection: n.id(w), Value: places.value}
		if w.side != 0 {
			r.Worst.Direction = "ab"[w.side-1 : w.side]
		}
	}
	return r
}

// fromWhole compares what is added up.
func (r *BudgetResult) fromWhole(n *Numbers) {
	of := func(x *node) (float64, absence) { return n.whole(x.num, x.side, r.Optional) }
	v, av := r.left.eval(of)
	limit, al := r.right.eval(of)
	r.Value, r.Limit = v, limit
	r.conclude(max(av, al))
	if r.Evaluated {
		r.Held = r.held(v, limit)
	}
}

func (r *BudgetResult) conclude(a absence) {
	switch a {
	case none:
		r.Evaluated = true
	case inapplicable:
		r.Why = "the capture has no value for this number"
	case unknown:
		r.Why = "the capture does not show it everywhere"
	}
}

// fromPlaces takes what the places said one by one.
func (r *BudgetResult) fromPlaces(p weighed) {
	r.Value, r.Limit = p.value, p.limit
	switch {
	case p.worst == nil:
		r.conclude(p.absent)
	case p.broken:
		r.Evaluated = true
	case p.absent == unknown && !r.Optional:
		r.conclude(unknown)
	default:
		r.Evaluated, r.Held = true, true
	}
}

// weighed is what the places of a budget say.
type weighed struct {
	worst  *place
	value  float64
	limit  float64
	broken bool    // at some place
	absent absence // the worst one
}

// weighPlaces evaluates the budget at each place.
func (b *Budget) weighPlaces(n *Numbers, l level) (w weighed) {
	w.absent = inapplicable
	if l < ofConnection {
		return w
	}
	places, worst := n.places(l), math.Inf(-1)
	for i := range places {
		p := &places[i]
		of := func(x *node) (float64, absence) { return n.local(x, p, b.Optional) }
		v, av := b.left.eval(of)
		limit, al := b.right.eval(of)
		if a := max(av, al); a != none {
			w.absent = max(w.absent, a)
			continue
		}
		w.broken = w.broken || !b.held(v, limit)
		if bad := b.badness(v, limit); bad > worst {
			worst, w.worst, w.value, w.limit = bad, p, v, limit
		}
	}
	return w
}
