package knet

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
)

// mustDecode decodes a payload that must be accepted and checks that it encodes
// to the same bytes, also from a datagram that held another one.
func mustDecode(t testing.TB, payload []byte, p Params) (*Datagram, *dissect.Tree) {
	t.Helper()
	tree := new(dissect.Tree)
	tree.Reset(payload)
	d := new(Datagram)
	for _, s := range Samples() {
		_ = d.Decode(s, p, nil)
	}
	if err := d.Decode(payload, p, tree); err != nil {
		t.Fatalf("% x: %v", payload, err)
	}
	if got := d.Append(nil); string(got) != string(payload) {
		t.Fatalf("encoded % x\nwant    % x", got, payload)
	}
	return d, tree
}

// text lists the rows of a tree: keys and values, groups in brackets.
func text(t *dissect.Tree) string {
	var b strings.Builder
	depth := 0
	for i := range t.Nodes {
		n := &t.Nodes[i]
		for ; depth > n.Depth; depth-- {
			b.WriteString(" }")
		}
		depth = n.Depth
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		switch n.Field.Kind {
		case dissect.Array:
			fmt.Fprintf(&b, "%s{", n.Field.Key())
			depth++
		case dissect.IDs:
			fmt.Fprintf(&b, "%s=%v", n.Field.Key(), t.IDs(n))
		case dissect.Text:
			fmt.Fprintf(&b, "%s=%s", n.Field.Key(), t.Text(n))
		case dissect.Bytes:
			fmt.Fprintf(&b, "%s=%x", n.Field.Key(), t.Bytes(n))
		case dissect.Bool:
			if n.Val != 0 {
				b.WriteString(n.Field.Key())
			} else {
				b.WriteString("-")
			}
		default:
			fmt.Fprintf(&b, "%s=%d", n.Field.Key(), n.Val)
		}
	}
	for ; depth > 0; depth-- {
		b.WriteString(" }")
	}
	return strings.ReplaceAll(strings.ReplaceAll(b.String(), "- ", ""), " -", "")
}
