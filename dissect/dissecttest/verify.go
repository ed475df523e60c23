package dissecttest

import (
	"bytes"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
)

// A verifier holds one protocol to what must be true for any payload.
type verifier struct {
	p      *dissect.Protocol
	fields map[*dissect.Field]bool
	fresh  dissect.Tree
	reused dissect.Tree
	owners []uint8
	keys   [][]string // by depth: keys of the siblings so far
}

func newVerifier(p *dissect.Protocol) *verifier {
	v := &verifier{p: p, fields: map[*dissect.Field]bool{&dissect.Undecoded: true}}
	for _, f := range p.Fields {
		v.fields[f] = true
	}
	return v
}

// verify decodes and encodes the payload and says what is wrong, if anything.
func (v *verifier) verify(payload []byte) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\npayload % x\n%s", r, payload, debug.Stack())
		}
	}()
	if err := v.decode(payload); err != nil {
		return fmt.Errorf("%w\npayload % x", err, payload)
	}
	return nil
}

func (v *verifier) decode(payload []byte) error {
	before := bytes.Clone(payload)
	v.fresh = dissect.Tree{}
	v.fresh.Reset(payload)
	typ, derr := v.p.Decode(&v.fresh)
	v.reused.Reset(payload)
	typ2, derr2 := v.p.Decode(&v.reused)
	encoded, accepted := v.p.Reencode(payload)
	switch {
	case !bytes.Equal(before, payload):
		return fmt.Errorf("decoding or encoding changed the payload")
	case typ != typ2 || (derr == nil) != (derr2 == nil) || !sameTree(&v.fresh, &v.reused):
		return fmt.Errorf("decoding into a reused tree gave another result than into a new one")
	case accepted != (derr == nil):
		return fmt.Errorf("decoding gave error %v, but encoding accepted=%v", derr, accepted)
	case accepted && !bytes.Equal(encoded, payload):
		return fmt.Errorf("encoded to other bytes: % x", encoded)
	case accepted && !slices.Contains(v.p.Types, typ):
		return fmt.Errorf("type %q is not in the list of types", typ)
	case typ != "" && !slices.Contains(v.p.Types, typ):
		return fmt.Errorf("type %q of a refused payload is not in the list of types", typ)
	}
	if err := v.checkError(derr, len(payload)); err != nil {
		return err
	}
	return v.checkTree(&v.fresh, accepted)
}

func (v *verifier) checkError(err *dissect.Error, size int) error {
	switch {
	case err == nil:
		return nil
	case err.Field == nil || !v.fields[err.Field]:
		return fmt.Errorf("the error does not name a field of the table: %+v", *err)
	case err.Offset < 0 || err.Offset > size:
		return fmt.Errorf("the error is at byte %d of %d", err.Offset, size)
	case err.Reason == "":
		return fmt.Errorf("the error gives no reason: %v", err)
	}
	return nil
}

func (v *verifier) checkTree(t *dissect.Tree, accepted bool) error {
	v.owners = append(v.owners[:0], make([]uint8, len(t.Data))...)
	for i := range v.keys {
		v.keys[i] = v.keys[i][:0]
	}
	depth := 0 // the deepest a node may stand
	for i := range t.Nodes {
		n := &t.Nodes[i]
		name := "nil"
		if n.Field != nil {
			name = n.Field.Name
		}
		switch {
		case !v.fields[n.Field]:
			return fmt.Errorf("node %d: %s is not a row of the table", i, name)
		case n.Off < 0 || n.Len < 0 || n.Off+n.Len > len(t.Data):
			return fmt.Errorf("node %d: %s is at bytes %d+%d of %d", i, name, n.Off, n.Len, len(t.Data))
		case n.Depth < 0 || n.Depth > depth:
			return fmt.Errorf("node %d: %s stands at depth %d without a group above it", i, name, n.Depth)
		case n.Field == &dissect.Undecoded && (i != len(t.Nodes)-1 || n.Depth != 0):
			return fmt.Errorf("node %d: the undecoded row is not the last one at the top", i)
		case n.Field == &dissect.Undecoded && accepted:
			return fmt.Errorf("accepted, but %d bytes are undecoded", n.Len)
		case n.Field.Kind == dissect.Uint && n.Len > 0 && n.Field.Size > 0 && n.Len != n.Field.Size:
			return fmt.Errorf("node %d: %s has %d bytes, its row says %d", i, name, n.Len, n.Field.Size)
		case n.Field.Kind == dissect.Uint && n.Val > limit(n.Field.Size):
			return fmt.Errorf("node %d: value %#x of %s is outside of its %d bytes", i, n.Val, name, n.Field.Size)
		}
		depth = n.Depth
		if group(n) {
			depth++
		} else if err := v.own(n); err != nil {
			return err
		}
		if err := v.key(n); err != nil {
			return err
		}
	}
	if i := slices.Index(v.owners, 0); i >= 0 {
		return fmt.Errorf("byte %d has no owner", i)
	}
	return nil
}

func group(n *dissect.Node) bool {
	return n.Field.Kind == dissect.Group || n.Field.Kind == dissect.Array
}

func (v *verifier) own(n *dissect.Node) error {
	for i := n.Off; i < n.Off+n.Len; i++ {
		if v.owners[i]++; v.owners[i] > 1 {
			return fmt.Errorf("byte %d has two owners, the second is %s", i, n.Field.Name)
		}
	}
	return nil
}

// key checks that a JSON object made of the siblings has no key twice. Elements
// of an array share theirs.
func (v *verifier) key(n *dissect.Node) error {
	for len(v.keys) <= n.Depth+1 {
		v.keys = append(v.keys, nil)
	}
	if group(n) {
		v.keys[n.Depth+1] = v.keys[n.Depth+1][:0]
	}
	key := n.Field.Key()
	if n.Field.Kind == dissect.Array {
		key += "[]" // so that it differs from a plain key, which can't hold brackets
		if slices.Contains(v.keys[n.Depth], key) {
			return nil
		}
	}
	if err := v.addKey(n, key); err != nil {
		return err
	}
	if len(n.Field.Bits) > 0 {
		return v.addKey(n, key+"_flags")
	}
	return nil
}

func (v *verifier) addKey(n *dissect.Node, key string) error {
	for _, k := range v.keys[n.Depth] {
		if k == key || k == key+"[]" || k+"[]" == key {
			return fmt.Errorf("%s: key %q stands twice among its siblings", n.Field.Name, key)
		}
	}
	v.keys[n.Depth] = append(v.keys[n.Depth], key)
	return nil
}

// sameTree compares two trees with their derived lists and texts.
func sameTree(a, b *dissect.Tree) bool {
	return slices.EqualFunc(a.Nodes, b.Nodes, func(x, y dissect.Node) bool { return sameNode(a, &x, b, &y) })
}

// sameNode compares two nodes. The range of a group is not compared where depth
// and field agree: it may follow the length of the datagram.
func sameNode(a *dissect.Tree, x *dissect.Node, b *dissect.Tree, y *dissect.Node) bool {
	if x.Field != y.Field || x.Depth != y.Depth || x.Off != y.Off {
		return false
	}
	switch x.Field.Kind {
	case dissect.Group, dissect.Array:
		return true
	case dissect.IDs:
		return slices.Equal(a.IDs(x), b.IDs(y))
	case dissect.Text:
		return a.Text(x) == b.Text(y)
	}
	return x.Len == y.Len && x.Val == y.Val
}
