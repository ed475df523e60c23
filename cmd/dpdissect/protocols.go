package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/terminal"
)

// protocolsCommand is the flags of the command.
type protocolsCommand struct {
	input
	verbose bool
}

func newProtocols() *cobra.Command {
	c := &protocolsCommand{}
	cmd := &cobra.Command{
		Use:   "protocols [-v INPUT...]",
		Short: "List the protocols, or why those of a capture were recognised",
		Long: `List the protocols that are recognised, each followed by its neighbours:
protocols on the same ports, which are shown but form no connections.

Ports are only hints for people: protocols are recognised by behaviour.
--decode-as and --protocols accept all names except those of neighbours.

With -v, show for each UDP address pair of a capture what evidence there is for
and against each protocol, in bits: a pair is recognised at 64. Some of the
evidence must relate the two sides to each other.`,
		Example: `  dpdissect protocols
  dpdissect protocols --format json
  dpdissect protocols -v game.pcap`,
		Args: c.args,
		RunE: c.runE,
	}
	c.format, c.color = flags.NewChoice("text", "json"), flags.NewChoice("never")
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVarP(&c.verbose, "verbose", "v", false, "explain why the address pairs of captures were recognised or not")
	f.StringSliceVar(&c.Only, "protocols", nil, "with -v, look only for these protocols, a comma-separated `LIST`")
	c.addFiles(cmd)
	f.VarP(&c.Count, "packet-count", "c", "with -v, stop after `N` packets of the capture")
	c.format.Add(cmd, "format", "text for people or one JSON document")
	return cmd
}

func (c *protocolsCommand) args(_ *cobra.Command, args []string) error {
	args = c.inputs(args)
	switch {
	case c.verbose && len(args) == 0:
		return exit.Usagef("no INPUT: give capture files, or - for standard input")
	case c.verbose:
	case len(args) > 0:
		return exit.Usagef("%q: captures are read only with -v", args[0])
	case c.Only != nil || c.Count != 0:
		return exit.Usagef("--protocols and --packet-count need -v")
	}
	return nil
}

func (c *protocolsCommand) runE(cmd *cobra.Command, paths []string) error {
	if c.verbose {
		return c.tellWhy(cmd, c.captures(cmd.ErrOrStderr(), paths))
	}
	if c.format.Value == "json" {
		return writePage(cmd, protocolsJSON())
	}
	return writePage(cmd, protocolsText(textWidth(cmd.OutOrStdout())))
}

// tellWhy prints the stories of the pairs, also when an input ended badly.
func (c *protocolsCommand) tellWhy(cmd *cobra.Command, paths []string) error {
	stories, failed := c.stories(cmd, paths)
	if failed != nil && !errors.Is(failed, exit.ErrInput) {
		return failed
	}
	var b []byte
	switch {
	case c.format.Value == "json":
		b = storiesJSON(stories)
	case failed == nil || len(stories) > 0: // else what failed says it all
		b = storiesText(stories)
	}
	return cmp.Or(writePage(cmd, b), failed)
}

// protocolRow is a protocol in JSON.
type protocolRow struct {
	Name        string   `json:"name"`
	Title       string   `json:"title"`
	NeighbourOf string   `json:"neighbour_of,omitempty"`
	Texts       []string `json:"texts"`
	Ports       []uint16 `json:"ports"`
	Dialects    []string `json:"dialects"`
	Types       []string `json:"types"`
}

func protocolRows() []protocolRow {
	var rows []protocolRow
	add := func(p *dissect.Protocol, of string) {
		rows = append(rows, protocolRow{p.Name, p.Title, of, orEmpty(p.Texts), orEmpty(p.Ports), orEmpty(p.Dialects), orEmpty(p.Types)})
	}
	for _, p := range protocols.All(protocols.Options{}) {
		add(p.Protocol, "")
		for _, n := range p.Neighbours {
			add(n, p.Name)
		}
	}
	return rows
}

func protocolsText(width int) []byte {
	var rows [][]string
	for _, p := range protocolRows() {
		name, ports := p.Name, strings.Trim(fmt.Sprint(p.Ports), "[]")
		if p.NeighbourOf != "" {
			name = "  " + name
		}
		if len(p.Dialects) > 0 {
			p.Title += "; dialects " + strings.Join(p.Dialects, ", ")
		}
		rows = append(rows, []string{name, ports, strings.Join(p.Texts, ", "), p.Title})
	}
	return terminal.AppendReference(nil, []terminal.Column{
		{Head: "Protocol"}, {Head: "Ports", Rank: 2, Least: 20, Whole: jsonHasIt}, {Head: "Text", Rank: 1, Least: 24, Whole: jsonHasIt},
		{Head: "Title", Least: leastText, Whole: jsonHasIt},
	}, rows, width)
}

func protocolsJSON() []byte { return indented(protocolRows()) }
