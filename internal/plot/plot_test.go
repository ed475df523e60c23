package plot

import (
	"strings"
	"testing"
)

func area(values ...float64) []Span {
	spans := make([]Span, len(values))
	for i, v := range values {
		spans[i] = Span{High: v, Some: true}
	}
	return spans
}

// TestLines draws areas and ranges, whose dots are counted by eye.
func TestLines(t *testing.T) {
	for _, x := range []struct {
		name          string
		spans         []Span
		columns, rows int
		want          []string
	}{
		{"ramp", area(1, 2, 3, 4), 2, 1, []string{"⣠⣾"}},
		{"two rows", area(8, 4, 1, 0), 2, 2, []string{"⡇ ", "⣿⡀"}},
		{"stretched", area(4, 2), 2, 1, []string{"⣿⣤"}},
		{"tiny is seen", area(1000, 0.001), 1, 1, []string{"⣇"}},
		{"range", []Span{{Low: 2, High: 3, Some: true}, {}, {Low: 4, High: 4, Some: true}, {}}, 2, 1, []string{"⠂⠁"}},
		{"nothing", nil, 3, 2, []string{"   ", "   "}},
		{"zeros", area(0, 0), 1, 1, []string{" "}},
	} {
		top := Top(x.spans)
		if got := Lines(x.spans, x.columns, x.rows, top); strings.Join(got, "|") != strings.Join(x.want, "|") {
			t.Errorf("%s: got\n%s\nwant\n%s", x.name, strings.Join(got, "\n"), strings.Join(x.want, "\n"))
		}
	}
}

// TestLinesBeyondTop draws what is greater than the scale as high as the plot.
func TestLinesBeyondTop(t *testing.T) {
	if got := Lines(area(100, 1), 1, 1, 4); got[0] != "⣇" {
		t.Errorf("got %q", got)
	}
}
