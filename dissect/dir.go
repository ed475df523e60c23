package dissect

// Dir is a direction of a connection, by what it is of others: 0 is what a sends, 1 what
// b sends. It indexes what there is of both.
type Dir int

// Dirs is the number of directions, to range over: for dir := range dissect.Dirs.
const Dirs Dir = 2

// Other is the direction of the other side.
func (d Dir) Other() Dir { return 1 - d }
