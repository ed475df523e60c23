package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/terminal"
)

// TestHelpFits: no line of the help of any command is wider than 80 columns or ends in
// spaces, and what a flag means has all of its words, none of them broken.
func TestHelpFits(t *testing.T) {
	n := 0
	walk(newRoot(), func(cmd *cobra.Command) {
		var b bytes.Buffer
		cmd.SetOut(&b)
		cmd.InitDefaultHelpFlag()
		if err := cmd.UsageFunc()(cmd); err != nil {
			t.Fatal(err)
		}
		help := cmd.Long + "\n" + b.String()
		n++
		for line := range strings.Lines(help) {
			line = strings.TrimSuffix(line, "\n")
			if w := terminal.Width(line); w > flags.HelpWidth || strings.HasSuffix(line, " ") {
				t.Errorf("%s: a line of %d columns: %q", cmd.CommandPath(), w, line)
			}
		}
		words := strings.Join(strings.Fields(help), " ")
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if _, usage := pflag.UnquoteUsage(f); !f.Hidden && !strings.Contains(words, strings.Join(strings.Fields(usage), " ")) {
				t.Errorf("%s: --%s does not say %q", cmd.CommandPath(), f.Name, usage)
			}
		})
	})
	if n < 20 {
		t.Errorf("only %d commands were looked at", n)
	}
}
