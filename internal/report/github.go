package report

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/internal/terminal"
	"github.com/dpdissect/dpdissect/internal/verdict"
	"github.com/dpdissect/dpdissect/session/conform"
)

// githubPerKind is how many annotations of one kind GitHub shows of a step.
const githubPerKind = 10

var checkGitHub = &CheckFormat{
	Name: "github", Use: " for annotations", Summary: checkSummary,
	One:     func(c *Check, _ TextOptions) []byte { return AppendGitHub(nil, c) },
	Several: func(s *Checks, _ TextOptions) []byte { return AppendChecksGitHub(nil, s) },
}

// AppendGitHub appends workflow commands that annotate a run of GitHub Actions, and
// the verdict in the last line.
func AppendGitHub(dst []byte, c *Check) []byte {
	g := &github{out: dst, left: map[string]int{}}
	g.inputs(c)
	g.asked(c)
	g.expired(c.Suppressions)
	g.findings(c.bundles())
	return g.line(c.headline())
}

// AppendChecksGitHub is AppendGitHub with the verdict on each file in a line of its
// own. What GitHub shows of a step is shared by all files.
func AppendChecksGitHub(dst []byte, s *Checks) []byte {
	g := &github{out: dst, left: map[string]int{}, several: true}
	for _, c := range s.Files {
		g.inputs(c)
	}
	for _, c := range s.Files {
		g.asked(c)
	}
	g.expired(s.Suppressions)
	g.findings(s.bundles())
	for _, c := range s.Files {
		g.out = g.line(c.named())
	}
	return g.out
}

// inputs annotates what is wrong with inputs, or that there is nothing in them.
func (g *github) inputs(c *Check) {
	for i := range c.Captures {
		if in := &c.Captures[i]; in.Problem != "" {
			kind := "warning"
			if in.Failed {
				kind = "error"
			}
			g.annotate(kind, in.Path, 0, "input", in.Problem)
		}
	}
	if note := c.note(); note != "" {
		g.annotate("notice", c.path(), 0, "check", note)
	}
}

// findings annotates frames, and says at the end what there was no room for.
func (g *github) findings(list []*bundle) {
	for _, b := range shared(list, githubPerKind-1) {
		g.finding(b)
	}
	g.rest()
}

func (g *github) line(s string) []byte {
	return append(append(g.out, render.Logged("dpdissect: "+s)...), '\n')
}

type github struct {
	out     []byte
	count   [3]int // by kind
	left    map[string]int
	several bool // files, so that each annotation must say which it is about
}

var githubKinds = [...]string{"error", "warning", "notice"}

// annotate writes a workflow command, or counts it when there are enough of its kind.
func (g *github) annotate(kind, path string, line uint64, title, message string) {
	for i, k := range githubKinds {
		if k != kind {
			continue
		}
		if g.count[i]++; g.count[i] >= githubPerKind { // the last one is for the rest
			g.left[kind]++
			return
		}
	}
	g.command(kind, path, line, title, message)
}

func (g *github) command(kind, path string, line uint64, title, message string) {
	var props []string
	if path != "" && path != "-" {
		props = append(props, "file="+githubProperty(filepath.ToSlash(path)))
		if line > 0 {
			props = append(props, "line="+strconv.FormatUint(line, 10))
		}
	}
	props = append(props, "title="+githubProperty(title))
	g.out = fmt.Appendf(g.out, "::%s %s::%s\n", kind, strings.Join(props, ","), githubData(message))
}

// githubData escapes the text of a workflow command.
func githubData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(terminal.Escaped(s))
}

// githubProperty escapes the value of a property.
func githubProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(githubData(s))
}

// asked annotates what was asked for and not met.
func (g *github) asked(c *Check) {
	path := ""
	if g.several {
		path = c.path()
	}
	for i := range c.Budgets {
		switch b := &c.Budgets[i]; {
		case b.Evaluated && !b.Held:
			text := "does not hold: it is " + b.Format(b.Value)
			if b.Worst != nil {
				text += ", " + budgetPlace(b)
			}
			g.annotate("error", path, 0, "budget "+b.Text, text)
		case !b.Evaluated && !b.Optional:
			g.annotate("error", path, 0, "budget "+b.Text, "not evaluated: "+b.Why)
		}
	}
	for i := range c.Required {
		if r := &c.Required[i]; !r.Met {
			text := "required, but never evaluated"
			if r.Inconclusive > 0 {
				text = "required, but never decided: " + verdict.Blockers(&r.Tally)
			}
			g.annotate("error", path, 0, r.Rule.ID, text)
		}
	}
	for i := range c.Gates {
		if r := &c.Gates[i]; !r.Held {
			g.annotate("error", path, 0, r.Name, r.String())
		}
	}
}

// expired annotates suppressions that hide nothing any more.
func (g *github) expired(list []verdict.SuppressionResult) {
	for i := range list {
		if s := &list[i]; s.Expired {
			g.annotate("warning", "", 0, "suppression of "+s.Pattern, "expired on "+s.Expires+": "+s.Reason)
		}
	}
}

func (g *github) finding(b *bundle) {
	f := b.first
	kind := [...]string{conform.Error: "error", conform.Warn: "warning", conform.Note: "notice"}[f.Severity]
	text := f.Message
	if !f.Failed() {
		kind, text = "notice", text+guardText(f)
	}
	path, line := b.of.locate(f.Frame)
	g.annotate(kind, path, line, f.Rule.ID, placeText(f)+": "+text+Times(b.count)+proofText(f))
}

// rest says how many annotations there would be beyond what GitHub shows.
func (g *github) rest() {
	for _, kind := range githubKinds {
		if n := g.left[kind]; n > 0 {
			g.command(kind, "", 0, "dpdissect", fmt.Sprintf("%d more of this kind; the step summary lists them", n))
		}
	}
}
