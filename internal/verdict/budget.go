package verdict

import (
	"math"
	"strconv"

	"github.com/dpdissect/dpdissect/dissect/syntax"
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
func (b *Budget) held(v, limit float64) bool { return syntax.Compare(v, b.compare, limit) }

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

// refersToRun reports whether the budget, which looks at connections, has a name of the whole
// run or of the inputs, too.
func (b *Budget) refersToRun() (does bool) {
	see := func(x *node) { does = does || x.num.level <= ofCapture }
	b.left.visit(see)
	b.right.visit(see)
	return does
}

// Weigh evaluates the budget, which must be one of those that the numbers were made with.
func (b *Budget) Weigh(n *Numbers) BudgetResult {
	r := BudgetResult{Budget: b}
	l, each := b.finest()
	places := n.placesOf(b)
	if each {
		r.fromPlaces(places)
	} else {
		r.fromWhole(n)
	}
	if places.some && r.Evaluated && l >= ofConnection {
		r.Worst = places.place()
	}
	return r
}

// fromWhole compares what is added up.
func (r *BudgetResult) fromWhole(n *Numbers) {
	of := func(x *node) (float64, absence) { return n.whole(x.place, x.side, r.Optional) }
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
	case boundless:
		r.Why = "its value is beyond what can be computed"
	}
}

// fromPlaces takes what the places said one by one.
func (r *BudgetResult) fromPlaces(p weighed) {
	r.Value, r.Limit = p.value, p.limit
	switch {
	case !p.some:
		r.conclude(p.absent)
	case p.broken:
		r.Evaluated = true
	case p.absent == boundless || p.absent == unknown && !r.Optional:
		r.conclude(p.absent)
	default:
		r.Evaluated, r.Held = true, true
	}
}

// weighed is what the places of a budget say.
type weighed struct {
	some   bool // one of them has a value; of the worst there are …
	conn   int  // … its connection
	side   int8 // … its side, 0 for both
	value  float64
	limit  float64
	broken bool    // at some place
	absent absence // the worst one
}

// place is the worst one.
func (w *weighed) place() *WorstPlace {
	p := &WorstPlace{Connection: w.conn, Value: w.value}
	if w.side != 0 {
		p.Direction = "ab"[w.side-1 : w.side]
	}
	return p
}

// placesOf is what the places of a budget say.
func (n *Numbers) placesOf(b *Budget) weighed {
	w, ok := n.weighed[b]
	if !ok {
		w.absent = inapplicable // the budget is about the whole run
	}
	return w
}

// A weighing looks at one place of a budget after the other.
type weighing struct {
	weighed
	budget *Budget
	level  level
	worst  float64
}

func newWeighing(b *Budget) weighing {
	l, _ := b.finest()
	return weighing{budget: b, level: l, worst: math.Inf(-1), weighed: weighed{absent: inapplicable}}
}

// weighAll shows a connection to budgets.
func weighAll(list []weighing, n *Numbers, c *connection) {
	for i := range list {
		if w := &list[i]; w.level == ofDirection {
			w.see(n, c, 1)
			w.see(n, c, 2)
		} else {
			w.see(n, c, 0)
		}
	}
}

// see evaluates the budget at a connection, or at a side of it.
func (w *weighing) see(n *Numbers, c *connection, side int8) {
	b := w.budget
	of := func(x *node) (float64, absence) { return n.local(x, c, side, b.Optional) }
	v, av := b.left.eval(of)
	limit, al := b.right.eval(of)
	if a := max(av, al); a != none {
		w.absent = max(w.absent, a)
		return
	}
	w.broken = w.broken || !b.held(v, limit)
	if bad := b.badness(v, limit); bad > w.worst {
		w.worst, w.some, w.conn, w.side, w.value, w.limit = bad, true, c.id, side, v, limit
	}
}
