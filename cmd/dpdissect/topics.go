package main

import (
	"cmp"
	"io"

	"github.com/spf13/cobra"

	"github.com/dpdissect/dpdissect/docs"
	"github.com/dpdissect/dpdissect/internal/manual"
	"github.com/dpdissect/dpdissect/internal/terminal"
)

// A topic is a page of the documentation, or a section of one, that help shows.
type topic struct{ name, about, file, section string }

var topics = []topic{
	{"filters", "Display filters, as -Y takes them", "filters.md", ""},
	{"budgets", "Budgets of check: limits that numbers must keep", "ci.md", "Budgets"},
	{"rules-file", "The file of check --rules", "ci.md", "Rules file"},
	{"exit-codes", "The meaning of exit codes", "exit-codes.md", ""},
	{"time", "How times are shown, compared and distinguished", "time.md", ""},
}

// page is what the topic says.
func (t *topic) page() *manual.Page {
	text, err := docs.Pages.ReadFile(t.file)
	must(err)
	page := manual.Parse(string(text))
	if t.section != "" {
		page = page.Section(t.section)
	}
	return page
}

// newTopics makes commands that do nothing but have help.
func newTopics() (all []*cobra.Command) {
	for i := range topics {
		t := &topics[i]
		all = append(all, &cobra.Command{Use: t.name, Short: t.about, Long: t.about + ", from docs/" + t.file + ".", Example: "  dpdissect help " + t.name})
	}
	return all
}

// topicOf is the page of a command that is a topic, nil for others.
func topicOf(cmd *cobra.Command) *manual.Page {
	for i := range topics {
		if cmd.HasParent() && !cmd.Parent().HasParent() && cmd.Name() == topics[i].name {
			return topics[i].page()
		}
	}
	return nil
}

// topicWidth is how wide pages are: lines of running text are read no wider than that.
func topicWidth(out io.Writer) int {
	return min(cmp.Or(textWidth(out), terminal.DefaultWidth), terminal.DefaultWidth)
}

func topicLook() manual.Look {
	if !terminal.ColoursWelcome() {
		return manual.Look{}
	}
	style := terminal.Colours().Heading
	return manual.Look{Start: style.Start, Stop: style.Stop}
}
