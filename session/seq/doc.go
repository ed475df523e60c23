// Package seq judges the numbers that one side of a connection sends, and what the
// other side acknowledges of them: what is a retry, a copy made by the network or the
// capture, a gap or a loss and where it happened, and how long frames took. It does so
// alike for all protocols and knows none: who calls it has unwrapped the numbers and
// says what the protocol itself says of a sending.
//
// A Direction is what one side sends. It remembers as many numbers as its Limits say,
// and draws the last conclusions about each number when it forgets it.
package seq
