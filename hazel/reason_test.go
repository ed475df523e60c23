package hazel

import (
	"strings"
	"testing"
)

// The reason of a Disconnect is told by name, with the text that players see.
func TestReasonText(t *testing.T) {
	reason := func(body ...byte) []byte { return append([]byte{1}, AppendMessage(nil, 0, body)...) }
	for _, tt := range []struct {
		data       []byte
		name, text string
	}{
		{nil, "", ""},
		{[]byte{1}, "", ""},
		{reason(5), "IncorrectVersion", ""},
		{reason(77), "77", ""},
		{reason(append([]byte{8, 6}, "Kicked"...)...), "Custom", "Kicked"},
		{reason(append([]byte{8, 60}, "Kicked"...)...), "Custom", ""}, // longer than what is there
		{reason(append([]byte{8, 0xff}, "Kicked"...)...), "Custom", ""},
		{reason(8, 2, 'a', 0xff), "Custom", "a\uFFFD"},
	} {
		if name, text := ReasonText(tt.data); name != tt.name || text != tt.text {
			t.Errorf("%x: %q %q, want %q %q", tt.data, name, text, tt.name, tt.text)
		}
	}
}

// TestWrongVersion: the protocol's word for another version of the game is in the name of that
// reason, and of no other.
func TestWrongVersion(t *testing.T) {
	for _, r := range reasons {
		is := strings.Contains(strings.ToLower(r.Name), Hazel.WrongVersion)
		if is != (r.Name == "IncorrectVersion") || Hazel.WrongVersion == "" {
			t.Errorf("%s: %v", r.Name, is)
		}
	}
}
