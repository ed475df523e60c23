package session

// What is remembered where little is to be kept (Config.Lean): so many numbers or
// frames in any case, and for how long, in ns, one that needs no answer any more and
// one that waits for it. Copies come later than LeanTime only where networks are odd.
const (
	LeanLeast = 32
	LeanTime  = 2e9
	LeanWait  = 12e9
)

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
