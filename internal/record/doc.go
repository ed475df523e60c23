// Package record writes captures to disk while they run.
//
//	Recorder  packets into one file, or into a ring of files that follow each other
//	Keep      the last seconds in memory, to be written once something happened
//
// Every file is complete on its own: it has its section header, its interfaces and,
// at its end, statistics of the packets it holds. Packets reach the file in whole
// records, so that it can be read while it is written, and what was written before a
// disk is full stays readable to its last packet.
package record
