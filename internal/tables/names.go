package tables

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxName bounds the bytes of the name of a capture point or a chain.
const maxName = 128

// CheckName says what is wrong with the name of a capture point or a chain.
func CheckName(s string) error {
	switch {
	case s == "":
		return errors.New("is empty")
	case len(s) > maxName:
		return fmt.Errorf("is longer than %d bytes", maxName)
	case !utf8.ValidString(s):
		return errors.New("is not UTF-8")
	case strings.ContainsFunc(s, unicode.IsControl):
		return errors.New("has control characters")
	}
	return nil
}

// FileName is a name as a part of the name of a file: all but letters, digits, - and _ are
// percent-encoded, so it names nothing outside its folder.
func FileName(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// ChainOf is the chain that an input begins unless it is named: its name without extensions.
func ChainOf(input string) string {
	if input == "-" {
		return "stdin"
	}
	name := filepath.Base(input)
	if i := strings.IndexByte(name[1:], '.'); i >= 0 {
		name = name[:1+i]
	}
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return '_'
		}
		return r
	}, name)
	for len(name) > maxName {
		_, n := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-n]
	}
	return name
}

// day is a day of a folder, in days since 1970.
type day int32

func dayOf(ns int64) day {
	const length = 24 * int64(time.Hour)
	d := ns / length
	if ns%length < 0 {
		d--
	}
	return day(d)
}

func (d day) String() string { return time.Unix(int64(d)*86400, 0).UTC().Format(time.DateOnly) }

// path is where the rows of a table of a day are, with slashes.
func (o *Options) path(t *Table, d day, step int, extension string) string {
	return fmt.Sprintf("%s/point=%s/date=%s/%s.%08d.%s", t.Name, FileName(o.Point), d, FileName(o.Chain), step, extension)
}
