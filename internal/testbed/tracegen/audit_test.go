package tracegen

import (
	"bytes"
	"crypto/sha1"
	"fmt"
	"io"
	"math/bits"
	"testing"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/dp8peer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// An auditor reads what the endpoints send, in the order they send it, and holds
// it against the text. It unwraps, signs and compares by itself; of the notes it
// uses none.
type auditor struct {
	fault  func(string)
	params dp8.Params
	mode   uint32
	sess   uint32
	sides  map[*sim.Host]*audited
	frames int
	late   int // retries of an epoch's numbers in the next
}

// audited is one side's history.
type audited struct {
	next     int64 // number of the next new data frame
	nrcv     int64
	sent     map[int64]dp8.DFrame
	ended    int64
	hard     bool
	keys     [][8]byte
	modifier [8]byte
	source   []byte // of the cycle
	other    *audited
}

// audit follows the connections of a trace.
func audit(t *testing.T, name string, tr *DP8Trace) *auditor {
	a := &auditor{fault: func(s string) { t.Errorf("%s: %s", name, s) }}
	tr.Net.Sent = func(d *sim.Datagram) {
		if d.Proto == 0 {
			a.datagram(d)
		}
	}
	return a
}

func (a *auditor) errorf(format string, args ...any) {
	a.fault(fmt.Sprintf("datagram %d: %s", a.frames, fmt.Sprintf(format, args...)))
}

func (a *auditor) datagram(d *sim.Datagram) {
	a.frames++
	c := d.Note.(*dp8peer.Note).Conn
	if a.sides == nil || a.sess != c.SessionID {
		a.begin(c)
	}
	s := a.sides[d.From]
	var f dp8.Frame
	if err := f.Decode(d.Payload, a.params, nil); err != nil {
		a.errorf("%v", err)
		return
	}
	if again := f.Append(nil); !bytes.Equal(again, d.Payload) {
		a.errorf("encodes to other bytes")
	}
	if s.hard && f.Type != dp8.TypeHardDisconnect {
		a.errorf("%v after a HARD_DISCONNECT", f.Type)
	}
	switch f.Type {
	case dp8.TypeDFrame:
		a.data(s, &f.DFrame, d.Payload)
	case dp8.TypeSACK:
		a.sack(s, &f.SACK, d.Payload)
	case dp8.TypeHardDisconnect:
		s.hard = true
		a.signature(s, d.Payload, len(d.Payload)-8, s.next)
	}
}

func (a *auditor) begin(c *dp8peer.Conn) {
	a.params, a.mode, a.sess = c.Params(), c.Signing(), c.SessionID
	a.sides = map[*sim.Host]*audited{}
	for i, h := range c.Hosts {
		a.sides[h] = &audited{sent: map[int64]dp8.DFrame{}, ended: -1, keys: [][8]byte{c.Secrets[i]}, modifier: c.Secrets[i]}
	}
	x, y := a.sides[c.Hosts[0]], a.sides[c.Hosts[1]]
	x.other, y.other = y, x
}

func (a *auditor) data(s *audited, d *dp8.DFrame, raw []byte) {
	seq := s.next
	if d.Control&dp8.CtlRetry != 0 {
		seq = s.next - 1 - int64(uint8(s.next-1)-d.Seq)
		a.retry(s, d, seq)
	} else {
		a.fresh(s, d, seq)
	}
	a.masks(s, seq, d.NRcv, d.SACKMask, d.SendMask)
	a.signature(s, raw, d.SignatureOff, seq)
	if announced(d.SACKMask, d.Control&dp8.CtlSACK1 != 0, d.Control&dp8.CtlSACK2 != 0) || announced(d.SendMask, d.Control&dp8.CtlSend1 != 0, d.Control&dp8.CtlSend2 != 0) {
		a.errorf("announced masks are not those with bits")
	}
}

// announced reports a difference between a mask and its flags.
func announced(mask uint64, low, high bool) bool {
	return (uint32(mask) != 0) != low || (mask>>32 != 0) != high
}

// fresh is a data frame sent for the first time.
func (a *auditor) fresh(s *audited, d *dp8.DFrame, seq int64) {
	if d.Seq != uint8(seq) {
		a.errorf("new frame numbered %d, want %d", d.Seq, uint8(seq))
	}
	// MC-DPL8R 3.1.4.4: what the partner acknowledged is at least what we were told.
	if seq > s.other.nrcv+63 {
		a.errorf("number %d outside the window at %d", seq, s.other.nrcv)
	}
	if s.ended >= 0 {
		a.errorf("new frame %d after END_STREAM %d", seq, s.ended)
	}
	a.flags(s, d, seq)
	if d.Control&dp8.CtlEndStream != 0 {
		s.ended = seq
	}
	s.sent[seq] = *d
	s.next++
	a.showKey(s, d, seq)
}

// flags checks a new frame's flags (MC-DPL8R 2.2.2, 3.1.6.6).
func (a *auditor) flags(s *audited, d *dp8.DFrame, seq int64) {
	const keepAlive = dp8.Data | dp8.Reliable | dp8.Sequential | dp8.NewMsg | dp8.EndMsg
	empty := d.KeepAlive || d.IsEmptyKeepAlive()
	switch {
	case seq == 0 && !empty:
		a.errorf("number 0 is no KeepAlive")
	case empty && d.Command&keepAlive != keepAlive:
		a.errorf("KeepAlive with flags %02x", d.Command)
	case d.KeepAlive && (len(d.Payload) > 0 || d.SessionID != a.sess || a.params.Version < dp8.Version15):
		a.errorf("KeepAlive with payload, another session or below 1.5")
	case d.Control&dp8.CtlEndStream != 0 && d.Command&dp8.Reliable == 0:
		a.errorf("END_STREAM is not reliable")
	case d.Coalesced && (a.params.Version < dp8.Version15 || d.Command&(dp8.NewMsg|dp8.EndMsg) != dp8.NewMsg|dp8.EndMsg || d.KeepAlive):
		a.errorf("coalesced below 1.5, or without NEW and END")
	}
	before, open := s.before(seq)
	if open && d.Command&dp8.NewMsg != 0 || before && !open && d.Command&dp8.NewMsg == 0 {
		a.errorf("number %d: NEW and END do not alternate", seq)
	}
	for i := range d.Coalesce.Parts[:d.Coalesce.N] {
		if p := &d.Coalesce.Parts[i]; d.Coalesced && p.Reliable() && d.Command&dp8.Reliable == 0 {
			a.errorf("reliable part in an unreliable frame")
		}
	}
}

// before reports whether the number before is known, and in an open message.
func (s *audited) before(seq int64) (known, open bool) {
	d, ok := s.sent[seq-1]
	return ok, ok && d.Command&dp8.EndMsg == 0
}

// retry compares with the first transmission (MC-DPL8R 3.1.6.5).
func (a *auditor) retry(s *audited, d *dp8.DFrame, seq int64) {
	first, ok := s.sent[seq]
	if !ok || seq < s.next-64 {
		a.errorf("retry of %d, which is not outstanding", seq)
		return
	}
	if first.Command&^dp8.Poll != d.Command&^dp8.Poll || d.Command&dp8.Reliable == 0 {
		a.errorf("retry of %d with other flags, or unreliable", seq)
	}
	if seq>>8 < s.next>>8 {
		a.late++
	}
	want, got := [][]byte{first.Payload}, [][]byte{d.Payload}
	if first.Coalesced {
		want, got = parts(&first.Coalesce, true), parts(&d.Coalesce, false)
	}
	if !bytes.Equal(bytes.Join(want, []byte{0}), bytes.Join(got, []byte{0})) || len(want) != len(got) {
		a.errorf("retry of %d with other content", seq)
	}
}

func parts(c *dp8.Coalesce, reliableOnly bool) (out [][]byte) {
	for i := range c.Parts[:c.N] {
		if !reliableOnly || c.Parts[i].Reliable() {
			out = append(out, c.Parts[i].Data)
		}
	}
	return out
}

func (a *auditor) sack(s *audited, k *dp8.SACK, raw []byte) {
	if k.NSeq != uint8(s.next) || k.Padding != 0 || k.Command != dp8.CFrame || k.Flags&dp8.SACKResponse == 0 {
		a.errorf("SACK: nseq %d, want %d, or other fields wrong", k.NSeq, uint8(s.next))
	}
	if announced(k.SACKMask, k.Flags&dp8.SACKMask1 != 0, k.Flags&dp8.SACKMask2 != 0) || announced(k.SendMask, k.Flags&dp8.SACKSend1 != 0, k.Flags&dp8.SACKSend2 != 0) {
		a.errorf("announced masks are not those with bits")
	}
	a.masks(s, s.next, k.NRcv, k.SACKMask, k.SendMask)
	a.signature(s, raw, len(raw)-8, s.next)
}

// masks checks the acknowledgement and what is given up (MC-DPL8R 3.1.5.2.2–4).
func (a *auditor) masks(s *audited, seq int64, nrcv uint8, sack, send uint64) {
	n := s.nrcv + int64(nrcv-uint8(s.nrcv))
	if n > s.other.next {
		a.errorf("acknowledges %d of %d, or goes back from %d", n, s.other.next, s.nrcv)
		return
	}
	s.nrcv = n
	if sack != 0 && n+1+int64(63-bits.LeadingZeros64(sack)) >= s.other.next || sack>>63 != 0 {
		a.errorf("SACK mask %x at %d names what was not sent", sack, n)
	}
	for ; send != 0; send &= send - 1 {
		up := seq - 1 - int64(bits.TrailingZeros64(send))
		if d, ok := s.sent[up]; !ok || d.Command&dp8.Reliable != 0 {
			a.errorf("send mask at %d names %d, which is reliable or was not sent", seq, up)
		}
	}
}

// showKey feeds the rotation (MC-DPL8R 3.1.4.4).
func (a *auditor) showKey(s *audited, d *dp8.DFrame, seq int64) {
	if seq%256 < 192 && s.source == nil && d.Command&dp8.Reliable != 0 && !d.KeepAlive {
		s.source = d.Payload
		if p := parts(&d.Coalesce, true); d.Coalesced {
			s.source = p[0]
		}
		if len(s.source) == 0 {
			s.source = nil
		}
	}
	if seq%256 == 255 {
		if s.source != nil {
			sum := sha1.Sum(s.source)
			s.modifier, s.source = [8]byte(sum[:8]), nil
		}
		last := s.keys[len(s.keys)-1]
		sum := sha1.Sum(append(last[:], s.modifier[:]...))
		s.keys = append(s.keys, [8]byte(sum[:8]))
	}
}

// signature signs the frame again and compares.
func (a *auditor) signature(s *audited, raw []byte, off int, seq int64) {
	if a.mode == dp8peer.Unsigned {
		return
	}
	want := s.keys[0]
	if a.mode == dp8peer.Full {
		key := s.keys[seq/256]
		all := bytes.Join([][]byte{raw[:off], make([]byte, 8), raw[off+8:], key[:]}, nil)
		sum := sha1.Sum(all)
		want = [8]byte(sum[:8])
	}
	if !bytes.Equal(raw[off:off+8], want[:]) {
		a.errorf("wrong signature at number %d", seq)
	}
}

// TestAuditorNoticesFaults tampers with what the auditor sees.
func TestAuditorNoticesFaults(t *testing.T) {
	faults := map[string]func(d *dp8.DFrame) bool{
		"retry bit cleared":       func(d *dp8.DFrame) bool { x := d.Control&dp8.CtlRetry != 0; d.Control &^= dp8.CtlRetry; return x },
		"retry of another":        func(d *dp8.DFrame) bool { x := d.Control&dp8.CtlRetry != 0; d.Seq--; return x },
		"content changed":         func(d *dp8.DFrame) bool { d.Payload = append([]byte{1}, d.Payload...); return len(d.Payload) > 1 },
		"signature of zero":       func(d *dp8.DFrame) bool { d.Signature = [8]byte{}; return true },
		"acknowledges the future": func(d *dp8.DFrame) bool { d.NRcv += 100; return true },
		"mask moved":              func(d *dp8.DFrame) bool { x := d.SendMask != 0; d.SendMask <<= 1; return x },
		"mask of all":             func(d *dp8.DFrame) bool { d.SendMask = 7; d.Control |= dp8.CtlSend1; return true },
		"no KeepAlive flags":      func(d *dp8.DFrame) bool { d.Command &^= dp8.Sequential; return d.KeepAlive },
		"message never ends":      func(d *dp8.DFrame) bool { d.Command &^= dp8.EndMsg; return true },
	}
	for name, tamper := range faults {
		found, applied := 0, 0
		tr := newDP8Trace(setup(dp8peer.Full, lossy(0.05)), 11)
		if _, err := tr.record(io.Discard); err != nil {
			t.Fatal(err)
		}
		a := &auditor{fault: func(string) { found++ }}
		tr.Net.Sent = func(d *sim.Datagram) {
			c := *d
			var f dp8.Frame
			if n := d.Note.(*dp8peer.Note); n.IsData() && f.Decode(d.Payload, n.Conn.Params(), nil) == nil && tamper(&f.DFrame) {
				applied++
				c.Payload = f.Append(nil)
			}
			a.datagram(&c)
		}
		tr.dialogue(game(300), game(300), gracefully)
		tr.Net.Clock.Run(limit, nil)
		if applied == 0 || found == 0 {
			t.Errorf("%s: %d applied, %d noticed", name, applied, found)
		}
	}
}
