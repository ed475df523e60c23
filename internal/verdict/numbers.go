package verdict

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Numbers are those of an analysis document.
type Numbers struct {
	doc         map[string]any
	captures    []place
	connections []place
	directions  []place
}

// A place is what has numbers: an input, a connection or a direction of one.
type place struct {
	values map[string]any
	conn   int  // index of the connection, -1: none
	side   int8 // 1 a, 2 b
}

// ReadNumbers reads an analysis document.
func ReadNumbers(document []byte) (*Numbers, error) {
	n := &Numbers{}
	if err := json.Unmarshal(document, &n.doc); err != nil {
		return nil, fmt.Errorf("analysis: %w", err)
	}
	for _, c := range array(n.doc["captures"]) {
		n.captures = append(n.captures, place{c, -1, 0})
	}
	for i, c := range array(n.doc["connections"]) {
		n.connections = append(n.connections, place{c, i, 0})
		dirs, _ := c["directions"].(map[string]any)
		for side, key := range []string{"a", "b"} {
			d, _ := dirs[key].(map[string]any)
			n.directions = append(n.directions, place{d, i, int8(side + 1)})
		}
	}
	return n, nil
}

func array(v any) (all []map[string]any) {
	list, _ := v.([]any)
	for _, e := range list {
		m, _ := e.(map[string]any)
		all = append(all, m)
	}
	return all
}

// id is the number of the connection of a place.
func (n *Numbers) id(p *place) int {
	v, _ := n.connections[p.conn].values["id"].(float64)
	return int(v)
}

// get follows keys to a number.
func get(values map[string]any, name string) (float64, bool) {
	for {
		key, rest, deeper := strings.Cut(name, ".")
		if !deeper {
			v, ok := values[key].(float64)
			return v, ok
		}
		values, _ = values[key].(map[string]any)
		name = rest
	}
}

// at is the value of a quantity at a place of its level.
func (q *quantity) at(p *place) (float64, absence) {
	name := q.name
	if q.level == ofCapture {
		name = strings.TrimPrefix(name, "captures.")
	}
	v, ok := get(p.values, name)
	switch {
	case ok:
		return v, none
	case q.absent == unknown && q.level == ofDirection && q.idle(p):
		return 0, inapplicable
	}
	return 0, q.absent
}

// idle reports whether a direction sent nothing that the number could be of.
func (q *quantity) idle(p *place) bool {
	data, _ := get(p.values, "data_frames")
	return data == 0
}

// whole is the value of a quantity for the run: its sum. lenient leaves out places
// where it is not known.
func (n *Numbers) whole(q *quantity, side int8, lenient bool) (sum float64, a absence) {
	switch {
	case q.name == "connections":
		return float64(len(n.connections)), none
	case q.name == "captures":
		return float64(len(n.captures)), none
	case q.level == ofRun:
		v, _ := get(n.doc, q.name)
		return v, none
	}
	found := false
	for i, places := 0, n.places(q.level); i < len(places); i++ {
		p := &places[i]
		if side != 0 && p.side != side {
			continue
		}
		v, miss := q.at(p)
		if miss == unknown && !lenient {
			return 0, unknown
		}
		if miss == none {
			sum, found = sum+v, true
		}
	}
	if !found {
		return 0, inapplicable
	}
	return sum, none
}

func (n *Numbers) places(l level) []place {
	switch l {
	case ofCapture:
		return n.captures
	case ofConnection:
		return n.connections
	}
	return n.directions
}

// local is the value of a name at a place: its own, that of the connection it
// belongs to, or that of the run.
func (n *Numbers) local(x *node, p *place, lenient bool) (float64, absence) {
	q := x.num
	switch {
	case q.level <= ofCapture:
		return n.whole(q, 0, lenient)
	case q.level == ofConnection:
		return q.at(&n.connections[p.conn])
	case x.side != 0:
		return q.at(&n.directions[2*p.conn+int(x.side)-1])
	case p.side == 0:
		return n.both(q, p, lenient)
	}
	return q.at(p)
}

// both adds up the directions of a connection.
func (n *Numbers) both(q *quantity, p *place, lenient bool) (sum float64, a absence) {
	found := false
	for i := range 2 {
		v, miss := q.at(&n.directions[2*p.conn+i])
		if miss == unknown && !lenient {
			return 0, unknown
		}
		if miss == none {
			sum, found = sum+v, true
		}
	}
	if !found {
		return 0, inapplicable
	}
	return sum, none
}
