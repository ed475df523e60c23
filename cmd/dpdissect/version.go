package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/piecewise"
)

// version is set by the linker: -X main.version=v1.2.3.
var version string

// build is what is known of how this program was built.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Time     string `json:"time,omitempty"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	States   string `json:"state_layout,omitempty"` // see toldVersion
}

func buildVersion() build {
	b := build{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if ok && b.Version == "" {
		b.Version = info.Main.Version
	}
	if b.Version == "" {
		b.Version = "(devel)"
	}
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

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
