//go:build !js

package main

// heapTarget is how large the heap may grow before garbage is collected, in bytes,
// where what is in use is more than half of that. Up to then Go's own rule stands,
// twice what is in use, which costs the least.
const heapTarget = 176 << 20
