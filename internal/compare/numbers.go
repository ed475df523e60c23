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
	last   numbersOf
	at     *numbers
	window *window
}

// widest bounds the numbers without a frame that are remembered between two with one.
const widest = 1 << 16

func (n *numbering) hear(c *session.Conn, dir dissect.Dir, x seq.Settled) {
	n.mu.Lock()
	defer n.mu.Unlock()
	k := numbersOf{c, dir}
	if n.at == nil || n.last != k {
		n.last, n.at = k, n.of[k]
		if n.at == nil {
			n.at = &numbers{from: x.Num}
			n.of[k] = n.at
		}
	}
	n.at.add(x, n.window)
}

func (n *numbers) add(x seq.Settled, w *window) {
	if x.Suspects() {
		n.suspects = append(n.suspects, x)
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
