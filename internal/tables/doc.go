// Package tables makes rows for databases of what the documents say: with keys, each written once,
// when nothing that comes later can change it. The records of package report are taken apart into
// columns, so that rows and documents say the same; which columns there are is read from their
// schemas.
package tables
