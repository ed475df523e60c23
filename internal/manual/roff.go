package manual

import (
	"fmt"
	"strings"
)

// Man is the page as a manual page, without the title that Title makes. Headings of the
// first level are left out: they are the name of the page.
func (p *Page) Man() string {
	var b strings.Builder
	for i := range p.blocks {
		c := &p.blocks[i]
		switch c.kind {
		case heading:
			if c.level == 1 {
				b.WriteString(Heading("Description"))
			} else {
				b.WriteString(Heading(plain(c.text)))
			}
		case paragraph:
			b.WriteString(".PP\n" + line(c.text))
		case item:
			b.WriteString(".IP \\(bu 2\n" + line(c.text))
		case code:
			b.WriteString(Verbatim(c.text))
		case table:
			for _, row := range c.rows[1:] {
				b.WriteString(Tagged(row[0], strings.Join(nonEmpty(row[1:]), ": ")))
			}
		}
	}
	return b.String()
}

func nonEmpty(list []string) (all []string) {
	for _, s := range list {
		if s != "" {
			all = append(all, s)
		}
	}
	return all
}

// Title begins a manual page of a section: its name, and what it is in a line.
func Title(name string, section int, version, about string) string {
	return fmt.Sprintf(".TH \"%s\" %d \"\" \"%s\" \"dpdissect\"\n.SH NAME\n%s \\- %s\n",
		Escape(strings.ToUpper(name)), section, Escape(version), Escape(name), Escape(about))
}

// Heading begins a section.
func Heading(text string) string { return ".SH " + Escape(strings.ToUpper(text)) + "\n" }

// Tagged is what is said of something; both are Markdown.
func Tagged(tag, text string) string {
	return ".TP\n" + `\fB` + Escape(plain(tag)) + "\\fR\n" + line(text)
}

// Verbatim is text as it stands.
func Verbatim(text string) string {
	var b strings.Builder
	b.WriteString(".PP\n.RS 4\n.nf\n")
	for l := range strings.Lines(text) {
		b.WriteString(guarded(Escape(strings.TrimRight(l, "\n"))) + "\n")
	}
	b.WriteString(".fi\n.RE\n")
	return b.String()
}

// line is a line of running text in Markdown.
func line(text string) string {
	var b strings.Builder
	for _, r := range runs(text) {
		if r.strong {
			b.WriteString(`\fB` + Escape(r.text) + `\fR`)
		} else {
			b.WriteString(Escape(r.text))
		}
	}
	return guarded(b.String()) + "\n"
}

// Escape makes text harmless to roff.
func Escape(s string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, `"`, `\(dq`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`).Replace(s)
}

// guarded keeps a line from being a request.
func guarded(s string) string {
	if strings.HasPrefix(s, ".") {
		return `\&` + s
	}
	return s
}

// Plain is running text without any mark, in paragraphs that empty lines separate. Lines
// that begin with a space stand as they are.
func Plain(text string) string {
	var b strings.Builder
	for _, part := range strings.Split(strings.TrimSpace(text), "\n\n") {
		lines := strings.Split(part, "\n")
		for i := 0; i < len(lines); {
			indented := strings.HasPrefix(lines[i], " ")
			end := i
			for end < len(lines) && strings.HasPrefix(lines[end], " ") == indented {
				end++
			}
			if joined := strings.Join(lines[i:end], "\n"); indented {
				b.WriteString(Verbatim(joined))
			} else {
				b.WriteString(".PP\n" + guarded(Escape(strings.Join(lines[i:end], " "))) + "\n")
			}
			i = end
		}
	}
	return b.String()
}
