package terminal

import (
	"strings"

	"github.com/fatih/color"

	"github.com/dpdissect/dpdissect/dissect/render"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// Colours is the palette of terminals: what has which colour, in tables, the lines of
// datagrams and the live view. Every colour is one of the basic eight.
func Colours() render.Palette {
	return render.Palette{
		Heading: style(color.Bold), Protocol: style(color.FgCyan), Mark: style(color.FgYellow), Derived: style(color.Faint),
		Error: style(color.FgRed), Warn: style(color.FgYellow), Note: style(color.FgCyan), Highlight: style(color.ReverseVideo),
	}
}

// Emphasis is the palette of a screen on which nothing is coloured: what must stand out
// there does so by the terminal's own means.
func Emphasis() render.Palette {
	return render.Palette{
		Heading: style(color.Bold), Derived: style(color.Faint), Error: style(color.Bold), Warn: style(color.Underline),
		Highlight: style(color.ReverseVideo),
	}
}

// style is an attribute of text between what turns it on and what turns all off. Whether
// it is used is not decided here, whatever the environment says.
func style(a color.Attribute) render.Style {
	c := color.New(a)
	c.EnableColor()
	var start, stop strings.Builder
	c.SetWriter(&start)
	c.UnsetWriter(&stop)
	return render.Style{Start: start.String(), Stop: stop.String()}
}

// ColoursWelcome reports whether colours may go to standard output without a word of the
// user's: it is a terminal, no dumb one, and NO_COLOR is not set.
func ColoursWelcome() bool { return !color.NoColor }

// SeverityStyle is how what is of a severity is shown.
func SeverityStyle(p *render.Palette, s conform.Severity) render.Style {
	return [...]render.Style{conform.Error: p.Error, conform.Warn: p.Warn, conform.Note: p.Note}[s]
}

// StateStyle is how the state of a connection is shown.
func StateStyle(p *render.Palette, s session.State) render.Style {
	switch s {
	case session.Reset, session.TimedOut, session.Refused:
		return p.Error
	case session.StateUnknown:
		return p.Derived
	}
	return render.Style{}
}
