// Package exit has the codes with which the programs end, and the errors that stand for them.
package exit

import (
	"errors"
	"fmt"
)

// Codes of commands.
const (
	OK           = 0
	Fail         = 1 // check: findings or budgets; fleet status: what --fail-on names
	Usage        = 2 // usage or configuration
	Input        = 3 // an input could not be read to its end
	NotEvaluated = 4 // check: what was required was not evaluated
	Poor         = 5 // check: the capture is too poor
	Internal     = 6 // the program failed in a connection
	Queue        = 7 // the queue of a fleet can't be reached, has no quorum or is full
)

// Worse is the graver of two codes of runs that were not refused.
func Worse(a, b int) int {
	for _, code := range []int{Internal, Input, Fail, NotEvaluated, Poor} {
		if a == code || b == code {
			return code
		}
	}
	return OK
}

// A Code is an error that says no more than how the program ends: the rest was told already.
type Code int

func (e Code) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// What was told already: an input failed, or the program is at fault.
var (
	ErrInput    error = Code(Input)
	ErrInternal error = Code(Internal)
)

// A UsageError is one of the command line: it is followed by a hint at the help.
type UsageError struct{ error }

// Unwrap gives what is wrong.
func (e UsageError) Unwrap() error { return e.error }

// AsUsage makes an error one of the command line.
func AsUsage(err error) error { return UsageError{err} }

// Usagef makes an error of the command line.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// Told reports whether the output says what there is to say of an error.
func Told(err error) bool {
	_, is := errors.AsType[Code](err)
	return is
}

// Of is the code of a command that ended with an error, or none.
func Of(err error) int {
	if err == nil {
		return OK
	}
	if code, ok := errors.AsType[Code](err); ok {
		return int(code)
	}
	return Usage
}
