package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/dissect/spell"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/report"
)

func newSchema() *cobra.Command {
	names := report.SchemaNames()
	cmd := &cobra.Command{
		Use:   "schema NAME",
		Short: "Print the JSON Schema of a record",
		Long: `Print the JSON Schema (2020-12) of a record:
` + strings.Join(names[:9], ", ") + ",\n" + spell.OrList(names[9:]) + `.

A schema is both text and JSON: --format is accepted, as by all reference
commands, but makes no difference.`,
		Example:   `  dpdissect schema frame > frame.schema.json`,
		ValidArgs: names,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return exit.Usagef("schema takes one NAME: %s", spell.OrList(names))
			}
			b, ok := report.Schema(args[0])
			if !ok {
				return exit.Usagef("unknown schema %q: want %s", args[0], spell.OrList(names))
			}
			return writePage(cmd, b)
		},
	}
	format := flags.NewChoice("text", "json")
	format.Add(cmd, "format", "both are the same")
	return cmd
}
