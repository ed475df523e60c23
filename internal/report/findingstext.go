package report

import (
	"cmp"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/dpdissect/dpdissect/session"
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
	frames []uint64
}

// groups puts findings together by severity and rule, the worst first.
func groups(findings []session.Finding) []*group {
	type key struct {
		rule     string
		severity session.Severity
	}
	byKey := map[key]*group{}
	var list []*group
	for i := range findings {
		f := &findings[i]
		k := key{f.Rule.ID, f.Severity}
		g := byKey[k]
		if g == nil {
			g = &group{first: f, index: map[whereKey]int{}}
			byKey[k] = g
			list = append(list, g)
		}
		g.add(f)
	}
	slices.SortStableFunc(list, func(a, b *group) int {
		return cmp.Or(cmp.Compare(a.first.Severity, b.first.Severity), cmp.Compare(a.first.Rule.ID, b.first.Rule.ID))
	})
	return list
}

// add enters a finding at its place.
func (g *group) add(f *session.Finding) {
	g.count++
	where := whereKey{connID(f.Conn), f.Dir}
	i, ok := g.index[where]
	if !ok {
		i = len(g.places)
		g.index[where] = i
		g.places = append(g.places, place{whereKey: where})
	}
	if f.Frame != 0 {
		g.places[i].frames = append(g.places[i].frames, f.Frame)
	}
}

func (p *painter) appendFindings(dst []byte, findings []session.Finding, all bool) []byte {
	if len(findings) == 0 {
		return append(dst, "No findings.\n"...)
	}
	list := groups(findings)
	dst = append(appendStyled(dst, p.Heading, counted(uint64(len(findings)), "finding")), '\n')
	rule, count := 0, 0
	for _, g := range list {
		rule = max(rule, utf8.RuneCountInString(escaped(g.first.Rule.ID)))
		count = max(count, len(strconv.FormatUint(g.count, 10)))
	}
	for _, g := range list {
		dst = p.appendGroup(dst, g, rule, count)
		dst = p.appendPlaces(dst, g, all)
	}
	return dst
}

// appendGroup appends "error  DP8-…  ×3  MC-DPL8R 2.2.1.2" and the message of
// the first finding.
func (p *painter) appendGroup(dst []byte, g *group, rule, count int) []byte {
	severity, name, n := g.first.Severity.String(), escaped(g.first.Rule.ID), strconv.FormatUint(g.count, 10)
	dst = appendStyled(append(dst, "   "...), p.severityStyle(g.first.Severity), severity)
	dst = appendSpaces(dst, len("error")-len(severity)+len(columnGap))
	dst = appendStyled(dst, p.Heading, name)
	dst = appendSpaces(dst, rule-utf8.RuneCountInString(name)+len(columnGap)+count-len(n))
	dst = append(append(dst, "×"...), n...)
	if g.first.Rule.Clause != "" {
		dst = appendStyled(append(dst, columnGap...), p.Derived, escaped(g.first.Rule.Clause))
	}
	dst = append(append(dst, '\n'), findingIndent...)
	return append(append(dst, escaped(g.first.Message)...), '\n')
}

const findingIndent = "          " // behind the severity

func (p *painter) appendPlaces(dst []byte, g *group, all bool) []byte {
	for i := range g.places {
		if i == shownPlaces && !all {
			more := "… and in " + counted(uint64(len(g.places)-i), "more direction")
			return append(appendStyled(append(dst, findingIndent...), p.Derived, more), '\n')
		}
		dst = p.appendPlace(append(dst, findingIndent...), &g.places[i], all)
	}
	return dst
}

// appendPlace appends "#0 a → b: frames 12, 40, 81".
func (p *painter) appendPlace(dst []byte, pl *place, all bool) []byte {
	where := "capture"
	if pl.conn >= 0 {
		where = "#" + strconv.Itoa(pl.conn) + arrow(pl.dir)
	}
	dst = appendStyled(dst, p.Derived, where)
	for i, f := range pl.frames {
		switch {
		case i == 0 && len(pl.frames) == 1:
			dst = append(dst, ": frame "...)
		case i == 0:
			dst = append(dst, ": frames "...)
		case i == shownFrames && !all:
			dst = append(dst, ", …"...)
			return append(dst, '\n')
		default:
			dst = append(dst, ", "...)
		}
		dst = strconv.AppendUint(dst, f, 10)
	}
	return append(dst, '\n')
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
