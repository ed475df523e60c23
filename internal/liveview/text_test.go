package liveview

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/terminal"
)

// TestRecord compares whole records.
func TestRecord(t *testing.T) {
	for _, c := range []struct {
		name  string
		conns int
		opts  TextOptions
	}{
		{"record-many.txt", 60, TextOptions{Top: 4}},
		{"record-narrow.txt", 4, TextOptions{Width: 80}},
		{"record-none.txt", 0, TextOptions{}},
		{"record-colour.txt", 13, TextOptions{Palette: terminal.Colours(), Top: 3}},
	} {
		s := demo(c.conns, 60)
		s.Dropped, s.DroppedLately = 7, 2
		golden(t, c.name, AppendRecord(nil, s, c.opts))
	}
}

// TestRecordBounded writes so many connections and counts the rest, the worst first.
func TestRecordBounded(t *testing.T) {
	for conns, rest := range map[int]string{20: "", 21: "and 1 more connection\n", 400: "and 380 more connections\n"} {
		text := string(AppendRecord(nil, demo(conns, 60), TextOptions{}))
		lines := strings.Split(text, "\n")
		if want := 4 + 2*TopConnections + min(len(rest), 1) + 2; len(lines) != want || !strings.HasSuffix(text, rest+"\n") || strings.HasSuffix(text, "\n\n\n") {
			t.Errorf("%d connections: %d lines, want %d:\n%s", conns, len(lines), want, text)
		}
	}
	rows := demo(400, 60).Rows
	order := worstFirst(rows)
	for i := 1; i < len(order); i++ {
		a, b := order[i-1], order[i]
		switch {
		case a.Over != b.Over:
			if a.Over {
				t.Fatalf("%d: one that ended before one that lives", i)
			}
		case badQuality(a) > badQuality(b):
			t.Fatalf("%d: quality %v before %v", i, a.Quality(), b.Quality())
		case badQuality(a) == badQuality(b) && a.BytesPerSec() < b.BytesPerSec():
			t.Fatalf("%d: the busier one comes later", i)
		}
	}
}

// TestRecordFits drops columns rather than to be too wide.
func TestRecordFits(t *testing.T) {
	for _, w := range []int{70, 80, 100, 120, 160} {
		for line := range bytes.Lines(AppendRecord(nil, demo(30, 60), TextOptions{Width: w})[1:]) {
			if n := width(strings.TrimRight(string(line), "\n")); n > w && !bytes.Contains(line, []byte("UTC")) {
				t.Errorf("%d columns, want %d: %s", n, w, line)
			}
		}
	}
}

func BenchmarkRecord(b *testing.B) {
	s := demo(1000, 60)
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst = AppendRecord(dst[:0], s, TextOptions{})
	}
	if len(dst) == 0 {
		b.Fatal(fmt.Errorf("nothing was written"))
	}
}

// TestClock: durations of a narrow column. Were a minute not the 60th of an hour, a
// connection would show as an hour old for a minute that it is younger, or older.
func TestClock(t *testing.T) {
	for s, want := range map[int64]string{0: "0s", 59: "59s", 60: "1:00", 3599: "59:59", 3600: "1:00:00", 3660: "1:01:00", 7384: "2:03:04",
		86399: "23:59:59", 86400: "1d00h", 3*86400 + 4*3600: "3d04h", 4*86400 - 1: "3d23h"} {
		if got := clock(s*1e9 + 999_999_999); got != want {
			t.Errorf("%d s: %s, want %s", s, got, want)
		}
	}
}
