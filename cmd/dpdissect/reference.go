package main

import (
	"bytes"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/flags"
)

// leastText is the width, in columns, below which a table rather drops columns than cut its
// text further.
const leastText = 32

// jsonHasIt says where a text stands whole.
const jsonHasIt = "--format json has the whole text"

// newReference makes a command that prints a reference table, as text in the
// width there is or as JSON.
func newReference(cmd *cobra.Command, text func(width int) []byte, doc func() []byte) *cobra.Command {
	format := flags.NewChoice("text", "json")
	format.Add(cmd, "format", "text for people or one JSON document")
	cmd.Args = noArgs
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		b := doc
		if format.Value == "text" {
			b = func() []byte { return text(textWidth(cmd.OutOrStdout())) }
		}
		return writePage(cmd, b())
	}
	return cmd
}

// indented is v as an indented JSON document.
func indented(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	must(e.Encode(v))
	return b.Bytes()
}
