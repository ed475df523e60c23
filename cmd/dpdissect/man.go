package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/manual"
)

// Sections of the manual: commands, and what is about several of them.
const (
	manCommands = 1
	manOverview = 7
)

func newMan() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages",
		Long: `Write the manual pages of all commands and help topics to a directory, which is
created if needed: dpdissect.1, dpdissect-analyze.1, dpdissect-filters.7. Their
text is that of --help and 'dpdissect help TOPIC'.`,
		Example: `  dpdissect man ~/.local/share/man/man1 && man dpdissect-decode`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return exit.Usagef("man takes one directory, DIR")
			}
			return writeManual(cmd.Root(), args[0])
		},
	}
}

func writeManual(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for name, text := range manualPages(root) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// manualPages are the pages by the names of their files.
func manualPages(root *cobra.Command) map[string]string {
	pages := map[string]string{"dpdissect.1": manualPage(root)}
	var add func(cmd *cobra.Command)
	add = func(cmd *cobra.Command) {
		for _, c := range cmd.Commands() {
			if c.Hidden || topicOf(c) != nil {
				continue
			}
			pages[fmt.Sprintf("%s.%d", manualName(c), manCommands)] = manualPage(c)
			if c.Name() != "completion" { // whose pages are those of shells
				add(c)
			}
		}
	}
	add(root)
	for i := range topics {
		t := &topics[i]
		name := "dpdissect-" + t.name
		pages[fmt.Sprintf("%s.%d", name, manOverview)] = manual.Title(name, manOverview, buildVersion().Version, t.about) + t.page().Man()
	}
	return pages
}

func manualName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manualPage is the page of a command.
func manualPage(cmd *cobra.Command) string {
	var b strings.Builder
	b.WriteString(manual.Title(manualName(cmd), manCommands, buildVersion().Version, cmd.Short))
	use := cmd.UseLine()
	if !cmd.HasParent() {
		use = "dpdissect COMMAND"
	}
	b.WriteString(manual.Heading("Synopsis") + manual.Verbatim(use))
	b.WriteString(manual.Heading("Description") + manual.Plain(cmd.Long))
	if list := subcommands(cmd); list != "" {
		b.WriteString(manual.Heading("Commands") + list)
	}
	if cmd.HasAvailableFlags() {
		b.WriteString(manual.Heading("Options"))
		cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) { writeOption(&b, f) })
		cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) { writeOption(&b, f) })
	}
	if cmd.Example != "" {
		b.WriteString(manual.Heading("Examples") + manual.Verbatim(unindented(cmd.Example)))
	}
	b.WriteString(manual.Heading("Exit status") + manual.Plain("dpdissect-exit-codes(7) describes the exit codes."))
	b.WriteString(manual.Heading("See also") + manual.Plain(strings.Join(seeAlso(cmd), ", ")))
	return b.String()
}

func subcommands(cmd *cobra.Command) string {
	var b strings.Builder
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			b.WriteString(manual.Tagged(c.Name(), c.Short))
		}
	}
	return b.String()
}

// writeOption writes a flag, its letter first.
func writeOption(b *strings.Builder, f *pflag.Flag) {
	if f.Hidden {
		return
	}
	value, usage := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if value != "" {
		name += " " + value
	}
	b.WriteString(".TP\n\\fB" + manual.Escape(name) + "\\fR\n" + manual.Escape(usage) + "\n")
}

func unindented(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "  ")
	}
	return strings.Join(lines, "\n")
}

// seeAlso names the pages that stand beside one.
func seeAlso(cmd *cobra.Command) (all []string) {
	if cmd.HasParent() {
		all = append(all, manualName(cmd.Parent())+"(1)")
	}
	for i := range topics {
		all = append(all, "dpdissect-"+topics[i].name+"(7)")
	}
	return all
}
