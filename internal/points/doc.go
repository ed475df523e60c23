// Package points recognises captures that hold the same session, captured at two points, and
// compares what they hold.
//
// Only datagrams between the same addresses and ports are compared: where a NAT changed
// them the frames are no copies of each other for the analysis either.
package points
