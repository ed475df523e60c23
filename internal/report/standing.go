package report

import (
	"cmp"
	"slices"

	"github.com/dpdissect/dpdissect/dissect/stable"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A standing is how a connection stands among the others.
type standing struct {
	conn *session.Conn
	kind string // in a word or two: explain.Connection.Kind
	bad  bool   // it did not end as its sides wanted, or something troubled it

	weight                float64 // how bad it is: explain.Connection.Weight
	losses, retries, ping float64 // what the orders of these names go by
}

// standings are those of all connections, in their order.
func (a *Analysis) standings() []standing {
	list := make([]standing, 0, len(a.Conns))
	for c := range session.Unpacked(a.Conns) {
		s := standing{conn: c, kind: c.State.String(), losses: share(lossesOf(c), transmissionsOf(c)), retries: share(retriesOf(c), transmissionsOf(c))}
		ns, _ := pingOf(c)
		s.ping = float64(ns)
		if x, ok := a.Story.Of(c); ok {
			s.weight, s.kind, s.bad = x.Weight(), x.Kind(), x.Bad()
		}
		list = append(list, s)
	}
	return list
}

// Orders are the names of the orders of connections (TextOptions.Order).
func Orders() []string { return []string{"start", "worst", "loss", "retries", "ping", "duration"} }

// Arranged gives the connections in one of Orders.
func (a *Analysis) Arranged(order string) []*session.Conn {
	list := arranged(a.standings(), order)
	conns := make([]*session.Conn, len(list))
	for i := range list {
		conns[i] = list[i].conn
	}
	return conns
}

// arranged sorts connections by one of Orders: the largest first, but for the start.
func arranged(list []standing, order string) []standing {
	list = slices.Clone(list)
	by := map[string]func(s *standing) float64{
		"worst":    func(s *standing) float64 { return s.weight },
		"loss":     func(s *standing) float64 { return s.losses },
		"retries":  func(s *standing) float64 { return s.retries },
		"ping":     func(s *standing) float64 { return s.ping },
		"duration": func(s *standing) float64 { return float64(s.conn.LastTime - s.conn.FirstTime) },
	}[order]
	if by != nil {
		stable.Sort(list, func(x, y standing) int { return cmp.Compare(by(&y), by(&x)) })
	}
	return list
}

func share(part, whole uint64) float64 { return float64(part) / float64(max(whole, 1)) }

// ofBoth adds up what is counted of both sides.
func ofBoth(c *session.Conn, f func(d *seq.Direction) uint64) uint64 {
	return f(&c.Dir[0]) + f(&c.Dir[1])
}

func retriesOf(c *session.Conn) uint64 {
	return ofBoth(c, func(d *seq.Direction) uint64 { return d.Retries })
}

func transmissionsOf(c *session.Conn) uint64 { return ofBoth(c, (*seq.Direction).Transmissions) }

// lossesOf are the losses that are proven.
func lossesOf(c *session.Conn) uint64 {
	return ofBoth(c, func(d *seq.Direction) uint64 { l := proven(d); return l.BeforeCapture + l.AfterCapture })
}

// pingOf is the way from one side to the other and back: what each side's frames took from
// the capture point to the other side and back, together.
func pingOf(c *session.Conn) (ns int64, ok bool) {
	a, b := c.Dir[0].RTT(), c.Dir[1].RTT()
	return a.P50 + b.P50, a.Samples > 0 && b.Samples > 0
}
