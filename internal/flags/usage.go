package flags

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Columns of help: how wide it is, where what flags mean begins, which flags stand in the
// same line as that.
const (
	HelpWidth  = 80
	usageStart = 28
	nameWidth  = usageStart - 2
)

// SetUsage says how usage is printed: as cobra does, with flags wrapped and one line of usage. No
// template is used: templates call methods by their names, so the linker would keep all methods,
// and the program be a seventh larger.
func SetUsage(root *cobra.Command) {
	cobras := root.UsageFunc()
	root.SetUsageFunc(func(c *cobra.Command) error {
		var b strings.Builder
		out := c.OutOrStderr()
		c.SetOut(&b)
		err := cobras(c)
		c.SetOut(out)
		io.WriteString(out, usageText(c, b.String()))
		return err
	})
}

// usageText is cobra's text of usage with what this program has otherwise.
func usageText(c *cobra.Command, text string) string {
	if c.HasAvailableSubCommands() {
		text = strings.Replace(text, "\n  "+c.UseLine(), "", 1)
		text = strings.Replace(text, c.CommandPath()+" [command]", c.CommandPath()+" COMMAND", 1)
		text = strings.Replace(text, "[command] --help", "COMMAND --help", 1)
	}
	for _, flags := range []*pflag.FlagSet{c.LocalFlags(), c.InheritedFlags()} {
		if flags.HasAvailableFlags() {
			usages := strings.TrimRight(flags.FlagUsages(), "\n ")
			text = strings.Replace(text, usages, strings.TrimRight(flagUsages(flags), "\n "), 1)
		}
	}
	return text
}

// flagUsages is pflag's list of flags with what they mean in one column, wherever the names
// end, and broken between words alone.
func flagUsages(flags *pflag.FlagSet) string {
	var b strings.Builder
	for line := range strings.Lines(flags.FlagUsages()) {
		name, usage, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "   ")
		if name == "" { // the spaces before a name without a short one
			more, rest, _ := strings.Cut(strings.TrimLeft(usage, " "), "   ")
			name, usage = "      "+more, rest
		}
		at := len(name)
		b.WriteString(name)
		if at > nameWidth {
			b.WriteByte('\n')
			at = 0
		}
		for i, word := range strings.Fields(usage) {
			switch {
			case i == 0:
				b.WriteString(strings.Repeat(" ", usageStart-at))
				at = usageStart
			case at+1+len(word) > HelpWidth:
				b.WriteString("\n" + strings.Repeat(" ", usageStart))
				at = usageStart
			default:
				b.WriteByte(' ')
				at++
			}
			b.WriteString(word)
			at += len(word)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
