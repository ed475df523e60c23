package capfilter

import (
	"fmt"

	"golang.org/x/net/bpf"
)

// A writer puts blocks together from the last instruction to the first, so that
// the distance of every jump is known.
type writer struct {
	code  []bpf.Instruction // backwards
	start map[*block]int    // how many instructions from the start of a block to the end
}

// layout puts the bodies of blocks in their order, with jumps.
func (g *graph) layout(bodies []body) []bpf.Instruction {
	w := writer{start: map[*block]int{}}
	mergeBodies(g, bodies)
	w.end(g, bodies, g.no, 0)
	w.end(g, bodies, g.yes, acceptLength)
	for i := len(bodies) - 1; i >= 0; i-- {
		if bodies[i].merged {
			continue
		}
		w.jump(&bodies[i])
		for j := len(bodies[i].code) - 1; j >= 0; j-- {
			w.code = append(w.code, bodies[i].code[j])
		}
		w.start[g.blocks[i]] = len(w.code)
	}
	if len(w.code) > maxCompiled {
		return nil
	}
	for i, j := 0, len(w.code)-1; i < j; i, j = i+1, j-1 {
		w.code[i], w.code[j] = w.code[j], w.code[i]
	}
	return w.code
}

// end writes the end of the program that a block stands for, if it is used.
func (w *writer) end(g *graph, bodies []body, b *block, ret uint32) {
	used := g.root == b
	for i := range bodies {
		used = used || !bodies[i].merged && (bodies[i].next[0] == b || bodies[i].next[1] == b)
	}
	if used {
		w.code = append(w.code, bpf.RetConstant{Val: ret})
		w.start[b] = len(w.code)
	}
}

// farthest is how far a conditional jump leads.
const farthest = 255

// jump writes the jump of a block. What is too far for it is reached by an
// unconditional jump right behind.
func (w *writer) jump(b *body) {
	no := w.reach(b.next[0], 1) // of two such jumps, that for true may come first
	yes := w.reach(b.next[1], 0)
	skipYes, skipNo := uint8(len(w.code)-yes), uint8(len(w.code)-no)
	if b.withX {
		w.code = append(w.code, bpf.JumpIfX{Cond: b.cond, SkipTrue: skipYes, SkipFalse: skipNo})
	} else {
		w.code = append(w.code, bpf.JumpIf{Cond: b.cond, Val: b.k, SkipTrue: skipYes, SkipFalse: skipNo})
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

// mergeBodies leads ways to one of bodies that are alike. Blocks of different
// values may have such bodies, where the registers hold the values already.
func mergeBodies(g *graph, bodies []body) {
	first := map[string]*block{}
	became := map[*block]*block{}
	for i := len(bodies) - 1; i >= 0; i-- {
		b := &bodies[i]
		for o, n := range b.next {
			if m := became[n]; m != nil {
				b.next[o] = m
			}
		}
		key := b.key()
		if f := first[key]; f == nil {
			first[key] = g.blocks[i]
		} else if g.blocks[i] != g.root {
			became[g.blocks[i]], b.merged = f, true
		}
	}
}

// key is the same for bodies that are alike.
func (b *body) key() string {
	return fmt.Sprint(b.code, b.cond, b.k, b.withX, b.next[0].id, b.next[1].id)
}
