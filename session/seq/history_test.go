package seq

import "testing"

func always(Num, *int, int) bool { return true }
func never(Num, *int, int) bool  { return false }

// fill enters numbers with themselves as what is remembered.
func fill(h *History[int], wanted func(Num, *int, int) bool, nums ...Num) {
	for _, n := range nums {
		if x, _ := h.Put(n, wanted); x != nil {
			*x = int(n)
		}
	}
}

// holds checks which of some numbers are remembered.
func holds(t *testing.T, h *History[int], want bool, nums ...Num) {
	t.Helper()
	for _, n := range nums {
		if x := h.At(n); (x != nil) != want || x != nil && *x != int(n) {
			t.Errorf("%d: %v, want remembered %v", n, x, want)
		}
	}
}

func TestHistory(t *testing.T) {
	h := &History[int]{Most: 4 * firstPlaces}
	holds(t, h, false, 0, -1)
	fill(h, always, -3, 0, 1)
	holds(t, h, true, -3, 0, 1)
	fill(h, always, firstPlaces, 3*firstPlaces)
	holds(t, h, true, 0, firstPlaces, 3*firstPlaces)
	if _, fresh := h.Put(firstPlaces, always); fresh {
		t.Error("what is remembered looks new")
	}
	fill(h, always, 4*firstPlaces) // no more room than Most
	holds(t, h, true, 4*firstPlaces)
	holds(t, h, false, 0)
	fill(h, always, 0) // later numbers stay
	holds(t, h, true, 4*firstPlaces)
	h.Drop(1)
	h.Drop(2)
	holds(t, h, false, 1, 2)
	h.Clear()
	holds(t, h, false, -3, 4*firstPlaces)
}

// What is not wanted makes room for any other number.
func TestHistoryUnwanted(t *testing.T) {
	h := &History[int]{Most: 4 * firstPlaces}
	fill(h, never, 7, 7+firstPlaces)
	holds(t, h, false, 7)
	holds(t, h, true, 7+firstPlaces)
	fill(h, never, 7)
	holds(t, h, true, 7)
	if len(h.ring) != firstPlaces {
		t.Errorf("room for %d", len(h.ring))
	}
}
