package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/dissect/spell"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
)

// run runs one command line and gives its exit code.
func run(args []string, stdout, stderr *os.File) int {
	ignoreBrokenPipes()
	root := newRoot()
	if isExtcap(root, args) {
		return runExtcap(args, stdout, stderr)
	}
	args = explainFiles(root, args)
	if isCompletion(args) {
		addCompletions(root)
	}
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteC()
	if isBrokenPipe(err) {
		return exit.OK
	}
	if err != nil && !exit.Told(err) {
		tellError(stderr, cmd, err)
	}
	return exit.Of(err)
}

// explainFiles makes 'dpdissect game.pcap' what somebody means who gives a capture and
// no command: explain. A command of that name goes first.
func explainFiles(root *cobra.Command, args []string) []string {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return args
	}
	if found, _, err := root.Find(args[:1]); err == nil && found != root {
		return args
	}
	if _, err := os.Stat(args[0]); err != nil {
		return args
	}
	return append([]string{"explain"}, args...)
}

func newRoot() *cobra.Command {
	cobra.EnableCommandSorting = false
	root := &cobra.Command{
		Use:   "dpdissect",
		Short: "Dissect captures of reliable-UDP game protocols",
		Long: `dpdissect says what happened in a capture of a reliable-UDP game: who was cut
off and why, what was lost, resent, acknowledged and signed, with proof by frame
number, and what every byte means. It knows DirectPlay 4 and 8, kNet and Hazel,
and recognises them by their behaviour, not by ports.

  dpdissect game.pcap

explains a capture: pcap or pcapng, plain or compressed; "-" is standard input.
Several files are merged by time, unless two contain the same session, captured
at two points. -i captures live.`,
		Example: `  dpdissect explain game.pcap
  dpdissect report game.pcap -o report.html
  dpdissect decode -V -Y 'retry or gap' game.pcap`,
		Args:          unknownCommand,
		RunE:          helpOrVersion,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.Flags().BoolP("version", "v", false, "version for dpdissect")
	root.SetFlagErrorFunc(flagError)
	for _, task := range tasks() {
		root.AddGroup(&cobra.Group{ID: task.id, Title: task.title})
		for _, c := range task.commands {
			c.GroupID = task.id
			root.AddCommand(c)
		}
	}
	root.AddCommand(newTopics()...)
	addBuiltins(root)
	pageHelp(root)
	flags.SetUsage(root)
	return root
}

// helpOrVersion is the program without a command.
func helpOrVersion(root *cobra.Command, _ []string) error {
	if version, _ := root.Flags().GetBool("version"); !version {
		return root.Help()
	}
	_, err := fmt.Fprint(root.OutOrStdout(), versionText())
	return err
}

// A task is what somebody wants, with the commands for it, the one to begin with first.
type task struct {
	id, title string
	commands  []*cobra.Command
}

func tasks() []task {
	return []task{
		{"happened", "What happened, and why", []*cobra.Command{newExplain(), newAnalyze(), newCompare(), newReport(), newTimeline(), newTables()}},
		{"frames", "Frame by frame", []*cobra.Command{newDecode(), newMessages(), newLadder(), newAnnotate(), newRedact(), newWireshark()}},
		{"record", "Recording", []*cobra.Command{newCapture(), newInterfaces()}},
		{"check", "Continuous integration", []*cobra.Command{newCheck(), newReduce()}},
		{"reference", "Reference", []*cobra.Command{newFields(), newProtocols(), newRules(), newSchema()}},
		{"program", "The program itself", []*cobra.Command{newConfig(), newVersion(), newMan()}},
	}
}

// addBuiltins makes cobra add its own commands now, to complete their help and to
// make them refuse what they do not know.
func addBuiltins(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	root.SetHelpCommandGroupID("program")
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Example, c.Args = "  dpdissect help decode", knownCommand
		case "completion":
			c.Short, c.Example = "Generate the completion script of a shell", "  source <(dpdissect completion bash)"
			c.Args, c.RunE, c.GroupID = nil, unknownShell, "program"
			for _, shell := range c.Commands() {
				shell.Long = narrowHelp.Replace(shell.Long)
				shell.Example = "  dpdissect completion " + shell.Name()
			}
		}
	}
}

// narrowHelp breaks the lines of cobra's texts that are wider than the help.
var narrowHelp = strings.NewReplacer(
	"you can install it via your OS's", "you can install it\nvia your OS's",
	"\tdpdissect completion zsh > $(brew --prefix)/share/zsh/site-functions/_dpdissect",
	"\tcd $(brew --prefix)/share/zsh/site-functions\n\tdpdissect completion zsh > _dpdissect",
)

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
	return exit.Usagef("unknown shell %q: want %s", args[0], spell.OrList(shells))
}
