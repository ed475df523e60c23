package explain

import (
	"cmp"
	"slices"

	"github.com/dpdissect/dpdissect/dissect/stable"
)

// A story of several connections: so many at least, each of which begins at most so long after
// the one before, ns.
const (
	groupLeast = 3
	groupGap   = 5e9
)

// What troubles connections at one time troubles them by chance, unless so large a share of those
// that were under way with the machine has it, or so many of them, and it begins so many times
// more often than in the other time.
const (
	groupShare = 0.5
	groupMany  = 10
	groupDense = 3
)

// A machine is one end of connections, with when each of them was first and last heard, ns since
// 1970, both in the order of time once they are all known.
type machine struct {
	address       string
	firsts, lasts []int64
}

// underway counts the connections that were heard within a span.
func (m *machine) underway(from, to int64) int {
	begun, _ := slices.BinarySearch(m.firsts, to+1)
	over, _ := slices.BinarySearch(m.lasts, from)
	return begun - over
}

// heard is for how long connections of it were heard, ns.
func (m *machine) heard() int64 { return m.lasts[len(m.lasts)-1] - m.firsts[0] }

// A member is a connection that did not end as its sides wanted, or that something troubled.
type member struct {
	cause    Cause
	side     string // of the cause
	by       part   // the same
	whose    part   // whose packets it is about, of what troubled it
	with     *machine
	id       int
	from, to int64 // equal of an end
	likely   bool  // its cause is not proved
	goesOn   bool  // its other side goes on as if nothing had happened
	most     int64 // ns, by what the words of its cause measure; 0 for nothing
}

// A part is that which a side plays with a machine that connections share.
type part uint8

const (
	noPart     part = iota
	serverPart      // it is the machine
	playerPart      // it is the other side
)

// part is that of a side, a or b.
func (c *Connection) part(side string) part {
	switch {
	case side != "a" && side != "b":
		return noPart
	case (side == "a") == (c.client == 1):
		return serverPart
	}
	return playerPart
}

// trouble reports whether it did not end the connection.
func (m *member) trouble() bool { return abouts[m.cause].brief == "" }

// memberOf is what the headline of a connection is about; ok is false where that is nothing
// that connections share, or has no time.
func memberOf(c *Connection, with *machine) (m member, ok bool) {
	m = member{with: with, id: c.ID}
	if v := &c.Verdict; v.Grave() {
		m.cause, m.side, m.by, m.from, m.to, m.likely = v.Cause, v.Side, c.part(v.Side), v.When(), v.When(), v.Certainty == Likely
		return m, v.When() != 0 && abouts[v.Cause].grave >= declined
	}
	if c.Restarted() {
		m.cause, m.from, m.to, m.goesOn = PeerRestarted, c.Verdict.When(), c.Verdict.When(), true
		return m, m.from != 0
	}
	x := c.Slow()
	if x == nil || x.From == 0 || x.Certainty == Unsettled {
		return m, false
	}
	m.cause, m.side, m.by, m.whose = x.Cause, x.Side, c.part(x.Side), c.part(x.Direction)
	m.from, m.to, m.likely = int64(x.From), int64(max(x.From, x.To)), x.Certainty == Likely
	m.most = int64(1e6 * x.Numbers[measured[x.Cause]])
	return m, true
}

// alike orders members: those that share a cause stand together, in the order of time.
func alike(x, y member) int {
	return cmp.Or(cmp.Compare(x.cause, y.cause), cmp.Compare(x.by, y.by), cmp.Compare(x.whose, y.whose), cmp.Compare(x.with.address, y.with.address))
}

// Grouped finds the connections that share a story: the same cause and side, with one machine,
// within seconds. It is remembered in Groups; each connection is in one of them at most.
func (d *Document) Grouped() {
	d.Groups = nil
	var all []member
	machines := map[string]*machine{}
	for c := range d.All() {
		address := c.shared()
		with := machines[address]
		if with == nil {
			with = &machine{address: address}
			machines[address] = with
		}
		with.firsts, with.lasts = append(with.firsts, int64(c.FirstTime)), append(with.lasts, int64(c.LastTime))
		if m, ok := memberOf(c, with); ok {
			all = append(all, m)
		}
	}
	for _, m := range machines {
		slices.Sort(m.firsts)
		slices.Sort(m.lasts)
	}
	stable.Sort(all, func(x, y member) int {
		return cmp.Or(alike(x, y), cmp.Compare(x.from, y.from), cmp.Compare(x.id, y.id))
	})
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && alike(all[from], all[to]) == 0 {
			to++
		}
		d.Groups = append(d.Groups, stories(all[from:to])...)
		from = to
	}
	stable.Sort(d.Groups, func(x, y Group) int {
		return cmp.Or(-cmp.Compare(abouts[x.Cause].grave, abouts[y.Cause].grave), cmp.Compare(len(y.Connections), len(x.Connections)))
	})
}

// stories divides members of one cause, in the order of time, into those of one time.
func stories(list []member) (groups []Group) {
	for from := 0; from < len(list); {
		to, until := from+1, list[from].to
		for to < len(list) && list[to].from-list[to-1].from <= groupGap && (!list[to].trouble() || list[to].from <= until+groupGap) {
			until = min(until, list[to].to)
			to++
		}
		if same := list[from:to]; len(same) >= groupLeast && (!same[0].trouble() || !byChance(same, len(list))) {
			groups = append(groups, groupOf(same))
		}
		from = to
	}
	return groups
}

// byChance reports whether trouble at one time, of so many that had it at any time, is no more
// than chance brings.
func byChance(list []member, all int) bool {
	with, first, last := list[0].with, list[0].from, list[len(list)-1].from
	if float64(len(list)) >= groupShare*float64(with.underway(first, last)) {
		return false
	}
	expected := float64(all) * float64(last-first+groupGap) / float64(max(with.heard(), 1))
	return len(list) < groupMany || float64(len(list)) < groupDense*expected
}

// groupOf makes a story of connections.
func groupOf(list []member) Group {
	x := list[0]
	first, last := x.from, x.to
	g := Group{Cause: x.cause, Side: x.side, Address: x.with.address}
	for _, m := range list {
		last = max(last, m.to)
		if m.side != g.Side {
			g.Side = "" // of some a, of others b
		}
		g.Connections = append(g.Connections, m.id)
	}
	slices.Sort(g.Connections)
	g.From, g.To, g.Sentence = Instant(first), Instant(last), groupSentence(list, first, last)
	return g
}

// shared is the address of the machine that connections of one server share.
func (c *Connection) shared() string {
	if c.part("a") == serverPart {
		return hostOf(c.A).String()
	}
	return hostOf(c.B).String()
}
