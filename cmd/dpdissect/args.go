package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/exit"
)

// unknownCommand refuses arguments of the root, which are no command.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if looksLikeCapture(args[0]) {
		return exit.Usagef("%s: no such file", args[0])
	}
	var hint string
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return exit.Usagef("unknown command %q%s", args[0], hint)
}

// looksLikeCapture reports whether a word is more likely the name of a file than of a
// command.
func looksLikeCapture(word string) bool { return strings.ContainsAny(word, `./\`) }

// noArgs is for commands without arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return exit.Usagef("%s takes no arguments, but got %q", cmd.Name(), args[0])
	}
	return nil
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// orEmpty makes JSON arrays of lists that are not there.
func orEmpty[T any](list []T) []T { return append([]T{}, list...) }
