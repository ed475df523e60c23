package dp8

import (
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// mustDecode decodes a payload that must be accepted, with and without a tree,
// and checks that it encodes to the same bytes.
func mustDecode(t testing.TB, payload []byte, p Params) (*Frame, *dissect.Tree) {
	t.Helper()
	var tree dissect.Tree
	tree.Reset(payload)
	f := new(Frame)
	if err := f.Decode(payload, p, &tree); err != nil {
		t.Fatalf("% x: %v", payload, err)
	}
	if got := f.Append(nil); string(got) != string(payload) {
		t.Fatalf("encoded % x\nwant    % x", got, payload)
	}
	return f, &tree
}

// wantError decodes a payload that must be refused with the given error.
func wantError(t testing.TB, payload []byte, p Params, want string) (*Frame, *dissect.Tree) {
	t.Helper()
	var tree dissect.Tree
	tree.Reset(payload)
	f := new(Frame)
	err := f.Decode(payload, p, &tree)
	if err == nil {
		t.Fatalf("% x: accepted, want %q", payload, want)
	}
	if err.Error() != want {
		t.Fatalf("% x:\ngot  %s\nwant %s", payload, err, want)
	}
	checkTiles(t, &tree)
	return f, &tree
}

// checkTiles checks that each byte has one owner.
func checkTiles(t testing.TB, tree *dissect.Tree) {
	t.Helper()
	owners := make([]int, len(tree.Data))
	for _, n := range tree.Nodes {
		if n.Field.Kind == dissect.Array || n.Field.Kind == dissect.Group {
			continue
		}
		for i := n.Off; i < n.Off+n.Len; i++ {
			owners[i]++
		}
	}
	for i, n := range owners {
		if n != 1 {
			t.Fatalf("% x: byte %d has %d owners", tree.Data, i, n)
		}
	}
}

// A want is a row of a tree: its filter name, where it stands and its value.
type want struct {
	name     string
	off, len int
	val      uint64
}

// wantTree compares all rows but texts and lists of numbers.
func wantTree(t testing.TB, tree *dissect.Tree, rows ...want) {
	t.Helper()
	checkTiles(t, tree)
	i := 0
	for _, n := range tree.Nodes {
		if n.Field.Kind == dissect.IDs || n.Field.Kind == dissect.Text {
			continue
		}
		got := want{n.Field.Name, n.Off, n.Len, n.Val}
		if i >= len(rows) {
			t.Errorf("row %d: %v, want no more", i, got)
		} else if got != rows[i] {
			t.Errorf("row %d: %v, want %v", i, got, rows[i])
		}
		i++
	}
	for ; i < len(rows); i++ {
		t.Errorf("row %d: nothing, want %v", i, rows[i])
	}
}

// wantIDs compares the list of numbers of a field.
func wantIDs(t testing.TB, tree *dissect.Tree, f *dissect.Field, ids ...int64) {
	t.Helper()
	n := tree.Find(f)
	if n == nil {
		if len(ids) > 0 {
			t.Errorf("no %s, want %v", f.Name, ids)
		}
		return
	}
	got := tree.IDs(n)
	if len(got) != len(ids) {
		t.Errorf("%s: %v, want %v", f.Name, got, ids)
		return
	}
	for i := range ids {
		if got[i] != ids[i] {
			t.Errorf("%s: %v, want %v", f.Name, got, ids)
			return
		}
	}
}

var (
	anyParams      = Params{}
	unsigned16     = Params{Signing: Unsigned, Version: Version16}
	signed16       = Params{Signing: Signed, Version: Version16}
	unsigned14     = Params{Signing: Unsigned, Version: 0x00010004}
	senderSecret   = Secret{0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11} // 0x1122334455667788
	receiverSecret = Secret{0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88}
)

const sessionID = 0x79C9AEC6

// allParams are the combinations a connection can have.
func allParams() []Params {
	var all []Params
	for _, s := range []Signing{SigningUnknown, Unsigned, Signed} {
		for _, v := range []uint32{0, 0x00010004, Version15, Version16} {
			all = append(all, Params{s, v})
		}
	}
	return all
}
