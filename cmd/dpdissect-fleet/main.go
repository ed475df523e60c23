// Command dpdissect-fleet works on the captures of many servers: it has what the program dpdissect
// is kept small without.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/fleet"
)

// version is set by the linker: -X main.version=v1.2.3.
var version string

func main() {
	asStep = fleet.BeChild()
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// asStep says that this program is a step of a worker.
var asStep bool

// run runs one command line and gives its exit code.
func run(args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.Execute()
	if err != nil && !exit.Told(err) {
		tell(stderr, err.Error())
	}
	if isQueue(err) {
		return exit.Queue
	}
	return exit.Of(err)
}

// orderly lets a command end in order at Ctrl-C and SIGTERM: its context ends then.
func orderly(run func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		cmd.SetContext(ctx)
		return run(cmd, args)
	}
}

// isQueue reports whether an error is of a queue that is away or full.
func isQueue(err error) bool {
	_, is := errors.AsType[*fleet.Unreachable](err)
	return is || errors.Is(err, fleet.ErrNone)
}

// tell prints a line that can't drive a terminal, whoever made its text.
func tell(w io.Writer, text string) { fmt.Fprintf(w, "dpdissect-fleet: %s\n", render.Logged(text)) }

// tellOn gives what prints lines of the program there.
func tellOn(w io.Writer) func(line string) { return func(line string) { tell(w, line) } }

func newRoot() *cobra.Command {
	cobra.EnableCommandSorting = false
	root := &cobra.Command{
		Use:   "dpdissect-fleet",
		Short: "Work on the captures of many servers",
		Long: `dpdissect-fleet does what dpdissect does for the captures of many servers: it
writes rows for databases as Parquet, and has a queue that hands the pieces of
many captures to many workers.`,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(newTables(), newServe(), newSubmit(), newWork(), newStatus(), newDead(), &cobra.Command{
		Use:       "schema status|dead",
		Short:     "Print the JSON Schema of what a command prints with --format json",
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"status", "dead"},
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := cmd.OutOrStdout().Write(fleet.Schemas[args[0]])
			return err
		},
	}, &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "dpdissect-fleet %s (%s, %s/%s)\n", build(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	})
	return root
}

// build is the version of the program.
func build() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
