// Package syntax is what the languages of this program share, from display filters to budgets:
// tokens with their places, the steps of a parser, and errors that mark a part of the
// expression. A language adds its grammar, and what its characters mean.
package syntax
