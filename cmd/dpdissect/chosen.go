package main

import (
	"slices"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/exit"
)

// unreadable reports whether an input failed and what could be read of it has no connection.
// The failed input is then the error to report, not the number of --connection.
func (j *job) unreadable() bool {
	failed := func(in capture.Info) bool { return in.Failed }
	return slices.ContainsFunc(j.run.Source.Infos(), failed) && len(j.run.Conns()) == 0
}

// missing is an error when --connection asks for a connection that a capture, read to its
// end, does not have.
func (j *job) missing() error {
	if !j.connection.Given || j.Live() || j.Follow || j.unreadable() {
		return nil
	}
	n := uint64(len(j.run.Conns()))
	switch {
	case j.connection.ID < n:
		return nil
	case n == 0:
		return exit.Usagef("--connection %d: no connection was recognised", j.connection.ID)
	case n == 1:
		return exit.Usagef("--connection %d: the only connection is 0", j.connection.ID)
	}
	return exit.Usagef("--connection %d: the connections are 0 to %d", j.connection.ID, n-1)
}
