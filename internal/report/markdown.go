package report

import (
	"strings"

	"github.com/dpdissect/dpdissect/internal/terminal"
)

// Markdown makes text plain in Markdown: nothing of it is a link, a mention, HTML or
// emphasis, and no line ends in it.
func Markdown(s string) string {
	s = terminal.Escaped(s)
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; c {
		case '\\', '`', '*', '_', '[', ']', '|', '~', '#', '!', '$':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		case '@':
			b.WriteString("&#64;")
		case ':':
			if strings.HasPrefix(s[i:], "://") {
				b.WriteString("&#58;")
				continue
			}
			b.WriteByte(c)
		case '.':
			if i >= 3 && strings.EqualFold(s[i-3:i], "www") {
				b.WriteString("&#46;")
				continue
			}
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// code makes text a span of code.
func code(s string) string {
	s = strings.ReplaceAll(terminal.Escaped(s), "|", "\\|")
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}
