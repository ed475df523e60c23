package spell_test

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect/spell"
)

// What a message about a misspelt name ends with.
func Example() {
	fmt.Println("unknown field dp8.sq" + spell.DidYouMean("dp8.sq", []string{"dp8.seq", "dp8.nrcv", "retry"}))
	// Output: unknown field dp8.sq (did you mean dp8.seq?)
}
