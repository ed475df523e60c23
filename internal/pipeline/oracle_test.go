package pipeline

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
)

// The oracle is a second opinion on every number of docs/analysis.md: it has the
// whole capture before it, looks at everything as often as it likes, and forgets
// nothing. It knows none of package session. What it can't know of a capture
// that starts in the middle, it is told.

// told is what the oracle is told of the connections of a capture.
type told struct {
	version uint32
	signing string   // "none", "fast" or "full"
	forged  []uint64 // frames of a fully signed connection: the oracle verifies no digests
}

// A seen is one captured datagram of a connection.
type seen struct {
	d         *dissect.Datagram
	dir       int
	f         dp8.Frame
	err       *dissect.Error
	keep      bool // a KeepAlive
	authentic bool // decoded, and not forged

	num     int64 // of a data frame
	retry   bool  // has the RETRY bit
	next    int64 // all below is acknowledged
	mask    uint64
	givesUp []int64
	hasAck  bool

	words   dissect.Words
	retryOf uint64
	ackedIn uint64
	acks    []uint64
}

// A verdict is what the oracle says of one direction.
type verdict struct {
	frames, bytes, dataFrames, acks, keepAlives uint64
	retries, unneeded, duplicates               uint64
	outOfOrder, gaps, missing                   uint64
	rtt                                         []int64
	signed, forged                              uint64
	messages                                    []letter
}

// A letter is one message, whole or not.
type letter struct {
	number            int64
	first, last       uint64
	time              int64
	frames, size      int
	reliable, ordered bool
	complete          bool
	sum               [32]byte
}

// An opinion is what the oracle says of one connection.
type opinion struct {
	all      []*seen
	dirs     [2]verdict
	a        dissect.Endpoint
	complete bool
	secrets  bool // the handshake's were captured
	late     bool // … behind frames that were signed with them
}

// oracle judges the DirectPlay 8 connections of a capture, by their first frame.
func oracle(all []dissect.Datagram, tell told) []*opinion {
	type key struct{ lo, hi string }
	pairs := map[key][]*dissect.Datagram{}
	var order []key
	for i := range all {
		d := &all[i]
		k := key{d.Src.String(), d.Dst.String()}
		if k.lo > k.hi {
			k.lo, k.hi = k.hi, k.lo
		}
		if pairs[k] == nil {
			order = append(order, k)
		}
		pairs[k] = append(pairs[k], d)
	}
	var out []*opinion
	for _, k := range order {
		for _, ds := range bySession(pairs[k]) {
			out = append(out, judge(ds, tell))
		}
	}
	slices.SortFunc(out, func(x, y *opinion) int { return cmp.Compare(x.all[0].d.Frame, y.all[0].d.Frame) })
	return out
}

// bySession splits the datagrams of an address pair: command frames name their
// session, all others belong to the latest one that was answered.
func bySession(ds []*dissect.Datagram) [][]*dissect.Datagram {
	groups, named := map[uint32]int{}, map[int]bool{}
	var out [][]*dissect.Datagram
	cur := -1
	for _, d := range ds {
		b := d.Payload
		if len(b) >= 12 && b[0]&^8 == 0x80 && b[1] >= 1 && b[1] <= 4 {
			id := binary.LittleEndian.Uint32(b[8:])
			g, ok := groups[id]
			if !ok && b[1] != 1 && cur >= 0 && !named[cur] {
				g, ok = cur, true // the answer or the end of what was there
				groups[id] = g
			}
			if !ok {
				g = len(out)
				groups[id] = g
				out = append(out, nil)
			}
			named[g] = true
			if cur < 0 || b[1] == 2 || b[1] == 3 {
				cur = g
			}
			out[g] = append(out[g], d)
			continue
		}
		if cur < 0 {
			cur = len(out)
			out = append(out, nil)
		}
		out[cur] = append(out[cur], d)
	}
	return out
}

func judge(ds []*dissect.Datagram, tell told) *opinion {
	o := &opinion{a: ds[0].Src}
	p := dp8.Params{Version: tell.version, Signing: dp8.Signed}
	if tell.signing == "none" {
		p.Signing = dp8.Unsigned
	}
	for _, d := range ds {
		s := &seen{d: d}
		if d.Src != o.a {
			s.dir = 1
		}
		s.err = s.f.Decode(d.Payload, p, nil)
		s.f.DFrame.Payload = slices.Clone(s.f.DFrame.Payload)
		s.keep = s.f.Type == dp8.TypeDFrame && (s.f.DFrame.KeepAlive || tell.version < dp8.Version15 && s.f.DFrame.IsEmptyKeepAlive())
		s.retry = s.f.Type == dp8.TypeDFrame && s.f.DFrame.Control&dp8.CtlRetry != 0
		s.authentic = s.err == nil
		o.all = append(o.all, s)
		if t := s.f.Type; len(o.all) == 1 {
			o.complete = t == dp8.TypeConnect || t == dp8.TypeConnected || t == dp8.TypeConnectedSigned
		}
	}
	o.authenticate(tell)
	o.number()
	for dir := range o.dirs {
		o.count(dir, tell)
		o.copies(dir)
		o.order(dir)
		o.acknowledged(dir)
		o.dirs[dir].messages = o.assemble(dir)
	}
	return o
}

// authenticate finds the forged frames of a fast-signed connection: those that
// do not carry the secret the handshake gave their side, or, without it, the
// one most of the side's frames carry.
func (o *opinion) authenticate(tell told) {
	var secret [2][8]byte
	for _, s := range o.all {
		o.late = o.late || mustSign(s) && !o.secrets
		if h := &s.f.Handshake; s.f.Type == dp8.TypeConnectedSigned && h.Command&dp8.Poll == 0 && !o.secrets {
			o.secrets = true
			secret[s.dir], secret[1-s.dir] = h.SenderSecret, h.ReceiverSecret
		}
	}
	if tell.signing == "full" {
		for _, s := range o.all {
			s.authentic = s.authentic && !slices.Contains(tell.forged, s.d.Frame)
		}
	}
	if tell.signing != "fast" {
		return
	}
	if !o.secrets {
		for dir := range secret {
			votes := map[[8]byte]int{}
			for _, s := range o.all {
				if sig, has := signature(s); s.dir == dir && has {
					if votes[sig]++; votes[sig] > votes[secret[dir]] {
						secret[dir] = sig
					}
				}
			}
		}
	}
	for _, s := range o.all {
		if mustSign(s) {
			sig, has := signature(s)
			s.authentic = s.authentic && has && sig == secret[s.dir]
		}
	}
}

func mustSign(s *seen) bool {
	t := s.f.Type
	return t == dp8.TypeDFrame || t == dp8.TypeSACK || t == dp8.TypeHardDisconnect
}

func signature(s *seen) (sig [8]byte, has bool) {
	switch s.f.Type {
	case dp8.TypeDFrame:
		return s.f.DFrame.Signature, s.f.DFrame.HasSignature
	case dp8.TypeSACK:
		return s.f.SACK.Signature, s.f.SACK.HasSignature
	case dp8.TypeHardDisconnect:
		return s.f.Handshake.Signature, s.f.Handshake.HasSignature
	}
	return sig, false
}

// near unwraps 8 bits to the value nearest to ref.
func near(ref int64, wire uint8) int64 { return ref + int64(int8(wire-uint8(ref))) }

// number unwraps sequence numbers, then what refers to them.
func (o *opinion) number() {
	var high [2]int64
	var have [2]bool
	var first [2]int64
	var any [2]bool
	for _, s := range o.all {
		if d := &s.f.DFrame; s.authentic && s.f.Type == dp8.TypeDFrame {
			s.num = int64(d.Seq)
			if have[s.dir] {
				s.num = near(high[s.dir], d.Seq)
			}
			if !have[s.dir] {
				first[s.dir], any[s.dir] = s.num, true
			}
			if !have[s.dir] || s.num > high[s.dir] {
				high[s.dir], have[s.dir] = s.num, true
			}
		}
	}
	// What refers to a side's numbers before any of them was captured lies near
	// the first one that was.
	high, have = first, any
	if o.complete {
		high = [2]int64{}
		have = [2]bool{true, true}
	}
	var acked [2]int64
	for _, s := range o.all {
		if !s.authentic {
			continue
		}
		var nrcv uint8
		var up uint64
		var from int64
		switch s.f.Type {
		case dp8.TypeDFrame:
			high[s.dir] = max(high[s.dir], s.num)
			nrcv, s.mask, up, from = s.f.DFrame.NRcv, s.f.DFrame.SACKMask, s.f.DFrame.SendMask, s.num
		case dp8.TypeSACK:
			nrcv, s.mask, up = s.f.SACK.NRcv, s.f.SACK.SACKMask, s.f.SACK.SendMask
			from = near(high[s.dir]+1, s.f.SACK.NSeq)
		default:
			continue
		}
		other := 1 - s.dir
		if s.hasAck = have[other]; s.hasAck {
			s.next = near(max(high[other], acked[other]), nrcv)
			acked[other] = max(acked[other], s.next)
		}
		for ; up != 0; up &= up - 1 {
			s.givesUp = append(s.givesUp, from-1-int64(bits.TrailingZeros64(up)))
		}
	}
}

// covers reports whether a frame acknowledges a number of the other side.
func (s *seen) covers(n int64) bool {
	i := n - s.next - 1
	return s.hasAck && (n < s.next || i >= 0 && i < 64 && s.mask>>i&1 != 0)
}

// count enters what is counted for every captured frame.
func (o *opinion) count(dir int, tell told) {
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
func (o *opinion) copies(dir int) {
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
		case s.f.Type == dp8.TypeDFrame && p.num == s.num && !s.retry:
			return true // the retry bit decides
		case !identified && s.f.Type != dp8.TypeSACK && s.d.Time-p.d.Time <= horizon && (s.f.Type != dp8.TypeDFrame || p.num == s.num):
			return true
		}
	}
	return false
}

// order counts gaps, what fills them, and what stays missing.
func (o *opinion) order(dir int) {
	v := &o.dirs[dir]
	have := map[int64]bool{}
	var lo, hi int64
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
func (o *opinion) acknowledged(dir int) {
	up, times := map[int64]bool{}, map[int64]int{}
	for _, s := range o.all {
		if s.dir != dir || !s.authentic {
			continue
		}
		for _, n := range s.givesUp {
			up[n] = true
		}
		if s.f.Type == dp8.TypeDFrame {
			times[s.num]++
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
			if times[s.num] == 1 && !up[s.num] {
				o.dirs[dir].rtt = append(o.dirs[dir].rtt, g.d.Time-s.d.Time)
			}
			break
		}
	}
	slices.Sort(o.dirs[dir].rtt)
}

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
func (o *opinion) assemble(dir int) (out []letter) {
	units := map[int64]*cell{}
	var lo, hi int64
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
			// The first sending, behind its reduced retry: its unreliable parts are new.
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
			// Behind a message's last frame NEW_MSG is taken as set; behind a number
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

func single(n int64, p chunk) letter {
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
