package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/dpdissect/dpdissect/dissect/stable"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// How much of a rule's findings is shown without Verbose.
const (
	shownPlaces = 5
	shownFrames = 6
)

// A group is all findings of one rule.
type group struct {
	first  *session.Finding
	places []place
	index  map[whereKey]int // of places
	count  uint64
}

type whereKey struct {
	conn int
	dir  session.Side
}

// A place is one direction of one connection, with the frames at fault.
type place struct {
	whereKey
	first  *session.Finding
	all    []*session.Finding
	frames []uint64
	count  uint64
}

// split gives a place as it is, or, where everything is asked for, once for each
// run of findings that say the same and have the same proof.
func (pl *place) split(opts *findingsText) (list []place) {
	if !opts.all {
		return []place{*pl}
	}
	for _, f := range pl.all {
		last := len(list) - 1
		if last < 0 || f.Message != list[last].first.Message || opts.proofs && len(f.Frames) > 1 && !slices.Equal(f.Frames, list[last].first.Frames) {
			list = append(list, place{whereKey: pl.whereKey})
			last++
		}
		list[last].enter(f)
	}
	return list
}

// enter adds a finding to its place.
func (pl *place) enter(f *session.Finding) {
	if pl.first == nil {
		pl.first = f
	}
	pl.count += f.Times()
	pl.all = append(pl.all, f)
	if n := len(pl.frames); f.Frame != 0 && (n == 0 || pl.frames[n-1] != f.Frame) {
		pl.frames = append(pl.frames, f.Frame)
	}
}

// groups puts findings together by severity and rule, the worst first.
func groups(findings []session.Finding) []*group {
	type key struct {
		rule     string
		severity conform.Severity
		failed   bool
	}
	byKey := map[key]*group{}
	var list []*group
	for i := range findings {
		f := &findings[i]
		k := key{f.Rule.ID, f.Severity, f.Failed()}
		g := byKey[k]
		if g == nil {
			g = &group{first: f, index: map[whereKey]int{}}
			byKey[k] = g
			list = append(list, g)
		}
		g.add(f)
	}
	stable.Sort(list, func(a, b *group) int {
		return cmp.Or(cmp.Compare(a.first.Severity, b.first.Severity), cmp.Compare(a.first.Rule.ID, b.first.Rule.ID))
	})
	return list
}

// add enters a finding at its place.
func (g *group) add(f *session.Finding) {
	g.count += f.Times()
	where := whereKey{connID(f.Conn), f.Dir}
	i, ok := g.index[where]
	if !ok {
		i = len(g.places)
		g.index[where] = i
		g.places = append(g.places, place{whereKey: where})
	}
	g.places[i].enter(f)
}

// findingsText says how findings are shown.
type findingsText struct {
	noun, many string // many is noun with an s unless it is given
	width      int    // of lines; 0 breaks none
	all        bool   // every place, however many
	places     int    // shown of a rule's, 0 for shownPlaces
	proofs     bool   // with the frames that prove the first finding of a place
}

func (p *painter) appendFindingsAs(dst []byte, findings []session.Finding, opts findingsText) []byte {
	if opts.many == "" {
		opts.many = opts.noun + "s"
	}
	if len(findings) == 0 {
		return append(dst, "No "+opts.many+".\n"...)
	}
	list := groups(findings)
	dst = append(terminal.AppendStyled(dst, p.Heading, plural(uint64(len(findings)), opts.noun, opts.many)), '\n')
	rule, count := 0, 0
	for _, g := range list {
		rule = max(rule, terminal.Width(terminal.Escaped(g.first.Rule.ID)))
		count = max(count, len(strconv.FormatUint(g.count, 10)))
	}
	for _, g := range list {
		dst = p.appendGroup(dst, g, rule, count)
		dst = p.appendPlaces(dst, g, &opts)
	}
	return p.appendHint(dst, list[0].first)
}

// appendHint appends where names are explained that findings have, those of the first.
func (p *painter) appendHint(dst []byte, f *session.Finding) []byte {
	text := "'dpdissect rules show " + terminal.Escaped(f.Rule.ID) + "' explains a rule"
	if !f.Failed() {
		text = "'dpdissect rules show " + f.Guard.String() + "' explains a guard"
	}
	return append(terminal.AppendStyled(append(dst, "   "...), p.Derived, text+"."), '\n')
}

// appendGroup appends "error  DP8-…  ×3  MC-DPL8R 2.2.1.2".
func (p *painter) appendGroup(dst []byte, g *group, rule, count int) []byte {
	severity, name, n := g.first.Severity.String(), terminal.Escaped(g.first.Rule.ID), strconv.FormatUint(g.count, 10)
	dst = terminal.AppendStyled(append(dst, "   "...), p.severityOf(g.first), severity)
	dst = terminal.AppendSpaces(dst, len("error")-len(severity)+len(terminal.ColumnGap))
	dst = terminal.AppendStyled(dst, p.Heading, name)
	dst = terminal.AppendSpaces(dst, rule-terminal.Width(name)+len(terminal.ColumnGap)+count-len(n))
	dst = append(append(dst, "×"...), n...)
	if g.first.Rule.Clause != "" {
		dst = terminal.AppendStyled(append(dst, terminal.ColumnGap...), p.Derived, terminal.Escaped(g.first.Rule.Clause))
	}
	return append(dst, '\n')
}

// appendLine ends a line of the findings with text, which goes on below where it
// passes the width; column is where the text begins.
func (o *findingsText) appendLine(dst []byte, text string, column int) []byte {
	for i, w := range strings.Split(text, " ") {
		n := terminal.Width(w)
		switch {
		case i == 0:
		case o.width > 0 && column+1+n > o.width:
			dst, column = append(append(dst, '\n'), findingIndent+"  "...), len(findingIndent)+2
		default:
			dst, column = append(dst, ' '), column+1
		}
		dst, column = append(dst, w...), column+n
	}
	return append(dst, '\n')
}

const findingIndent = "          " // suffix the severity

// appendPlaces appends the messages of a group, each with the places it is about.
func (p *painter) appendPlaces(dst []byte, g *group, opts *findingsText) []byte {
	message := ""
	for i := range g.places {
		if i == cmp.Or(opts.places, shownPlaces) && !opts.all {
			more := "… and in " + terminal.Counted(uint64(len(g.places)-i), "more direction")
			return append(terminal.AppendStyled(append(dst, findingIndent...), p.Derived, more), '\n')
		}
		for _, pl := range g.places[i].split(opts) {
			if pl.first.Message != message || i == 0 && message == "" {
				message = pl.first.Message
				dst = opts.appendLine(append(dst, findingIndent...), terminal.Escaped(message), len(findingIndent))
			}
			where := pl.where()
			text := appendFrames(nil, &pl, opts.all)
			if opts.proofs {
				text = appendProof(text, &pl, opts.all)
			}
			dst = terminal.AppendStyled(append(dst, findingIndent...), p.Derived, where)
			dst = opts.appendLine(dst, string(text), len(findingIndent)+terminal.Width(where))
		}
	}
	return dst
}

// where is "#0 a → b".
func (pl *place) where() string {
	if pl.conn < 0 {
		return "capture"
	}
	return "#" + strconv.Itoa(pl.conn) + arrow(pl.dir)
}

// appendFrames appends ": frames 12, 40, 81".
func appendFrames(dst []byte, pl *place, all bool) []byte {
	for i, f := range pl.frames {
		switch {
		case i == 0 && len(pl.frames) == 1:
			dst = append(dst, ": frame "...)
		case i == 0:
			dst = append(dst, ": frames "...)
		case i == shownFrames && !all:
			return append(dst, ", …"...)
		default:
			dst = append(dst, ", "...)
		}
		dst = strconv.AppendUint(dst, f, 10)
	}
	return dst
}

// appendProof appends "; proof: frames 3, 12" when more than the offending frame
// proves the first finding of a place, and the guard when one stands against it.
func appendProof(dst []byte, pl *place, all bool) []byte {
	f := pl.first
	if len(f.Frames) > 1 {
		dst = append(dst, "; proof"...)
		if pl.count > 1 {
			dst = append(dst, " of the first"...)
		}
		dst = append(dst, ": frames "...)
		for i, n := range f.Frames {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			if i == shownFrames && !all {
				dst = append(dst, "…"...)
				break
			}
			dst = strconv.AppendUint(dst, n, 10)
		}
	}
	if !f.Failed() {
		dst = append(dst, guardText(f)...)
	}
	return dst
}

func arrow(s session.Side) string {
	switch s {
	case session.SideA:
		return " a → b"
	case session.SideB:
		return " b → a"
	}
	return ""
}
