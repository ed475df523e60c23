package whole

import (
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/excerpt"
)

// BenchmarkEverything runs excerpts through all commands.
func BenchmarkEverything(b *testing.B) {
	var files [][]byte
	for _, p := range protocolFolders {
		for i, e := range excerpt.Of(b, p) {
			if i%5 == 0 {
				files = append(files, excerpt.AsFile(e.Packets))
			}
		}
	}
	i := 0
	for b.Loop() {
		runEverything(b, files[i%len(files)], plan{workers: 1})
		i++
	}
}
