package report

import (
	"fmt"
	"strconv"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// retryLimit is the share of retries from which on they are shown as a problem.
const retryLimit = 0.02

// leastAddress is what the longest address of IPv4 with its port takes. Longer ones of IPv6
// are cut in the middle rather than that a column leaves.
const leastAddress = len("255.255.255.255:65535")

const addressesWhole = "--format json has them"

// overviewColumns are those of the table of connections. Addresses, and how connections
// ended, never leave; then come retries and losses.
var overviewColumns = []terminal.Column{
	{Head: "#"},
	{Head: "Protocol", Left: true, Rank: 8},
	{Head: "a", Left: true, Least: leastAddress, Ends: true, Whole: addressesWhole},
	{Head: "b", Left: true, Least: leastAddress, Ends: true, Whole: addressesWhole},
	{Head: "Start", Left: true, Rank: 7},
	{Head: "End", Left: true, Rank: 9},
	{Head: "Why", Left: true},
	{Head: "Frames", Rank: 4},
	{Head: "Bytes", Rank: 12},
	{Head: "Messages", Rank: 11},
	{Head: "Retries", Rank: 1},
	{Head: "Lost ≥", Rank: 2},
	{Head: "Lost ~", Rank: 3},
	{Head: "Unseen ≥", Rank: 6, Rare: true},
	{Head: "Bad sig", Rare: true, Rank: 2},
	{Head: "Ping", Rank: 5},
}

// overview is the table of some connections, and of all together when there are several.
func (p *painter) overview(a *Analysis, list []standing, clock func(ns int64) string) *terminal.Table {
	t := p.Table(overviewColumns)
	var opened session.Opener
	for i := range list {
		opened.Open(list[i].conn)
		t.Rows = append(t.Rows, p.overviewRow(a, list[i].conn, clock))
		opened.Close()
	}
	if len(a.Conns) > 1 {
		t.Rows = append(t.Rows, p.allRow(a))
	}
	return t
}

func (p *painter) overviewRow(a *Analysis, c *session.Conn, clock func(ns int64) string) []terminal.Cell {
	var start, end terminal.Cell
	if c.HasTime {
		start, end = p.Plain(clock(c.FirstStamp)), p.Plain(clock(c.LastStamp))
	}
	state, _ := c.StateNow()
	why := terminal.Cell{Text: state.String(), Style: terminal.StateStyle(&p.Palette, state)}
	likely := p.Unknown()
	if x, ok := a.Story.Of(c); ok {
		why = terminal.Cell{Text: x.Verdict.Why(), Style: p.gravity(&x)}
		likely = p.Count(x.LikelyLosses())
	}
	ping := p.Unknown()
	if ns, ok := pingOf(c); ok {
		ping = p.Plain(terminal.Millis(ns))
	}
	return []terminal.Cell{
		{Text: strconv.Itoa(c.ID)}, {Text: c.Protocol.Name, Style: p.Protocol}, p.Plain(p.end(c.A)), p.Plain(p.end(c.B)), start, end, why,
		p.Count(ofBoth(c, func(d *seq.Direction) uint64 { return d.Frames })),
		p.Plain(terminal.Size(ofBoth(c, func(d *seq.Direction) uint64 { return d.Bytes }))),
		p.messages(c), p.retries(retriesOf(c), transmissionsOf(c)),
		p.provenLosses(c), likely, p.unseen(c), p.badSignatures(c), ping,
	}
}

// allRow adds up all connections of the analysis, shown or not.
func (p *painter) allRow(a *Analysis) []terminal.Cell {
	var frames, bytes, messages, retries, transmissions, lost uint64
	for c := range session.Unpacked(a.Conns) {
		frames += ofBoth(c, func(d *seq.Direction) uint64 { return d.Frames })
		bytes += ofBoth(c, func(d *seq.Direction) uint64 { return d.Bytes })
		messages += ofBoth(c, func(d *seq.Direction) uint64 { return d.Messages })
		retries, transmissions, lost = retries+retriesOf(c), transmissions+transmissionsOf(c), lost+lossesOf(c)
	}
	return []terminal.Cell{{Text: "all"}, {}, p.Plain(terminal.Counted(uint64(len(a.Conns)), "connection")), {}, {}, {}, {},
		p.Count(frames), p.Plain(terminal.Size(bytes)), p.Count(messages), p.retries(retries, transmissions), p.Judged(lost, p.Error), {Dim: true}, {Dim: true}, {Dim: true}, {}}
}

// messages are yellow when some lack a part.
func (p *painter) messages(c *session.Conn) terminal.Cell {
	n := ofBoth(c, func(d *seq.Direction) uint64 { return d.Messages })
	if ofBoth(c, func(d *seq.Direction) uint64 { return d.IncompleteMessages }) > 0 {
		return terminal.Cell{Text: strconv.FormatUint(n, 10), Style: p.Warn}
	}
	return p.Count(n)
}

// retries are their number and their share: "12 (3.4%)".
func (p *painter) retries(n, transmissions uint64) terminal.Cell {
	if n == 0 {
		return p.Count(0)
	}
	style := render.Style{}
	if float64(n) > retryLimit*float64(transmissions) {
		style = p.Warn
	}
	return terminal.Cell{Text: fmt.Sprintf("%d (%s)", n, terminal.Percent(n, transmissions)), Style: style}
}

// provenLosses are the losses on the way, as far as they are proven.
func (p *painter) provenLosses(c *session.Conn) terminal.Cell {
	a, b := proven(&c.Dir[0]), proven(&c.Dir[1])
	return p.Maybe(lossesOf(c), a.knownBefore || a.knownAfter || b.knownBefore || b.knownAfter, p.Error)
}

// unseen are the datagrams that the capture did not get, as far as that is proven.
func (p *painter) unseen(c *session.Conn) terminal.Cell {
	a, b := proven(&c.Dir[0]), proven(&c.Dir[1])
	return p.Maybe(a.NotCaptured+b.NotCaptured, a.known || b.known, p.Warn)
}

func (p *painter) badSignatures(c *session.Conn) terminal.Cell {
	return p.Maybe(ofBoth(c, func(d *seq.Direction) uint64 { return d.Signatures.Invalid }), c.Dir[0].HasSignatures || c.Dir[1].HasSignatures, p.Error)
}

func (p *painter) retryStyle(d *seq.Direction) render.Style {
	if float64(d.Retries) > retryLimit*float64(d.Transmissions()) {
		return p.Warn
	}
	return render.Style{}
}

func (p *painter) roundTrip(r seq.RTT, ns int64) terminal.Cell {
	if r.Samples == 0 {
		return p.Unknown()
	}
	return p.Plain(terminal.Millis(ns))
}
