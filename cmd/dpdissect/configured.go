package main

import (
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
		Ports: func(ports string) error {
			_, err := protocols.ParsePorts(strings.TrimSpace(ports))
			return err
		},
		Protocol: func(name string) error {
			_, _, err := protocols.ParseSpeaker(name, protocols.All(protocols.Options{}))
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
		in.DecodeAs = append(in.DecodeAs, portLayer+p.Text) // of several that fit the first counts
	}
	if in.Secrets == "" && c.Secrets.Text != "" {
		if err := config.CheckRegular(c.Secrets.Text); err != nil {
			return fmt.Errorf("%s: secrets: %w", c.Secrets.From.Place(), err)
		}
		in.Secrets = c.Secrets.Text
	}
	given := cmd.Flags().Changed
	if c.Color.Text != "" && !given("color") {
		in.color.Value = c.Color.Text // checked when it was read
	}
	if c.Time.Text != "" && !given("time-format") {
		in.timeFromFile = true
		return in.time.Set(c.Time.Text)
	}
	return nil
}

// tellPorts tells that a configuration says what ports speak: a verdict depends on that, and
// whoever reads it does not see the file.
func (in *input) tellPorts(w io.Writer) {
	if in.settings == nil || len(in.settings.Ports) == 0 || in.quiet {
		return
	}
	p := &in.settings.Ports[0]
	more := ""
	if n := len(in.settings.Ports) - 1; n > 0 {
		more = fmt.Sprintf(", and %d more", n)
	}
	ports, protocol, _ := strings.Cut(p.Text, ",")
	fmt.Fprintf(w, "dpdissect: %s\n", printable(fmt.Sprintf("note: %s: port %s is read as %s%s; DPDISSECT_CONFIG=off leaves that out", p.From, ports, protocol, more)))
}

// nameOf gives the name that the configuration has for an endpoint, nil where no endpoint has
// one or -n asks for numbers.
func (in *input) nameOf() func(e dissect.Endpoint) string {
	if in.numeric || in.settings == nil || len(in.settings.Names) == 0 {
		return nil
	}
	names := in.settings.Namer()
	return func(e dissect.Endpoint) string { return names.NameOf(netip.AddrPortFrom(e.Addr(), e.Port)) }
}
