package lab

import "slices"

// shrink finds few ops that make the rule fail as those given do: none of them can
// be left out.
func (s *Subject) shrink(ops Ops, rule string) Ops {
	fails := func(try Ops) bool {
		wrong, _ := s.judge(try)
		for i := range wrong {
			if wrong[i].Rule.ID == rule {
				return true
			}
		}
		return false
	}
	return s.joined(minimal(s.single(minimal(ops, fails)), fails))
}

// single takes spans of losses apart.
func (s *Subject) single(ops Ops) (out Ops) {
	for _, o := range ops {
		if o.Kind != Drop {
			out = append(out, o)
			continue
		}
		for i := o.At; i < min(o.To, len(s.all)); i++ {
			if o.Side == 0 || int(s.side[i]) == o.Side {
				out = append(out, lose(i))
			}
		}
	}
	return out
}

// minimal leaves out what is not needed: halves, quarters, and so on to single
// ones.
func minimal(ops Ops, fails func(Ops) bool) Ops {
	for size := (len(ops) + 1) / 2; size > 0; {
		left := false
		for at := 0; at < len(ops); {
			try := slices.Concat(ops[:at], ops[min(at+size, len(ops)):])
			if fails(try) {
				ops, left = try, true
			} else {
				at += size
			}
		}
		if size == 1 && !left {
			break
		}
		if size > 1 {
			size = (size + 1) / 2
		}
	}
	return ops
}

// joined makes spans of losses: of neighbours, or of one side with no other of it
// in between.
func (s *Subject) joined(ops Ops) (out Ops) {
	for _, o := range ops {
		if n := len(out); n > 0 && o.Kind == Drop && out[n-1].Kind == Drop {
			if both, ok := s.join(out[n-1], o); ok {
				out[n-1] = both
				continue
			}
		}
		out = append(out, o)
	}
	return out
}

// join gives the one loss that is the same as two, if there is one.
func (s *Subject) join(a, b Op) (Op, bool) {
	if b.At < a.To {
		return a, false
	}
	if a.Side == 0 && b.Side == 0 && a.To == b.At {
		a.To = b.To
		return a, true
	}
	side := s.sideOf(a)
	if side == 0 || s.sideOf(b) != side {
		return a, false
	}
	for i := a.To; i < b.At; i++ {
		if int(s.side[i]) == side {
			return a, false
		}
	}
	a.To, a.Side = b.To, side
	return a, true
}

// sideOf is the side of all that a loss takes, 0 when both lose something.
func (s *Subject) sideOf(o Op) int {
	if o.Side != 0 {
		return o.Side
	}
	for i := o.At; i < o.To; i++ {
		if s.side[i] != s.side[o.At] {
			return 0
		}
	}
	return int(s.side[o.At])
}
