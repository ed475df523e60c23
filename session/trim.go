package session

// A Trimmer is what the sessions of a protocol share (Flow.Room) when some of it only
// waits to be used again.
type Trimmer interface{ Trim() }

// trim frees what only waits to be used again.
func (t *Table) trim() {
	t.spare.Trim()
	t.spareSides.Trim()
	t.spareEndings.Trim()
	t.spareTroubles.Trim()
	t.spareProbes = nil
	for _, b := range t.tallySets {
		if room, ok := b.room.(Trimmer); ok {
			room.Trim()
		}
	}
}
