package session

// LeanLeast is how many numbers, or frames, are remembered in any case where little
// is to be kept (Config.Lean).
const LeanLeast = 32

// LeanTime is for how long, in ns, what needs no answer any more is remembered where
// little is to be kept, in a ring of a size: with 32 of them 1 s, the less the more
// there are. Rings are doubled only for what is younger.
func LeanTime(size int) int64 { return 32e9 / int64(max(size, LeanLeast)) }

// leanPast is of how many numbers it is remembered where little is to be kept that
// they were sent, and whether they were acknowledged.
const leanPast = 1024

// LeanWait is LeanTime of what waits for an answer: with 32 of them 12 s.
func LeanWait(size int) int64 { return 12 * LeanTime(size) }
