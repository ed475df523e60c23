package lab

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/dp8"
)

// dp8Dframe break the rules of the header of data frames.
func dp8Dframe() []Mutant {
	return slices.Concat(dp8DframeHeader(), dp8KeepAlive(), dp8DframePayload())
}

func dp8DframeHeader() []Mutant {
	return []Mutant{
		{Rule: "DP8-2.2.2-HDRLEN", Name: "announces a mask that is not there", On: "dp8/unsigned-clean",
			Tamper: firstShot(func(x *shot) bool {
				if !x.plain() {
					return false
				}
				x.with = []byte{byte(x.d.Command), byte(dp8.CtlSACK1), x.d.Seq, x.d.NRcv, 'G'}
				return true
			})},
		{Rule: "DP8-2.2.2-HDRLEN", Name: "a header and nothing else", Near: true, On: "dp8/version-1.4"},
		{Rule: "DP8-2.2.2-MTU", Name: "sends more than the network takes", On: "dp8/fragmented"},
		{Rule: "DP8-2.2.2-MTU", Name: "parts just fit", Near: true, On: "dp8/large-message"},
		{Rule: "DP8-2.2.2-MASKZERO", Name: "announces a mask without bits", On: "dp8/unsigned-clean",
			Tamper: firstShot(func(x *shot) bool {
				if !x.plain() {
					return false
				}
				x.d.Control |= dp8.CtlSACK1
				return true
			})},
		{Rule: "DP8-2.2.2-MASKZERO", Name: "masks when something is missing", Near: true, On: "dp8/unsigned-lossy"},
		{Rule: "DP8-2.2.2-RETRYBIT", Name: "sends again without RETRY", On: "dp8/unsigned-lossy", Also: []string{"DP8-3.1.5.2.1-INC"}, // what was lost before the capture seems to be new
			Tamper: always(func(x *shot) bool {
				if !x.IsData() || !x.Retry || x.d.Coalesced {
					return false
				}
				x.d.Control &^= dp8.CtlRetry
				return true
			})},
		{Rule: "DP8-2.2.2-RETRYBIT", Name: "the same text under new numbers", Near: true, Steps: newTalk().meet().turns(4).repeat(0).turns(2).steps},
		{Rule: "DP8-2.2.2-SIG-PRESENT", Name: "a KeepAlive without signature", On: "dp8/keepalives",
			Tamper: firstShot(func(x *shot) bool {
				if !x.IsData() || !x.KeepAlive || x.Retry || x.Seq == 0 {
					return false
				}
				x.d.HasSignature = false
				return true
			})},
		{Rule: "DP8-2.2.2-SIG-PRESENT", Name: "signs retries and KeepAlives too", Near: true, On: "dp8/keepalives"},
		{Rule: "DP8-2.2.2-SIG-ABSENT", Name: "signs a KeepAlive of an unsigned connection", On: "dp8/unsigned-clean",
			Tamper: firstShot(func(x *shot) bool {
				if !x.IsData() || !x.KeepAlive {
					return false
				}
				x.d.HasSignature, x.d.Signature = true, [8]byte{1, 2, 3, 4, 5, 6, 7, 8}
				return true
			})},
		{Rule: "DP8-2.2.2-SIG-ABSENT", Name: "eight bytes of payload", Near: true, Steps: newTalk().meet().send(0, says("8 bytes!")).turns(2).steps},
	}
}

// aKeepAlive changes the first KeepAlive of side 0 after the handshake's.
func aKeepAlive(change func(d *dp8.DFrame)) func(x *shot) bool {
	return func(x *shot) bool {
		if !x.IsData() || !x.KeepAlive || x.Retry || x.Side != 0 {
			return false
		}
		change(x.d)
		return true
	}
}

func dp8KeepAlive() []Mutant {
	const on, old = "dp8/unsigned-clean", "dp8/version-1.4"
	all := []Mutant{
		{Rule: "DP8-2.2.2-KA-FLAGS", Name: "a KeepAlive that is neither reliable nor sequential", On: on,
			Tamper: firstShot(aKeepAlive(func(d *dp8.DFrame) { d.Command = dp8.Data | dp8.NewMsg | dp8.EndMsg }))},
		{Rule: "DP8-2.2.2-KA-FLAGS", Name: "a KeepAlive without NEW", Near: true, On: on,
			Tamper: firstShot(aKeepAlive(func(d *dp8.DFrame) { d.Command &^= dp8.NewMsg }))},
		{Rule: "DP8-2.2.2-KA-NEW", Name: "a KeepAlive without NEW", On: on,
			Tamper: firstShot(aKeepAlive(func(d *dp8.DFrame) { d.Command &^= dp8.NewMsg }))},
		{Rule: "DP8-2.2.2-KA-NEW", Name: "KeepAlives like the example's", Near: true, On: on},
		{Rule: "DP8-2.2.2-KA-SESSID", Name: "another session id", On: on,
			Tamper: firstShot(aKeepAlive(func(d *dp8.DFrame) { d.SessionID ^= 0x100 }))},
		{Rule: "DP8-2.2.2-KA-SESSID", Name: "another session id, decoded as DirectPlay 8", On: on, As: "dp8",
			Tamper: firstShot(aKeepAlive(func(d *dp8.DFrame) { d.SessionID ^= 0x100 }))},
		{Rule: "DP8-2.2.2-KA-SESSID", Name: "the id in retries too", Near: true, On: "dp8/keepalives"},
		{Rule: "DP8-2.2.2-KA-EMPTY", Name: "a byte behind the id", On: on,
			Tamper: firstShot(aKeepAlive(func(d *dp8.DFrame) { d.Payload = []byte{0x41} }))},
		{Rule: "DP8-2.2.2-KA-EMPTY", Name: "nothing behind the id", Near: true, On: "dp8/keepalives"},
		{Rule: "DP8-3.1.5.2-KA-COALESCE", Name: "a KeepAlive with COALESCE", On: on,
			Tamper: firstShot(aKeepAlive(func(d *dp8.DFrame) { d.Control |= dp8.CtlCoalesce }))},
		{Rule: "DP8-3.1.5.2-KA-COALESCE", Name: "COALESCE elsewhere", Near: true, On: on},
		{Rule: "DP8-2.2.2-KA-OLD-EMPTY", Name: "an id in a KeepAlive of version 1.4", On: old,
			Tamper: firstShot(func(x *shot) bool { return x.oldKeepAlive(0) })},
		{Rule: "DP8-2.2.2-KA-OLD-EMPTY", Name: "empty KeepAlives", Near: true, On: old},
		{Rule: "DP8-2.2.2-KA-VER", Name: "a KeepAlive of 1.5 on version 1.4", On: "dp8/version-mixed",
			Tamper: firstShot(func(x *shot) bool { return x.oldKeepAlive(dp8.CtlKeepAlive) })},
		{Rule: "DP8-2.2.2-KA-VER", Name: "asks for dedicated acknowledgements", Near: true, On: old},
	}
	other, right := keepsAlive(talkID+1), retry{by: 0, back: 1, change: keepsAlive(talkID)}
	return append(all,
		Mutant{Rule: "DP8-2.2.2-KA-ACTED", Name: "acknowledges a KeepAlive of another session", Also: []string{"DP8-2.2.2-KA-SESSID"},
			Steps: newTalk().meet().turns(2).send(0, other).wrong().sack(1).turns(40).steps},
		Mutant{Rule: "DP8-2.2.2-KA-ACTED", Name: "acknowledges the one that is right", Near: true, Also: []string{"DP8-2.2.2-KA-SESSID"},
			Steps: newTalk().meet().turns(2).wrong().send(0, other).wait(200 * time.Millisecond).again(right).sack(1).turns(40).steps})
}

// oldKeepAlive puts the session id into a KeepAlive below 1.5.
func (x *shot) oldKeepAlive(bit dp8.Control) bool {
	if !x.IsData() || !x.KeepAlive || x.Retry || x.Side != 0 {
		return false
	}
	x.d.Control = x.d.Control&^dp8.CtlKeepAlive | bit
	x.d.Payload = binary.LittleEndian.AppendUint32(nil, x.Conn.SessionID)
	return true
}

func dp8DframePayload() []Mutant {
	user := func(payload ...byte) func(d *dp8.DFrame) {
		return func(d *dp8.DFrame) { d.Command, d.Payload = d.Command|dp8.User1, payload }
	}
	core := func() *talk {
		return newTalk().meet().turns(1).send(0, user(0xC1, 0, 0, 0, 1))
	}
	return []Mutant{
		{Rule: "DP8-2.2.2-SESSID-ABSENT", Name: "the id as payload", On: "dp8/unsigned-clean",
			Tamper: firstShot(func(x *shot) bool {
				if !x.plain() {
					return false
				}
				x.d.Payload = binary.LittleEndian.AppendUint32(nil, x.Conn.SessionID)
				return true
			})},
		{Rule: "DP8-2.2.2-SESSID-ABSENT", Name: "four bytes of payload", Near: true, Steps: newTalk().meet().send(0, says("four")).turns(2).steps},
		{Rule: "DP8-2.2.2-USERFLAGS", Name: "a session message of two bytes",
			Steps: core().wrong().send(0, user(1, 0)).turns(2).steps},
		{Rule: "DP8-2.2.2-USERFLAGS", Name: "session messages and data", Near: true, Steps: core().chat(2).steps},
	}
}
