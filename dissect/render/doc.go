// Package render turns frames into what people and scripts read: the summary
// line, the tree with bit lines, the hex dump, JSON records, columns and the
// reference pages. Everything it calls a field or shows a value as comes from
// the field's row, so it knows no protocol.
//
// Renderers append to a slice the caller owns and allocate nothing once warm.
// They keep caches and column widths: use one per goroutine.
package render
