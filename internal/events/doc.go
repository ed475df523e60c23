// Package events tells a capture as events in the order of time: connections that begin and
// end, packets, what is acknowledged, sent again or lost, and findings. Their sums are what
// the analysis counts.
package events
