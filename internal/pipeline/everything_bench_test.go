package pipeline_test

import "testing"

// BenchmarkEverything runs excerpts through all commands.
func BenchmarkEverything(b *testing.B) {
	var files [][]byte
	for _, p := range protocolFolders {
		for i, e := range excerpts(b, p) {
			if i%5 == 0 {
				files = append(files, asFile(e.packets))
			}
		}
	}
	i := 0
	for b.Loop() {
		runEverything(b, files[i%len(files)], plan{workers: 1})
		i++
	}
}
