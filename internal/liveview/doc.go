// Package liveview shows a run that still goes on: how every connection does now.
//
// Run shows the snapshots of a sampler (internal/sampler) on a terminal, as a table that is
// refreshed in place; AppendRecord writes one as text, for where there is no terminal. A Feed
// between them never makes the tracker wait: the newest snapshot wins.
package liveview
