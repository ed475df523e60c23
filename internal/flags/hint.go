package flags

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpdissect/dpdissect/dissect/spell"
)

// tsharkHints say what does here what a flag of tshark does there.
var tsharkHints = map[string]string{
	"D": "'dpdissect interfaces' lists the interfaces",
	"L": "'dpdissect interfaces' shows the link types",
	"G": "'dpdissect fields' lists the fields",
	"R": "-Y takes display filters",
	"O": "-V shows all protocols of a datagram",
	"l": "live and from pipes, each line is written as it comes",
	"P": "each datagram is printed; -V shows all of it",
	"2": "one pass is enough: what later packets show about earlier ones is included",
	"w": "'dpdissect capture -w FILE' records packets",
	"b": "'dpdissect capture -b COND' records rings of files",
	"F": "'dpdissect capture -F FORMAT' records packets",
	"v": "'dpdissect version' shows the version",
}

// Hint is what may have been meant by a flag that a command does not have: a name
// near to it, the flag of another command, what tshark means by it.
func Hint(cmd *cobra.Command, e *pflag.NotExistError) string {
	name, short := e.GetSpecifiedName(), e.GetSpecifiedShortnames() != ""
	if !cmd.HasParent() {
		return "; put a command before it, as in 'dpdissect decode -r FILE'"
	}
	if !short {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, "--"+f.Name)
			}
		})
		if hint := spell.DidYouMean("--"+name, names); hint != "" {
			return hint
		}
	}
	if hint := tsharkHints[name]; short && hint != "" {
		return "; " + hint
	}
	if others := commandsWith(cmd.Root(), name, short); len(others) > 0 {
		return "; it is a flag of " + spell.OrList(others)
	}
	return ""
}

// commandsWith are the commands that have a flag.
func commandsWith(root *cobra.Command, name string, short bool) (all []string) {
	for _, c := range root.Commands() {
		f := c.Flags().Lookup(name)
		if short {
			f = c.Flags().ShorthandLookup(name)
		}
		if f != nil && !f.Hidden {
			all = append(all, c.Name())
		}
	}
	slices.Sort(all)
	return all
}
