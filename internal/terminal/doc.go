// Package terminal lays out what people read: tables, blocks of numbers and lines of some
// width, in the colours of a palette, and says in which words numbers and connections are
// shown. What stands in them is for others to say.
package terminal
