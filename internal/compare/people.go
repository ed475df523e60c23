package compare

import (
	"fmt"
	"strings"
	"time"
)

// What people read of a connection beside its record.
type told struct {
	headline string    // how it ended, in a few words
	moment   string    // when
	grave    bool      // it ended in trouble
	names    [2]string // of its sides
	who      string    // the side that it is about, with its address
}

// Headline is how it ended, in a few words, with its certainty.
func (x *Connection) Headline() string {
	t := x.told.headline
	if len(x.told.moment) >= len("2006-01-02T15:04:05") {
		t += " " + x.told.moment[len("2006-01-02T"):len("2006-01-02T15:04:05")]
	}
	return fmt.Sprintf("%s (%s)", t, x.Verdict.Certainty)
}

// Who is the side that a line about the connection is about.
func (x *Connection) Who() string { return x.told.who }

// Side is what people call a side, "a" or "b".
func (x *Connection) Side(side string) string {
	name := x.told.names[strings.Index("ab", side)]
	if name == "player" || name == "server" {
		return "the " + name
	}
	return name
}

// Grave reports a connection whose end is more than a close in order, or than the end of a capture.
func (x *Connection) Grave() bool { return x.told.grave }

// Quiet reports a connection of which there is nothing to tell but its end.
func (x *Connection) Quiet() bool {
	for _, d := range x.Directions {
		for f := range d.Fates {
			if f != "delivered" && f != "outside" {
				return false
			}
		}
		if d.Copies+d.Altered+d.Reordered > 0 || d.Queue != nil && d.Queue.Max > loudQueue {
			return false
		}
	}
	return !x.told.grave && len(x.Contributing) == 0
}

// loudQueue is a queue that is told of a connection of which nothing else is wrong, ms.
const loudQueue = 100

// Sent is how many datagrams of a side are known of.
func (d *Direction) Sent() (n uint64) {
	for _, v := range d.Fates {
		n += v
	}
	return n
}

// Longest is the longest run of losses of a side, nil for none.
func (d *Direction) Longest() (most *Loss) {
	for i := range d.Losses {
		if l := &d.Losses[i]; most == nil || l.Datagrams > most.Datagrams {
			most = l
		}
	}
	return most
}

// Common is from when to when both captures listened, on the axis.
func (d *Document) Common() (from, to int64) { return d.common.from, d.common.to }

// Title is what people call a point.
func (p *Point) Title() string {
	switch p.Near {
	case "client":
		return "the player's"
	case "server":
		return "the server's"
	}
	return p.Name + "'s"
}

// Length is a time for people: days and hours, or seconds, or ms.
func Length(ns int64) string {
	ns = abs(ns)
	d := time.Duration(ns)
	switch {
	case ns >= int64(24*time.Hour):
		return fmt.Sprintf("%d days %d h %d min %.3f s", d/(24*time.Hour), d/time.Hour%24, d/time.Minute%60, float64(d%time.Minute)/1e9)
	case ns >= int64(time.Hour):
		return fmt.Sprintf("%d h %d min %.3f s", d/time.Hour, d/time.Minute%60, float64(d%time.Minute)/1e9)
	case ns >= int64(time.Second):
		return fmt.Sprintf("%.3f s", float64(ns)/1e9)
	}
	return fmt.Sprintf("%.1f ms", float64(ns)/1e6)
}

// tell makes the words for people.
func (r *Comparison) tell(x *Connection, s *sum) {
	x.told.names = r.names(s.conn, x.At)
	address := ""
	side := 0
	if x.told.names[1] == "player" {
		side = 1
	}
	for _, at := range x.At {
		if at != nil && address == "" {
			address = [2]string{at.A, at.B}[side]
		}
	}
	x.told.who = strings.TrimSpace(strings.TrimSuffix(x.told.names[side], address) + " " + address)
}
