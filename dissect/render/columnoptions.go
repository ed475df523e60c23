package render

import (
	"fmt"
	"strings"
)

// ColumnOptions are the settings of -E.
type ColumnOptions struct {
	Header     bool
	BOM        bool
	Separator  byte // between columns
	Quote      byte // around values, 0 for none
	Occurrence byte // 'f' first, 'l' last or 'a' all values of a field
	Aggregator byte // between values of one field
}

// DefaultColumnOptions are tshark's: tab, no quotes, all values with commas.
func DefaultColumnOptions() ColumnOptions {
	return ColumnOptions{Separator: '\t', Occurrence: 'a', Aggregator: ','}
}

const columnOptionList = "header=y|n, bom=y|n, separator=/t|/s|CHAR, quote=d|s|n, occurrence=f|l|a, aggregator=,|/s|CHAR"

// Set reads one "name=value" of -E.
func (o *ColumnOptions) Set(s string) error {
	name, value, ok := strings.Cut(s, "=")
	if !ok {
		return fmt.Errorf("-E %q: want name=value, one of %s", s, columnOptionList)
	}
	switch name {
	case "header":
		o.Header, ok = yes(value)
	case "bom":
		o.BOM, ok = yes(value)
	case "separator":
		o.Separator, ok = character(value)
	case "aggregator":
		o.Aggregator, ok = character(value)
	case "quote":
		o.Quote, ok = quote(value)
	case "occurrence":
		ok = value == "f" || value == "l" || value == "a"
		if ok {
			o.Occurrence = value[0]
		}
	default:
		ok = false
	}
	if !ok {
		return fmt.Errorf("-E %q: want one of %s", s, columnOptionList)
	}
	return nil
}

func yes(s string) (value, ok bool) { return s == "y", s == "y" || s == "n" }

func character(s string) (byte, bool) {
	switch {
	case s == "/t":
		return '\t', true
	case s == "/s":
		return ' ', true
	case len(s) == 1 && s[0] >= ' ' && s[0] < 0x7f:
		return s[0], true
	}
	return 0, false
}

func quote(s string) (byte, bool) {
	switch s {
	case "d":
		return '"', true
	case "s":
		return '\'', true
	}
	return 0, s == "n"
}
