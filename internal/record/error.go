package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/dpdissect/dpdissect/internal/outfile"
)

// An Error is why recording ended. What was written before stays.
type Error struct {
	Path    string
	Packets uint64 // in this file
	Before  uint64 // in the files before it
	Err     error
}

// Error gives "out.pcapng: no space left on device; 12345 packets are in it".
func (e *Error) Error() string {
	path := e.Path
	if path == "-" {
		path = "standard output"
	}
	s := fmt.Sprintf("%s: %v", path, bare(e.Err))
	switch {
	case e.Before > 0:
		s += fmt.Sprintf("; %s in it, %d in the earlier files", packetsAre(e.Packets), e.Before)
	case e.Packets > 0:
		s += fmt.Sprintf("; %s in it", packetsAre(e.Packets))
	}
	return s
}

// Unwrap is the error of the system.
func (e *Error) Unwrap() error { return e.Err }

func packetsAre(n uint64) string {
	if n == 1 {
		return "1 packet is"
	}
	return fmt.Sprintf("%d packets are", n)
}

// bare leaves out the path that errors of the system carry.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var c *outfile.Conflict
	if errors.As(err, &c) {
		return errors.New(c.Reason())
	}
	var s *os.SyscallError
	if errors.As(err, &s) {
		return s.Err
	}
	return err
}
