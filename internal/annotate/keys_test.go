package annotate

import (
	"os"
	"strings"
	"testing"
)

// TestPage checks that docs/annotate.md has the table of keys as it is.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/annotate.md")
	if err != nil {
		t.Fatal(err)
	}
	if table := string(AppendTable(nil)); !strings.Contains(string(page), "|---|---|---|\n"+table+"\n") {
		t.Errorf("the page wants this table:\n%s", table)
	}
}
