package tables

import (
	"strings"
	"testing"
)

// TestChainOf: a chain is called as its first input, without extensions.
func TestChainOf(t *testing.T) {
	for input, want := range map[string]string{
		"-": "stdin", "a/b/game.pcapng.zst": "game", "game": "game", ".hidden.pcap": ".hidden", "a\tb.pcap": "a_b",
		strings.Repeat("ü", 100) + ".pcap": strings.Repeat("ü", 64),
	} {
		got := ChainOf(input)
		if got != want {
			t.Errorf("%q: %q, want %q", input, got, want)
		}
		if err := CheckName(got); err != nil {
			t.Errorf("%q: %v", got, err)
		}
	}
}

// TestDays: rows are in the folder of their day, also before 1970.
func TestDays(t *testing.T) {
	for ns, want := range map[int64]string{0: "1970-01-01", -1: "1969-12-31", 1714564799999999999: "2024-05-01"} {
		if got := dayOf(ns).String(); got != want {
			t.Errorf("%d: %s, want %s", ns, got, want)
		}
	}
}

// TestKeyedText: addresses are replaced wherever they stand, and nothing else.
func TestKeyedText(t *testing.T) {
	k := &Keys{[]byte(strings.Repeat("k", 32))}
	h4, h6 := k.replace("10.0.0.1"), k.replace("fd00::1")
	if len(h4) != 16 || len(h6) != 16 || h4 == h6 {
		t.Fatalf("%s, %s", h4, h6)
	}
	for text, want := range map[string]string{
		"10.0.0.1:2302 and [fd00::1]:99, at 12:00:16.4 (packet 9)": h4 + ":2302 and " + h6 + ":99, at 12:00:16.4 (packet 9)",
		"fd00::1 sent 3":                  h6 + " sent 3",
		"version 999.1.2.3 in [brackets]": "version 999.1.2.3 in [brackets]",
	} {
		if got := k.replace(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
