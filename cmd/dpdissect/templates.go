//go:build !js

package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Columns of help: how wide it is, where what flags mean begins, which flags stand in the
// same line as that.
const (
	helpWidth  = 80
	usageStart = 28
	nameWidth  = usageStart - 2
)

// setTemplates says how version and usage are printed.
func setTemplates(root *cobra.Command) {
	root.SetVersionTemplate("dpdissect {{.Version}}\n")
	cobra.AddTemplateFunc("flagUsages", flagUsages)
	root.SetUsageTemplate(usageTemplate(root.UsageTemplate()))
}

// usageTemplate is cobra's with flags wrapped and one line of usage.
func usageTemplate(template string) string {
	return strings.NewReplacer(
		".LocalFlags.FlagUsages ", "flagUsages .LocalFlags ",
		".InheritedFlags.FlagUsages ", "flagUsages .InheritedFlags ",
		"{{if .Runnable}}\n  {{.UseLine}}{{end}}", "{{if not .HasAvailableSubCommands}}\n  {{.UseLine}}{{end}}",
		"{{.CommandPath}} [command]{{end}}", "{{.CommandPath}} COMMAND{{end}}",
		"[command] --help", "COMMAND --help",
	).Replace(template)
}

// flagUsages is pflag's list of flags with what they mean in one column, wherever the names
// end, and broken between words alone.
func flagUsages(flags *pflag.FlagSet) string {
	var b strings.Builder
	for line := range strings.Lines(flags.FlagUsages()) {
		name, usage, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "   ")
		if name == "" { // the spaces before a name without a short one
			more, rest, _ := strings.Cut(strings.TrimLeft(usage, " "), "   ")
			name, usage = "      "+more, rest
		}
		at := len(name)
		b.WriteString(name)
		if at > nameWidth {
			b.WriteByte('\n')
			at = 0
		}
		for i, word := range strings.Fields(usage) {
			switch {
			case i == 0:
				b.WriteString(strings.Repeat(" ", usageStart-at))
				at = usageStart
			case at+1+len(word) > helpWidth:
				b.WriteString("\n" + strings.Repeat(" ", usageStart))
				at = usageStart
			default:
				b.WriteByte(' ')
				at++
			}
			b.WriteString(word)
			at += len(word)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
