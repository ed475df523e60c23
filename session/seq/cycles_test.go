package seq

import "testing"

// TestCycles checks what is remembered of numbers that come round: copies a cycle late or
// two, their retries, and nothing of what repeats bytes with another identification.
func TestCycles(t *testing.T) {
	var c cycles
	at := func(num Num, hash uint64, ipid uint16) *Sending {
		return &Sending{Num: num, Hash: hash << 32, IPID: ipid}
	}
	for n := range Num(1000) {
		c.keep(at(n, uint64(n+1), uint16(n+1)))
	}
	if room := len(c) * cyclePage; room != cycleLimit {
		t.Errorf("room for %d numbers, want %d", room, cycleLimit)
	}
	c.keepRetry(at(700, 1, 1))
	for _, x := range []struct {
		name            string
		s               *Sending
		copied, retried bool
	}{
		{"a cycle late", at(999+1, 745, 745), true, false},
		{"two cycles late, before its number is used again", at(1000, 489, 489), true, false},
		{"two cycles late, behind that", at(999, 488, 488), false, false},
		{"other identification", at(1000, 745, 9), false, false},
		{"other bytes", at(1000, 9, 745), false, false},
		{"its own number", at(900, 901, 901), false, false},
		{"a number that was sent again", at(956, 9, 9), false, true},
		{"a number that was sent again, its first sending", at(956, 701, 701), true, true},
	} {
		if copied, retried := c.hasBefore(x.s); copied != x.copied || retried != x.retried {
			t.Errorf("%s: %v, %v", x.name, copied, retried)
		}
	}
	if !c.repeats(at(1000, 745, 9)) || c.repeats(at(1000, 9, 745)) {
		t.Error("repeats asks for the bytes alone")
	}
	if !c.isCopy(at(900, 901, 901)) || c.isCopy(at(900, 901, 0)) || !c.isCopy(&Sending{Num: 900, Hash: 901 << 32, Outdated: true}) {
		t.Error("a copy of the latest has its identification, or is surpassed")
	}
}

// TestCyclesGrow checks that numbers far apart keep their places while room grows, and that
// memory does not follow the numbers.
func TestCyclesGrow(t *testing.T) {
	var c cycles
	for _, n := range []Num{5, 37, 69, 5 + 1<<40} {
		c.keep(&Sending{Num: n, Hash: uint64(n) << 32, IPID: 7})
	}
	for _, n := range []Num{37, 69, 5 + 1<<40} {
		if !c.knows(&Sending{Num: n, Hash: uint64(n) << 32}) {
			t.Errorf("%d is forgotten", n)
		}
	}
	if room := len(c) * cyclePage; room > cycleLimit {
		t.Errorf("room for %d", room)
	}
}
