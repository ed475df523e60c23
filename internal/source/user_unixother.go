//go:build unix && !linux

package source

// clearCapabilities has nothing to do: a user has no rights of root here.
func clearCapabilities() error { return nil }

// Neither is there a set of capabilities to empty, nor a way to forgo programs with a
// set-user-ID bit.
func emptyBounds() error { return nil }
func lockOut() error     { return nil }
