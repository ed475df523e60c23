// Package pairs makes two captures of one session, as its two sides or places between them
// would take them, and tells what became of each datagram. A session is played once
// (tracegen.WireLog); clocks, routers and captures are put on it afterwards, so that one
// session stands for many pairs.
//
//	Plan   where the captures are taken, what they miss, which clocks and routers they have
//	Pair   the two captures and their Truth
//	Crowd  several players of one server, seen together
package pairs
