package session

// Close ends the capture: what is held is shown as plain UDP, connections are
// settled. end is the time of the last packet of the capture, in ns.
func (t *Table) Close(end int64) {
	t.Latest(end)
	for _, f := range t.inOrder() {
		t.guard(f, func() {
			t.release(f)
			if f.session != nil {
				f.session.Close(t.listened(f))
			}
		})
		f.packClosed()
	}
	t.flows = nil
	clear(t.cache[:])
	t.trim()
}
