package main

// The largest files that are read whole, in bytes.
const (
	maxRules    = 16 << 20
	maxBaseline = 64 << 20
	maxReport   = 512 << 20 // of --against: the analysis of 100,000 connections takes half of it
)
