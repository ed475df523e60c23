package wire

import (
	"flag"
	"os"
	"testing"
)

// TestMain lets all tests run at once: they wait more than they work.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
