package report

import (
	"net/netip"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/terminal"
)

// A painter makes cells in the colours of a palette, and names addresses.
type painter struct {
	terminal.Painter
	names func(dissect.Endpoint) string // TextOptions.Names
}

func newPainter(opts *TextOptions) *painter {
	return &painter{terminal.Painter{Palette: opts.Palette}, opts.Names}
}

// end is an address, or its name.
func (p *painter) end(e dissect.Endpoint) string {
	if p.names != nil {
		if name := p.names(e); name != "" {
			return terminal.Escaped(name)
		}
	}
	return e.String()
}

// named puts names in the place of addresses in what was made for people.
func (p *painter) named(address string) string {
	if a, err := netip.ParseAddrPort(address); err == nil {
		return p.end(dissect.MakeEndpoint(a))
	}
	return address
}
