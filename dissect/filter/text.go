package filter

import (
	"bytes"
	"regexp"
	"strings"
)

// contains compiles the search for a constant.
func (c *compiler) contains(m mode, o *operand, a *atom) test {
	if o.class == classText {
		return quantified(m, o.texts, func(s string) bool { return strings.Contains(s, a.Text) })
	}
	part, problem := parseBytes(&o.notation, a)
	if problem != "" {
		c.Fail(a.At, "%s", problem)
		return nil
	}
	return quantified(m, o.bytes, func(b []byte) bool { return bytes.Contains(b, part.lo) })
}

// containsPair compiles the search for the value of another field.
func containsPair(m mode, a, b *operand) test {
	if a.class == classText {
		return quantifiedPairs(m, a.texts, b.texts, strings.Contains)
	}
	return quantifiedPairs(m, a.bytes, b.bytes, bytes.Contains)
}

// matches compiles the search for a regular expression, in any case unless it says (?-i).
func (c *compiler) matches(m mode, o *operand, a *atom) test {
	if !a.quoted() {
		c.Fail(a.At, "the regular expression must be a string in double quotes")
		return nil
	}
	re, err := regexp.Compile("(?i)" + a.Text)
	if err != nil {
		reason := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
		c.Fail(a.At, "bad regular expression: %s", strings.Replace(reason, "`(?i)", "`", 1))
		return nil
	}
	if o.class == classText {
		return quantified(m, o.texts, matchText(re))
	}
	return quantified(m, o.bytes, matchBytes(re))
}
