package tables

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestSpool: rows come in the order of their keys, however many of them waited in files, and no
// file stays. The folder need not be there.
func TestSpool(t *testing.T) {
	for _, most := range []int{1 << 20, 3000, 1} {
		folder := filepath.Join(t.TempDir(), "new")
		s := newSpool(folder)
		s.most = most
		table := Named("ends")
		var want []string
		for _, i := range rand.Perm(500) {
			text := fmt.Sprintf("%04d", i)
			if err := s.put(pileKey{table, 1}, appendOrdered(nil, int64(i-250)), []byte(text)); err != nil {
				t.Fatal(err)
			}
			want = append(want, text)
		}
		slices.Sort(want)
		var got []string
		if err := s.piles[pileKey{table, 1}].each(func(row []byte) error { got = append(got, string(row)); return nil }); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("with %d bytes in memory: %v", most, got)
		}
		s.clear()
		if left, _ := os.ReadDir(folder); len(left) > 0 {
			t.Errorf("%d files stay", len(left))
		}
	}
}
