package explain

import (
	"cmp"
	"fmt"
	"time"

	"github.com/dpdissect/dpdissect/dissect/stable"
	"github.com/dpdissect/dpdissect/session"
)

// Around is how far before and after a moment that is asked for is looked, ns: nobody looks at
// the clock when it lags.
const Around = 30e9

// momentSlack is how close to the moment trouble weighs as much as at the moment, ns.
const momentSlack = 2e9

// mostAlso bounds the other connections that are told of a moment.
const mostAlso = 8

// An oddity is what was unusual in a connection near a moment.
type oddity struct {
	connection int
	players    string // who it is about
	cause      Cause
	side       string
	frames     []uint64
	sentence   string
	weight     float64
}

// At tells what was unusual around a time, in ns since 1970: of each connection what weighs
// most, the worst first.
func (t *Story) At(at int64, conns []*session.Conn) *Asked {
	from, to := at-Around, at+Around
	a := &Asked{At: Instant(at), From: Instant(from), To: Instant(to), Frames: []uint64{}}
	var odd []oddity
	there := 0
	for _, c := range conns {
		x, ok := t.Of(c)
		if !ok || beside(x.FirstTime, x.LastTime, from, to) {
			continue
		}
		there++
		if o, ok := x.oddity(at); ok {
			odd = append(odd, o)
			stable.Sort(odd, func(x, y oddity) int { return cmp.Compare(y.weight, x.weight) })
			odd = odd[:min(len(odd), 1+mostAlso)]
		}
	}
	span := fmt.Sprintf("between %s and %s UTC", Instant(from).Clock(), Instant(to).Clock())
	switch {
	case len(odd) > 0:
		o := &odd[0]
		a.Connection, a.Cause, a.Side, a.Frames = &o.connection, o.cause, o.side, frames(o.frames...)
		a.Sentence = fmt.Sprintf("#%d, %s: %s", o.connection, o.players, o.sentence)
		for _, o := range odd[1:] {
			a.Also = append(a.Also, Also{o.connection, o.cause, fmt.Sprintf("#%d, %s: %s", o.connection, o.players, o.sentence)})
		}
	case there == 0:
		a.Sentence = fmt.Sprintf("No connection has packets %s%s.", span, t.extent(conns))
	default:
		a.Sentence = fmt.Sprintf("Nothing was unusual %s: %s, %s.", span, count(there, "connection had packets then", "connections had packets then"), t.asEver(at, conns))
	}
	return a
}

// extent is from when to when connections have packets.
func (t *Story) extent(conns []*session.Conn) string {
	var first, last Instant
	for _, c := range conns {
		if x, ok := t.Of(c); ok && x.FirstTime != 0 {
			if first == 0 || x.FirstTime < first {
				first = x.FirstTime
			}
			last = max(last, x.LastTime)
		}
	}
	if first == 0 {
		return ""
	}
	return fmt.Sprintf("; there are some from %s to %s UTC", dated(first), dated(last))
}

// dated is a time with its date, for people.
func dated(at Instant) string { return time.Unix(0, int64(at)).UTC().Format(time.DateTime) }

// asEver says how answers came in the connections of a moment where nothing was unusual.
func (t *Story) asEver(at int64, conns []*session.Conn) string {
	var least, most int64
	for _, c := range conns {
		x, ok := t.Of(c)
		if !ok || beside(x.FirstTime, x.LastTime, at-Around, at+Around) || x.usual == [2]int64{} {
			continue
		}
		if least == 0 || x.usual[0] < least {
			least = x.usual[0]
		}
		most = max(most, x.usual[1])
	}
	if most == 0 {
		return "and none of them had losses, long waits or an end that was not wanted"
	}
	return fmt.Sprintf("and none of them had losses, long waits or an end that was not wanted; over the whole capture half of their answers came within %s to %s", span(least), span(most))
}

// oddity is what weighs most of a connection near a moment.
func (c *Connection) oddity(at int64) (best oddity, ok bool) {
	put := func(cause Cause, side string, from, to int64, weight float64, proof []uint64, sentence string) {
		near := max(from-at, at-to)
		if near > Around {
			return
		}
		if near > momentSlack {
			weight /= 2
		}
		if !ok || weight > best.weight {
			best, ok = oddity{c.ID, c.people(), cause, side, proof, sentence, weight}, true
		}
	}
	for i := range c.Contributing {
		if x := &c.Contributing[i]; x.From != 0 && x.Certainty != Unsettled { // that names nothing
			put(x.Cause, x.Side, int64(x.From), int64(max(x.From, x.To)), x.weight, x.Frames, x.Sentence)
		}
	}
	v := &c.Verdict
	when := v.When()
	switch {
	case when == 0:
	case v.Grave():
		put(v.Cause, v.Side, when, when, 1000*float64(abouts[v.Cause].grave), v.Frames, v.Sentence)
	case c.ContinuedBy != nil:
		put(PeerRestarted, "", when, when, 1000, v.Frames, v.Sentence)
	case v.since != 0:
		put(v.Cause, v.Side, v.since, when, mayWeight, v.Frames, v.Sentence)
	case v.Cause == Closed && !c.opener(v.Side) && max(when-at, at-when) <= closedNear:
		put(v.Cause, v.Side, when, when, closedWeight, v.Frames, v.Sentence)
	}
	return best, ok
}

// An end in order that the side which connected did not want is told where it is so close to
// the moment, ns; it weighs little. One that what came before may have led to weighs more.
const (
	closedNear   = 5e9
	closedWeight = 0.01
	mayWeight    = 0.05
)

// opener reports whether a side is the one that connected.
func (c *Connection) opener(side string) bool {
	if c.client == 1 {
		return side == "b"
	}
	return side == "a" || side == "both"
}

// people names the two sides of a connection for people, with their addresses.
func (c *Connection) people() string {
	x, y := c.A, c.B
	if c.client == 1 {
		x, y = y, x
	}
	if c.roles == [2]string{} {
		return x + " and " + y
	}
	return "the player " + x + " and the server " + y
}

// Names are the connections that the answer is about, none of no answer.
func (a *Asked) Names() map[int]bool {
	if a == nil {
		return nil
	}
	all := map[int]bool{}
	if a.Connection != nil {
		all[*a.Connection] = true
	}
	for i := range a.Also {
		all[a.Also[i].Connection] = true
	}
	return all
}
