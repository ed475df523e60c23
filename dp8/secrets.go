package dp8

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"
)

// SuppliedSecrets are the signing secrets of one connection, given by the user.
type SuppliedSecrets struct {
	SessionID uint32
	Connector Secret // ullSenderSecret, bytes in wire order
	Listener  Secret // ullReceiverSecret
	Mode      string // "fast", "full" or "" when the traffic shall tell
	Current   bool   // in force at the first captured frame, not from the handshake
}

// ParseSecret reads SESSID:SENDER:RECEIVER[:fast|full][:current]. Errors say where it is
// wrong and never repeat it: any part of what is mistyped may be a secret.
func ParseSecret(s string) (SuppliedSecrets, error) {
	return parseSecret(strings.Split(s, ":"))
}

// ParseSecrets reads a secrets file: lines
//
//	DP8 <dwSessID> <connector secret> <listener secret> [fast|full] [current]
//
// with # comments. Errors name file and line, and never what stands there.
func ParseSecrets(name string, r io.Reader) ([]SuppliedSecrets, error) {
	var all []SuppliedSecrets
	sc := bufio.NewScanner(r)
	for line := 1; sc.Scan(); line++ {
		text, _, _ := strings.Cut(sc.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		if !strings.EqualFold(words[0], "DP8") {
			return nil, fmt.Errorf("%s:%d: a line starts with DP8", name, line)
		}
		s, err := parseSecret(words[1:])
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		all = append(all, s)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return all, nil
}

func parseSecret(words []string) (s SuppliedSecrets, err error) {
	if len(words) < 3 {
		return s, fmt.Errorf("want session id, connector secret and listener secret, have %d of them", len(words))
	}
	if s.SessionID, err = parseSessionID(words[0]); err != nil {
		return s, err
	}
	if s.Connector, err = parseSecretHex("connector secret", words[1]); err != nil {
		return s, err
	}
	if s.Listener, err = parseSecretHex("listener secret", words[2]); err != nil {
		return s, err
	}
	for i, w := range words[3:] {
		switch {
		case (w == "fast" || w == "full") && s.Mode == "":
			s.Mode = w
		case w == "current" && !s.Current:
			s.Current = true
		default:
			return s, fmt.Errorf("part %d: only fast or full and current may follow the secrets, once each", i+4)
		}
	}
	return s, nil
}

func parseSessionID(s string) (uint32, error) {
	digits := strings.TrimPrefix(strings.TrimPrefix(s, "0x"), "0X")
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil || len(digits) > 8 {
		return 0, fmt.Errorf("session id: want up to 8 hex digits")
	}
	return uint32(n), nil
}

func parseSecretHex(what, s string) (Secret, error) {
	if n := utf8.RuneCountInString(s); n != 16 {
		return Secret{}, fmt.Errorf("%s: want 16 hex digits, have %d", what, n)
	}
	b, err := hex.DecodeString(s)
	if err != nil {
		bad := strings.IndexFunc(s, func(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF", r) })
		return Secret{}, fmt.Errorf("%s: want 16 hex digits, character %d is none", what, bad+1)
	}
	return Secret(b), nil
}

// IsFor reports whether the secrets name a session. The id may be written as
// the number or as its bytes stand on the wire.
func (s *SuppliedSecrets) IsFor(id uint32) bool {
	return s.SessionID == id || bits.ReverseBytes32(s.SessionID) == id
}
