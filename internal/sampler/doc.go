// Package sampler takes samples of a run that still goes on: how every connection does now.
//
// A Sampler makes Snapshots in the goroutine of the tracker: plain values, of which nothing
// points into the tracker. The view on a terminal (internal/liveview) shows them, the flight
// recorder compares them with its trigger.
//
// What the analysis reports of a whole run is told here of the latest seconds; the counters are
// those of internal/measure, and Loss and Quality say what is theirs.
package sampler
