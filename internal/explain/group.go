package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A story of several connections: so many at least, each at most so long after the one before, ns.
const (
	groupLeast = 3
	groupGap   = 5e9
)

// A member is a connection that did not end as its sides wanted.
type member struct {
	Group
	id     int
	at     int64
	likely bool // its cause is not proved
}

// Grouped finds the connections that share a story: the same cause and side, with one machine,
// within seconds. It is remembered in Groups.
func (d *Document) Grouped() {
	d.Groups = nil
	var all []member
	for c := range d.All() {
		v := &c.Verdict
		if at := v.when; at != 0 && abouts[v.Cause].grave >= declined {
			all = append(all, member{Group{Cause: v.Cause, Side: v.Side, Address: c.shared()}, c.ID, at, v.Certainty == Likely})
		}
	}
	slices.SortFunc(all, func(x, y member) int {
		return cmp.Or(cmp.Compare(x.Cause, y.Cause), cmp.Compare(x.Side, y.Side), cmp.Compare(x.Address, y.Address), cmp.Compare(x.at, y.at), cmp.Compare(x.id, y.id))
	})
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to].Cause == all[from].Cause && all[to].Side == all[from].Side && all[to].Address == all[from].Address && all[to].at-all[to-1].at <= groupGap {
			to++
		}
		if to-from >= groupLeast {
			d.Groups = append(d.Groups, groupOf(all[from:to]))
		}
		from = to
	}
	slices.SortStableFunc(d.Groups, func(x, y Group) int { return cmp.Compare(len(y.Connections), len(x.Connections)) })
}

func groupOf(list []member) Group {
	g, first, last := list[0].Group, list[0].at, list[len(list)-1].at
	g.From, g.To = stamp(first), stamp(last)
	for _, m := range list {
		g.Connections = append(g.Connections, m.id)
	}
	slices.Sort(g.Connections)
	what := groupWords[g.Cause]
	if slices.ContainsFunc(list, func(m member) bool { return m.likely }) && !strings.Contains(what, "most likely") {
		what = "most likely " + what
	}
	side := "the players"
	if g.Side == "b" {
		side = g.Address
	}
	when := clockOf(first)
	if clockOf(last) != when {
		when += "–" + clockOf(last)
	}
	ended := "were cut off"
	if abouts[g.Cause].grave == declined {
		ended = "could not connect"
	}
	g.Sentence = fmt.Sprintf("%d connections with %s %s at %s UTC: %s.", len(list), g.Address, ended, when, replaceSide(what, side))
	return g
}

// groupWords say what happened to several connections at once; {side} stands for who did it.
var groupWords = map[Cause]string{
	NoAnswer:          "nothing answered",
	Refused:           "{side} declined them",
	VersionMismatch:   "their versions differ",
	SecretMismatch:    "the two sides do not share a secret",
	PortClosed:        "{side} had gone, and the port is closed (ICMP)",
	ProtocolViolation: "{side} broke the protocol and was dropped",
	PeerRestarted:     "{side} began again from the start",
	RetriesExhausted:  "packets were not answered, and their senders gave up",
	SizeBlackHole:     "large packets are lost on the path, small ones are not",
	OneWay:            "only one direction of the path worked",
	NATExpired:        "a router (NAT) had forgotten them while they were idle",
	NATRebinding:      "they came back from other addresses (a router gave them new ones, or they moved)",
	PeerSilent:        "nothing more came from {side}, most likely a machine, a program or a network stopped",
	PathDead:          "the path between them broke",
	Reset:             "{side} cut them off",
}

// shared is the machine that connections of one server share.
func (c *Connection) shared() string {
	if c.roles[1] != "" && players[c.roles[1]] {
		return hostOf(c.A).String()
	}
	return hostOf(c.B).String()
}
