package capture

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// A Damage says why reading a capture stopped and where. It names no file, so
// the same bytes give the same text wherever they lie.
type Damage struct {
	Offset int64  // byte of the uncompressed capture where the bad record begins, -1 when there is no place
	Cut    bool   // the capture ends inside a record; everything before it is sound
	Reason string // "packet 17 wants 60 bytes, 12 are there"
}

// Error gives "cut short at offset 1234: packet 17 wants 60 bytes, 12 are there".
func (d *Damage) Error() string {
	switch {
	case d.Offset < 0:
		return d.Reason
	case d.Cut:
		return fmt.Sprintf("cut short at offset %d: %s", d.Offset, d.Reason)
	}
	return fmt.Sprintf("damaged at offset %d: %s", d.Offset, d.Reason)
}

// asDamage gives any error the form of a Damage without a place.
func asDamage(err error) *Damage {
	var d *Damage
	if errors.As(err, &d) {
		return d
	}
	return &Damage{Offset: -1, Reason: "cannot be read: " + reason(err)}
}

// reason is the text of an error without the path that errors of the operating
// system carry.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return err.Error()
}

// isCut reports whether a stream ended, be it inside its compression.
func isCut(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// plural gives "1 byte" and "2 bytes".
func plural[N int | int64 | uint32 | uint64](n N, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// areThere ends a sentence about missing bytes: "only 1 is present", "12 are there".
func areThere(n int64) string {
	if n == 1 {
		return "only 1 is present"
	}
	return fmt.Sprintf("only %d are present", n)
}
