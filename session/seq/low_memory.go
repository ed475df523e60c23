package seq

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

// lowMemoryPast is of how many numbers it is remembered where little is to be kept that
// they were sent, and whether they were acknowledged.
const lowMemoryPast = 1024
