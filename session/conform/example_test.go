package conform_test

import (
	"fmt"

	"github.com/dpdissect/dpdissect/hazel/rules"
	"github.com/dpdissect/dpdissect/session/conform"
)

// The rules of a protocol are data: those that judge times are the ones a coarse capture
// says nothing of.
func Example() {
	for _, r := range rules.New().Rules {
		if r.Guards.Has(conform.GuardClock) && r.Severity == conform.Warn {
			fmt.Println(r.ID, "asks for", r.Guards)
		}
	}
	// Output: HZ-REL-BACKOFF asks for CLEAN CLOCK
}
