package render

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestLogged: what is printed neither reaches a terminal as it is nor speaks to a
// system that reads the log.
func TestLogged(t *testing.T) {
	for s, want := range map[string]string{
		"a\x1b[31m\nb\u202e":        `a\x1b[31m\nb\u202e`,
		"::error::x":                `\x3a:error::x`,
		"  ::error::x":              `  \x3a:error::x`,
		"a\r\n::add-mask::b":        `a\r\n::add-mask::b`,
		"x##[error]y":               `x#\x23[error]y`,
		"##vso[task.complete]":      `#\x23vso[task.complete]`,
		"###[":                      `#\x23#[`,
		"game ü.pcap: no such file": "game ü.pcap: no such file",
	} {
		if got := Logged(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

func TestEscape(t *testing.T) {
	for _, tt := range [][2]string{
		{"plain text ~ 12345678 and more", "plain text ~ 12345678 and more"},
		{"grüße 日本 😀", "grüße 日本 😀"},
		{"\x1b[31mred", `\x1b[31mred`},
		{"12345678\x7f", `12345678\x7f`},
		{"1234567\x80", `1234567\x80`},
		{"a\nb\tc\rd\x00", `a\nb\tc\rd\x00`},
		{"\u009b31m", `\u009b31m`},
		{"user\u202egnp.exe\u2066", `user\u202egnp.exe\u2066`},
		{"\xff\xc3", `\xff\xc3`},
		{"\ufffd", "\ufffd"},
		{"\U000e0001", `\U000e0001`},
		{"#1 of # and #", "#1 of # and #"},
		{"12345678 ##vso[task.complete]", `12345678 #\x23vso[task.complete]`},
		{"x###[error]##", `x#\x23#[error]#\x23`},
		{"", ""},
	} {
		if got := string(AppendEscaped(nil, tt[0])); got != tt[1] {
			t.Errorf("%q: got %s, want %s", tt[0], got, tt[1])
		}
	}
}

// TestEscapeOverCalls: two texts side by side give no command either.
func TestEscapeOverCalls(t *testing.T) {
	if got, want := string(AppendEscaped(AppendEscaped(nil, "a #"), "#vso[x]")), `a #\x23vso[x]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestJSONString(t *testing.T) {
	for _, tt := range [][2]string{
		{`plain`, `"plain"`},
		{"a\"b\\c/\n\r\t\x00\x1b\x7f", `"a\"b\\c/\n\r\t\u0000\u001b\u007f"`},
		{"é😀\u202e\u2028\U000e0001", `"é😀\u202e\u2028\udb40\udc01"`},
		{"\xff\xc3", `"\ufffd\ufffd"`},
		{"\ufffd", "\"\ufffd\""},
	} {
		if got := string(AppendJSONString(nil, []byte(tt[0]))); got != tt[1] {
			t.Errorf("%q: got %s, want %s", tt[0], got, tt[1])
		}
	}
}

// FuzzEscape: what is printed never drives a terminal, and text without
// anything to escape is left alone. JSON strings mean what they were given.
func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", "plain", "\x1b]0;x\x07", "\u202e\u009b", "\xff\xfe", "12345678\x1f2345678", "\U000e0001é"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := string(AppendEscaped([]byte("x"), s))[1:]
		if got != string(AppendEscaped(nil, []byte(s))) {
			t.Error("bytes and string differ")
		}
		checkVisible(t, got)
		if strings.Contains(got, "##") {
			t.Errorf("%q became %q, which has a command of a log", s, got)
		}
		if strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }) < 0 && !strings.Contains(s, "##") && got != s {
			t.Errorf("%q became %q", s, got)
		}
		quoted := AppendJSONString(nil, s)
		checkVisible(t, string(quoted))
		var back string
		if err := json.Unmarshal(quoted, &back); err != nil || back != strings.ToValidUTF8(each(s), "") {
			t.Errorf("%q: %s: %q, %v", s, quoted, back, err)
		}
	})
}

// each replaces every invalid byte, not only every run of them.
func each(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(r)
	}
	return b.String()
}

func checkVisible(t *testing.T, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("invalid UTF-8: %q", s)
	}
	for _, r := range s {
		if !unicode.IsPrint(r) {
			t.Errorf("%U in %q", r, s)
		}
	}
}
