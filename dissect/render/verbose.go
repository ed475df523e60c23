package render

import (
	"strconv"

	"github.com/dpdissect/dpdissect/dissect"
)

// Verbose prints whole frames as -V does: the layers below, the protocol's tree
// with bit lines, what the analysis says and, when asked for, the bytes.
type Verbose struct {
	Palette Palette
	Dump    bool                          // a hex dump follows each tree
	Names   func(dissect.Endpoint) string // shown after addresses; "" for none, nil for no names at all

	titles map[string]string

	runs []arrayRun // array elements met so far, by depth
}

type arrayRun struct {
	field *dissect.Field
	n     int
}

// NewVerbose makes a Verbose that knows the titles of these protocols.
func NewVerbose(p Palette, protocols []*dissect.Protocol) *Verbose {
	v := &Verbose{Palette: p, titles: map[string]string{}}
	for _, proto := range protocols {
		v.titles[proto.Name] = proto.Title
	}
	return v
}

// AppendFrame appends all lines of a frame and an empty one. The clock is read
// only.
func (v *Verbose) AppendFrame(dst []byte, fr *dissect.Frame, clock *Clock) []byte {
	dst = v.appendLayers(dst, fr, clock)
	dst = v.appendProtocol(dst, fr)
	dst = v.AppendTree(dst, fr.Tree, 1)
	dst = v.appendAnalysis(dst, fr)
	dst = append(dst, '\n')
	if v.Dump {
		dst = AppendHexDump(dst, fr.Payload, v.Palette.Highlight)
		dst = append(dst, '\n')
	}
	return dst
}

func (v *Verbose) appendProtocol(dst []byte, fr *dissect.Frame) []byte {
	dst = append(dst, v.Palette.Heading.Start...)
	title, known := v.titles[fr.Protocol]
	switch {
	case known:
		dst = append(dst, title...)
	case fr.Protocol == "udp":
		dst = appendCount(append(dst, "Data ("...), len(fr.Payload), "byte")
		dst = append(dst, ')')
		if fr.Possible != "" {
			dst = append(append(dst, ", possibly "...), fr.Possible...)
		}
	default:
		dst = appendUpper(dst, fr.Protocol)
	}
	if fr.Type != "" {
		dst = append(append(dst, ", "...), fr.Type...)
	}
	dst = append(append(dst, v.Palette.Heading.Stop...), '\n')
	if (fr.Tree == nil || len(fr.Tree.Nodes) == 0) && len(fr.Payload) > 0 {
		dst = appendPreview(append(dst, "    Data: "...), fr.Payload, true)
		dst = append(dst, '\n')
	}
	return dst
}

// AppendTree appends a tree's lines, indented by level times 4 spaces and 4
// more for each depth. Values derived from other fields stand in brackets.
func (v *Verbose) AppendTree(dst []byte, t *dissect.Tree, level int) []byte {
	if t == nil {
		return dst
	}
	v.runs = v.runs[:0]
	for i := range t.Nodes {
		n := &t.Nodes[i]
		dst = v.appendNode(dst, t, n, level+max(n.Depth, 0))
	}
	return dst
}

func (v *Verbose) appendNode(dst []byte, t *dissect.Tree, n *dissect.Node, level int) []byte {
	f := n.Field
	style, derived := v.nodeStyle(n)
	dst = append(indent(dst, level), style.Start...)
	if derived {
		dst = append(dst, '[')
	}
	dst = appendNodeText(dst, t, n)
	if f.Kind == dissect.Array {
		dst = append(dst, " #"...)
		dst = strconv.AppendInt(dst, int64(v.element(n)), 10)
	}
	if derived {
		dst = append(dst, ']')
	}
	dst = append(append(dst, style.Stop...), '\n')
	for i := range f.Bits {
		dst = appendBit(indent(dst, level+1), bitWidth(n), n.Val, &f.Bits[i])
		dst = append(dst, '\n')
	}
	return dst
}

func (v *Verbose) nodeStyle(n *dissect.Node) (style Style, derived bool) {
	switch n.Field.Kind {
	case dissect.Group, dissect.Array, dissect.Bytes:
		if n.Field == &dissect.Undecoded {
			style = v.Palette.Error
		}
		return style, false
	}
	if n.Len == 0 {
		return v.Palette.Derived, true
	}
	return style, false
}

// element numbers the elements of an array among their siblings, from 1.
func (v *Verbose) element(n *dissect.Node) int {
	d := max(n.Depth, 0)
	for len(v.runs) <= d {
		v.runs = append(v.runs, arrayRun{})
	}
	v.runs = v.runs[:d+1]
	run := &v.runs[d]
	if run.field != n.Field {
		*run = arrayRun{field: n.Field}
	}
	run.n++
	return run.n
}

func indent(dst []byte, level int) []byte {
	for range level {
		dst = append(dst, "    "...)
	}
	return dst
}
