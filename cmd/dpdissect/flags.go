package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A choice is a flag whose value is one of a few words. The first is the default.
type choice struct {
	value   string
	allowed []string
}

func newChoice(allowed ...string) choice { return choice{allowed[0], allowed} }

func (c *choice) String() string { return c.value }
func (c *choice) Type() string   { return strings.Join(c.allowed, "|") }
func (c *choice) Set(s string) error {
	if !slices.Contains(c.allowed, s) {
		return fmt.Errorf("want %s", orList(c.allowed))
	}
	c.value = s
	return nil
}

// add adds the flag.
func (c *choice) add(cmd *cobra.Command, name, usage string) { c.addShort(cmd, name, "", usage) }

// addShort adds the flag with a letter that stands for it.
func (c *choice) addShort(cmd *cobra.Command, name, letter, usage string) {
	cmd.Flags().VarP(c, name, letter, usage)
}

// orList gives "a", "a or b", "a, b or c".
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// A positive is a number from 1; 0 is what it has while it is not given.
type positive uint64

func (p *positive) String() string {
	if *p == 0 {
		return ""
	}
	return fmt.Sprint(uint64(*p))
}
func (p *positive) Type() string { return "N" }
func (p *positive) Set(s string) error {
	var n uint64
	if _, err := fmt.Sscanf(s, "%d", &n); err != nil || n == 0 || fmt.Sprint(n) != s {
		return fmt.Errorf("want a number from 1")
	}
	*p = positive(n)
	return nil
}

// A connectionID is the number of a connection, from 0.
type connectionID struct {
	id    uint64
	given bool
}

func (c *connectionID) String() string {
	if !c.given {
		return ""
	}
	return fmt.Sprint(c.id)
}
func (c *connectionID) Type() string { return "N" }
func (c *connectionID) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		return fmt.Errorf("want the number of a connection, from 0")
	}
	*c = connectionID{n, true}
	return nil
}

// Seconds is a duration as people write it: "60", "0.5", "90s"; 0 while it is not
// given.
type seconds time.Duration

func (s *seconds) String() string {
	if *s == 0 {
		return ""
	}
	return time.Duration(*s).String()
}
func (s *seconds) Type() string { return "SECONDS" }
func (s *seconds) Set(text string) error {
	d, err := parseSeconds(text)
	if err == nil {
		*s = seconds(d)
	}
	return err
}

var _, _, _, _ pflag.Value = (*choice)(nil), (*positive)(nil), (*seconds)(nil), (*connectionID)(nil)

// parseSeconds reads "60", "0.5", and "90s" or "5m" as people write them.
func parseSeconds(s string) (time.Duration, error) {
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

func parseCount(s string) (uint64, error) {
	const most = 1 << 50
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n == 0 || n > most {
		return 0, fmt.Errorf("want a number from 1")
	}
	return n, nil
}

// A share is a flag as people write it: "10%" or "0.1".
type share float64

func (s *share) String() string { return strconv.FormatFloat(float64(*s)*100, 'g', 6, 64) + "%" }
func (s *share) Type() string   { return "SHARE" }
func (s *share) Set(text string) error {
	number, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(number, 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v >= 0 && v <= 100) {
		return fmt.Errorf("want a share such as 10%%")
	}
	*s = share(v)
	return nil
}
