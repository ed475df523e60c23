package report

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/session/conform"
)

// A ruleLine is one thing to say of a rule.
type ruleLine struct{ label, text string }

// ruleLines is all there is to say of a rule but its statement.
func ruleLines(r *conform.Rule) (all []ruleLine) {
	add := func(label, text string) {
		if text != "" {
			all = append(all, ruleLine{label, text})
		}
	}
	add("Clause", r.Clause)
	add("Level", r.Level.String())
	add("Severity", r.Severity.String())
	add("Scope", ScopeText(r.Scope))
	if r.Alias != "" {
		add("Reported as", r.Alias)
	} else if r.Unchecked != "" {
		add("Not evaluated", r.Unchecked)
	}
	if r.Operation {
		add("Operation", "matters to operators: it belongs to the profile operation")
	}
	if r.Seldom {
		add("Seldom", "real sessions hardly ever give an opportunity, so the absence of findings proves little")
	}
	if r.Summed {
		add("Told", "once per side, with the number of occurrences")
	}
	add("Care", sentence(careText(r)))
	if r.EndpointFault() {
		add("Violation", r.Example)
	} else {
		add("Example", r.Example)
	}
	return all
}

// emphasis is what stands between asterisks in a rule's text.
var emphasis = regexp.MustCompile(`\*+([^*]+)\*+`)

// careText is a rule's care without what the page says anyway: guards of the rule
// that stand before all else.
func careText(r *conform.Rule) string {
	text := emphasis.ReplaceAllString(r.Care, "$1")
	names := map[string]bool{}
	for _, g := range guardsOf(r) {
		names[g.String()] = true
	}
	head, rest, _ := strings.Cut(text, "; ")
	for _, word := range strings.Split(strings.TrimSuffix(head, "."), ", ") {
		if !names[word] {
			return text
		}
	}
	return rest
}

// ScopeText is "state of both directions; depends on times" for "BT".
func ScopeText(scope string) string {
	var parts []string
	for i := range len(scope) {
		if s, ok := conform.Scopes[scope[i]]; ok {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "; ")
}

// guardsOf are the guards of a rule, those of every rule after its own.
func guardsOf(r *conform.Rule) []conform.Guard {
	return append(r.Guards.List(), (conform.Always &^ r.Guards).List()...)
}

// RuleText is one page on a rule, wrapped to a width; 0 does not wrap.
func RuleText(r *conform.Rule, width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.ID)
	writeWrapped(&b, "  ", sentence(r.Statement), width)
	b.WriteByte('\n')
	for _, l := range ruleLines(r) {
		writeWrapped(&b, fmt.Sprintf("  %-15s", l.label), l.text, width)
	}
	if ids := Readings(r); len(ids) > 0 {
		writeWrapped(&b, fmt.Sprintf("  %-15s", "Reading"), "'dpdissect rules show "+ids[0]+"' describes the ambiguity of the text and how it is read", width)
	}
	verb := "reported as broken"
	if !r.EndpointFault() {
		verb = "reported"
		b.WriteByte('\n')
		writeWrapped(&b, "  ", "It is no endpoint's fault: it fails a check only if the rules file names it.", width)
	}
	if r.Alias != "" || r.Unchecked != "" {
		return b.String()
	}
	fmt.Fprintf(&b, "\n  It is %s only while\n", verb)
	for _, g := range guardsOf(r) {
		writeWrapped(&b, fmt.Sprintf("    %-7s ", g), g.Asks(), width)
	}
	return b.String()
}

// writeWrapped writes text after a head; further lines stand below its beginning.
func writeWrapped(b *strings.Builder, head, text string, width int) {
	lines := []string{strings.Join(strings.Fields(text), " ")}
	if width > 0 {
		lines = terminal.Wrap(text, width-len(head))
	}
	b.WriteString(head + strings.Join(lines, "\n"+strings.Repeat(" ", len(head))) + "\n")
}

// RuleRow is a rule in a line of a Markdown table that has its id as an anchor.
func RuleRow(r *conform.Rule) string {
	severity := r.Severity.String()
	switch {
	case r.Alias != "":
		severity = "reported as " + r.Alias
	case r.Unchecked != "":
		severity += ", not evaluated"
	}
	return fmt.Sprintf("| <a id=\"%s\"></a>`%s` | %s | %s | %s | %s |\n", strings.ToLower(RuleAnchor(r.ID)), r.ID,
		Markdown(sentence(r.Statement)), Markdown(r.Clause), r.Level, severity)
}

// RuleMarkdown is the same page without its head, for people who read Markdown.
func RuleMarkdown(r *conform.Rule) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", Markdown(sentence(r.Statement)))
	for _, l := range ruleLines(r) {
		text := Markdown(l.text)
		switch l.label {
		case "Violation", "Example":
			text = code(l.text)
		case "Reported as":
			text = fmt.Sprintf("[%s](#%s)", l.text, strings.ToLower(RuleAnchor(l.text)))
		}
		fmt.Fprintf(&b, "- %s: %s\n", l.label, text)
	}
	if own := r.Guards.List(); len(own) > 0 {
		var names []string
		for _, g := range own {
			names = append(names, g.String())
		}
		fmt.Fprintf(&b, "- Guards: %s\n", strings.Join(names, ", "))
	}
	return b.String()
}

// RuleAnchor is the anchor GitHub makes of a heading that is an id.
func RuleAnchor(id string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, id)
}
