// Package conform says what a rule is: a clause of a text as data, with the guards that
// must be satisfied before anyone is called at fault, the severity of breaking it, and
// how often it was kept, broken, or neither could be said.
package conform
