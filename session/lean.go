package session

// What is remembered where little is to be kept (Config.Lean): so many numbers or
// frames in any case, and all for so long, in ns. Copies come later than that only
// where networks are odd.
const (
	LeanLeast = 32
	LeanTime  = 2e9
)

// LeanFor is for how long, in ns, what may be sent again or answered yet is remembered
// in a ring of a size: with 32 of them 12 s, or 4 s when it was answered, the less the
// more there are, but never less than LeanTime.
func LeanFor(size int, answered bool) int64 {
	most := int64(12e9)
	if answered {
		most = 4e9
	}
	return max(LeanTime, most*LeanLeast/int64(max(size, LeanLeast)))
}

// BeLean begins to remember less of connections (Config.Lean), of those that begin
// from now on and of what falls silent.
func (t *Table) BeLean() { t.cfg.Lean = true }

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
