package verdict

import (
	"fmt"
	"github.com/dpdissect/dpdissect/dissect"
)

// Numbers are what budgets and later runs ask of an analysis document. They are found in one
// or two passes over it, so that they take the same room for any number of connections.
type Numbers struct {
	run                   reading // of the run, which has no places
	sums                  [quantityCount][3]sum
	captures, connections int
	trips                 [2]trips // medians, and 95th percentiles
	weighed               map[*Budget]weighed
}

// A sum is what the places of a quantity add up to: those of side a, of side b, or all.
type sum struct {
	value   float64
	some    bool // a place has a value
	unknown bool // at some place it is not known
}

// trips are round trips of directions, and how many of them there are.
type trips struct{ sum, samples float64 }

// A reading is the numbers of one place, by quantity.
type reading struct {
	values [quantityCount]float64
	known  [quantityCount]bool
}

func (r *reading) put(quantity int, v float64) { r.values[quantity], r.known[quantity] = v, true }

// A connection is the numbers of one, and of its directions. Inputs stand in it alone.
type connection struct {
	id   int
	own  reading
	dirs [2]reading
}

// NewNumbers goes through a document and weighs budgets.
func NewNumbers(walk Walk, budgets []*Budget) (*Numbers, error) {
	n := &Numbers{weighed: map[*Budget]weighed{}}
	var now, later []weighing
	for _, b := range budgets {
		w := newWeighing(b)
		switch {
		case w.level < ofConnection:
		case b.refersToRun(): // its sums are known once all is read
			later = append(later, w)
		default:
			now = append(now, w)
		}
	}
	err := walk(&walker{at: []*spot{keys}, capture: n.addCapture, run: &n.run, connection: func(c *connection) {
		n.add(c)
		weighAll(now, n, c)
	}})
	if err == nil && len(later) > 0 {
		err = walk(&walker{at: []*spot{keys}, run: new(reading), connection: func(c *connection) { weighAll(later, n, c) }})
	}
	if err != nil {
		return nil, fmt.Errorf("analysis: %w", err)
	}
	for _, list := range [][]weighing{now, later} {
		for i := range list {
			n.weighed[list[i].budget] = list[i].weighed
		}
	}
	return n, nil
}

// addCapture adds up the numbers of an input.
func (n *Numbers) addCapture(c *connection) {
	n.captures++
	n.addPlaces(ofCapture, &c.own, 0)
}

// add adds up the numbers of a connection.
func (n *Numbers) add(c *connection) {
	n.connections++
	n.addPlaces(ofConnection, &c.own, 0)
	for i := range dissect.Dirs {
		n.addPlaces(ofDirection, &c.dirs[i], i+1)
		n.trips[0].add(&c.dirs[i], qP50)
		n.trips[1].add(&c.dirs[i], qP95)
	}
}

func (n *Numbers) addPlaces(l level, r *reading, side dissect.Dir) {
	for i := range quantities {
		q := &quantities[i]
		if q.level != l {
			continue
		}
		v, miss := r.at(i)
		n.sums[i][0].add(v, miss)
		if side != 0 {
			n.sums[i][side].add(v, miss)
		}
	}
}

func (s *sum) add(v float64, miss absence) {
	switch miss {
	case none:
		s.value, s.some = s.value+v, true
	case unknown:
		s.unknown = true
	}
}

func (t *trips) add(r *reading, quantity int) {
	if r.known[quantity] {
		n := r.values[qSamples]
		t.sum, t.samples = t.sum+r.values[quantity]*n, t.samples+n
	}
}

// at is the value of a quantity of the reading's level, by its place.
func (r *reading) at(quantity int) (float64, absence) {
	q := &quantities[quantity]
	switch {
	case r.known[quantity]:
		return r.values[quantity], none
	case q.absent == zero:
		return 0, none
	case q.absent == unknown && q.level == ofDirection && r.values[qDataFrames] == 0:
		return 0, inapplicable // it sent nothing that the number could be of
	}
	return 0, q.absent
}

// whole is the value of a quantity for the run: its sum. lenient leaves out places
// where it is not known.
func (n *Numbers) whole(quantity int, side int8, lenient bool) (float64, absence) {
	switch q := &quantities[quantity]; {
	case q.name == "connections":
		return float64(n.connections), none
	case q.name == "captures":
		return float64(n.captures), none
	case q.level == ofRun:
		return n.run.values[quantity], none
	}
	s := &n.sums[quantity][side]
	switch {
	case s.unknown && !lenient:
		return 0, unknown
	case !s.some:
		return 0, inapplicable
	}
	return s.value, none
}

// local is the value of a name at a connection, or at a side of it: its own, that of the
// connection, or that of the run.
func (n *Numbers) local(x *node, c *connection, side int8, lenient bool) (float64, absence) {
	q := x.num
	switch {
	case q.level <= ofCapture:
		return n.whole(x.place, 0, lenient)
	case q.level == ofConnection:
		return c.own.at(x.place)
	case x.side != 0:
		return c.dirs[x.side-1].at(x.place)
	case side == 0:
		return c.both(x.place, lenient)
	}
	return c.dirs[side-1].at(x.place)
}

// both adds up the directions of a connection.
func (c *connection) both(quantity int, lenient bool) (float64, absence) {
	var s sum
	for i := range c.dirs {
		v, miss := c.dirs[i].at(quantity)
		s.add(v, miss)
	}
	switch {
	case s.unknown && !lenient:
		return 0, unknown
	case !s.some:
		return 0, inapplicable
	}
	return s.value, none
}
