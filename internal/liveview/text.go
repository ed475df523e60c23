package liveview

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/measure"
	"github.com/dpdissect/dpdissect/internal/sampler"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/session/conform"
)

// TopConnections is the number of connections that a record of text has.
const TopConnections = 20

// TextOptions say how a record is written. The zero value suits a file.
type TextOptions struct {
	Palette render.Palette // the zero Palette is without colour
	Width   int            // columns, 0 for terminal.DefaultWidth; less important columns leave first
	Top     int            // connections, 0 for TopConnections
}

// recordColumns are those of the table, which has two rows a connection: what a sends
// and what b sends.
var recordColumns = []terminal.Column{
	{Head: "#"},
	{Head: "Connection", Left: true},
	{Head: "Sender", Left: true},
	{Head: "Ping"},
	{Head: "Jitter", Rank: 3},
	{Head: "Loss"},
	{Head: "Retries", Rank: 4},
	{Head: "Unneeded", Rank: 6},
	{Head: "In flight", Rank: 5},
	{Head: "Frames", Rank: 2},
	{Head: "Rate"},
	{Head: "Quality", Rank: 1},
	{Head: "Findings", Rare: true, Rank: 2},
}

// AppendRecord appends a snapshot as text for people: a line of time and totals, and
// a table of the connections that do worst or most. It ends with an empty line.
func AppendRecord(dst []byte, s *sampler.Snapshot, opts TextOptions) []byte {
	l := lookOf(opts.Palette)
	dst = l.appendTotals(dst, s)
	rows := worstFirst(s.Rows)
	top := cmp.Or(max(opts.Top, 0), TopConnections)
	shown := rows[:min(len(rows), top)]
	var cells [][]terminal.Cell
	for _, r := range shown {
		narrow := opts.Width != 0 && opts.Width < wide
		cells = append(cells, l.record(r, 0, narrow), l.record(r, 1, narrow))
	}
	if len(cells) > 0 {
		dst = terminal.AppendTable(dst, l.Palette, recordColumns, cells, opts.Width)
	}
	if more := len(rows) - len(shown); more > 0 {
		dst = append(dst, l.Derived.Start+"and "+terminal.Counted(uint64(more), "more connection")+l.Derived.Stop+"\n"...)
	}
	return append(dst, '\n')
}

// appendTotals appends "15:04:05 UTC  eth0  1:23  1234 packets (56/s)  2 connections".
func (l *look) appendTotals(dst []byte, s *sampler.Snapshot) []byte {
	dst = append(dst, l.Heading.Start...)
	dst = time.Unix(0, s.Time).UTC().AppendFormat(dst, "2006-01-02 15:04:05 UTC")
	dst = append(dst, l.Heading.Stop...)
	add := func(text string, style render.Style) {
		if text != "" {
			dst = append(dst, "  "+style.Start+text+style.Stop...)
		}
	}
	add(strings.Join(s.Interfaces, ", "), render.Style{})
	add(clock(s.Elapsed), render.Style{})
	packets := terminal.Counted(s.Packets, "packet")
	if s.PacketsPerSec >= 0.5 {
		packets += " (" + strconv.FormatFloat(s.PacketsPerSec, 'f', 0, 64) + "/s)"
	}
	add(packets, render.Style{})
	if s.Dropped > 0 {
		dropped := strconv.FormatUint(s.Dropped, 10) + " dropped"
		if s.DroppedLately > 0 {
			dropped += ", " + strconv.FormatUint(s.DroppedLately, 10) + " just now"
		}
		add(dropped, l.Error)
	}
	conns := terminal.Counted(s.Live, "connection")
	if s.Ended > 0 {
		conns += ", " + strconv.FormatUint(s.Ended, 10) + " ended"
	}
	add(conns, render.Style{})
	for sev, n := range s.Findings {
		if n > 0 {
			add(terminal.Counted(n, terminal.SeverityNoun(conform.Severity(sev))), terminal.SeverityStyle(&l.Palette, conform.Severity(sev)))
		}
	}
	return append(dst, '\n')
}

// record makes the row of what one side sends.
func (l *look) record(r *sampler.Row, i int, narrow bool) []terminal.Cell {
	d := &r.Dir[i]
	sender := l.Plain(r.Name[i])
	if who := cmp.Or(r.Role[i], r.Player[i]); who != "" && !narrow {
		sender.Text = who + " " + sender.Text
	}
	id, what := number(l, r), terminal.Cell{Text: r.Protocol, Style: l.Palette.Protocol}
	findings := l.findings(r.Findings)
	if i == 1 {
		id, what, findings = terminal.Cell{}, l.ending(r), terminal.Cell{Dim: true}
	}
	return []terminal.Cell{
		id, what,
		sender,
		l.millis(d.Ping, d.Stale),
		l.millis(d.Jitter, d.Stale),
		l.percent(d.Loss, lossWarn, lossBad),
		l.percent(d.RetryShare, retryWarn, math.Inf(1)),
		l.count(d, measure.UnneededRetries, l.Warn),
		l.whole(d.InFlight),
		l.often(d.FramesPerSec),
		l.rate(d.BytesPerSec),
		l.quality(d.Quality),
		findings,
	}
}

// worstFirst orders rows by what one wants to see first: live ones, those of the worst
// quality, those with the most traffic.
func worstFirst(rows []sampler.Row) []*sampler.Row {
	out := make([]*sampler.Row, len(rows))
	for i := range rows {
		out[i] = &rows[i]
	}
	slices.SortFunc(out, func(a, b *sampler.Row) int {
		if a.Over != b.Over {
			if a.Over {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(badQuality(a), badQuality(b)), -cmp.Compare(a.BytesPerSec(), b.BytesPerSec()), cmp.Compare(a.Key, b.Key))
	})
	return out
}

// badQuality is the quality of who does badly; all others do equally well.
func badQuality(r *sampler.Row) float64 {
	if q := r.Quality(); q.Known && q.V < qualityWarn {
		return math.Floor(q.V)
	}
	return qualityWarn
}
