package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/flags"
	"github.com/dpdissect/dpdissect/internal/wireshark"
)

func newWireshark() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "wireshark",
		Short: "Put the protocols and the analysis into Wireshark",
		Long: `Put the protocols into Wireshark, with what the analysis says of each packet:
'dpdissect annotate' writes a capture with comments, and the plugin, a Lua file,
decodes the packets as the comments say and shows fields, expert infos and
columns. docs/wireshark.md says what it adds.`,
		Example: `  dpdissect wireshark install
  dpdissect annotate game.pcap -w annotated.pcapng
  wireshark -C dpdissect annotated.pcapng`,
		Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newWiresharkPrint(), newWiresharkInstall(), newWiresharkUninstall())
	return cmd
}

func newWiresharkPrint() *cobra.Command {
	var fields bool
	format := flags.Choice{Allowed: []string{"text", "json"}}
	cmd := &cobra.Command{
		Use:   "print",
		Short: "Print the plugin, a Lua file",
		Long: `Print the plugin: one Lua file for Wireshark, generated from the tables that
decode. The same version of the program prints the same bytes on every system.

--fields prints what it registers: name, type, base and label, as 'tshark -G
fields' lists them.`,
		Example: `  dpdissect wireshark print > dpdissect.lua
  tshark -X lua_script:dpdissect.lua -r annotated.pcapng -Y dpdissect.retry`,
		Args: noArgs,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVar(&fields, "fields", false, "print the fields that the plugin registers")
	format.Add(cmd, "format", "of --fields: lines of text, or one JSON document")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		switch {
		case !fields && cmd.Flags().Changed("format"):
			return exit.Usagef("--format is that of --fields: give both")
		case !fields:
			_, err := cmd.OutOrStdout().Write(wireshark.Plugin(buildVersion().Version))
			return err
		case format.Value == "json":
			return writePage(cmd, indented(wireshark.Fields()))
		}
		var b []byte
		for _, f := range wireshark.Fields() {
			b = fmt.Appendf(b, "%s\t%s\t%s\t%s\n", f.Name, f.Type, f.Base, f.Label)
		}
		return writePage(cmd, b)
	}
	return cmd
}

// wiresharkSchema is the name and version of what install and uninstall print as JSON.
const wiresharkSchema = "dpdissect/wireshark/1"

func newWiresharkInstall() *cobra.Command {
	var dir string
	var noExtcap, noProfile, force bool
	format := flags.Choice{Allowed: []string{"text", "json"}}
	cmd := &cobra.Command{
		Use:   "install",
		Short: "Write the plugin and a profile into Wireshark's folders",
		Long: `Write the plugin and the profile dpdissect (columns, colours, buttons) into the
folders of this user's Wireshark, with a link to this program, which captures
for Wireshark then (extcap), and print each path. tshark, where it is found,
says which folders these are; WIRESHARK_CONFIG_DIR, WIRESHARK_PLUGIN_DIR and
WIRESHARK_EXTCAP_DIR are obeyed. Nothing of the user's own is changed.

A list of what was written is kept in dpdissect.installed beside the plugin. A
file that this program did not write is not replaced unless --force is given.`,
		Example: `  dpdissect wireshark install
  dpdissect wireshark install --dir ws
  WIRESHARK_CONFIG_DIR=ws wireshark -C dpdissect`,
		Args: noArgs,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&dir, "dir", "", "write below `DIR` in place of Wireshark's folders")
	f.BoolVar(&noExtcap, "no-extcap", false, "make no link: nothing captures for Wireshark")
	f.BoolVar(&noProfile, "no-profile", false, "write no profile")
	f.BoolVar(&force, "force", false, "replace files that this program did not write")
	format.Add(cmd, "format", "paths as text, or one JSON document")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		folders := wireshark.FindFolders(dir)
		o := wireshark.Options{Version: buildVersion().Version, Profile: !noProfile, Force: force}
		if !noExtcap {
			path, err := os.Executable()
			if err != nil {
				return err
			}
			o.Program = path
		}
		done, err := folders.Install(o)
		if err != nil {
			return err
		}
		return tellFiles(cmd, &format, folders, done)
	}
	return cmd
}

func newWiresharkUninstall() *cobra.Command {
	var dir string
	format := flags.Choice{Allowed: []string{"text", "json"}}
	cmd := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove what install wrote",
		Long: `Remove the files that 'dpdissect wireshark install' wrote and that are still as
it wrote them, and folders that became empty. Files that were changed are kept,
and named.`,
		Example: "  dpdissect wireshark uninstall",
		Args:    noArgs,
	}
	cmd.Flags().StringVar(&dir, "dir", "", "remove from below `DIR`")
	format.Add(cmd, "format", "paths as text, or one JSON document")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		folders := wireshark.FindFolders(dir)
		done, ok, err := folders.Uninstall()
		if err != nil {
			return err
		}
		if !ok {
			fmt.Fprintln(cmd.ErrOrStderr(), "dpdissect: nothing is installed")
		}
		return tellFiles(cmd, &format, folders, done)
	}
	return cmd
}

// tellFiles says what became of each file.
func tellFiles(cmd *cobra.Command, format *flags.Choice, folders wireshark.Folders, done []wireshark.File) error {
	if format.Value == "json" {
		if done == nil {
			done = []wireshark.File{}
		}
		_, err := cmd.OutOrStdout().Write(indented(struct {
			Schema    string           `json:"schema"`
			Wireshark string           `json:"wireshark,omitempty"`
			Files     []wireshark.File `json:"files"`
		}{wiresharkSchema, folders.Wireshark, done}))
		return err
	}
	var b []byte
	for _, f := range done {
		b = fmt.Appendf(b, "%-7s  %s\n", f.Action, printable(f.Path))
	}
	_, err := cmd.OutOrStdout().Write(b)
	return err
}
