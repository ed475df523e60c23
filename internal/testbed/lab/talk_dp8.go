package lab

import (
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
)

// send is data, changed as an endpoint that keeps the rules might send it.
func (t *talk) send(side dissect.Dir, change func(d *dp8.DFrame)) *talk {
	f := t.frame(side, wholeMsg, 0)
	f.DFrame.Payload = []byte("hello, world")
	change(&f.DFrame)
	return t.put(side, f)
}

// The sides of a talk.
const (
	connector = dissect.Dir(0)
	listener  = dissect.Dir(1)
)

// A retry sends again what a side sent so many numbers back.
type retry struct {
	by     dissect.Dir
	back   uint8
	change func(d *dp8.DFrame) // of what is sent; nothing is changed where it is nil
}

func (t *talk) again(r retry) *talk {
	f := t.frame(r.by, wholeMsg, dp8.CtlRetry)
	t.seq[r.by]--
	f.DFrame.Seq = t.seq[r.by] - r.back
	f.DFrame.Payload = []byte("hello, world")
	if r.change != nil {
		r.change(&f.DFrame)
	}
	return t.put(r.by, f)
}

// repeat sends the latest data of a side again as it was, but for what it expects.
func (t *talk) repeat(side dissect.Dir) *talk {
	for i := len(t.steps) - 1; ; i-- {
		if s := &t.steps[i]; s.From == side && s.Payload[0]&byte(dp8.Data) != 0 {
			p := slices.Clone(s.Payload)
			p[1] |= byte(dp8.CtlRetry)
			p[3] = t.seq[side.Other()]
			return t.putBytes(side, p)
		}
	}
}

// part sends a part of a split message with the flags given.
func (t *talk) part(side dissect.Dir, flags dp8.Command, size int) *talk {
	return t.send(side, func(d *dp8.DFrame) {
		d.Command, d.Payload = dp8.Data|dp8.Reliable|dp8.Sequential|flags, make([]byte, size)
	})
}

// end sends END_STREAM by itself.
func (t *talk) end(side dissect.Dir) *talk {
	return t.send(side, func(d *dp8.DFrame) { d.Control, d.Payload = dp8.CtlEndStream, nil })
}

// A report is a SACK that acknowledges all numbers but so many, the latest, and names some.
type report struct {
	by    dissect.Dir
	fewer uint8
	mask  uint64
}

func (t *talk) says(r report) *talk {
	f := dp8.Frame{Type: dp8.TypeSACK, SACK: dp8.SACK{Command: dp8.CFrame, Flags: dp8.SACKResponse, NSeq: t.seq[r.by], NRcv: t.seq[r.by.Other()] - r.fewer,
		Timestamp: t.tick(r.by), HasSignature: t.opts != 0, SACKMask: r.mask}}
	if uint32(r.mask) != 0 {
		f.SACK.Flags |= dp8.SACKMask1
	}
	if r.mask>>32 != 0 {
		f.SACK.Flags |= dp8.SACKMask2
	}
	return t.put(r.by, f)
}

// lose passes over numbers of a side: what they named was lost.
func (t *talk) lose(side dissect.Dir, n uint8) *talk {
	t.seq[side] += n
	return t
}

// times does the same n times.
func (t *talk) times(n int, f func(i int)) *talk {
	for i := range n {
		f(i)
	}
	return t
}

// broken changes the next data frame for the worse.
func (t *talk) broken(spoil func(d *dp8.DFrame)) *talk {
	return t.bad(func(f *dp8.Frame) { spoil(&f.DFrame) })
}

func asIs(*dp8.DFrame) {}

// unreliable is a message that is sent once.
func unreliable(d *dp8.DFrame) { d.Command &^= dp8.Reliable }

// drops names numbers in the send mask: bit i is the frame's own less 1 + i.
func drops(mask uint64) func(d *dp8.DFrame) {
	return func(d *dp8.DFrame) {
		d.SendMask, d.Control = mask, d.Control|dp8.CtlSend1
		if mask>>32 != 0 {
			d.Control |= dp8.CtlSend2
		}
	}
}

// sacks names numbers in the SACK mask and acknowledges so many numbers fewer.
func sacks(less uint8, mask uint64) func(d *dp8.DFrame) {
	return func(d *dp8.DFrame) {
		d.NRcv -= less
		d.SACKMask, d.Control = mask, d.Control|dp8.CtlSACK1
	}
}

// keepsAlive is a KeepAlive with the session id given.
func keepsAlive(session uint32) func(d *dp8.DFrame) {
	return func(d *dp8.DFrame) {
		d.Control |= dp8.CtlKeepAlive
		d.KeepAlive, d.SessionID, d.Payload = true, session, nil
	}
}

func says(text string) func(d *dp8.DFrame) {
	return func(d *dp8.DFrame) { d.Payload = []byte(text) }
}

const second = time.Second
