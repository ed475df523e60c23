package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/config"
)

func newConfig() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show the configuration files and the values they set",
		Long: `Show the configuration files and the values they set. Two files are read if they
exist: the user's (` + "`dpdissect config path`" + ` shows where) and .dpdissect.yaml of
the project, in the working directory or the nearest one above it, up to the
root of the repository or the home directory; elsewhere only in the working
directory. The project's values override the user's, and flags override both; of
several names for an address, the one with the port comes first, then the one
for the smallest network. DPDISSECT_CONFIG names a file that replaces the
user's; DPDISSECT_CONFIG=off ignores both, as checks of untrusted captures
should.

  names:                        # shown for addresses in text; -n shows numbers
    10.0.0.5: lobby             # an address, an address with a port, a network
    "[fd00::5]:2302": server
  ports:                        # protocols of ports, as with -d
    2302: dp8
    2300-2400: dp4
  secrets: secrets.txt          # as --secrets, relative to this file, or ~/
  color: auto                   # as --color
  time-format: ad               # as -t, in text; records stay UTC
  columns: [frame.number, ip.src, dp8.seq]   # of 'decode' without -e, -V and -x`,
		Example: `  dpdissect config show
  DPDISSECT_CONFIG=off dpdissect decode game.pcap`,
	}
	show := newConfigShow()
	path := &cobra.Command{
		Use: "path", Short: "Show where configuration files are expected", Args: cobra.NoArgs,
		Long:    "Show where the user's file is expected, and the project's file that was found.",
		Example: "  dpdissect config path",
		RunE: func(cmd *cobra.Command, _ []string) error {
			p := config.Find()
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "user     %s\nproject  %s\n", orNone(p.User), orNone(p.Project))
			return err
		},
	}
	cmd.AddCommand(show, path)
	return cmd
}

func orNone(path string) string { return printable(cmp.Or(path, "none")) }
