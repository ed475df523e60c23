package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestStatusLine plays what is written on a terminal of some columns: the line shows the
// last text and nothing of those before, never goes on in the next line, and is empty in
// the end.
func TestStatusLine(t *testing.T) {
	for _, columns := range []int{0, 1, 2, 10, 80} {
		var out bytes.Buffer
		l := &statusLine{w: &out, columns: func() int { return columns }}
		for _, text := range []string{"one", "a longer text", "", "short"} {
			l.show(text)
			want := text
			if columns > 0 {
				want = text[:min(len(text), columns-1)]
			}
			if got := played(t, out.String(), columns); got != strings.TrimRight(want, " ") {
				t.Errorf("%d columns: %q, want %q", columns, got, want)
			}
		}
		l.clear()
		if got := played(t, out.String(), columns); got != "" || !strings.HasSuffix(out.String(), "\r") {
			t.Errorf("%d columns: %q is left of %q", columns, got, out.String())
		}
	}
	var none *statusLine
	none.show("nobody sees it")
	none.clear()
}

// played is what a terminal shows, without spaces at the end.
func played(t *testing.T, written string, columns int) string {
	t.Helper()
	var line []byte
	at := 0
	for _, c := range []byte(written) {
		if c == '\r' {
			at = 0
			continue
		}
		if line = append(line[:at], append([]byte{c}, line[min(at+1, len(line)):]...)...); columns > 0 && at >= columns-1 {
			t.Fatalf("%d columns: %q goes on in the next line", columns, written)
		}
		at++
	}
	return strings.TrimRight(string(line), " ")
}

func TestProgressText(t *testing.T) {
	const total = 200 << 20
	for _, tt := range []struct {
		n       int64
		columns int
		want    string
	}{
		{0, 0, "0 MiB / 200 MiB [" + strings.Repeat("-", 58) + "] 0 %"},
		{50 << 20, 0, "50 MiB / 200 MiB [" + strings.Repeat("=", 13) + ">" + strings.Repeat("-", 44) + "] 25 % 1m30s"},
		{50 << 20, 60, "50 MiB / 200 MiB [======>----------------------] 25 % 1m30s"},
		{50 << 20, 30, "50 MiB / 200 MiB 25 % 1m30s"},
		{total, 200, "200 MiB / 200 MiB [" + strings.Repeat("=", 58) + "] 100 % 0s"},
		{total + 1, 200, "200 MiB / 200 MiB [" + strings.Repeat("=", 58) + "] 100 % 0s"},
	} {
		if got := progressText(tt.n, total, 30*time.Second, tt.columns); got != tt.want {
			t.Errorf("%d of %d columns: %q, want %q", tt.n, tt.columns, got, tt.want)
		}
	}
}
