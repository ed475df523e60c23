package report

import (
	"strconv"
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// retryLimit is the share of retries from which on they are shown as a problem.
const retryLimit = 0.02

// overviewColumns are those of the one table of all connections. The table has
// two rows a connection: what a sends and what b sends.
var overviewColumns = []column{
	{head: "#"},
	{head: "Connection", left: true},
	{head: "Sender", left: true, least: 23, ends: true, whole: "-V has all of it"},
	{head: "Frames"},
	{head: "Bytes", rank: 4},
	{head: "Data", rank: 9},
	{head: "Acks", rank: 10},
	{head: "Retries"},
	{head: "%", rank: 2},
	{head: "Dup", rank: 6},
	{head: "OoO", rank: 8},
	{head: "Missing", rank: 5},
	{head: "Lost"},
	{head: "Unseen", rank: 7},
	{head: "Bad sig", rare: true, rank: 1},
	{head: "Messages", rank: 3},
	{head: "RTT p50", rank: 2},
	{head: "RTT p95", rank: 1},
}

func overview(p *painter, conns []*session.Conn) *table {
	t := p.table(overviewColumns)
	for _, c := range conns {
		t.rows = append(t.rows,
			p.overviewRow(c, 0, cell{text: strconv.Itoa(c.ID)}, cell{text: protocolName(c), style: p.Protocol}),
			p.overviewRow(c, 1, cell{}, cell{text: c.State.String(), style: StateStyle(&p.Palette, c.State)}))
	}
	return t
}

func (p *painter) overviewRow(c *session.Conn, i int, id, what cell) []cell {
	d, sender := &c.Dir[i], [2]dissect.Endpoint{c.A, c.B}[i]
	lost := proven(d)
	rtt := d.RTT()
	return []cell{
		id, what,
		p.plain(string(rune('a'+i)) + " " + sender.String()),
		p.count(d.Frames),
		p.bytes(d.Bytes),
		p.count(d.DataFrames),
		p.count(d.Acks),
		p.judged(d.Retries, p.retryStyle(d)),
		p.share(d.Retries, d.Sendings(), p.retryStyle(d)),
		p.count(d.Duplicates),
		p.count(d.OutOfOrder),
		p.judged(d.Missing(), p.Warn),
		p.maybe(lost.BeforeCapture+lost.AfterCapture, lost.knownBefore || lost.knownAfter, p.Error),
		p.maybe(lost.NotCaptured, lost.known, p.Warn),
		p.maybe(d.Signatures.Invalid, d.HasSignatures, p.Error),
		p.messages(d),
		p.roundTrip(rtt, rtt.P50),
		p.roundTrip(rtt, rtt.P95),
	}
}

func (p *painter) bytes(n uint64) cell {
	if n == 0 {
		return p.count(0)
	}
	return p.plain(size(n))
}

// messages are yellow when some lack a part.
func (p *painter) messages(d *seq.Direction) cell {
	if d.IncompleteMessages > 0 {
		return cell{text: strconv.FormatUint(d.Messages, 10), style: p.Warn}
	}
	return p.count(d.Messages)
}

func (p *painter) roundTrip(r seq.RTT, ns int64) cell {
	if r.Samples == 0 {
		return p.unknown()
	}
	return p.plain(millis(ns))
}

func (p *painter) retryStyle(d *seq.Direction) render.Style {
	if float64(d.Retries) > retryLimit*float64(d.Sendings()) {
		return p.Warn
	}
	return render.Style{}
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
