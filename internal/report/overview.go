package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dpdissect/dpdissect/dissect/render"
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
var overviewColumns = []column{
	{head: "#"},
	{head: "Protocol", left: true, rank: 8},
	{head: "a", left: true, least: leastAddress, ends: true, whole: addressesWhole},
	{head: "b", left: true, least: leastAddress, ends: true, whole: addressesWhole},
	{head: "Start", left: true, rank: 7},
	{head: "End", left: true, rank: 9},
	{head: "Why", left: true},
	{head: "Frames", rank: 4},
	{head: "Bytes", rank: 12},
	{head: "Messages", rank: 11},
	{head: "Retries", rank: 1},
	{head: "Lost ≥", rank: 2},
	{head: "Lost ~", rank: 3},
	{head: "Unseen ≥", rank: 6, rare: true},
	{head: "Bad sig", rare: true, rank: 2},
	{head: "Ping", rank: 5},
}

// overview is the table of some connections, and of all together when there are several.
func (p *painter) overview(a *Analysis, list []standing, clock func(ns int64) string) *table {
	t := p.table(overviewColumns)
	var opened session.Opener
	for i := range list {
		opened.Open(list[i].conn)
		t.rows = append(t.rows, p.overviewRow(a, list[i].conn, clock))
		opened.Close()
	}
	if len(a.Conns) > 1 {
		t.rows = append(t.rows, p.allRow(a))
	}
	return t
}

func (p *painter) overviewRow(a *Analysis, c *session.Conn, clock func(ns int64) string) []cell {
	var start, end cell
	if c.HasTime {
		start, end = p.plain(clock(c.FirstStamp)), p.plain(clock(c.LastStamp))
	}
	state, _ := c.StateNow()
	why := cell{text: state.String(), style: StateStyle(&p.Palette, state)}
	likely := p.unknown()
	if x, ok := a.Story.Of(c); ok {
		why = cell{text: x.Verdict.Why(), style: p.gravity(&x)}
		likely = p.count(x.LikelyLosses())
	}
	ping := p.unknown()
	if ns, ok := pingOf(c); ok {
		ping = p.plain(millis(ns))
	}
	return []cell{
		{text: strconv.Itoa(c.ID)}, {text: c.Protocol.Name, style: p.Protocol}, p.plain(p.end(c.A)), p.plain(p.end(c.B)), start, end, why,
		p.count(ofBoth(c, func(d *seq.Direction) uint64 { return d.Frames })),
		p.plain(size(ofBoth(c, func(d *seq.Direction) uint64 { return d.Bytes }))),
		p.messages(c), p.retries(retriesOf(c), transmissionsOf(c)),
		p.provenLosses(c), likely, p.unseen(c), p.badSignatures(c), ping,
	}
}

// allRow adds up all connections of the analysis, shown or not.
func (p *painter) allRow(a *Analysis) []cell {
	var frames, bytes, messages, retries, transmissions, lost uint64
	for c := range session.Unpacked(a.Conns) {
		frames += ofBoth(c, func(d *seq.Direction) uint64 { return d.Frames })
		bytes += ofBoth(c, func(d *seq.Direction) uint64 { return d.Bytes })
		messages += ofBoth(c, func(d *seq.Direction) uint64 { return d.Messages })
		retries, transmissions, lost = retries+retriesOf(c), transmissions+transmissionsOf(c), lost+lossesOf(c)
	}
	return []cell{{text: "all"}, {}, p.plain(counted(uint64(len(a.Conns)), "connection")), {}, {}, {}, {},
		p.count(frames), p.plain(size(bytes)), p.count(messages), p.retries(retries, transmissions), p.judged(lost, p.Error), {dim: true}, {dim: true}, {dim: true}, {}}
}

// messages are yellow when some lack a part.
func (p *painter) messages(c *session.Conn) cell {
	n := ofBoth(c, func(d *seq.Direction) uint64 { return d.Messages })
	if ofBoth(c, func(d *seq.Direction) uint64 { return d.IncompleteMessages }) > 0 {
		return cell{text: strconv.FormatUint(n, 10), style: p.Warn}
	}
	return p.count(n)
}

// retries are their number and their share: "12 (3.4%)".
func (p *painter) retries(n, transmissions uint64) cell {
	if n == 0 {
		return p.count(0)
	}
	style := render.Style{}
	if float64(n) > retryLimit*float64(transmissions) {
		style = p.Warn
	}
	return cell{text: fmt.Sprintf("%d (%s)", n, percent(n, transmissions)), style: style}
}

// provenLosses are the losses on the way, as far as they are proven.
func (p *painter) provenLosses(c *session.Conn) cell {
	a, b := proven(&c.Dir[0]), proven(&c.Dir[1])
	return p.maybe(lossesOf(c), a.knownBefore || a.knownAfter || b.knownBefore || b.knownAfter, p.Error)
}

// unseen are the datagrams that the capture did not get, as far as that is proven.
func (p *painter) unseen(c *session.Conn) cell {
	a, b := proven(&c.Dir[0]), proven(&c.Dir[1])
	return p.maybe(a.NotCaptured+b.NotCaptured, a.known || b.known, p.Warn)
}

func (p *painter) badSignatures(c *session.Conn) cell {
	return p.maybe(ofBoth(c, func(d *seq.Direction) uint64 { return d.Signatures.Invalid }), c.Dir[0].HasSignatures || c.Dir[1].HasSignatures, p.Error)
}

func (p *painter) retryStyle(d *seq.Direction) render.Style {
	if float64(d.Retries) > retryLimit*float64(d.Sendings()) {
		return p.Warn
	}
	return render.Style{}
}

func (p *painter) roundTrip(r seq.RTT, ns int64) cell {
	if r.Samples == 0 {
		return p.unknown()
	}
	return p.plain(millis(ns))
}

// protocolName is "dp8 1.6", "knet reference", "hazel spec or 0.1".
func protocolName(c *session.Conn) string {
	name := c.Protocol.Name
	if c.Dialect != "" {
		name += " " + escaped(c.Dialect)
	} else if n := len(c.Dialects); n > 0 {
		name += " " + escaped(strings.Join(c.Dialects[:n-1], ", ")+" or "+c.Dialects[n-1])
	}
	if c.Version != 0 {
		name += " " + version(c)
	}
	return name
}
