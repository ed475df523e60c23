package points

import "fmt"

// Sentence says that two captures hold the same session.
func (p *Pair) Sentence() string {
	how := "captured at two points"
	if p.Twice {
		how = "captured twice"
	}
	return fmt.Sprintf("%s and %s contain the same session, %s: each is analysed separately", p.A.Path, p.B.Path, how)
}
