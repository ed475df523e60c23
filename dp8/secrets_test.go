package dp8

import (
	"errors"
	"io"
	"reflect"
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
		"xyz:8877665544332211:1122334455667788": `session id "xyz": want up to 8 hex digits`,
		"0x:8877665544332211:1122334455667788":  `session id "0x": want up to 8 hex digits`,
		"179c9aec6:8877665544332211:1122334455667788":               `session id "179c9aec6": want up to 8 hex digits`,
		"000000001:8877665544332211:1122334455667788":               `session id "000000001": want up to 8 hex digits`,
		"+1:8877665544332211:1122334455667788":                      `session id "+1": want up to 8 hex digits`,
		"1:88776655443322:1122334455667788":                         `connector secret "88776655443322": want 16 hex digits`,
		"1:8877665544332211:11223344556677889":                      `listener secret "11223344556677889": want 16 hex digits`,
		"1:8877665544332211:112233445566778g":                       `listener secret "112233445566778g": want 16 hex digits`,
		"1:8877665544332211:1122334455667788:quick":                 `"quick": only fast or full and current may follow the secrets`,
		"1:8877665544332211:1122334455667788:fast:full":             `"full": only fast or full and current may follow the secrets`,
		"1:8877665544332211:1122334455667788:current:current":       `"current": only fast or full and current may follow the secrets`,
		"1:8877665544332211:1122334455667788:fast:current:whatever": `"whatever": only fast or full and current may follow the secrets`,
	} {
		if got, err := ParseSecret(in); err == nil || err.Error() != want {
			t.Errorf("%q: %+v, %v, want %s", in, got, err, want)
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
		{strings.NewReader("# fine\nDP9 1 2 3\n"), `keys.txt:2: "DP9": a line starts with DP8`},
		{strings.NewReader("DP8 1 2 3\n"), `keys.txt:1: connector secret "2": want 16 hex digits`},
		{strings.NewReader("\n\nDP8 1\n"), `keys.txt:3: want session id, connector secret and listener secret, have 1 of them`},
		{iotest.ErrReader(broken), "keys.txt: broken"},
		{strings.NewReader(strings.Repeat("x", 1<<20)), "keys.txt: bufio.Scanner: token too long"},
	} {
		if got, err := ParseSecrets("keys.txt", c.in); err == nil || err.Error() != c.want || got != nil {
			t.Errorf("%+v, %v, want %s", got, err, c.want)
		}
	}
}
