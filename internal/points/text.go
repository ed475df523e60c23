package points

import (
	"fmt"
	"strings"
)

// Sentence says that two captures hold the same session.
func (p *Pair) Sentence() string {
	how := "captured at two points"
	if p.Twice {
		how = "captured twice"
	}
	return fmt.Sprintf("%s and %s contain the same session, %s: each is analysed separately", p.A.Path, p.B.Path, how)
}

// AppendText writes what one of two captures alone holds, in sentences.
func (c *Comparison) AppendText(b []byte) []byte {
	b = fmt.Appendf(b, "Between %s and %s\n", c.Paths[0], c.Paths[1])
	for _, f := range c.Flows {
		b = fmt.Appendf(b, "  %s to %s: both contain %s\n", f.Src, f.Dst, datagrams(f.Both))
		for file := range f.Alone {
			b = c.appendAlone(b, f, file)
		}
		for file, n := range f.Moved {
			if n > 0 {
				b = fmt.Appendf(b, "    %s of %s have other addresses in %s, as with a NAT between: not counted as lost\n", datagrams(n), c.Paths[file], c.Paths[1-file])
			}
		}
		for file, n := range f.Edge {
			if n > 0 {
				b = fmt.Appendf(b, "    %s more in %s at times when the other may not have been capturing: not counted\n", datagrams(n), c.Paths[file])
			}
		}
	}
	for file, n := range c.Other {
		if n > 0 {
			b = fmt.Appendf(b, "  %s of %s between addresses that the other does not contain: not compared\n", datagrams(n), c.Paths[file])
		}
	}
	if !c.Whole {
		b = fmt.Appendf(b, "  compared: the first %d datagrams of each file\n", fullPrints)
	}
	return b
}

// appendAlone says what a file alone holds: who is to blame is not known.
func (c *Comparison) appendAlone(b []byte, f *Flow, file int) []byte {
	n := &f.Alone[file]
	if n.Count == 0 {
		return b
	}
	other := c.Paths[1-file]
	count := datagrams(n.Count)
	if c.Missed[1-file] {
		count = "at most " + count
	}
	switch f.First {
	case file:
		b = fmt.Appendf(b, "    %s lost between the points or not captured by %s", count, other)
	case -1:
		b = fmt.Appendf(b, "    %s not in %s", datagrams(n.Count), other)
	default:
		b = fmt.Appendf(b, "    %s passed %s and were not captured by it, or were duplicated after it", datagrams(n.Count), other)
	}
	return fmt.Appendf(b, ": %s of %s\n", frames(n), c.Paths[file])
}

func datagrams(n uint64) string {
	if n == 1 {
		return "1 datagram"
	}
	return fmt.Sprintf("%d datagrams", n)
}

func frames(n *Alone) string {
	var list []string
	for _, f := range n.Frames {
		list = append(list, fmt.Sprint(f))
	}
	word := "frames "
	if n.Count == 1 {
		word = "frame "
	}
	if n.Count > uint64(len(list)) {
		list = append(list, "…")
	}
	return word + strings.Join(list, ", ")
}

// A document is what JSON says of a comparison.
type document struct {
	A     string         `json:"a"`
	B     string         `json:"b"`
	Twice bool           `json:"twice"`
	Whole bool           `json:"whole"`
	Flows []flowDocument `json:"flows"`
	Other [2]uint64      `json:"not_compared"`
}

type flowDocument struct {
	Src   string        `json:"src"`
	Dst   string        `json:"dst"`
	First string        `json:"first,omitempty"`
	Both  uint64        `json:"both"`
	OnlyA aloneDocument `json:"only_a"`
	OnlyB aloneDocument `json:"only_b"`
}

type aloneDocument struct {
	Datagrams uint64   `json:"datagrams"`
	AtMost    bool     `json:"at_most"`
	Frames    []uint64 `json:"frames"`
	Moved     uint64   `json:"other_addresses"`
	Edge      uint64   `json:"edge"`
}

// JSON is the comparison as encoding/json takes it.
func (c *Comparison) JSON() any {
	d := document{A: c.Paths[0], B: c.Paths[1], Twice: c.Twice, Whole: c.Whole, Flows: []flowDocument{}, Other: c.Other}
	for _, f := range c.Flows {
		x := flowDocument{Src: f.Src.String(), Dst: f.Dst.String(), Both: f.Both, OnlyA: c.alone(f, FileA), OnlyB: c.alone(f, FileB)}
		if f.First >= 0 {
			x.First = []string{"a", "b"}[f.First]
		}
		d.Flows = append(d.Flows, x)
	}
	return d
}

func (c *Comparison) alone(f *Flow, file int) aloneDocument {
	n := &f.Alone[file]
	return aloneDocument{Datagrams: n.Count, AtMost: c.Missed[1-file], Frames: append([]uint64{}, n.Frames...), Moved: f.Moved[file], Edge: f.Edge[file]}
}
