package compare

import (
	"sync"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// numbersOf names what one side of a connection numbers.
type numbersOf struct {
	conn *session.Conn
	dir  dissect.Dir
}

// numbers are what an analysis concludes about the numbers of a side.
type numbers struct {
	from     seq.Num
	frames   []uint32 // by number: the first one captured, 0 for none
	suspects []seq.Settled
}

// numbering hears conclusions; shards conclude at the same time.
type numbering struct {
	mu     sync.Mutex
	of     map[numbersOf]*numbers
	last   *session.Conn // whose sides are at hand
	at     [2]*numbers
	window *window
}

// widest bounds the numbers without a frame that are remembered between two with one.
const widest = 1 << 16

func (n *numbering) hear(c *session.Conn, dir dissect.Dir, x seq.Settled) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.last != c {
		n.last, n.at = c, [2]*numbers{n.of[numbersOf{c, 0}], n.of[numbersOf{c, 1}]}
	}
	if n.at[dir] == nil {
		n.at[dir] = &numbers{from: x.Num}
		n.of[numbersOf{c, dir}] = n.at[dir]
	}
	n.at[dir].add(&x, n.window)
}

func (n *numbers) add(x *seq.Settled, w *window) {
	if x.Suspects() {
		n.suspects = append(n.suspects, *x)
	}
	i := x.Num - n.from
	if x.Frame == 0 || w.past(x.Frame) || i < 0 || i > seq.Num(len(n.frames)+widest) {
		return
	}
	for seq.Num(len(n.frames)) <= i {
		n.frames = append(n.frames, 0)
	}
	n.frames[i] = uint32(x.Frame)
}

// frame gives the first captured frame of a number, 0 for none.
func (n *numbers) frame(x seq.Num) uint32 {
	if i := x - n.from; n != nil && i >= 0 && i < seq.Num(len(n.frames)) {
		return n.frames[i]
	}
	return 0
}
