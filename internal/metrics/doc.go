// Package metrics tells Prometheus how a run goes: sums over all connections, in its text format,
// over HTTP. No label has an address, a name, a connection or a chain; all come from tables of
// this program, which bound them to less than 2,000 series.
//
// Format and HTTP are written here because net/http alone costs the program 3.2 MB, and
// Prometheus' client 5.4 MB, of the 0.5 MB that it has left.
package metrics
