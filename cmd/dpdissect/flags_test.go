package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/filter"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/verdict"
	"github.com/dpdissect/dpdissect/session"
)

func TestDecodeAs(t *testing.T) {
	known := []*session.Protocol{
		{Protocol: &dissect.Protocol{Name: "one"}},
		{Protocol: &dissect.Protocol{Name: "two", Dialects: []string{"0.1", "spec"}}},
	}
	for _, c := range []struct {
		text    string
		lo, hi  uint16
		name    string
		dialect string
	}{
		{"udp.port==2302,one", 2302, 2302, "one", ""},
		{"udp.port == 2302 , one", 2302, 2302, "one", ""},
		{"udp.port==2302-2400,one", 2302, 2400, "one", ""},
		{"udp.port==8888:3,two:0.1", 8888, 8890, "two", "0.1"},
		{"udp.port==65535:1,two:spec", 65535, 65535, "two", "spec"},
		{"udp.port==0x8fe,one", 2302, 2302, "one", ""},
	} {
		f, err := protocols.ParseForce(c.text, known)
		if err != nil || f.Lo != c.lo || f.Hi != c.hi || f.Protocol.Name != c.name || f.Dialect != c.dialect {
			t.Errorf("%q: %+v, %v", c.text, f, err)
		}
	}
	for text, want := range map[string]string{
		"":                         "want udp.port==PORTS,PROTOCOL",
		"2302,one":                 "want udp.port==PORTS,PROTOCOL",
		"udp.port==2302":           "want udp.port==PORTS,PROTOCOL",
		"tcp.port==1,one":          `unknown layer "tcp.port"`,
		"udp.port==x,one":          `"x" is not a port`,
		"udp.port==65536,one":      `"65536" is not a port`,
		"udp.port==2-1,one":        `"2-1" contains no port`,
		"udp.port==2:0,one":        `"2:0" contains no port`,
		"udp.port==65535:2,one":    `"65535:2" contains no port`,
		"udp.port==2302,three":     `unknown protocol "three": want one or two`,
		"udp.port==2302,one:x":     `unknown dialect "x": one has none`,
		"udp.port==2302,two:":      `unknown dialect "": two has 0.1 or spec`,
		"udp.port==2302,two:0.1:1": `unknown dialect "0.1:1"`,
	} {
		if _, err := protocols.ParseForce(text, known); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestPositive(t *testing.T) {
	var p flags.Positive
	if err := p.Set("18446744073709551615"); err != nil || p != 1<<64-1 {
		t.Errorf("%v, %v", p, err)
	}
	for _, s := range []string{"", "0", "-1", "1x", " 1", "01", "1.5", "18446744073709551616"} {
		if err := p.Set(s); err == nil {
			t.Errorf("%q is taken for a number from 1", s)
		}
	}
}

func TestShownFrames(t *testing.T) {
	var s shownFrames
	if s.has(1) {
		t.Error("a frame is remembered that was never seen")
	}
	s.set(1, true)
	s.set(2, false)
	if !s.has(1) || s.has(2) {
		t.Error("frames 1 and 2 are mixed up")
	}
	s.set(1+rememberedFrames, false)
	if s.has(1) {
		t.Error("frame 1 is remembered for too long")
	}
}

// TestExplain: only the lines that mark a place are lines of their own, and only those
// that can be printed as they are.
func TestExplain(t *testing.T) {
	mistake := func(text, message string) error {
		return fmt.Errorf("--rules: %w", &verdict.Mistake{File: "r\n.yaml", Line: 1, Column: 3, Length: 2, Text: text, Message: message})
	}
	_, filterError := filter.Compile("a\n::error::b", filter.NewSet(nil))
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.New("one\n::error::two"), `dpdissect: one\n::error::two` + "\n"},
		{mistake("a: bc", "no a\n::error::b"), `dpdissect: --rules: r\n.yaml:1:3: no a\n::error::b` + "\n  a: bc\n    ^~\n"},
		{mistake("::error::x", "no"), `dpdissect: --rules: r\n.yaml:1:3: no` + "\n"},
		{mistake("x ##[error]", "no"), `dpdissect: --rules: r\n.yaml:1:3: no` + "\n"},
		{mistake("", "no"), `dpdissect: --rules: r\n.yaml:1:3: no` + "\n"},
		{exit.Usagef("-Y: %w", filterError), "dpdissect: -Y: unexpected ::error::b (tests are joined by and, or, xor)\n  a ::error::b\n    ^~~~~~~~~~\nRun 'dpdissect --help'\n"},
	} {
		var b strings.Builder
		tellError(&b, newRoot(), c.err)
		if b.String() != c.want {
			t.Errorf("%q, want %q", b.String(), c.want)
		}
	}
}
