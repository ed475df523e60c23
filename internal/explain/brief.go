package explain

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// about holds the few words for a cause in headlines and tables. Causes with a higher
// grave are told earlier.
type about struct {
	brief string // of a connection; {side} stands for who did it
	why   string // in a table
	grave int
}

// Graveness of causes.
const (
	fine     = iota // nothing is wrong
	doubtful        // nothing is known
	declined        // it never was
	cutOff          // it ended before its sides wanted it to
)

var abouts = map[Cause]about{
	StillOpen:         {"open when the capture ended", "still open", fine},
	Closed:            {"{side} closed it in order", "closed", fine},
	PoorCapture:       {"the capture lost the packets that would show how it ended", "poor capture", doubtful},
	Undecided:         {"it ended, but the capture does not show how", "undecided", doubtful},
	NoAnswer:          {"nothing answered", "no answer", declined},
	Refused:           {"{side} declined it", "refused", declined},
	VersionMismatch:   {"the sides have different versions", "other version", declined},
	SecretMismatch:    {"the sides do not share a secret", "wrong secret", declined},
	PortClosed:        {"{side} was gone: its port is closed (ICMP)", "port closed", cutOff},
	ProtocolViolation: {"{side} broke the protocol and was dropped", "broke protocol", cutOff},
	PeerRestarted:     {"{side} began again from the start", "restarted", cutOff},
	RetriesExhausted:  {"one packet got no answer, and its sender gave up", "gave up", cutOff},
	SizeBlackHole:     {"large packets get no answer", "large packets lost", cutOff},
	OneWay:            {"only one direction of the path worked", "one-way path", cutOff},
	NATExpired:        {"a router forgot it while it was idle", "NAT forgot it", cutOff},
	NATRebinding:      {"one side came back from another address", "new address", cutOff},
	PeerSilent:        {"nothing more came from {side}", "fell silent", cutOff},
	PathDead:          {"the path between the two broke", "path died", cutOff},
	Reset:             {"{side} cut it off", "cut off", cutOff},
}

// Ends are the causes of ends, by name.
func Ends() []Cause { return slices.Sorted(maps.Keys(abouts)) }

// Why is the verdict in a table: two or three words.
func (v *Verdict) Why() string {
	why := abouts[v.Cause].why
	if v.Certainty == Likely && v.Grave() {
		why += "?"
	}
	return why
}

// Grave reports whether the connection did not end as its sides wanted.
func (v *Verdict) Grave() bool { return abouts[v.Cause].grave > fine }

// Grave reports whether connections did not end as their sides wanted.
func (g *Group) Grave() bool { return abouts[g.Cause].grave > fine }

// CutOff reports whether the connection ended before its sides wanted it to. ok is false where
// the capture does not show how it ended.
func (v *Verdict) CutOff() (yes, ok bool) {
	return abouts[v.Cause].grave == cutOff, v.Cause != StillOpen && abouts[v.Cause].grave != doubtful
}

// slowFrom is the weight of a contribution from which on it is worth telling where many
// connections are.
const slowFrom = 0.1

// Slow is what troubled the connection most, nil when nothing did that is worth telling.
func (c *Connection) Slow() *Contribution {
	if len(c.Contributing) == 0 || c.Contributing[0].weight < slowFrom {
		return nil
	}
	return &c.Contributing[0]
}

// Restarted reports whether one side began again from the start while the other one went on as
// if nothing had happened: what follows is another connection.
func (c *Connection) Restarted() bool { return c.Verdict.Cause == StillOpen && c.ContinuedBy != nil }

// Bad reports whether there is something to tell of it.
func (c *Connection) Bad() bool { return c.Verdict.Grave() || c.Restarted() || c.Slow() != nil }

// Headlined is what made the connection slow where its headline is about that, nil where it
// is about the end.
func (c *Connection) Headlined() *Contribution {
	if c.Verdict.Grave() || c.Restarted() {
		return nil
	}
	return c.Slow()
}

// Weight sorts connections: the higher, the worse.
func (c *Connection) Weight() float64 {
	w := float64(abouts[c.Verdict.Cause].grave) * 1000
	if c.Restarted() {
		return w + restartWeight
	}
	if slow := c.Slow(); slow != nil {
		w += min(slow.weight, 900)
	}
	return w
}

// restartWeight puts a side that began again before all that is slow.
const restartWeight = 950

// Brief is what happened in a few words: the end where it was not wanted, else what made
// the connection slow, else the end.
func (c *Connection) Brief() string {
	if slow := c.Headlined(); slow != nil {
		return slow.brief()
	}
	return c.Verdict.Brief(c.names, c.ContinuedBy)
}

// Brief is the end in a few words. names are those of the sides for people, next is the number of
// the connection that goes on with it, nil for none.
func (v *Verdict) Brief(names [2]string, next *int) string {
	if v.Cause == StillOpen && next != nil {
		return fmt.Sprintf("one side began again from the start, as #%d, while the other went on", *next)
	}
	text := replaceSide(abouts[v.Cause].brief, named(names, v.Side))
	if v.Certainty == Likely {
		text = mostLikely + text
	}
	if next != nil {
		text += fmt.Sprintf(", continued as #%d", *next)
	}
	if v.Reason != "" {
		text += fmt.Sprintf(" (%q)", v.Reason)
	}
	return text
}

const mostLikely = "most likely "

// named is a side for people.
func named(names [2]string, side string) string {
	switch side {
	case "a":
		return names[0]
	case "b":
		return names[1]
	}
	return "both sides"
}

// brief is a contribution in a few words, no surer than its sentence.
func (x *Contribution) brief() string {
	switch x.Certainty {
	case Likely:
		return mostLikely + x.few()
	case Unsettled:
		return "perhaps " + x.few()
	}
	return x.few()
}

func (x *Contribution) few() string {
	n := x.Numbers
	switch x.Cause {
	case Loss:
		return fmt.Sprintf("%.0f%% lost of what %s sent%s", 100*n["share"], x.who, orAnswers(x.Certainty))
	case LossBurst:
		if ms := n["ms"]; ms > 0 {
			return fmt.Sprintf("an outage: no answer to %s for %.1f s", x.who, ms/1000)
		}
		return fmt.Sprintf("%.0f packets in a row lost of what %s sent%s", n["longest"], x.who, orAnswers(x.Certainty))
	case Delay:
		return fmt.Sprintf("an answer to %s took %s instead of %s", x.who, milliseconds(n["max_ms"]), milliseconds(n["min_ms"]))
	case Bufferbloat:
		return fmt.Sprintf("a queue on the path from %s filled up: %s instead of %s", x.who, milliseconds(n["to_ms"]), milliseconds(n["from_ms"]))
	case LateAcks, PeerStalled:
		return fmt.Sprintf("%s answered nothing for %.1f s", x.who, n["ms"]/1000)
	case UnitStarved:
		return fmt.Sprintf("one message of %s gets no answer (sent %.0f times in %.0f s)", x.who, n["sent"], n["ms"]/1000)
	case WindowStall:
		return fmt.Sprintf("%s had to wait for room to send, up to %.0f ms", x.who, n["longest_ms"])
	case SpuriousRetries:
		return fmt.Sprintf("%s sent %.0f packets again that had arrived", x.who, n["unneeded"])
	case Reordering:
		return fmt.Sprintf("%.0f packets of %s overtaken by later ones", n["late"], x.who)
	case HiddenCopies:
		return fmt.Sprintf("%.0f duplicate packets of %s", n["copies"], x.who)
	case ClockSkew:
		return "captured with two clocks that disagree"
	}
	return fmt.Sprintf("the game of %s said nothing for %.0f s", x.who, n["ms"]/1000)
}

// orAnswers names what else may have been lost where nothing proves which of the two was.
func orAnswers(c Certainty) string {
	if c == Proved {
		return ""
	}
	return ", or of the answers to it"
}

// Kind sorts connections for the first line of a report: "closed", "cut off", "slow".
func (c *Connection) Kind() string {
	switch a := abouts[c.Verdict.Cause]; {
	case a.grave == cutOff:
		return "cut off"
	case a.grave == declined:
		return "never opened"
	case a.grave == doubtful:
		return "undecided"
	case c.Restarted():
		return "begun again"
	case c.Slow() != nil:
		return "in trouble"
	}
	return abouts[c.Verdict.Cause].why
}

// moment is the time that Brief is about: the worst one of what made the connection slow.
func (c *Connection) moment() Instant {
	if slow := c.Headlined(); slow != nil {
		return slow.worst
	}
	return c.Verdict.Time
}

// Headline is Brief with the time of the day.
func (c *Connection) Headline() string {
	at := c.moment()
	if at == 0 {
		return c.Brief()
	}
	return at.Clock() + "  " + c.Brief()
}

// Who is the side that a line about the connection is about, its role, which may be "", and
// its address: the one that did not open it is known to all, so it is the client, or a.
func (c *Connection) Who() (role, address string) {
	return c.roles[c.client], [2]string{c.A, c.B}[c.client]
}

// When is the time that the line is about, in ns since 1970; ok is false when it has none.
func (c *Connection) When() (ns int64, ok bool) {
	at := c.moment()
	return int64(at), at != 0
}

// LikelyLosses counts the datagrams that were lost, proven or likely.
func (c *Connection) LikelyLosses() uint64 { return c.lost }

// replaceSide puts the side that did it into words.
func replaceSide(words, side string) string { return strings.ReplaceAll(words, "{side}", side) }

// Words names causes for people.
func Words(causes []Cause) string {
	words := make([]string, len(causes))
	for i, c := range causes {
		words[i] = abouts[c].why
	}
	return strings.Join(words, ", ")
}

// milliseconds is a number of a record for people, as sentences have it.
func milliseconds(ms float64) string { return span(int64(ms * 1e6)) }
