package record

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/ngtest"
)

// TestCopyCommentsSections: each section has the comment after those that it has, in either
// byte order, also the one that is made for several inputs, and the one of an input without
// packets; other blocks stay as they are.
func TestCopyCommentsSections(t *testing.T) {
	little, big := everything(binary.LittleEndian, "a"), everything(binary.BigEndian, "b")
	none := func(int) string { return "" }
	for _, c := range []struct {
		o     CopyOptions
		files [][]byte
		want  string
	}{
		{CopyOptions{}, [][]byte{little}, `[["section of a" "sum"]]`},
		{CopyOptions{}, [][]byte{big}, `[["section of b" "sum"]]`},
		{CopyOptions{}, [][]byte{slices.Concat(big, little)}, `[["section of b" "sum"] ["section of a" "sum"]]`},
		{CopyOptions{Join: true}, [][]byte{little, big}, `[["sum"]]`},
	} {
		plain, err := copyOf(t, c.o, none, c.files...)
		must(t, err)
		c.o.Comment = []byte("sum")
		out, err := copyOf(t, c.o, none, c.files...)
		must(t, err)
		before, err := ngtest.Read(plain)
		must(t, err)
		after, err := ngtest.Read(out)
		must(t, err)
		var got [][]string
		for i := range after {
			if b := &after[i]; b.Type == blockSection {
				got = append(got, b.Comments())
			} else if string(b.Body) != string(before[i].Body) {
				t.Errorf("block %d differs", i)
			}
		}
		if len(before) != len(after) || fmt.Sprintf("%q", got) != c.want {
			t.Errorf("%q in %d blocks, want %s in %d", got, len(after), c.want, len(before))
		}
	}
	if out := NewCopy(CopyOptions{Comment: []byte("sum")}).End(nil); len(out) == 0 {
		t.Error("there is no section")
	} else if blocks, err := ngtest.Read(out); err != nil || len(blocks) != 1 || fmt.Sprint(blocks[0].Comments()) != "[sum]" {
		t.Errorf("%v, %v", blocks, err)
	}
}
