package report

import (
	"fmt"
	"net/netip"
	"strconv"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dissect/render"
)

// significant writes a value of at least 1 with three digits or all of its
// whole ones: "1.23", "12.3", "123", "1234".
func significant(v float64) string {
	switch {
	case v < 9.995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v < 99.95:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// size is a number of bytes for people: "812 B", "1.23 MB".
func size(n uint64) string {
	if n < 1000 {
		return strconv.FormatUint(n, 10) + " B"
	}
	v := float64(n)
	for _, unit := range []string{"kB", "MB", "GB"} {
		if v /= 1000; v < 999.5 {
			return significant(v) + " " + unit
		}
	}
	return significant(v/1000) + " TB"
}

// millis is a round trip: always in ms, so that a column can be compared.
func millis(ns int64) string { return significant(float64(ns)/1e6) + " ms" }

// span is a duration for people: "850 ms", "62.4 s", "1h03m12s".
func span(ns int64) string {
	sec := ns / 1e9
	switch {
	case ns < 0:
		return "unknown time"
	case ns < 1e9:
		return millis(ns)
	case sec < 120:
		return significant(float64(ns)/1e9) + " s"
	case sec < 3600:
		return fmt.Sprintf("%dm%02ds", sec/60, sec%60)
	}
	return fmt.Sprintf("%dh%02dm%02ds", sec/3600, sec/60%60, sec%60)
}

// percent is a share; what is not 0 is never shown as 0.
func percent(part, whole uint64) string {
	p := 100 * float64(part) / float64(whole)
	switch {
	case part == 0:
		return "0%"
	case p < 0.05:
		return "<0.1%"
	case p < 9.95:
		return strconv.FormatFloat(p, 'f', 1, 64) + "%"
	}
	return strconv.FormatFloat(p, 'f', 0, 64) + "%"
}

// counted is a number with its noun: "1 packet", "2 packets".
func counted(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.FormatUint(n, 10) + " " + noun + "s"
}

// escaped makes text harmless for a terminal.
func escaped(s string) string { return string(render.AppendEscaped(nil, s)) }

// A painter makes cells in the colours of a palette.
type painter struct {
	render.Palette
	names func(dissect.Endpoint) string // TextOptions.Names
}

// end is an address, or its name.
func (p *painter) end(e dissect.Endpoint) string {
	if p.names != nil {
		if name := p.names(e); name != "" {
			return escaped(name)
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

func (p *painter) plain(text string) cell { return cell{text: text} }

func (p *painter) unknown() cell { return cell{text: "-", style: p.Derived, dim: true} }

// count is a number without judgement; 0 is dim.
func (p *painter) count(n uint64) cell { return p.judged(n, render.Style{}) }

// judged is a number that is in the style unless it is 0.
func (p *painter) judged(n uint64, s render.Style) cell {
	if n == 0 {
		return cell{text: "0", style: p.Derived, dim: true}
	}
	return cell{text: strconv.FormatUint(n, 10), style: s}
}

// maybe is a number that may be unknown.
func (p *painter) maybe(n uint64, known bool, s render.Style) cell {
	if !known {
		return p.unknown()
	}
	return p.judged(n, s)
}

// share is a percentage of something, unknown when there is none of it.
func (p *painter) share(part, whole uint64, s render.Style) cell {
	switch {
	case whole == 0:
		return p.unknown()
	case part == 0:
		return cell{text: "0%", style: p.Derived, dim: true}
	}
	return cell{text: percent(part, whole), style: s}
}
