package session

// Room gives what the sessions of a protocol share: where they decode the datagram at
// hand, or what connections left behind for the next ones. It is one for all flows of
// a table, which takes one datagram at a time; fresh makes it.
func (f *Flow) Room(fresh func() any) any {
	b := f.table.tallySetOf(f.protocol)
	if b.room == nil {
		b.room = fresh()
	}
	return b.room
}
