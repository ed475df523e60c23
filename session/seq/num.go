package seq

// Num is a number of a series, of frames in most cases, unwrapped: it goes on where the one on
// the wire begins again. How far two of a series are apart is a Num, too.
type Num int64
