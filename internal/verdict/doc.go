// Package verdict decides whether a capture is good enough: it reads what is asked
// for (rules files, budgets, baselines), and weighs the findings and numbers of a
// run against it. It reads no captures and prints nothing.
package verdict
