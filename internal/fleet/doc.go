// Package fleet hands the pieces of many captures to many workers through NATS JetStream.
//
//	names      names of points and chains as parts of subjects and keys
//	message    what lies in the queue: steps, records of chains, letters of the dead
//	queue      the streams and buckets, and how long a call waits for them
//	submit     puts steps into the queue, each once
//	work       takes steps, and does each as a command of its own
//	status     where everything stands; dead: the steps that could not be done
//
// The server keeps the order within a chain: a partition has one consumer that gives out one step
// at a time. What a worker found is taken where nobody else was first: records change by compare-and-set.
package fleet
