package main

import (
	"bytes"

	"github.com/spf13/cobra"
)

// pageHelp makes help, which is longer than most screens, paged.
func pageHelp(root *cobra.Command) {
	root.PersistentFlags().Bool(noPagerFlag, false, "write output that is longer than the terminal directly, without $DPDISSECT_PAGER, $PAGER or less")
	show := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if page := topicOf(cmd); page != nil {
			_ = writePage(cmd, []byte(page.Text(topicWidth(cmd.OutOrStdout()), topicLook())))
			return
		}
		var text bytes.Buffer
		out := cmd.OutOrStdout()
		cmd.SetOut(&text)
		show(cmd, args)
		cmd.SetOut(out)
		_ = writePage(cmd, text.Bytes())
	})
}
