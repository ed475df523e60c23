//go:build !linux

package fleet

import "math"

// limitMemory does nothing: the limit is the runtime's goal alone.
func limitMemory(int64) {}

// freeBytes is not known here.
func freeBytes(string) (int64, error) { return math.MaxInt64, nil }
