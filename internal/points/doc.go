// Package points recognises captures that hold the same session, captured at two points, by
// their first datagrams. Package compare tells what lies between the points.
package points
