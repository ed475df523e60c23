package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
)

// printable makes one line of what names, files and arguments bring to standard error.
// Everything that is printed there goes through it: nothing of it drives a terminal,
// ends a line, or is a command to a system that reads the log.
func printable(s string) string { return render.Logged(s) }

// tellOn gives what prints lines of the program there.
func tellOn(w io.Writer) func(line string) {
	return func(line string) { fmt.Fprintf(w, "dpdissect: %s\n", printable(line)) }
}

// A marked error shows the place it is about in lines below its message.
type marked interface {
	error
	Render() string
}

// tellError prints an error and, when the command line is to blame, where help is.
func tellError(w io.Writer, cmd *cobra.Command, err error) {
	text, marks := err.Error(), ""
	if m, ok := errors.AsType[marked](err); ok {
		if head, found := strings.CutSuffix(text, "\n"+m.Render()); found {
			text, marks = head, m.Render()
		}
	}
	fmt.Fprintf(w, "dpdissect: %s\n", printable(strings.TrimRight(text, "\n")))
	if marks != "" {
		tellMarks(w, marks)
	}
	if _, ok := errors.AsType[exit.UsageError](err); ok {
		fmt.Fprintf(w, "Run '%s --help'\n", cmd.CommandPath())
	}
}

// tellMarks prints an expression and the mark below it. Where it can't be printed as
// it is, the mark would be at another place: then there is none.
func tellMarks(w io.Writer, marks string) {
	lines := strings.Split(marks, "\n")
	for _, l := range lines {
		if printable(l) != l {
			return
		}
	}
	fmt.Fprintln(w, strings.Join(lines, "\n"))
}

// flagError is what the command line says of a flag. One long flag a single
// dash, which is read as several short ones, is likely to have a secret after it.
func flagError(cmd *cobra.Command, err error) error {
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok && strings.HasPrefix(e.GetValue(), "ecret") {
		return exit.Usagef("-secret: a long flag starts with two dashes")
	}
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return exit.Usagef("%w%s", err, flags.Hint(cmd, e))
	}
	return exit.AsUsage(err)
}
