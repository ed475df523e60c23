package session

// What is remembered where little is to be kept (Config.LowMemory): so many numbers or
// frames in any case, and all for so long, in ns. Copies come later than that only
// where networks are odd.
const (
	LowMemoryLeast = 32
	LowMemoryTime  = 2e9
)

// LowMemoryFor is for how long, in ns, what may be sent again or answered yet is remembered
// in a ring of a size: with 32 of them 12 s, or 4 s when it was answered, the less the
// more there are, but never less than LowMemoryTime.
func LowMemoryFor(size int, answered bool) int64 {
	most := int64(12e9)
	if answered {
		most = 4e9
	}
	return max(LowMemoryTime, most*LowMemoryLeast/int64(max(size, LowMemoryLeast)))
}

// SaveMemory begins to remember less of connections (Config.LowMemory), of those that begin
// from now on and of what falls silent.
func (t *Table) SaveMemory() { t.cfg.LowMemory = true }

// compactTime is after how long a silence a pair makes itself small, in ns, where little
// is to be kept: longer than anything that is not resumed waits for an answer.
const compactTime = 15e9

// compact makes a pair small that is silent for long.
func (t *Table) compact(f *Flow) {
	if !t.cfg.LowMemory || !t.live() || f.compact || t.silence(f) < compactTime {
		return
	}
	f.compact = true
	if s, ok := f.session.(Compacter); ok {
		s.Compact()
	}
}

// lowMemoryPast is of how many numbers it is remembered where little is to be kept that
// they were sent, and whether they were acknowledged.
const lowMemoryPast = 1024
