// Package redact makes a capture that one may publish of one that one may not.
//
//	Key        replaces values by others, one to one
//	Addresses  what stands for each address and port
//	layout     where a packet has addresses, checksums and content
//	Originals  what must not be found in the result
//	Collector  the pass that learns all of it, a printer of the queue
//	Writer     the pass that writes, a printer of the queue
//	Searcher   the pass over the result, a printer of the queue
//
// Numbers, sizes, times and ids of the protocols stay: what the analysis says of the result is
// what it says of the input, but for addresses.
package redact
