// Package measure is the one table of what is counted and timed of a direction, one side of a
// connection: the name of each number in records, what it counts, when it is absent, and the
// line that reads it. Records, columns, schemas, budgets, intervals and the reference pages
// are made from it. A new number is a constant and a row in counters.go and a line in read.go.
package measure
