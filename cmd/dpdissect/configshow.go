package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/config"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/outfile"
	"github.com/dpdissect/dpdissect/internal/protocols"
)

// configShow is the flags of `config show`: those that stand over what files say.
type configShow struct {
	color    flags.Choice
	time     render.TimeFormat
	secrets  string
	decodeAs []string
	given    func(flag string) bool
	out      strings.Builder
}

func newConfigShow() *cobra.Command {
	c := &configShow{color: newColor()}
	cmd := &cobra.Command{
		Use: "show", Short: "Show what is in force, and where each value comes from", Args: cobra.NoArgs,
		Long: `Show what is in force: a line for each value, and the flag, the environment
variable or the line of a file that it comes from. Flags are those of the
reading commands that stand over files: give them here to see what they change.`,
		Example: `  dpdissect config show
  NO_COLOR=1 dpdissect config show -t ad -d udp.port==2302,dp8`,
	}
	f := cmd.Flags()
	c.color.Add(cmd, "color", "as with the reading commands")
	f.VarP(&c.time, "time-format", "t", "`FORMAT`, as with the reading commands")
	f.StringVar(&c.secrets, "secrets", "", "`FILE`, as with the reading commands; it is not read")
	f.StringArrayVarP(&c.decodeAs, "decode-as", "d", nil, "`RULE`, as with the reading commands")
	c.given = f.Changed
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return c.show(cmd.OutOrStdout().(*os.File)) }
	return cmd
}

// show writes a line for each value.
func (c *configShow) show(w *os.File) error {
	var g outfile.Guard
	readsConfig(&g)
	if err := g.WritesTo("standard output", w); err != nil {
		return exit.AsUsage(err)
	}
	for _, rule := range c.decodeAs {
		if _, err := protocols.ParseForce(rule, protocols.All(protocols.Options{})); err != nil {
			return exit.AsUsage(err)
		}
	}
	files, err := loadConfig()
	if err != nil {
		return err
	}
	for _, n := range files.Names {
		c.line("names", n.Of+": "+n.Text, n.From.String())
	}
	for _, rule := range c.decodeAs {
		c.line("ports", ports(strings.TrimPrefix(rule, portLayer)), "--decode-as")
	}
	for _, p := range files.Ports {
		c.line("ports", ports(p.Text), p.From.String())
	}
	for _, f := range files.Columns {
		c.line("columns", f.Text, f.From.String())
	}
	c.value("secrets", c.secrets, files.Secrets, "none")
	c.value("time-format", c.time.String(), files.Time, "r")
	c.colour(files.Color)
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		c.line("width", strconv.Itoa(n), "COLUMNS")
	}
	if v := os.Getenv(config.Variable); v != "" {
		c.line("user's file", cmp.Or(map[string]string{"off": "none, nor a project's"}[v], v), config.Variable)
	}
	_, err = io.WriteString(w, c.out.String())
	return err
}

// ports spells a rule as files do.
func ports(rule string) string { return strings.Replace(rule, ",", ": ", 1) }

// value is a line for what a flag says, or a file, or neither.
func (c *configShow) value(key, flag string, file config.Value, otherwise string) {
	switch {
	case c.given(key):
		c.line(key, flag, "--"+key)
	case file.Text != "":
		c.line(key, file.Text, file.From.String())
	default:
		c.line(key, otherwise, "by default")
	}
}

// colour is the line for colours: NO_COLOR stands over what is left to the program.
func (c *configShow) colour(file config.Value) {
	mode := file.Text
	if c.given("color") {
		mode = c.color.Value
	}
	if cmp.Or(mode, "auto") == "auto" && os.Getenv("NO_COLOR") != "" {
		c.line("color", "never", "NO_COLOR")
		return
	}
	c.value("color", c.color.Value, file, "auto")
}

func (c *configShow) line(key, text, from string) {
	fmt.Fprintf(&c.out, "%-12s %-40s %s\n", key, printable(text), printable(from))
}
