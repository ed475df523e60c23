package report

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/session/conform"
)

// GuardText is one page on a guard, wrapped to a width; 0 does not wrap. rules are those
// that ask for it.
func GuardText(g conform.Guard, rules []string, width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", g)
	writeWrapped(&b, "  ", "A guard: it requires that "+g.Asks()+".", width)
	b.WriteByte('\n')
	writeWrapped(&b, "  ", "If that is not certain, what looks like a broken rule is inconclusive and is not held against anyone: 'dpdissect check --show-inconclusive' "+
		"lists such cases. A number after the guard's name is the number of cases it applied to.", width)
	b.WriteByte('\n')
	if conform.Always.Has(g) {
		writeWrapped(&b, "  ", "It belongs to every rule.", width)
		return b.String()
	}
	writeUsers(&b, rules, width)
	return b.String()
}

// ReadingText is one page on an unclear place of a text: what is said of it, line by line.
// rules are those that rest on how it is read.
func ReadingText(id, heading string, lines [][2]string, rules []string, width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", id)
	writeWrapped(&b, "  ", "An ambiguity of the text of "+heading+", and how it is read.", width)
	b.WriteByte('\n')
	for _, l := range lines {
		if l[1] != "–" {
			writeWrapped(&b, fmt.Sprintf("  %-11s ", l[0]), l[1], width)
		}
	}
	b.WriteByte('\n')
	writeUsers(&b, rules, width)
	return b.String()
}

// writeUsers writes the rules that something matters to.
func writeUsers(b *strings.Builder, rules []string, width int) {
	if len(rules) == 0 {
		writeWrapped(b, "  ", "No rule names it.", width)
		return
	}
	writeWrapped(b, "  ", terminal.Counted(uint64(len(rules)), "rule")+": "+strings.Join(rules, ", "), width)
}

// readingID is the id of an unclear place.
var readingID = regexp.MustCompile(`AMB-[A-Z0-9]+-[0-9]+`)

// Readings are the unclear places that a rule rests on.
func Readings(r *conform.Rule) []string {
	return readingID.FindAllString(r.Care+" "+r.Statement+" "+r.Unchecked, -1)
}
