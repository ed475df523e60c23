package capfilter

import "golang.org/x/net/bpf"

// A writer puts blocks together from the last instruction to the first, so that
// the distance of every jump is known.
type writer struct {
	code  []bpf.Instruction // backwards
	start map[*block]int    // how many instructions from the start of a block to the end
}

// layout makes the program of blocks: the body of each, and its jump.
func layout(g *graph, bodies [][]bpf.Instruction) []bpf.Instruction {
	w := writer{start: map[*block]int{}}
	w.end(g, g.no, 0)
	w.end(g, g.yes, acceptLength)
	for i, b := range g.blocks {
		w.jump(b)
		for j := len(bodies[i]) - 1; j >= 0; j-- {
			w.code = append(w.code, bodies[i][j])
		}
		w.start[b] = len(w.code)
	}
	for i, j := 0, len(w.code)-1; i < j; i, j = i+1, j-1 {
		w.code[i], w.code[j] = w.code[j], w.code[i]
	}
	return w.code
}

// end writes one of the ends of the program, if it is used.
func (w *writer) end(g *graph, end *block, ret uint32) {
	used := g.root == end
	for _, b := range g.blocks {
		used = used || b.next[0] == end || b.next[1] == end
	}
	if used {
		w.code = append(w.code, bpf.RetConstant{Val: ret})
		w.start[end] = len(w.code)
	}
}

// farthest is the reach of a conditional jump: its offsets have eight bits.
const farthest = 255

// jump writes the jump of a block. What is too far for it is reached by an
// unconditional jump right after.
func (w *writer) jump(b *block) {
	no := w.reach(b.next[0], 1) // of two such jumps, that for true may come first
	yes := w.reach(b.next[1], 0)
	skipYes, skipNo := uint8(len(w.code)-yes), uint8(len(w.code)-no)
	if b.rhs != nil {
		w.code = append(w.code, bpf.JumpIfX{Cond: b.op, SkipTrue: skipYes, SkipFalse: skipNo})
	} else {
		w.code = append(w.code, bpf.JumpIf{Cond: b.op, Val: b.k, SkipTrue: skipYes, SkipFalse: skipNo})
	}
}

// reach gives where a conditional jump must lead to end up at a block, if so many
// instructions may still come between.
func (w *writer) reach(to *block, between int) int {
	skip := len(w.code) - w.start[to]
	if skip+between > farthest {
		w.code = append(w.code, bpf.Jump{Skip: uint32(skip)})
		return len(w.code)
	}
	return w.start[to]
}
