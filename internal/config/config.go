// Package config reads what a user, or a project, always wants: names of players and
// servers, what ports speak, where secrets are, and how text looks.
package config

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/dpdissect/dpdissect/internal/yamlfile"
)

// A Config is what some files say together. The zero value says nothing.
type Config struct {
	Names   []Name
	Ports   []Value // rules of --decode-as without "udp.port==": "2302,dp8"
	Columns []Value // fields of decode's columns
	Secrets Value
	Color   Value
	Time    Value // FORMAT of -t
}

// A Value is a text and where it comes from; Text is "" where no file has it.
type Value struct {
	Text string
	From Origin
}

// An Origin is a place of a file, from 1.
type Origin struct {
	File         string
	Line, Column int
}

// Place is "FILE:LINE:COLUMN", as mistakes begin.
func (o Origin) Place() string { return fmt.Sprintf("%s:%d", o, o.Column) }

func (o Origin) String() string { return fmt.Sprintf("%s:%d", o.File, o.Line) }

// A Name stands for an address, one port of it, or a network.
type Name struct {
	Value
	Of     string // as written
	prefix netip.Prefix
	port   uint16 // 0: any
}

// maxName is the longest name, in characters.
const maxName = 40

var keys = []string{"names", "ports", "secrets", "color", "time-format", "columns"}

// A Check says what is wrong with a value, nil for nothing.
type Check func(text string) error

// Checks are those of the values whose meaning others know.
type Checks struct{ Ports, Protocol, Color, Time, Column Check }

// Read reads one file. An error is a *yamlfile.Mistake that marks the place.
func Read(file string, text []byte, checks Checks) (*Config, error) {
	r := &reader{yamlfile.New(file, "a configuration", text), file, checks, new(Config)}
	if root := r.Root(); root != nil && r.Err == nil {
		for _, m := range r.Mapping(root, "a configuration") {
			r.top(m)
		}
	}
	return r.config, r.Err
}

type reader struct {
	*yamlfile.Reader
	file   string
	checks Checks
	config *Config
}

func (r *reader) top(m yamlfile.Member) {
	c := r.config
	switch m.Key.Value {
	case "names":
		for _, n := range r.Mapping(m.Value, "names") {
			c.Names = append(c.Names, r.name(n))
		}
	case "ports":
		for _, p := range r.Mapping(m.Value, "ports") {
			ports := r.checked(p.Key, p.Key.Value, r.checks.Ports)
			ports.Text += "," + r.checked(p.Value, r.Text(p.Value, "a port"), r.checks.Protocol).Text
			c.Ports = append(c.Ports, ports)
		}
	case "columns":
		for _, e := range r.Items(m.Value) {
			c.Columns = append(c.Columns, r.checked(e, r.Text(e, "columns"), r.checks.Column))
		}
	case "secrets":
		c.Secrets = r.checked(m.Value, r.Text(m.Value, "secrets"), nil)
	case "color":
		c.Color = r.checked(m.Value, r.Text(m.Value, "color"), r.checks.Color)
	case "time-format":
		c.Time = r.checked(m.Value, r.Text(m.Value, "time-format"), r.checks.Time)
	default:
		r.Unknown(m.Key, keys...)
	}
}

// checked is a value with its place.
func (r *reader) checked(n *yaml.Node, text string, check Check) Value {
	if check != nil && r.Err == nil {
		if err := check(text); err != nil {
			r.Fail(n, "%v", err)
		}
	}
	return Value{text, Origin{r.file, n.Line, n.Column}}
}

func (r *reader) name(m yamlfile.Member) Name {
	n := Name{Value: r.checked(m.Key, r.Text(m.Value, "a name"), nil), Of: m.Key.Value}
	if utf8.RuneCountInString(n.Text) > maxName || strings.ContainsFunc(n.Text, func(c rune) bool { return !unicode.IsPrint(c) }) {
		r.Fail(m.Value, "a name is at most %d letters, digits, signs and spaces", maxName)
	}
	var ok bool
	if n.prefix, n.port, ok = place(n.Of); !ok {
		r.Fail(m.Key, "want an address, an address with a port, or a network: 10.0.0.5, 10.0.0.5:2302, [fd00::5]:2302, 10.0.0.0/8")
	}
	return n
}

// place reads what a name stands for.
func place(s string) (p netip.Prefix, port uint16, ok bool) {
	if p, err := netip.ParsePrefix(s); err == nil {
		return p.Masked(), 0, true
	}
	if a, err := netip.ParseAddr(s); err == nil && a.Zone() == "" {
		return netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()), 0, true
	}
	if a, err := netip.ParseAddrPort(s); err == nil && a.Addr().Zone() == "" && a.Port() != 0 {
		one := a.Addr().Unmap()
		return netip.PrefixFrom(one, one.BitLen()), a.Port(), true
	}
	return p, 0, false
}

// Over gives what holds when c stands over another configuration: names and ports of both,
// those of c first, and the other values of c where it has them.
func (c *Config) Over(under *Config) *Config {
	if under == nil {
		return c
	}
	if c == nil {
		return under
	}
	return &Config{
		Names: slices.Concat(c.Names, under.Names), Ports: slices.Concat(c.Ports, under.Ports),
		Columns: either(c.Columns, under.Columns, len(c.Columns) > 0),
		Secrets: c.Secrets.or(under.Secrets), Color: c.Color.or(under.Color), Time: c.Time.or(under.Time),
	}
}

func (v Value) or(under Value) Value { return either(v, under, v.Text != "") }

func either[T any](a, b T, first bool) T {
	if first {
		return a
	}
	return b
}
