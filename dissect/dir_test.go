package dissect

import "testing"

func TestDirOther(t *testing.T) {
	n := 0
	for d := range Dirs {
		if d.Other() == d || d.Other().Other() != d || d.Other() < 0 || d.Other() >= Dirs {
			t.Errorf("the other of %d is %d", d, d.Other())
		}
		n++
	}
	if n != len([2]int{}) {
		t.Errorf("%d directions", n)
	}
}
