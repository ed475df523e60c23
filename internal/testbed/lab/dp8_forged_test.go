package lab

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// TestForgedAfterTurns puts one forged frame after each turn of a side's secret, before
// or after the frame whose number it takes: each is found at its frame, nothing else is found
// of anything, and every genuine frame still verifies.
func TestForgedAfterTurns(t *testing.T) {
	for _, name := range []string{"full-signed-rotation", "modifier-sha1", "modifier-reused"} {
		whole := captured(t, "dp8/"+name)
		closer := connectionsOf(whole, session.Config{Protocols: speakers})[0].ClosedBy
		for dir := range 2 {
			for _, x := range []struct {
				number int // of the epoch
				after  time.Duration
				typ    dp8.Type
			}{
				{0, time.Millisecond, dp8.TypeDFrame}, {0, 5 * time.Millisecond, dp8.TypeDFrame}, {1, 3 * time.Millisecond, dp8.TypeDFrame},
				{5, time.Millisecond, dp8.TypeDFrame}, {40, 2 * time.Millisecond, dp8.TypeDFrame}, {1, time.Millisecond, dp8.TypeSACK}, {20, time.Millisecond, dp8.TypeSACK},
				{0, 0, dp8.TypeHardDisconnect}, {1, 0, dp8.TypeHardDisconnect}, {1, 3 * time.Millisecond, dp8.TypeHardDisconnect}, {20, time.Millisecond, dp8.TypeHardDisconnect},
			} {
				all, at := forgeAfterTurns(whole, dir, x.number, x.after, x.typ)
				where := fmt.Sprintf("%s, side %d, number %d, %v later, %v", name, dir, x.number, x.after, x.typ)
				checkForged(t, where, all, at, closer)
			}
		}
	}
}

// forgeAfterTurns puts a forged frame after the last of each epoch of a side. It gives the
// frames at which these are.
func forgeAfterTurns(whole []dissect.Datagram, dir, number int, after time.Duration, typ dp8.Type) (all []dissect.Datagram, at []uint64) {
	var forged []dissect.Datagram
	last, session := -1, uint32(0)
	for i := range whole {
		d := &whole[i]
		var f dp8.Frame
		if (d.Src == whole[0].Src) != (dir == 0) || f.Decode(d.Payload, dp8.Params{Signing: dp8.Signed, Version: dp8.Version16}, nil) != nil || f.Type != dp8.TypeDFrame {
			if f.Type == dp8.TypeConnected || f.Type == dp8.TypeConnectedSigned {
				session = f.Handshake.SessionID
			}
			continue
		}
		if n := int(f.DFrame.Seq); f.DFrame.Control&dp8.CtlRetry == 0 {
			if last > 250 && n < 8 {
				forged = append(forged, forgedLike(d, &f, session, number, after, typ))
			}
			last = n
		}
	}
	all = slices.Clone(whole)
	for _, d := range forged {
		i := slices.IndexFunc(all, func(x dissect.Datagram) bool { return x.Time > d.Time })
		all = slices.Insert(all, i, d)
	}
	all = renumber(all)
	for i := range all {
		if all[i].IPID == forgedIPID {
			at = append(at, all[i].Frame)
		}
	}
	return all, at
}

const forgedIPID = 0xF0F0

func forgedLike(d *dissect.Datagram, like *dp8.Frame, session uint32, number int, after time.Duration, typ dp8.Type) dissect.Datagram {
	f := dp8.Frame{Type: dp8.TypeDFrame}
	sig := [8]byte{0: byte(number), 7: byte(d.Frame), 6: byte(d.Frame >> 8)} // no two are copies
	f.DFrame = dp8.DFrame{Command: dp8.Data | dp8.Reliable | dp8.Sequential | dp8.NewMsg | dp8.EndMsg, Seq: uint8(number), NRcv: like.DFrame.NRcv,
		HasSignature: true, Signature: sig, Payload: []byte("forged")}
	switch typ {
	case dp8.TypeHardDisconnect:
		f = dp8.Frame{Type: typ}
		f.Handshake = dp8.Handshake{Command: dp8.CFrame, Opcode: dp8.OpHardDisconnect, MsgID: 9, RspID: uint8(number), Version: dp8.Version16, SessionID: session, HasSignature: true, Signature: sig}
	case dp8.TypeSACK:
		f = dp8.Frame{Type: typ}
		f.SACK = dp8.SACK{Command: dp8.CFrame, NSeq: uint8(number), NRcv: like.DFrame.NRcv, HasSignature: true, Signature: sig}
	}
	x := *d
	x.Payload = f.Append(nil)
	x.Length, x.IPID, x.Sum = len(x.Payload), forgedIPID, 0
	x.Time -= int64(time.Millisecond)/2 - int64(after)
	return x
}

func checkForged(t *testing.T, where string, all []dissect.Datagram, at []uint64, closer session.Side) {
	found := map[uint64]bool{}
	var sink findings
	tab := session.NewTable(session.Config{Protocols: protocols.All(protocols.Options{}), Sink: &sink, Inconclusive: true})
	for i := range all {
		tab.Add(&all[i])
	}
	tab.Close(all[len(all)-1].Time)
	for _, f := range sink.list {
		switch {
		case !f.Failed():
		case slices.Contains(at, f.Frame) && (f.Rule.ID == "DP8-SIG-FULL" || f.Rule.ID == "DP8-SIG-HDISCKEY"):
			found[f.Frame] = true
		case f.Severity != conform.Note:
			t.Errorf("%s: found too: %s frame %d: %s", where, f.Rule.ID, f.Frame, f.Message)
		}
	}
	for _, frame := range at {
		if !found[frame] {
			t.Errorf("%s: the forged frame %d is not found", where, frame)
		}
	}
	for _, c := range tab.Conns() {
		if c.State != session.Closed || c.ClosedBy != closer {
			t.Errorf("%s: %v by %v, want %v", where, c.State, c.ClosedBy, closer)
		}
		for dir := range c.Dir {
			if n := c.Dir[dir].Signatures.Unverifiable; n > 0 {
				t.Errorf("%s: %d of side %d not verified", where, n, dir)
			}
		}
	}
}
