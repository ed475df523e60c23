package session

// Room gives the place in which sessions of a protocol decode the datagram at hand.
// It is one for all flows of a table, which takes one datagram at a time; fresh
// makes it.
func (f *Flow) Room(fresh func() any) any {
	b := f.table.booksOf(f.protocol)
	if b.room == nil {
		b.room = fresh()
	}
	return b.room
}
