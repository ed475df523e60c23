// Package lab is where the rules are tried: endpoints that break one rule each
// (mutants), endpoints that nearly do (near misses), and captures of endpoints
// that keep all of them, edited as capturing and networks edit captures. No rule
// may be missed on the first, none may be called broken on the others.
//
//	Mutant    an endpoint, its capture, and the verdict about what was found
//	Subject   a capture whose edits are judged; Ops edits it, Edits draws Ops
//	Soak      many subjects, many edits; what fails is made small
//	Score     how many rules have a mutant and a near miss
//	Accuracy  what the analysis says against what is true: docs/accuracy.md
//
// Command cmd/lab runs them: make soak, make mutants, make accuracy.
package lab
