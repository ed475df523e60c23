package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestCommandsAreDocumented walks the tree of commands.
func TestCommandsAreDocumented(t *testing.T) {
	n := 0
	walk(newRoot(), func(cmd *cobra.Command) {
		n++
		for _, problem := range undocumented(cmd) {
			t.Errorf("%s: %s", cmd.CommandPath(), problem)
		}
	})
	if n < 17 {
		t.Errorf("only %d commands were looked at", n)
	}
}

// TestUndocumentedCommandsAreFound shows that the check can fail.
func TestUndocumentedCommandsAreFound(t *testing.T) {
	bad := &cobra.Command{Use: "bad", Short: "Two\nlines.", Long: strings.Repeat("x", 90)}
	bad.Flags().Bool("flag", false, "")
	if got := undocumented(bad); len(got) != 4 {
		t.Errorf("want a summary, an example, a width and a flag to be complained of, have %q", got)
	}
}

func walk(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)
	for _, c := range cmd.Commands() {
		walk(c, visit)
	}
}

var builtin = regexp.MustCompile(`completion|help`)

func undocumented(cmd *cobra.Command) (problems []string) {
	if cmd.Short == "" || strings.ContainsAny(cmd.Short, "\n") || strings.HasSuffix(cmd.Short, ".") {
		problems = append(problems, "wants a summary of one line, without a full stop")
	}
	if cmd.Example == "" {
		problems = append(problems, "wants an example")
	}
	if cmd.Long == "" {
		problems = append(problems, "wants a long text")
	}
	for line := range strings.Lines(cmd.Long) {
		if len(line) > 81 && !builtin.MatchString(cmd.CommandPath()) {
			problems = append(problems, "has a line that is too long: "+line)
		}
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Usage == "" {
			problems = append(problems, "has a flag without a usage: "+f.Name)
		}
	})
	return problems
}

// TestReadingCommandsShareFlags holds the commands that read captures to the same
// flags.
func TestReadingCommandsShareFlags(t *testing.T) {
	shared := []string{"display-filter", "decode-as", "protocols", "secrets", "secret", "packet-count", "numeric",
		"time-format", "workers", "format", "color", "quiet", "output"}
	short := map[string]string{"display-filter": "Y", "decode-as": "d", "packet-count": "c", "numeric": "n", "time-format": "t", "quiet": "q", "output": "o"}
	for _, cmd := range []*cobra.Command{newAnalyze(), newAnnotate(), newCheck(), newDecode(), newMessages()} {
		for _, name := range shared {
			f := cmd.Flags().Lookup(name)
			if f == nil {
				t.Errorf("%s has no --%s", cmd.Name(), name)
			} else if f.Shorthand != short[name] {
				t.Errorf("%s: --%s is -%s, want -%s", cmd.Name(), name, f.Shorthand, short[name])
			}
		}
	}
}
