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
	return minimal(s.single(minimal(ops, fails)), fails)
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
	return joined(ops)
}

// joined makes spans of losses of neighbours.
func joined(ops Ops) (out Ops) {
	for _, o := range ops {
		if n := len(out); n > 0 && o.Kind == Drop && o.Side == 0 && out[n-1].Kind == Drop && out[n-1].Side == 0 && out[n-1].To == o.At {
			out[n-1].To = o.To
			continue
		}
		out = append(out, o)
	}
	return out
}
