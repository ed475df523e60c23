package main

// heapTarget is how large the heap may grow before garbage is collected, in bytes,
// where what is in use is more than half of that. The memory of a page never shrinks, and
// the program itself takes a quarter of what it may have: garbage is collected sooner.
const heapTarget = 44 << 20
