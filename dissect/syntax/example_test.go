package syntax_test

import (
	"fmt"
	"strings"

	"github.com/dpdissect/dpdissect/dissect/syntax"
)

// A language of numbers that are joined by +, and what it says of a mistake.
func Example() {
	const src = "1 + 20 + plus"
	p := syntax.NewParser(src, func(l *syntax.Lexer) syntax.Token {
		if n := len(l.Rest()) - len(strings.TrimLeft(l.Rest(), "0123456789")); n > 0 {
			return l.Take(syntax.Word, n)
		}
		return l.Symbol([]string{"+"}, nil)
	})
	for more := true; more; more = p.Accept("+") {
		if p.Take().Kind != syntax.Word {
			p.Missing("a number")
		}
	}
	p.Finish()
	fmt.Println(p.Err(src))
	// Output:
	// unexpected character 'p'
	//   1 + 20 + plus
	//            ^
}
