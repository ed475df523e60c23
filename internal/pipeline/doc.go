// Package pipeline runs a capture through the tracker: packets are read once,
// address pairs are spread over shards, and what comes out is put back in the
// order of the capture. The number of workers changes nothing but the time: a
// shard is always processed in order, and what must be decided over shards is
// decided by frame numbers.
package pipeline
