package session

// LeanLeast is how many numbers, or frames, are remembered in any case where little
// is to be kept (Config.Lean).
const LeanLeast = 32

// LeanTime is for how long, in ns, what needs no answer any more is remembered where
// little is to be kept, in a ring of a size: with 32 of them 0.5 s, the less the more
// there are. Rings are doubled only for what is younger.
func LeanTime(size int) int64 { return 16e9 / int64(max(size, LeanLeast)) }

// dozeTime is after how long a silence a pair makes itself small, in ns, where little
// is to be kept: longer than anything that is not resumed waits for an answer.
const dozeTime = 15e9

// doze makes a pair small that is silent for long.
func (t *Table) doze(f *Flow) {
	if !t.cfg.Lean || !t.live() || f.dozes || t.silence(f) < dozeTime {
		return
	}
	f.dozes = true
	if s, ok := f.session.(Dozer); ok {
		s.Doze()
	}
}

// leanPast is of how many numbers it is remembered where little is to be kept that
// they were sent, and whether they were acknowledged.
const leanPast = 1024

// LeanWait is LeanTime of what waits for an answer: with 32 of them 12 s.
func LeanWait(size int) int64 { return 24 * LeanTime(size) }
