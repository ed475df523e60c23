package report

import (
	"io"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/session"
)

// TextOptions say how WriteText shows an analysis. The zero value suits a file.
type TextOptions struct {
	Palette render.Palette // the zero Palette is without colour
	Width   int            // columns of text, 0 for DefaultWidth and lines of findings that are not broken; less important columns leave first
	Verbose bool           // all connections in full, however many, and every place of a finding
	Quiet   bool           // the table and the findings alone
	Top     int            // lines of problems, 0 for ToldProblems
	Order   string         // of the table of connections, one of Orders; "" or auto: start, and worst where not all are shown

	// Clock writes times of the table, nil for the time of the day in UTC.
	Clock func(ns int64) string

	// Names gives what is shown for an address, "" for the address itself; nil shows addresses.
	Names func(dissect.Endpoint) string

	All         bool   // explain: each connection, also those that share a story
	Chosen      bool   // only connections with packets that match a filter are shown
	Connections bool   // the table alone
	Span        string // "from 12:00 to 12:05" where only that is counted, else ""
}

// WriteText writes the analysis for people. It may improve from one version to
// the next: scripts read the JSON.
func WriteText(w io.Writer, a *Analysis, opts TextOptions) error {
	var err error
	rest := appendText(nil, a, opts, func(b []byte) []byte {
		if err == nil {
			_, err = w.Write(b)
		}
		return b[:0]
	})
	if err == nil {
		_, err = w.Write(rest)
	}
	return err
}

// AppendText appends what WriteText writes. Of what could not be opened there is
// nothing to say.
func AppendText(dst []byte, a *Analysis, opts TextOptions) []byte {
	return appendText(dst, a, opts, func(b []byte) []byte { return b })
}

// appendText appends the analysis; flush may take what is there between two
// connections.
func appendText(dst []byte, a *Analysis, opts TextOptions, flush func([]byte) []byte) []byte {
	if Unopened(a.Captures) {
		return dst
	}
	p := newPainter(&opts)
	wrap := opts.Width
	if opts.Width <= 0 {
		opts.Width = terminal.DefaultWidth
	}
	if opts.Connections {
		opts.Quiet = true
		return p.appendConns(dst, a, &opts, flush)
	}
	if !opts.Quiet {
		dst = p.appendCaptures(dst, a.Captures, &opts)
		dst = p.appendTotalsOf(dst, &a.Totals, len(a.Conns), opts.Width)
		dst = appendSpan(dst, opts.Span, "Numbers cover what happened %s.\nState was tracked from the start; ends of connections and problems are those of\nthe whole connections.\n")
		dst = append(p.appendRemarks(dst, a, wrap), '\n')
	}
	dst = p.appendConns(dst, a, &opts, flush)
	if a.Totals.LeftOut > 0 {
		dst = append(dst, terminal.Counted(a.Totals.LeftOut, "connection")+" that ended earlier are only counted.\n"...)
	}
	if n := a.Totals.Undecided; n > 0 {
		dst = terminal.AppendLines(dst, p.Warn.Start, p.Warn.Stop, UndecidedText(n), wrap)
	}
	if n := a.Totals.SummedUp; n > 0 {
		dst = append(dst, terminal.Counted(n, "connection")+" were not tracked to their end: too many were open at the same time.\n"...)
	}
	findings := findingsText{noun: "finding", width: wrap, all: opts.Verbose}
	if len(a.Conns) > listedConns {
		findings.places = 1
	}
	dst = p.appendFindingsAs(append(dst, '\n'), a.Findings, findings)
	if n := a.Totals.Findings; n > 0 {
		dst = append(dst, terminal.Counted(n, "further finding")+" are counted but not listed: there are too many.\n"...)
	}
	return dst
}

// appendTotalsOf appends one line of what the packets were; 0 is not worth words.
func (p *painter) appendTotalsOf(dst []byte, t *Totals, conns, width int) []byte {
	if t.Packets == 0 {
		return append(dst, "No packets.\n"...)
	}
	head := terminal.Counted(t.UDPDatagrams, "UDP datagram") + " in " + terminal.Counted(t.Packets, "packet") + ": "
	facts := []terminal.Cell{p.Plain(terminal.Counted(t.Decoded, "datagram") + " in " + terminal.Counted(uint64(conns), "connection"))}
	for _, part := range []struct {
		n     uint64
		words string
		style render.Style
	}{
		{t.Malformed, "malformed", p.Error},
		{t.OtherUDP, "other UDP", render.Style{}},
		{t.NotUDP, "not UDP", render.Style{}},
		{t.IPFragments, "in IP fragments", render.Style{}},
		{t.BadChecksums, "with a bad checksum", p.Warn},
	} {
		if part.n > 0 {
			c := p.Count(part.n)
			facts = append(facts, terminal.Cell{Text: c.Text + " " + part.words, Style: part.style})
		}
	}
	return terminal.AppendWrapped(append(dst, head...), facts, terminal.Width(head), width)
}

// clock is what writes the times of the table.
func (o *TextOptions) clock() func(ns int64) string {
	if o.Clock != nil {
		return o.Clock
	}
	return func(ns int64) string { return utc(ns, "15:04:05") }
}

func (p *painter) appendConns(dst []byte, a *Analysis, opts *TextOptions, flush func([]byte) []byte) []byte {
	if len(a.Conns) == 0 {
		return p.appendNone(dst, a, opts)
	}
	list := a.standings()
	if !opts.Quiet && a.Story != nil {
		dst = append(p.appendProblems(dst, a, list, opts), '\n')
	}
	dst = p.appendOverview(dst, a, list, opts)
	if opts.Quiet {
		return dst
	}
	for c := range session.Unpacked(inFull(a, list, opts)) {
		dst = p.appendDetail(append(dst, '\n'), c, opts.Width)
		if len(dst) >= piece {
			dst = flush(dst)
		}
	}
	return dst
}

// appendOverview appends the table of connections: of many only the worst, unless another
// order is asked for.
func (p *painter) appendOverview(dst []byte, a *Analysis, list []standing, opts *TextOptions) []byte {
	order, shown := opts.Order, list
	if !opts.Verbose && len(list) > listedConns {
		if order == "" || order == "auto" {
			order = "worst"
		}
		shown = arranged(list, order)[:listedConns]
	} else {
		shown = arranged(list, order)
	}
	t := p.overview(a, shown, opts.clock())
	t.Fit(opts.Width)
	dst = t.Append(dst)
	if more := len(list) - len(shown); more > 0 {
		dst = append(dst, terminal.Counted(uint64(more), "more connection")+" with -V, or in --format json.\n"...)
	}
	return dst
}

// inFull are the connections that are shown in full: all with Verbose, a single one, or
// the worst of those in trouble where not many are listed.
func inFull(a *Analysis, list []standing, opts *TextOptions) (conns []*session.Conn) {
	if opts.Verbose || len(a.Conns) == 1 {
		return a.Conns
	}
	if len(list) > listedConns {
		return nil
	}
	for _, s := range arranged(list, "worst") {
		if s.bad && len(conns) < detailed {
			conns = append(conns, s.conn)
		}
	}
	return conns
}

// None is the line where no connection is shown, because none was recognised or because
// none of those was chosen.
func None(chosen bool) string {
	if chosen {
		return "No connection has packets that match.\n"
	}
	return "No connections recognised.\n"
}

// WhyNone says why no connection may have been recognised, and how to go on.
func WhyNone(t *Totals) string {
	switch {
	case t.Packets == 0:
		return "The capture has no packets: was the right interface captured, with the right filter, while the game ran?"
	case t.UDPDatagrams == 0:
		return "The capture has no UDP, and all games that this program knows speak UDP. Was the right interface captured, with the right filter? `dpdissect protocols` lists what it knows."
	}
	return "There is UDP, but nothing in it shows one of the protocols that this program knows (`dpdissect protocols` lists them): it may be another game, or the capture may be too short, " +
		"or have begun after the game connected, or hold one direction only. Start the capture before the game connects and let it run for a minute; " +
		"-d 'udp.port==PORT,PROTOCOL' forces a protocol."
}

// appendNone says that there is no connection and, when there could be one, how
// to go on.
func (p *painter) appendNone(dst []byte, a *Analysis, opts *TextOptions) []byte {
	if opts.Span != "" {
		return appendBeside(dst, a.Captures, "")
	}
	if dst = append(dst, None(opts.Chosen)...); opts.Chosen {
		return dst
	}
	if a.Totals.UDPDatagrams == 0 {
		if a.Totals.Packets > 0 {
			dst = append(terminal.AppendStyled(dst, p.Warn, "The capture has no UDP datagrams: was the right interface captured, with the right filter?"), '\n')
		}
		return dst
	}
	return append(terminal.AppendStyled(dst, p.Derived, "--decode-as 'udp.port==PORT,PROTOCOL' forces a protocol; "+
		"`dpdissect protocols` lists them."), '\n')
}
