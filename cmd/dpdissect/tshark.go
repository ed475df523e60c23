package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/dissect/filter"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/protocols"
)

// tshark is the flags that hands know from tshark where this program has others.
type tshark struct {
	files     []string // -r
	recursive bool
	kind      flags.Choice // -T
}

// tsharkFormats are what -T takes, each with the format that it is.
var tsharkFormats = map[string]string{"text": "text", "json": "json", "ek": "ndjson", "fields": "text"}

func (t *tshark) add(cmd *cobra.Command, format *flags.Choice) {
	t.kind = flags.Choice{Allowed: []string{"text", "json", "ek"}}
	usage := "output `TYPE` as tshark names it: text, json, or ek for --format ndjson"
	if cmd.Flags().Lookup("field") != nil {
		t.kind.Allowed = append(t.kind.Allowed, "fields")
		usage = "output `TYPE` as tshark names it: text, json, ek for --format ndjson, or fields for the columns of -e"
	}
	t.kind.Allowed = slices.DeleteFunc(t.kind.Allowed, func(s string) bool { return !slices.Contains(format.Allowed, tsharkFormats[s]) })
	t.addFiles(cmd)
	if len(t.kind.Allowed) == 0 {
		return
	}
	t.kind.AddShort(cmd, "tshark-format", "T", usage)
}

// addFiles adds the flag that stands for INPUT.
func (t *tshark) addFiles(cmd *cobra.Command) {
	cmd.Flags().StringArrayVarP(&t.files, "read-file", "r", nil, "read `FILE`, as if given as INPUT; repeatable")
	cmd.Flags().BoolVar(&t.recursive, "recursive", false, "of a directory given as INPUT, read the captures in its sub-directories, too")
}

// inputs are the files of -r and those that stand alone.
func (t *tshark) inputs(args []string) []string { return slices.Concat(t.files, args) }

// captures are the inputs, with the captures of directories in their place. What is in
// these and was left out is told.
func (t *tshark) captures(w io.Writer, args []string) []string {
	paths, folders := capture.Expand(t.inputs(args), t.recursive)
	for i := range folders {
		if text := skippedText(&folders[i]); text != "" {
			fmt.Fprintf(w, "dpdissect: %s\n", printable(text))
		}
	}
	return paths
}

// skippedText says what of a directory is not read, "" when all of it is.
func skippedText(f *capture.Folder) string {
	var parts []string
	if f.Others == 1 {
		parts = append(parts, "1 file that is no capture")
	} else if f.Others > 1 {
		parts = append(parts, fmt.Sprint(f.Others, " files that are no captures"))
	}
	if f.Folders == 1 {
		parts = append(parts, "1 sub-directory, which --recursive reads")
	} else if f.Folders > 1 {
		parts = append(parts, fmt.Sprint(f.Folders, " sub-directories, which --recursive reads"))
	}
	if len(parts) == 0 {
		return ""
	}
	return f.Path + ": skipped " + strings.Join(parts, " and ")
}

// check refuses what has no meaning together, and makes -T the format it stands for.
func (t *tshark) check(cmd *cobra.Command, args []string, format *flags.Choice) error {
	if err := t.filterGiven(args); err != nil || t.kind.Value == "" {
		return err
	}
	if meant := tsharkFormats[t.kind.Value]; !cmd.Flags().Changed("format") {
		format.Value = meant
	} else if format.Value != meant {
		return exit.Usagef("-T %s means --format %s, but --format %s is also given: give one", t.kind.Value, meant, format.Value)
	}
	if t.kind.Value == "fields" && !cmd.Flags().Changed("field") {
		return exit.Usagef("-T fields prints the columns of -e: give -e")
	}
	return nil
}

// filterGiven refuses a display filter that stands alone, as after tshark's -r.
func (t *tshark) filterGiven(args []string) error {
	for _, a := range args {
		if _, err := os.Stat(a); err == nil || len(t.files) == 0 && !strings.ContainsAny(a, " =<>(") {
			continue
		}
		if _, err := filter.Compile(a, filter.NewSet(protocols.Tables())); err == nil && a != "-" {
			return exit.Usagef("there is no file %q; did you mean the display filter -Y '%s'?", a, a)
		}
	}
	return nil
}

// statistics is -z: the tables of tshark that this program has.
type statistics struct{ wanted string }

func (z *statistics) add(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&z.wanted, "statistics", "z", "", "`TABLE` as tshark names it: conv,udp[,FILTER] prints only the table of connections")
}

// wantsConnections reports whether -z asks for the table of connections. It puts the filter
// after it where -Y puts its own. Of other tables the error says which command has them.
func (z *statistics) wantsConnections(cmd *cobra.Command, paths []string, display *string) (bool, error) {
	if z.wanted == "" {
		return false, nil
	}
	words := strings.SplitN(z.wanted, ",", 3)
	for len(words) < 3 {
		words = append(words, "")
	}
	if words[0] != "conv" || words[1] != "udp" {
		return false, exit.Usagef("-z %s: %s", z.wanted, elsewhereThan(words, paths))
	}
	if words[2] != "" && *display != "" {
		return false, exit.Usagef("-z %s has a display filter, and so has -Y: give one", z.wanted)
	}
	if words[2] != "" {
		*display = words[2]
	}
	if cmd.Name() != "analyze" {
		return false, exit.Usagef("-z conv,udp: the table of connections is what %s prints", commandLine("analyze -z conv,udp", paths))
	}
	return true, nil
}

// elsewhereThan says where what tshark shows with -z is found here.
func elsewhereThan(words, paths []string) string {
	switch words[0] {
	case "io":
		switch {
		case words[1] == "stat":
			interval, show, _ := strings.Cut(words[2], ",")
			if interval == "" || interval == "0" {
				return "numbers of the whole capture are what " + commandLine("analyze", paths) + " prints"
			}
			line := "timeline --interval " + interval + "s"
			if show != "" {
				line += " -Y '" + show + "'"
			}
			return "numbers over time are what " + commandLine(line, paths) + " prints"
		case words[1] == "phs":
			return "which protocols are in a capture is what " + commandLine("protocols -v", paths) + " tells"
		}
	case "expert":
		return "what breaks the rules is what " + commandLine("check -V", paths) + " prints"
	case "follow":
		return "what each side sent is what " + commandLine("messages --payload", paths) + " prints"
	}
	return "want conv,udp, or conv,udp,FILTER"
}

// commandLine is a command of this program with its inputs, in quotes.
func commandLine(command string, paths []string) string {
	if len(paths) == 0 {
		paths = []string{"INPUT"}
	}
	return "'dpdissect " + command + " " + strings.Join(paths, " ") + "'"
}
