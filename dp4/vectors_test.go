package dp4

import (
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/dissecttest"
)

// mustDecode decodes a payload that must be accepted and checks that it encodes
// to the same bytes.
func mustDecode(t testing.TB, s string) (*Frame, *dissect.Tree) {
	t.Helper()
	payload := dissecttest.Unhex(t, s)
	var tree dissect.Tree
	tree.Reset(payload)
	f := new(Frame)
	if err := f.Decode(payload, Params{Length: len(payload)}, &tree); err != nil {
		t.Fatalf("% x: %v", payload, err)
	}
	if got := f.Append(nil); string(got) != string(payload) {
		t.Fatalf("encoded % x\nwant    % x", got, payload)
	}
	return f, &tree
}

// wantError decodes a payload that must be refused with the given error.
func wantError(t testing.TB, s, want string) (*Frame, *dissect.Tree) {
	t.Helper()
	payload := dissecttest.Unhex(t, s)
	var tree dissect.Tree
	tree.Reset(payload)
	f := new(Frame)
	err := f.Decode(payload, Params{Length: len(payload)}, &tree)
	if err == nil || err.Error() != want {
		t.Fatalf("% x:\ngot  %v\nwant %s", payload, err, want)
	}
	return f, &tree
}

// value is that of a field in a tree.
func value(t testing.TB, tree *dissect.Tree, row int) uint64 {
	t.Helper()
	n := tree.Find(&Fields[row])
	if n == nil {
		t.Fatalf("no %s", Fields[row].Name)
	}
	return n.Val
}

// text is a derived text, "" when there is none.
func text(tree *dissect.Tree, row int) string {
	if n := tree.Find(&Fields[row]); n != nil {
		return tree.Text(n)
	}
	return ""
}

// ids is a list of numbers, nil when there is none.
func ids(tree *dissect.Tree, row int) []int64 {
	if n := tree.Find(&Fields[row]); n != nil {
		return tree.IDs(n)
	}
	return nil
}

func wantIDs(t testing.TB, got []int64, want ...int64) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
