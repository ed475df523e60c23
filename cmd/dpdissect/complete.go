package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/source"
	"github.com/dpdissect/dpdissect/internal/terminal"
)

// completions are what shells offer for the values of flags, by the names of these. Flags
// that take one of some words offer these.
var completions = map[string]cobra.CompletionFunc{
	"display-filter":    completeFilter,
	"field":             completeField,
	"interface":         completeInterface,
	"time-format":       completeTimeFormat,
	"decode-as":         completeDecodeAs,
	"connection":        completeConnection,
	"rules":             completeYAML,
	"require-evaluated": completeRules,
	"rule":              completeRules,
	"protocols":         completeWords(protocolNames),
	"protocol":          completeWords(chapterNames),
	"level":             completeWords(levelNames),
	"statistics":        completeWords(func() []string { return []string{"conv,udp"} }),
}

// completeWords offers words.
func completeWords(words func() []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return words(), noFiles
	}
}

// isCompletion reports a command line that a shell runs to complete another one.
func isCompletion(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// addCompletions completes the flags of all commands. cobra keeps them for good, outside the
// command: only a run that completes adds them.
func addCompletions(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		addCompletions(cmd)
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			complete := completions[f.Name]
			if c, ok := f.Value.(*flags.Choice); ok {
				complete = completeWords(func() []string { return c.Allowed })
			}
			if complete != nil {
				must(cmd.RegisterFlagCompletionFunc(f.Name, complete))
			}
		})
	}
}

const noFiles = cobra.ShellCompDirectiveNoFileComp

// offered is a word with what it means, in one line.
func offered(word, about string) cobra.Completion {
	about, _, _ = strings.Cut(about, "\n")
	if about == "" {
		return word
	}
	return cobra.CompletionWithDesc(word, about)
}

func completeField(_ *cobra.Command, _ []string, typed string) (all []cobra.Completion, _ cobra.ShellCompDirective) {
	for _, row := range render.FieldsTable(fieldTables()) {
		if strings.HasPrefix(row[0], typed) {
			all = append(all, offered(row[0], row[2]))
		}
	}
	return slices.Compact(all), noFiles
}

func completeInterface(*cobra.Command, []string, string) (all []cobra.Completion, _ cobra.ShellCompDirective) {
	list, err := capture.Devices()
	if err != nil {
		return nil, noFiles
	}
	rows := interfaceRows(list, true)
	for i := range rows {
		r := &rows[i]
		about := strings.TrimSpace(r.state() + "; " + strings.Join(r.Addresses, " "))
		all = append(all, offered(r.Name.escaped(), strings.TrimSuffix(about, ";")))
	}
	return all, noFiles
}

func completeTimeFormat(*cobra.Command, []string, string) (all []cobra.Completion, _ cobra.ShellCompDirective) {
	for _, f := range render.TimeFormats() {
		all = append(all, offered(f[0], f[1]))
	}
	return all, noFiles
}

// completeDecodeAs offers udp.port==, the usual ports of each protocol, and after ports
// the protocols with their dialects.
func completeDecodeAs(_ *cobra.Command, _ []string, typed string) (all []cobra.Completion, _ cobra.ShellCompDirective) {
	const layer = "udp.port=="
	ports, _, comma := strings.Cut(strings.TrimPrefix(typed, layer), ",")
	if !strings.HasPrefix(typed, layer) {
		ports = ""
	}
	add := func(port, name, about string) {
		if word := layer + port + "," + name; strings.HasPrefix(word, typed) {
			all = append(all, offered(word, about))
		}
	}
	for _, p := range protocols.All(protocols.Options{}) {
		if !comma {
			for _, n := range p.Ports {
				add(fmt.Sprint(n), p.Name, p.Title)
			}
			continue
		}
		add(ports, p.Name, p.Title)
		for _, d := range p.Dialects {
			add(ports, p.Name+":"+d, "dialect "+d)
		}
	}
	if len(all) == 0 && !comma {
		return []cobra.Completion{layer}, noFiles | cobra.ShellCompDirectiveNoSpace
	}
	return all, noFiles
}

func completeYAML(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []cobra.Completion{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// completedPackets bounds the packets of a capture that are read to offer its connections.
const completedPackets = 100_000

// completeConnection reads the captures that the command line names so far.
func completeConnection(cmd *cobra.Command, paths []string, _ string) (all []cobra.Completion, _ cobra.ShellCompDirective) {
	if files, err := cmd.Flags().GetStringArray("read-file"); err == nil {
		paths = slices.Concat(files, paths)
	}
	recursive, _ := cmd.Flags().GetBool("recursive")
	paths, _ = capture.Expand(paths, recursive)
	if len(paths) == 0 || slices.ContainsFunc(paths, source.MayWait) {
		return nil, noFiles
	}
	var in input
	cfg, err := in.Config(in.dp8)
	if err != nil {
		return nil, noFiles
	}
	src, err := capture.Open(paths, capture.Options{MaxPackets: completedPackets})
	if err != nil {
		return nil, noFiles
	}
	defer src.Close()
	run := pipeline.Run{Source: src, Config: cfg, Workers: 1}
	if run.Do() != nil {
		return nil, noFiles
	}
	for _, c := range run.Conns() {
		all = append(all, offered(fmt.Sprint(c.ID), terminal.ProtocolName(c)+" "+c.A.String()+" ↔ "+c.B.String()+" "+c.State.String()))
	}
	return all, noFiles | cobra.ShellCompDirectiveKeepOrder
}

func protocolNames() (names []string) {
	for _, p := range protocols.All(protocols.Options{}) {
		names = append(names, p.Name)
	}
	return names
}
