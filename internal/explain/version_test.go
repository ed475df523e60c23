package explain

import (
	"fmt"
	"testing"
)

// TestVersionsAreFew: a server that saw a thousand versions is told in a few words, however
// many clients it declines.
func TestVersionsAreFew(t *testing.T) {
	c := clients{versions: map[string]bool{}}
	for i := range 1000 {
		c.versions[fmt.Sprintf("2024.%04d", i)] = true
		if c.name(); i == mostVersions-1 && c.named != "2024.0000, 2024.0001, 2024.0002, 2024.0003, 2024.0004" {
			t.Errorf("%d versions: %s", i+1, c.named)
		}
	}
	if want := "2024.0000, 2024.0001, 2024.0002, 2024.0003, 2024.0004, and 995 more"; c.named != want {
		t.Errorf("%s", c.named)
	}
}
