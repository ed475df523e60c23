package syntax

import (
	"strings"
	"testing"
)

// list is a language of words, joined by + and nested in parentheses.
func list(src string) error {
	p := NewParser(src, func(l *Lexer) Token {
		if n := len(l.Rest()) - len(strings.TrimLeft(l.Rest(), "abc")); n > 0 {
			return l.Take(Word, n)
		}
		return l.Symbol([]string{"++", "+", "(", ")"}, map[rune]string{'=': "= is for others"})
	})
	p.Joined = "words are joined by +"
	p.Stray = func(t Token) string {
		if t.Is("++") {
			return "one + is enough"
		}
		return ""
	}
	var sum func()
	sum = func() {
		for {
			open := p.Peek()
			p.Enter(open.At)
			if p.Accept("(") {
				if sum(); !p.Accept(")") {
					p.Unclosed(open)
				}
			} else if p.Peek().Kind != Word {
				p.Missing("a word")
			} else {
				p.Take()
			}
			p.Leave()
			if !p.Accept("+") {
				return
			}
		}
	}
	sum()
	p.Finish()
	return p.Err(src)
}

// TestErrors: what is wrong is said of the first place, in runes, whatever the language.
func TestErrors(t *testing.T) {
	for src, want := range map[string]*Error{
		"a + b":                                  nil,
		strings.Repeat("a + ", 2*MaxDepth) + "a": nil, // long, not deep
		"":                                       {Column: 1, Length: 1, Message: "a word is missing"},
		"a +":                                    {Column: 3, Length: 1, Message: "a word is missing after +"},
		"a + + abc":                              {Column: 5, Length: 1, Message: "a word is missing before +"},
		"a abc":                                  {Column: 3, Length: 3, Message: "unexpected abc (words are joined by +)"},
		"a ++ b":                                 {Column: 3, Length: 2, Message: "one + is enough"},
		"a)":                                     {Column: 2, Length: 1, Message: "this ) closes nothing"},
		"(a":                                     {Column: 1, Length: 1, Message: "this ( is not closed"},
		"é":                                      {Column: 1, Length: 1, Message: "unexpected character 'é'"},
		"a + é$":                                 {Column: 5, Length: 1, Message: "unexpected character 'é'"},
		"a = b":                                  {Column: 3, Length: 1, Message: "= is for others"},
		strings.Repeat("(", MaxDepth-1) + "a" + strings.Repeat(")", MaxDepth-1): nil,
		strings.Repeat("(", MaxDepth) + "a":                                     {Column: MaxDepth + 1, Length: 1, Message: "nested more than 100 deep"},
		strings.Repeat("(", MaxDepth+1):                                         {Column: MaxDepth + 1, Length: 1, Message: "nested more than 100 deep"},
		"a" + strings.Repeat(" ", MaxLength):                                    {Column: MaxLength + 1, Length: 1, Message: "the expression is longer than 65536 bytes"},
		"a + \n\t" + strings.Repeat("c", 3) + "=":                               {Column: 10, Length: 1, Message: "= is for others"},
	} {
		err := list(src)
		if want == nil {
			if err != nil {
				t.Errorf("%q: %v", src, err)
			}
			continue
		}
		want.Expr = src
		if e, ok := err.(*Error); !ok || *e != *want {
			t.Errorf("%.20q: %+v, want %+v", src, err, want)
		}
	}
}

// TestCompare: each comparison, below, at and above its limit.
func TestCompare(t *testing.T) {
	for op, want := range map[string]string{"<": "x..", "<=": "xx.", "==": ".x.", "!=": "x.x", ">=": ".xx", ">": "..x"} {
		got := ""
		for v := range 3 {
			got += map[bool]string{true: "x", false: "."}[Compare(float64(v), op, 1)]
		}
		if got != want {
			t.Errorf("%s: %s, want %s", op, got, want)
		}
	}
}
