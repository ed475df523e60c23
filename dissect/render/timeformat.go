package render

import (
	"fmt"
	"strings"

	"github.com/dpdissect/dpdissect/dissect/spell"
)

// A TimeFormat is a value of -t. The zero value is "r": seconds since the first
// packet, with 6 decimals.
type TimeFormat struct {
	style  timeStyle
	digits uint8 // decimals plus one, 0 for the usual 6
}

type timeStyle uint8

const (
	relative timeStyle = iota
	absolute
	absoluteDate
	delta
	deltaDisplayed
	epoch
	utc
	utcDate
)

var timeStyles = [...]struct{ name, doc string }{
	{"r", "since the first packet"},
	{"a", "local time"},
	{"ad", "local date and time"},
	{"d", "since the previous captured packet"},
	{"dd", "since the previous displayed packet"},
	{"e", "since 1970"},
	{"u", "UTC time"},
	{"ud", "UTC date and time"},
}

// ParseTimeFormat reads a value of -t: one of tshark's names, optionally with a
// number of decimals, as in "ad.3".
func ParseTimeFormat(s string) (TimeFormat, error) {
	name, decimals, dotted := strings.Cut(s, ".")
	for i := range timeStyles {
		if timeStyles[i].name != name {
			continue
		}
		f := TimeFormat{style: timeStyle(i)}
		if !dotted {
			return f, nil
		}
		if len(decimals) == 1 && decimals[0] >= '0' && decimals[0] <= '9' {
			f.digits = decimals[0] - '0' + 1
			return f, nil
		}
	}
	return TimeFormat{}, fmt.Errorf("unknown time format %q: want %s, optionally with decimals as in ad.3", s, timeFormatList())
}

// TimeFormats lists the names that ParseTimeFormat takes, each with what it shows.
func TimeFormats() (all [][2]string) {
	for _, s := range timeStyles {
		all = append(all, [2]string{s.name, s.doc})
	}
	return all
}

func timeFormatList() string {
	var all []string
	for _, s := range timeStyles {
		all = append(all, s.name+" ("+s.doc+")")
	}
	return spell.OrList(all)
}

// Local reports whether it is a format of local times.
func (f TimeFormat) Local() bool { return f.style == absolute || f.style == absoluteDate }

func (f TimeFormat) decimals() int {
	if f.digits == 0 {
		return 6
	}
	return int(f.digits) - 1
}

// String is the value as ParseTimeFormat reads it.
func (f TimeFormat) String() string {
	s := timeStyles[f.style].name
	if f.digits != 0 {
		s += "." + string('0'+rune(f.digits-1))
	}
	return s
}

// Set makes *TimeFormat a flag value.
func (f *TimeFormat) Set(s string) (err error) {
	*f, err = ParseTimeFormat(s)
	return err
}

// Type is the flag's type in help texts.
func (f *TimeFormat) Type() string { return "format" }
