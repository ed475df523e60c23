// Package liveview shows a run that still goes on: how every connection does now.
//
// A Sampler makes Snapshots in the goroutine of the tracker: plain values, of which
// nothing points into the tracker. Run shows them on a terminal, as a table that is
// refreshed in place; AppendRecord writes one as text, for where there is no terminal.
// A Feed between them never makes the tracker wait: the newest snapshot wins.
//
// What the analysis reports of a whole run is shown here for the latest seconds; the
// words are the same (docs/analysis.md), and Loss and Quality say what is theirs.
package liveview
