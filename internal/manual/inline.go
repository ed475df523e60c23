package manual

import "strings"

// A run is text of one look.
type run struct {
	text   string
	strong bool // code, emphasis
}

// runs takes code, emphasis and links out of text. Of a link its text stays.
func runs(text string) (all []run) {
	add := func(s string, strong bool) {
		if s != "" {
			all = append(all, run{s, strong})
		}
	}
	for text != "" {
		i := strings.IndexAny(text, "`*[\\")
		if i < 0 {
			break
		}
		inner, rest, ok := marked(text[i:])
		if !ok {
			add(text[:i+1], false)
			text = text[i+1:]
			continue
		}
		add(text[:i], false)
		switch text[i] {
		case '[':
			all = append(all, runs(inner)...)
		default:
			add(inner, text[i] != '\\')
		}
		text = rest
	}
	add(text, false)
	return all
}

// marked reads what a mark begins: `code`, **strong**, *strong*, [link](target), \c.
func marked(s string) (inner, rest string, ok bool) {
	switch {
	case s[0] == '\\' && len(s) > 1:
		return s[1:2], s[2:], strings.IndexByte("*[]\\|", s[1]) >= 0
	case s[0] == '[':
		text, after, found := strings.Cut(s[1:], "](")
		_, rest, ends := strings.Cut(after, ")")
		return text, rest, found && ends && !strings.Contains(text, "[")
	case strings.HasPrefix(s, "**"):
		inner, rest, ok = strings.Cut(s[2:], "**")
	case s[0] == '`':
		inner, rest, ok = strings.Cut(s[1:], "`")
	case s[0] == '*':
		inner, rest, ok = strings.Cut(s[1:], "*")
		ok = ok && inner != "" && inner[0] != ' ' && !strings.HasSuffix(inner, " ")
	}
	return inner, rest, ok && inner != ""
}

// plain is text without its marks.
func plain(text string) string {
	var b strings.Builder
	for _, r := range runs(text) {
		b.WriteString(r.text)
	}
	return b.String()
}
