package dissect

import "fmt"

// An Error says which field could not be read, at which byte of the datagram,
// and why. Everything decoded before it stays valid.
type Error struct {
	Field  *Field // nil where it is no field that fails
	Offset int    // byte of the UDP payload
	Reason string // "truncated: want 4 bytes, have 2"
}

// Error gives "dp8.sack_mask at byte 4: truncated: want 4 bytes, have 2 (MC-DPL8R 2.2.2)".
func (e *Error) Error() string {
	if e.Field == nil {
		return fmt.Sprintf("byte %d: %s", e.Offset, e.Reason)
	}
	s := fmt.Sprintf("%s at byte %d: %s", e.Field.Name, e.Offset, e.Reason)
	if e.Field.Clause != "" {
		s += " (" + e.Field.Clause + ")"
	}
	return s
}
