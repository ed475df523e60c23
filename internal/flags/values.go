// Package flags has what flags of commands share: their values, how several formats are named,
// and the help that lists them.
package flags

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpdissect/dpdissect/dissect/spell"
)

// A Choice is a flag whose value is one of a few words. The first is the default.
type Choice struct {
	Value   string
	Allowed []string
}

// NewChoice makes a choice of these words.
func NewChoice(allowed ...string) Choice { return Choice{allowed[0], allowed} }

func (c *Choice) String() string { return c.Value }
func (c *Choice) Type() string   { return strings.Join(c.Allowed, "|") }
func (c *Choice) Set(s string) error {
	if !slices.Contains(c.Allowed, s) {
		return fmt.Errorf("want %s", spell.OrList(c.Allowed))
	}
	c.Value = s
	return nil
}

// Add adds the flag.
func (c *Choice) Add(cmd *cobra.Command, name, usage string) { c.AddShort(cmd, name, "", usage) }

// AddShort adds the flag with a letter that stands for it.
func (c *Choice) AddShort(cmd *cobra.Command, name, letter, usage string) {
	cmd.Flags().VarP(c, name, letter, usage)
}

// A Positive is a number from 1; 0 is what it has while it is not given.
type Positive uint64

func (p *Positive) String() string {
	if *p == 0 {
		return ""
	}
	return fmt.Sprint(uint64(*p))
}
func (p *Positive) Type() string { return "N" }
func (p *Positive) Set(s string) error {
	var n uint64
	if _, err := fmt.Sscanf(s, "%d", &n); err != nil || n == 0 || fmt.Sprint(n) != s {
		return fmt.Errorf("want a number from 1")
	}
	*p = Positive(n)
	return nil
}

// A Connection is the number of a connection, from 0.
type Connection struct {
	ID    uint64
	Given bool
}

func (c *Connection) String() string {
	if !c.Given {
		return ""
	}
	return fmt.Sprint(c.ID)
}
func (c *Connection) Type() string { return "N" }
func (c *Connection) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		return fmt.Errorf("want the number of a connection, from 0")
	}
	*c = Connection{n, true}
	return nil
}

// Seconds is a duration as people write it: "60", "0.5", "90s"; 0 while it is not
// given.
type Seconds time.Duration

func (s *Seconds) String() string {
	if *s == 0 {
		return ""
	}
	return time.Duration(*s).String()
}
func (s *Seconds) Type() string { return "SECONDS" }
func (s *Seconds) Set(text string) error {
	d, err := ParseSeconds(text)
	if err == nil {
		*s = Seconds(d)
	}
	return err
}

var _, _, _, _ pflag.Value = (*Choice)(nil), (*Positive)(nil), (*Seconds)(nil), (*Connection)(nil)

// ParseSeconds reads "60", "0.5", and "90s" or "5m" as people write them.
func ParseSeconds(s string) (time.Duration, error) {
	const most = 100 * 365 * 24 * time.Hour
	d, err := time.ParseDuration(s)
	if n, e := strconv.ParseFloat(s, 64); e == nil && n < most.Seconds() {
		d, err = time.Duration(n*float64(time.Second)), nil
	}
	if err != nil || d <= 0 || d > most {
		return 0, fmt.Errorf("want seconds such as 60 or 0.5, or a duration such as 90s or 5m, from 1ns to 876000h")
	}
	return d, nil
}

// ParseCount reads a number from 1 to 2^50.
func ParseCount(s string) (uint64, error) {
	const most = 1 << 50
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n == 0 || n > most {
		return 0, fmt.Errorf("want a number from 1")
	}
	return n, nil
}

// A Share is a flag as people write it: "10%" or "0.1".
type Share float64

func (s *Share) String() string { return strconv.FormatFloat(float64(*s)*100, 'g', 6, 64) + "%" }
func (s *Share) Type() string   { return "SHARE" }
func (s *Share) Set(text string) error {
	number, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(number, 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v >= 0 && v <= 100) {
		return fmt.Errorf("want a share such as 10%%")
	}
	*s = Share(v)
	return nil
}
