package verdict

import "testing"

// A difference that chance explains is none, however large it looks; one beyond chance
// counts from the tolerance on.
func TestRatesBeyondChance(t *testing.T) {
	for _, c := range []struct {
		name string
		r    rates
		want Change
	}{
		{"twice as many of few", rates{2, 1000, 4, 1000}, Same},
		{"twice as many of many", rates{200, 10000, 400, 10000}, Worse},
		{"half of many", rates{400, 10000, 200, 10000}, Better},
		{"none before, few now", rates{0, 10000, 5, 10000}, Same},
		{"none before, many now", rates{0, 10000, 50, 10000}, Worse},
		{"beyond chance, within tolerance", rates{1e6, 1e8, 1.05e6, 1e8}, Same},
		{"as many of twice as much", rates{200, 10000, 200, 20000}, Better},
	} {
		if got := c.r.change(0.1); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// Times differ by a tolerance, and by as much as schedulers make of a difference.
func TestTimesBeyondTolerance(t *testing.T) {
	for _, c := range []struct {
		before, now float64
		want        Change
	}{{40, 43, Same}, {40, 45, Worse}, {45, 40, Better}, {0.2, 1.9, Same}} {
		if got := moved(c.before, c.now, 0.1, leastTime); got != c.want {
			t.Errorf("%v to %v: %s, want %s", c.before, c.now, got, c.want)
		}
	}
}
