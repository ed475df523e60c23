// Package whole tries the whole product, from captures to what is said of them: against a second
// implementation, what generators know, real programs and datagrams of nobody; with edits, damage,
// any number of workers and everything switched on. It has tests alone.
package whole
