package main

import (
	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/piecewise"
)

// toldVersion is buildVersion for who asks for it, with the layout of states.
func toldVersion() build {
	b := buildVersion()
	b.States = piecewise.LayoutText(piecewise.Layout())
	return b
}

// versionText is what people are told.
func versionText() string {
	return "dpdissect " + buildVersion().line() + "\nstates of layout " + piecewise.LayoutText(piecewise.Layout()) + "\n"
}

// line is "v1.2.3 (0123456789ab, go1.26.0, linux/amd64)".
func (b build) line() string {
	commit := ""
	if b.Commit != "" {
		commit = b.Commit[:min(12, len(b.Commit))] + ", "
	}
	return b.Version + " (" + commit + b.Go + ", " + b.Platform + ")"
}

func newVersion() *cobra.Command {
	return newReference(&cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Print the version of the program, the commit it was built from if known, the Go
release, the platform, and the layout of the states that it writes and reads
(--state-out, --state-in).`,
		Example: `  dpdissect version
  dpdissect version --format json`,
	}, func(int) []byte {
		return []byte(versionText())
	},
		func() []byte { return indented(toldVersion()) })
}
