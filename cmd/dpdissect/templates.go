//go:build !js

package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// setTemplates says how version and usage are printed.
func setTemplates(root *cobra.Command) {
	root.SetVersionTemplate("dpdissect {{.Version}}\n")
	root.SetUsageTemplate(usageTemplate(root.UsageTemplate()))
}

// usageTemplate is cobra's with flags wrapped and one line of usage.
func usageTemplate(template string) string {
	return strings.NewReplacer(
		"FlagUsages ", "FlagUsagesWrapped 80 ",
		"{{if .Runnable}}\n  {{.UseLine}}{{end}}", "{{if not .HasAvailableSubCommands}}\n  {{.UseLine}}{{end}}",
		"{{.CommandPath}} [command]{{end}}", "{{.CommandPath}} COMMAND{{end}}",
		"[command] --help", "COMMAND --help",
	).Replace(template)
}
