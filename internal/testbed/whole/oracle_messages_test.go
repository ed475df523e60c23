package whole

import (
	"crypto/sha256"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
)

// A cell is what the capture has of one number.
type cell struct {
	from  *seen // whose content counts
	parts []chunk
	keep  bool
}

type chunk struct {
	s                 *seen
	data              []byte
	reliable, ordered bool
}

// assemble puts messages together from all that the capture has.
func (o *opinion) assemble(dir dissect.Dir) (out []letter) {
	units := map[seq.Num]*cell{}
	var lo, hi seq.Num
	for _, s := range o.all {
		if s.dir != dir || !s.authentic || s.f.Type != dp8.TypeDFrame {
			continue
		}
		if len(units) == 0 {
			lo, hi = s.num, s.num
		}
		lo, hi = min(lo, s.num), max(hi, s.num)
		d := &s.f.DFrame
		u := units[s.num]
		switch {
		case u == nil:
			u = &cell{from: s, keep: s.keep || !d.Coalesced && len(d.Payload) == 0 && d.Control&dp8.CtlEndStream != 0}
			u.parts = partsOf(s, func(bool) bool { return true })
			units[s.num] = u
		case d.Coalesced && !s.retry && u.from.retry:
			// The first transmission, after its reduced retry: its unreliable parts are new.
			u.parts = append(u.parts, partsOf(s, func(reliable bool) bool { return !reliable })...)
			u.from = s
		}
	}
	var open []*seen
	broken := false
	finish := func(ended bool) {
		if len(open) > 0 {
			out = append(out, joined(open, ended && !broken))
		}
		open, broken = nil, false
	}
	for n := lo; n <= hi && len(units) > 0; n++ {
		u := units[n]
		if u == nil {
			broken = broken || len(open) > 0
			continue
		}
		if u.keep {
			continue
		}
		d := &u.from.f.DFrame
		const whole = dp8.NewMsg | dp8.EndMsg
		if d.Coalesced || d.Command&whole == whole {
			finish(true) // the frame before counts as the last one
			for _, p := range u.parts {
				out = append(out, single(n, p))
			}
			continue
		}
		if d.Command&dp8.NewMsg != 0 {
			finish(true)
		}
		if len(open) == 0 {
			// After a message's last frame NEW_MSG is taken as set; after a number
			// that was not captured it is not.
			broken = d.Command&dp8.NewMsg == 0 && units[n-1] == nil
		}
		open = append(open, u.from)
		if d.Command&dp8.EndMsg != 0 {
			finish(true)
		}
	}
	finish(false)
	return out
}

func partsOf(s *seen, want func(reliable bool) bool) (out []chunk) {
	d := &s.f.DFrame
	if !d.Coalesced {
		return []chunk{{s, d.Payload, d.Command&dp8.Reliable != 0, d.Command&dp8.Sequential != 0}}
	}
	for i := range d.Coalesce.Parts[:d.Coalesce.N] {
		if p := &d.Coalesce.Parts[i]; want(p.Reliable()) {
			out = append(out, chunk{s, p.Data, p.Reliable(), p.Sequential()})
		}
	}
	return out
}

func single(n seq.Num, p chunk) letter {
	return letter{number: n, first: p.s.d.Frame, last: p.s.d.Frame, time: p.s.d.Time, frames: 1, size: len(p.data),
		reliable: p.reliable, ordered: p.ordered, complete: true, sum: sha256.Sum256(p.data)}
}

func joined(frames []*seen, complete bool) letter {
	head := &frames[0].f.DFrame
	m := letter{number: frames[0].num, first: frames[0].d.Frame, frames: len(frames), complete: complete,
		reliable: head.Command&dp8.Reliable != 0, ordered: head.Command&dp8.Sequential != 0}
	var all []byte
	for _, s := range frames {
		all = append(all, s.f.DFrame.Payload...)
		m.first = min(m.first, s.d.Frame)
		if s.d.Frame > m.last {
			m.last, m.time = s.d.Frame, s.d.Time
		}
	}
	m.size, m.sum = len(all), sha256.Sum256(all)
	return m
}
