package ladder

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/compare"
	"github.com/dpdissect/dpdissect/internal/report"
	"github.com/dpdissect/dpdissect/session/seq"
)

// WriteMermaid draws a ladder as a sequenceDiagram for Markdown. What comes from packets and
// names is written so that it is text, and nothing else, to Mermaid and to the page around
// it.
func WriteMermaid(w io.Writer, l *Ladder, names func(dissect.Endpoint) string) error {
	m := bufio.NewWriter(w)
	m.WriteString("sequenceDiagram\n")
	for dir := range dissect.Dirs {
		fmt.Fprintf(m, "    participant %s as %s\n", sideOf(dir), mermaidText(l.SideName(dir, names)))
	}
	title := fmt.Sprintf("connection %d, %s", l.Conn.ID, l.Conn.Protocol.Name)
	if l.Story != nil {
		title += ", " + l.Story.Brief()
	}
	fmt.Fprintf(m, "    Note over a,b: %s\n", mermaidText(title))
	for i := range l.Rows {
		writeMermaidRow(m, &l.Rows[i])
	}
	return m.Flush()
}

// WritePairMermaid draws the ladder of a pair as a sequenceDiagram: a participant a point.
func WritePairMermaid(w io.Writer, p *Pair) error {
	m := bufio.NewWriter(w)
	m.WriteString("sequenceDiagram\n")
	left := p.left()
	for at, dir := range []dissect.Dir{left, left.Other()} {
		fmt.Fprintf(m, "    participant %s as %s\n", sideOf(dir), mermaidText(p.Doc.Points[at].Name+", "+p.SideName(dir)))
	}
	fmt.Fprintf(m, "    Note over a,b: %s\n", mermaidText(p.title()))
	for _, s := range report.ComparedClocks(p.Doc) {
		fmt.Fprintf(m, "    Note over a,b: %s\n", mermaidText(s))
	}
	for i := range p.Rows {
		writeMermaidRow(m, &p.Rows[i])
	}
	return m.Flush()
}

func sideOf(dir dissect.Dir) string { return "ab"[dir : dir+1] }

func writeMermaidRow(m *bufio.Writer, r *Row) {
	if r.Kind == Pause {
		fmt.Fprintf(m, "    Note over a,b: %s\n", mermaidText(r.Label))
		return
	}
	label := r.Label
	if r.Frame() != 0 {
		label = fmt.Sprintf("%d  %s", r.Frame(), label)
	}
	if r.Way != nil {
		label = strings.Join(strings.Fields(fmt.Sprintf("%s  %s  %s", r.Label, r.lengths(), r.Way.framesAtBoth())), " ")
	}
	fmt.Fprintf(m, "    %s%s%s: %s\n", sideOf(r.From), mermaidArrow(r), sideOf(r.From.Other()), mermaidText(label))
	for _, x := range r.remarks() {
		fmt.Fprintf(m, "    Note over %s: %s\n", sideOf(r.From), mermaidText(x.text))
	}
}

// mermaidArrow is ->> for what arrives, -x for what is lost and --x where the capture
// never saw it, -->> for what arrived without it.
func mermaidArrow(r *Row) string {
	if r.Way != nil {
		switch r.Way.Fate {
		case compare.Delivered:
			return "->>"
		case compare.LostBetween:
			return "-x"
		case compare.MissedByFirst, compare.MissedBySecond, compare.MissedByBoth:
			return "-->>"
		}
		return "--x"
	}
	switch r.Lost {
	case seq.BeforeCapture:
		return "--x"
	case seq.AfterCapture:
		return "-x"
	case seq.NotCaptured:
		return "-->>"
	}
	return "->>"
}

// mermaidPlain are the characters that mean nothing to Mermaid.
const mermaidPlain = " .,=+-_/()'!?*" + "0123456789" + "abcdefghijklmnopqrstuvwxyz" + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// endWord is the word that closes a block, wherever it stands alone.
var endWord = regexp.MustCompile(`(?i)\bend\b`)

// mermaidText writes every other character as its number, and the first one of the word end.
func mermaidText(s string) string {
	s = escaped(s)
	ends := map[int]bool{}
	for _, at := range endWord.FindAllStringIndex(s, -1) {
		ends[at[0]] = true
	}
	var b strings.Builder
	for i, r := range s {
		if ends[i] || !strings.ContainsRune(mermaidPlain, r) {
			fmt.Fprintf(&b, "#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
