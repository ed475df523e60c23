package whole

import (
	"bytes"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
)

// count enters what is counted for every captured frame.
func (o *opinion) count(dir dissect.Dir, tell told) {
	v := &o.dirs[dir]
	for _, s := range o.all {
		if s.dir != dir {
			continue
		}
		v.frames++
		v.bytes += uint64(s.d.Length)
		if s.err != nil {
			continue
		}
		d := &s.f.DFrame
		switch {
		case s.f.Type == dp8.TypeSACK:
			v.acks++
		case s.keep:
			v.keepAlives++
		case s.f.Type == dp8.TypeDFrame && (d.Coalesced || len(d.Payload) > 0 || d.Control&dp8.CtlEndStream == 0):
			v.dataFrames++
		}
		if mustSign(s) && tell.signing != "none" {
			if s.authentic {
				v.signed++
			} else {
				v.forged++
			}
		}
	}
}

const horizon = 30e6

// copies tells copies made by the network, retries, and retries that were not
// needed.
func (o *opinion) copies(dir dissect.Dir) {
	v := &o.dirs[dir]
	for i, s := range o.all {
		if s.dir != dir || !s.authentic {
			continue
		}
		if o.isCopy(i) {
			s.words |= dissect.Duplicate
			v.duplicates++
		} else if s.retry {
			s.words |= dissect.Retry
			v.retries++
			if slices.ContainsFunc(o.all[:i], func(g *seen) bool { return g.dir != dir && g.authentic && g.covers(s.num) }) {
				s.words |= dissect.UnneededRetry
				v.unneeded++
			}
		}
		if s.words != 0 && s.f.Type == dp8.TypeDFrame {
			s.retryOf = o.firstOf(i)
		}
	}
}

// firstOf gives the first captured frame of the same unit, 0 when this is it.
func (o *opinion) firstOf(i int) uint64 {
	s := o.all[i]
	for _, p := range o.all[:i] {
		if p.dir == s.dir && p.authentic && p.f.Type == dp8.TypeDFrame && p.num == s.num {
			return p.d.Frame
		}
	}
	return 0
}

func (o *opinion) isCopy(i int) bool {
	s := o.all[i]
	for _, p := range o.all[:i] {
		if p.dir != s.dir || !p.authentic || p.f.Type != s.f.Type || !bytes.Equal(p.d.Payload, s.d.Payload) || p.d.Length != s.d.Length {
			continue
		}
		identified := p.d.IPID != 0 && s.d.IPID != 0
		switch {
		case identified && p.d.IPID == s.d.IPID:
			return true
		case s.f.Type == dp8.TypeSACK && o.surpassed(i):
			return true
		case s.f.Type == dp8.TypeDFrame && p.num == s.num && !s.retry:
			return true // the retry bit decides
		case !identified && s.f.Type != dp8.TypeSACK && s.d.Time-p.d.Time <= horizon && (s.f.Type != dp8.TypeDFrame || p.num == s.num):
			return true
		}
	}
	return false
}

// surpassed reports a SACK with an older tick than its side has sent before.
func (o *opinion) surpassed(i int) bool {
	s := o.all[i]
	return slices.ContainsFunc(o.all[:i], func(p *seen) bool {
		return p.dir == s.dir && p.authentic && p.f.Type == dp8.TypeSACK && int32(p.f.SACK.Timestamp-s.f.SACK.Timestamp) > 0
	})
}

// order counts gaps, what fills them, and what stays missing.
func (o *opinion) order(dir dissect.Dir) {
	v := &o.dirs[dir]
	have := map[seq.Num]bool{}
	var lo, hi seq.Num
	for _, s := range o.all {
		if s.dir != dir || !s.authentic || s.f.Type != dp8.TypeDFrame || have[s.num] {
			continue
		}
		switch {
		case len(have) == 0:
			lo, hi = s.num, s.num
		case s.num > hi+1:
			v.gaps++
			s.words |= dissect.Gap
		case s.num < hi:
			s.words |= dissect.GapFilled
			if !s.retry {
				v.outOfOrder++
				s.words |= dissect.OutOfOrder
			}
		}
		lo, hi = min(lo, s.num), max(hi, s.num)
		have[s.num] = true
	}
	if len(have) > 0 {
		v.missing = uint64(hi-lo+1) - uint64(len(have))
	}
}

// acknowledged links the frames of a side with what acknowledges them, and
// measures round trips.
func (o *opinion) acknowledged(dir dissect.Dir) {
	up, times, first := map[seq.Num]bool{}, map[seq.Num]int{}, map[seq.Num]*seen{}
	proven := func(s *seen) bool { // a copy, as the identification tells
		return s != first[s.num] && s.words.Has(dissect.Duplicate) && s.d.IPID != 0 && s.d.IPID == first[s.num].d.IPID
	}
	for _, s := range o.all {
		if s.dir != dir || !s.authentic {
			continue
		}
		for _, n := range s.givesUp {
			up[n] = true
		}
		if s.f.Type == dp8.TypeDFrame {
			if first[s.num] == nil {
				first[s.num] = s
			}
			if !proven(s) {
				times[s.num]++
			}
		}
	}
	for i, s := range o.all {
		if s.dir != dir || !s.authentic || s.f.Type != dp8.TypeDFrame {
			continue
		}
		for _, g := range o.all[i+1:] {
			if g.dir == dir || !g.authentic || !g.covers(s.num) {
				continue
			}
			s.ackedIn = g.d.Frame
			g.acks = append(g.acks, s.d.Frame)
			if times[s.num] == 1 && !up[s.num] && !proven(s) {
				o.dirs[dir].rtt = append(o.dirs[dir].rtt, g.d.Time-s.d.Time)
			}
			break
		}
	}
	slices.Sort(o.dirs[dir].rtt)
}
