package stable_test

import (
	"cmp"
	"fmt"

	"github.com/dpdissect/dpdissect/dissect/stable"
)

// Findings by their rule; those of one rule stay in the order of the capture.
func ExampleSort() {
	type finding struct {
		rule  string
		frame int
	}
	all := []finding{{"MONO", 2}, {"ACK", 7}, {"MONO", 9}}
	stable.Sort(all, func(a, b finding) int { return cmp.Compare(a.rule, b.rule) })
	fmt.Println(all)
	// Output: [{ACK 7} {MONO 2} {MONO 9}]
}
