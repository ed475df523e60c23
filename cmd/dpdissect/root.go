package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitOK           = 0
	exitFail         = 1 // check: findings or budgets
	exitUsage        = 2 // usage or configuration
	exitInput        = 3 // an input could not be read to its end
	exitNotEvaluated = 4 // check: what was required was not evaluated
	exitPoor         = 5 // check: the capture is too poor
	exitInternal     = 6 // this program failed in a connection
)

// worse is the graver of two codes of runs that were not refused.
func worse(a, b int) int {
	for _, code := range []int{exitInternal, exitInput, exitFail, exitNotEvaluated, exitPoor} {
		if a == code || b == code {
			return code
		}
	}
	return exitOK
}

// An exitCode is a verdict, told already.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// errInternal says that this program is at fault; where was told already.
var errInternal = errors.New("an internal error")

// errInput says that an input failed; what is wrong was told already.
var errInput = errors.New("an input failed")

// A usageError is one of the command line: it is followed by a hint at the help.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// run runs one command line and gives its exit code.
func run(args []string, stdout, stderr *os.File) int {
	ignoreBrokenPipes()
	root := newRoot()
	if isCompletion(args) {
		addCompletions(root)
	}
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteC()
	code, told := codeOf(err)
	if !told {
		tellError(stderr, cmd, err)
	}
	return code
}

// codeOf is the exit code of a command that ended with an error, or none, and
// whether what is wrong was told already.
func codeOf(err error) (code int, told bool) {
	switch {
	case err == nil, isBrokenPipe(err):
		return exitOK, true
	case errors.Is(err, errInternal):
		return exitInternal, true
	case errors.Is(err, errInput):
		return exitInput, true
	}
	if code, ok := errors.AsType[exitCode](err); ok {
		return int(code), true
	}
	return exitUsage, false
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "dpdissect",
		Short: "Dissect captures of reliable-UDP game protocols",
		Long: `dpdissect reads capture files, or captures from network interfaces, and explains
the reliable-UDP game protocols in them: who talked to whom, what was lost,
resent, acknowledged and signed, and what every byte means. It recognises
protocols by their behaviour, not by ports.

Captures are pcap or pcapng files, plain or compressed with gzip, zstd, lz4 or
bzip2; "-" is standard input. Several files are merged by time, unless two
contain the same session, captured at two points; 'check' judges each file on
its own. -i captures live.

Exit codes: 0 success; 2 the command line, a filter or a secrets file is wrong;
3 an input could not be read to its end, and what was readable is reported; 6
dpdissect failed on a connection, which ends there, and the rest is reported.
'check' returns its verdict: 0 pass, 1 fail, 4 not evaluated, 5 the capture is
too poor.`,
		Example: `  dpdissect analyze game.pcap
  dpdissect decode -V -Y 'retry or gap' game.pcap`,
		Args:          unknownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       buildVersion().line(),
	}
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(newAnalyze(), newAnnotate(), newCapture(), newCheck(), newDecode(), newExplain(), newMessages(), newFields(), newInterfaces(), newLadder(), newProtocols(), newReport(), newRules(), newSchema(), newTimeline(), newVersion(), newMan(), newConfig())
	root.AddCommand(newTopics()...)
	addBuiltins(root)
	pageHelp(root)
	setTemplates(root)
	return root
}

// addBuiltins makes cobra add its own commands now, to complete their help and to
// make them refuse what they do not know.
func addBuiltins(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Example, c.Args = "  dpdissect help decode", knownCommand
		case "completion":
			c.Short, c.Example = "Generate the completion script of a shell", "  source <(dpdissect completion bash)"
			c.Args, c.RunE = nil, unknownShell
			for _, shell := range c.Commands() {
				shell.Example = "  dpdissect completion " + shell.Name()
			}
		}
	}
}

func knownCommand(cmd *cobra.Command, args []string) error {
	if found, rest, err := cmd.Root().Find(args); err != nil || found == cmd.Root() && len(rest) > 0 {
		return unknownCommand(cmd.Root(), args)
	}
	return nil
}

func unknownShell(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	var shells []string
	for _, c := range cmd.Commands() {
		shells = append(shells, c.Name())
	}
	return usagef("unknown shell %q: want %s", args[0], orList(shells))
}

// unknownCommand refuses arguments of the root, which are no command.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if st, err := os.Stat(args[0]); err == nil && st.Mode().IsRegular() {
		return usagef("%q is a file, not a command; did you mean 'dpdissect analyze %s'?", args[0], args[0])
	}
	var hint string
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return usagef("unknown command %q%s", args[0], hint)
}

// noArgs is for commands without arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments, but got %q", cmd.Name(), args[0])
	}
	return nil
}
