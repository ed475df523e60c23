package lab

import "github.com/dpdissect/dpdissect/dp8"

// dp8Bases are sides whose SACK masks count from another number.
func dp8Bases() []Mutant {
	twice := chatting().lose(connector, 2).data(connector)
	twice.times(30, func(i int) {
		twice.data(connector).says(report{by: listener, fewer: uint8(4 + i), mask: (1<<(i+2) - 1) << 1})
	})
	twice.wait(200 * ms).again(retry{by: connector, back: 33}).says(report{by: listener, fewer: 32, mask: 1<<31 - 1}).again(retry{by: connector, back: 32}).says(report{by: listener}).chat(4)
	all := []Mutant{twice.nearly("DP8-3.1.5.2.3-BASE", "two in a row are missing")}
	for _, on := range []string{lossyTrace, "dp8/fast-signed-lossy"} {
		for side, name := range []string{"bit i of its masks is bNRcv + i", "bit i of the listener's masks is bNRcv + i"} {
			all = append(all, Mutant{Rule: "DP8-3.1.5.2.3-BASE", Name: name + " in " + on, On: on,
				Tamper: always(func(x *shot) bool { return x.Side == side && x.shiftMask() })})
		}
		all = append(all, fine("DP8-3.1.5.2.3-RENEGE", on))
	}
	return all
}

// shiftMask makes bit 0 of a SACK mask mean bNRcv. It reports false when there is none.
func (x *shot) shiftMask() bool {
	switch k := &x.f.SACK; {
	case x.IsData() && x.d.SACKMask != 0:
		x.d.SACKMask <<= 1
		x.d.Control &^= dp8.CtlSACK1 | dp8.CtlSACK2
		if uint32(x.d.SACKMask) != 0 {
			x.d.Control |= dp8.CtlSACK1
		}
		if x.d.SACKMask>>32 != 0 {
			x.d.Control |= dp8.CtlSACK2
		}
	case x.Type == dp8.TypeSACK && k.SACKMask != 0:
		k.SACKMask <<= 1
		k.Flags &^= dp8.SACKMask1 | dp8.SACKMask2
		if uint32(k.SACKMask) != 0 {
			k.Flags |= dp8.SACKMask1
		}
		if k.SACKMask>>32 != 0 {
			k.Flags |= dp8.SACKMask2
		}
	default:
		return false
	}
	return true
}
