package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// explain says why a connection ended, where no packet that was sent again tells it: Pings
// that nobody acknowledged, or a host that says that nobody listens.
func (c *conn) explain() {
	l := &c.life
	switch {
	case l.state == session.TimedOut && !c.stuck():
		for dir := range dissect.Dirs {
			t := &c.side[dir].tries
			if ms := (c.c.LastTime - t.since.Time) / 1e6; t.pings >= leftAlone {
				c.c.GivenUp(dir, t.since, fmt.Sprintf("%d Pings without any acknowledgement for %d ms", t.pings, ms))
			} else if c.deserted(&c.side[dir], c.c.LastTime) {
				c.c.GivenUp(dir, seq.SignAt(t.firstIn, t.first), fmt.Sprintf("%d datagrams without anything from the other side for %d ms", t.alone, (c.c.LastTime-t.first)/1e6))
			}
		}
	case l.state == session.Reset && l.noticed.Frame != 0:
		dir := l.noticedBy
		c.c.PortClosed(dir, l.noticed, "the port is unreachable (ICMP): nothing listens there any more")
	}
}

// stuck reports whether a packet was sent again and never acknowledged.
func (c *conn) stuck() bool {
	for dir := range dissect.Dirs {
		if _, ok := c.c.Dir[dir].Unanswered(); ok {
			return true
		}
	}
	return false
}
