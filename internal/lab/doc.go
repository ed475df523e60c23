// Package lab is where the rules are tried: endpoints that break one rule each
// (mutants), endpoints that nearly do (near misses), and captures of endpoints
// that keep all of them, edited as capturing and networks edit captures. No rule
// may be missed on the first, none may be called broken on the others.
package lab
