package whole

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/session/seq"
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
	dir       dissect.Dir
	f         dp8.Frame
	err       *dissect.Error
	keep      bool // a KeepAlive
	authentic bool // decoded, and not forged

	num     seq.Num // of a data frame
	retry   bool    // has the RETRY bit
	next    seq.Num // all below is acknowledged
	mask    uint64
	givesUp []seq.Num
	hasAck  bool

	words   dissect.Words
	retryOf uint64
	ackedIn uint64
	acks    []uint64
}

// A side is what the oracle says of one direction.
type side struct {
	frames, bytes, dataFrames, acks, keepAlives uint64
	retries, unneeded, duplicates               uint64
	outOfOrder, gaps, missing                   uint64
	rtt                                         []int64
	signed, forged                              uint64
	messages                                    []letter
}

// A letter is one message, whole or not.
type letter struct {
	number            seq.Num
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
	dirs     [2]side
	a        dissect.Endpoint
	complete bool
	secrets  bool // the handshake's were captured
	late     bool // … after frames that were signed with them
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
	for dir := range dissect.Dirs {
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
			secret[s.dir], secret[s.dir.Other()] = h.SenderSecret, h.ReceiverSecret
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
		for dir := range dissect.Dirs {
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
func near(ref seq.Num, wire uint8) seq.Num { return ref + seq.Num(int8(wire-uint8(ref))) }

// number unwraps sequence numbers, then what refers to them.
func (o *opinion) number() {
	var high [2]seq.Num
	var have [2]bool
	var first [2]seq.Num
	var any [2]bool
	for _, s := range o.all {
		if d := &s.f.DFrame; s.authentic && s.f.Type == dp8.TypeDFrame {
			s.num = seq.Num(d.Seq)
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
		high = [2]seq.Num{}
		have = [2]bool{true, true}
	}
	var acked [2]seq.Num
	for _, s := range o.all {
		if !s.authentic {
			continue
		}
		var nrcv uint8
		var up uint64
		var from seq.Num
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
		other := s.dir.Other()
		if s.hasAck = have[other]; s.hasAck {
			s.next = near(max(high[other], acked[other]), nrcv)
			acked[other] = max(acked[other], s.next)
		}
		for ; up != 0; up &= up - 1 {
			s.givesUp = append(s.givesUp, from-1-seq.Num(bits.TrailingZeros64(up)))
		}
	}
}

// covers reports whether a frame acknowledges a number of the other side.
func (s *seen) covers(n seq.Num) bool {
	i := n - s.next - 1
	return s.hasAck && (n < s.next || i >= 0 && i < 64 && s.mask>>i&1 != 0)
}
