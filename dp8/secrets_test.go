package dp8

import (
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestParseSecret(t *testing.T) {
	want := SuppliedSecrets{SessionID: 0x79c9aec6, Connector: senderSecret, Listener: receiverSecret}
	full, current := want, want
	full.Mode = "full"
	current.Mode, current.Current = "fast", true
	for in, want := range map[string]SuppliedSecrets{
		"79c9aec6:8877665544332211:1122334455667788":                want,
		"0x79C9AEC6:8877665544332211:1122334455667788":              want,
		"79c9aec6:8877665544332211:1122334455667788:full":           full,
		"79c9aec6:8877665544332211:1122334455667788:fast:current":   current,
		"0X79c9aec6:8877665544332211:1122334455667788:current:fast": current,
	} {
		if got, err := ParseSecret(in); err != nil || got != want {
			t.Errorf("%s: %+v, %v", in, got, err)
		}
	}
	for in, want := range map[string]string{
		"":                                      "want session id, connector secret and listener secret, have 1 of them",
		"79c9aec6:8877665544332211":             "want session id, connector secret and listener secret, have 2 of them",
		"xyz:8877665544332211:1122334455667788": `session id: want up to 8 hex digits`,
		"0x:8877665544332211:1122334455667788":  `session id: want up to 8 hex digits`,
		"179c9aec6:8877665544332211:1122334455667788":               `session id: want up to 8 hex digits`,
		"000000001:8877665544332211:1122334455667788":               `session id: want up to 8 hex digits`,
		"+1:8877665544332211:1122334455667788":                      `session id: want up to 8 hex digits`,
		"1:88776655443322:1122334455667788":                         `connector secret: want 16 hex digits, have 14`,
		"1:8877665544332211:11223344556677889":                      `listener secret: want 16 hex digits, have 17`,
		"1:8877665544332211:112233445566778g":                       `listener secret: want 16 hex digits, character 16 is none`,
		"1:8877665544332211:1122334455667788:quick":                 `part 4: only fast or full and current may follow the secrets, once each`,
		"1:8877665544332211:1122334455667788:fast:full":             `part 5: only fast or full and current may follow the secrets, once each`,
		"1:8877665544332211:1122334455667788:current:current":       `part 5: only fast or full and current may follow the secrets, once each`,
		"1:8877665544332211:1122334455667788:fast:current:whatever": `part 6: only fast or full and current may follow the secrets, once each`,
	} {
		if got, err := ParseSecret(in); err == nil || err.Error() != want {
			t.Errorf("%q: %+v, %v, want %s", in, got, err, want)
		}
	}
}

// TestSecretsAreNotRepeated: whatever is wrong, no error repeats what was given.
func TestSecretsAreNotRepeated(t *testing.T) {
	good := []string{"79c9aec6", "8877665544332211", "1122334455667788", "full", "current"}
	for i := range good {
		for _, bad := range []string{"secret", "887766554433221", "88776655443322110", "8877665544332ö11", "8877665544332 11", ""} {
			words := slices.Clone(good)
			words[i] = bad
			_, one := ParseSecret(strings.Join(words, ":"))
			_, two := ParseSecrets("keys.txt", strings.NewReader("DP8 "+strings.Join(words, " ")))
			_, three := ParseSecrets("keys.txt", strings.NewReader(strings.Join(words, " ")))
			for _, err := range []error{one, two, three} {
				if err == nil {
					continue
				}
				for _, w := range append(words, "887766554433") {
					if len(w) > 7 && strings.Contains(err.Error(), w) {
						t.Errorf("%q: %v", words, err)
					}
				}
			}
			if one == nil {
				t.Errorf("%q is accepted", words)
			}
		}
	}
}

func TestParseSecrets(t *testing.T) {
	const file = `# secrets of the test network
DP8 0x00000001 8877665544332211 1122334455667788

dp8 2 8877665544332211 1122334455667788 fast current # in force
	DP8	3	8877665544332211	1122334455667788	full
`
	got, err := ParseSecrets("keys.txt", strings.NewReader(file))
	want := []SuppliedSecrets{
		{SessionID: 1, Connector: senderSecret, Listener: receiverSecret},
		{SessionID: 2, Connector: senderSecret, Listener: receiverSecret, Mode: "fast", Current: true},
		{SessionID: 3, Connector: senderSecret, Listener: receiverSecret, Mode: "full"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	broken := errors.New("broken")
	for _, c := range []struct {
		in   io.Reader
		want string
	}{
		{strings.NewReader("# fine\nDP9 1 2 3\n"), `keys.txt:2: a line starts with DP8`},
		{strings.NewReader("DP8 1 2 3\n"), `keys.txt:1: connector secret: want 16 hex digits, have 1`},
		{strings.NewReader("\n\nDP8 1\n"), `keys.txt:3: want session id, connector secret and listener secret, have 1 of them`},
		{iotest.ErrReader(broken), "keys.txt: broken"},
		{strings.NewReader(strings.Repeat("x", 1<<20)), "keys.txt: bufio.Scanner: token too long"},
	} {
		if got, err := ParseSecrets("keys.txt", c.in); err == nil || err.Error() != c.want || got != nil {
			t.Errorf("%+v, %v, want %s", got, err, c.want)
		}
	}
}
