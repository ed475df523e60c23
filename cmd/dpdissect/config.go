package main

import (
	"cmp"
	"fmt"
	"io"
	"net/netip"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/config"
	"github.com/dpdissect/dpdissect/internal/protocols"
)

// configChecks know what the values of a configuration mean.
func configChecks() config.Checks {
	colors := newColor()
	return config.Checks{
		Port: func(rule string) error {
			_, err := parseDecodeAs(portLayer+rule, protocols.All(protocols.Options{}))
			return err
		},
		Color: colors.Set,
		Time:  new(render.TimeFormat).Set,
		Column: func(name string) error {
			_, err := render.NewColumns([]string{name}, render.DefaultColumnOptions(), fieldTables())
			return err
		},
	}
}

// portLayer is what -d has before what a configuration says of ports.
const portLayer = "udp.port=="

// loadConfig reads the configuration files that are there.
func loadConfig() (*config.Config, error) {
	c, err := config.Load(config.Find(), configChecks())
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return c, nil
}

// configure gives flags that were not set what the configuration has for them.
func (in *input) configure(cmd *cobra.Command) error {
	c, err := loadConfig()
	if err != nil {
		return err
	}
	in.settings = c
	for _, p := range c.Ports {
		in.decodeAs = append(in.decodeAs, portLayer+p.Text) // of several that fit the first counts
	}
	if in.secrets == "" && c.Secrets.Text != "" {
		if err := config.CheckRegular(c.Secrets.Text); err != nil {
			return fmt.Errorf("%s: secrets: %w", c.Secrets.From, err)
		}
		in.secrets = c.Secrets.Text
	}
	given := cmd.Flags().Changed
	if c.Color.Text != "" && !given("color") {
		in.color.value = c.Color.Text // checked when it was read
	}
	if c.Time.Text != "" && !given("time-format") {
		return in.time.Set(c.Time.Text)
	}
	return nil
}

// nameOf gives the name that the configuration has for an endpoint, nil where no endpoint has
// one or -n asks for numbers.
func (in *input) nameOf() func(e dissect.Endpoint) string {
	if in.numeric || in.settings == nil || len(in.settings.Names) == 0 {
		return nil
	}
	return func(e dissect.Endpoint) string { return in.settings.NameOf(netip.AddrPortFrom(e.Addr(), e.Port)) }
}

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
  secrets: secrets.txt          # as --secrets, relative to this file
  color: auto                   # as --color
  time-format: ad               # as -t
  columns: [frame.number, ip.src, dp8.seq]   # of 'decode' without -e, -V and -x`,
		Example: `  dpdissect config show
  DPDISSECT_CONFIG=off dpdissect decode game.pcap`,
	}
	show := &cobra.Command{
		Use: "show", Short: "Show the configuration in force and where each value comes from", Args: cobra.NoArgs,
		Long:    "Show the configuration in force: one line for each value, with the file and line\nthat it comes from.",
		Example: "  dpdissect config show",
		RunE:    func(cmd *cobra.Command, _ []string) error { return showConfig(cmd.OutOrStdout()) },
	}
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

// showConfig writes a line for each value.
func showConfig(w io.Writer) error {
	c, err := loadConfig()
	if err != nil {
		return err
	}
	var b strings.Builder
	line := func(key string, v config.Value, otherwise string) {
		from := "by default"
		if v.Text != "" {
			from = v.From.String()
		}
		fmt.Fprintf(&b, "%-12s %-40s %s\n", key, printable(cmp.Or(v.Text, otherwise)), printable(from))
	}
	for _, n := range c.Names {
		line("names", config.Value{Text: n.Of + ": " + n.Text, From: n.From}, "")
	}
	for _, p := range c.Ports {
		line("ports", config.Value{Text: strings.Replace(p.Text, ",", ": ", 1), From: p.From}, "")
	}
	for _, f := range c.Columns {
		line("columns", f, "")
	}
	line("secrets", c.Secrets, "none")
	line("color", c.Color, "auto")
	line("time-format", c.Time, "r")
	_, err = io.WriteString(w, b.String())
	return err
}
