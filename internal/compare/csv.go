package compare

import "io"

// WriteCSV writes a row for each direction of each connection.
func WriteCSV(w io.Writer, d *Document) error { return nil }

// WritePassageCSV writes a row for each datagram.
func (r *Comparison) WritePassageCSV(w io.Writer) error { return nil }
