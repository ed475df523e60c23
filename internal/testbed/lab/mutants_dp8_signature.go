package lab

import (
	"fmt"
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/dp8peer"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// dp8Signature break the rules of signatures.
func dp8Signature() []Mutant {
	return slices.Concat(dp8WrongKeys(), dp8EpochKeys(), dp8SignedTalks(), dp8Secrets())
}

// other gives the secret of the other side, that of the same epoch.
func (x *shot) other() dp8.Secret {
	h := x.Conn.History[1-x.Side]
	return h[min(max(int(x.KeyEpoch), 0), len(h)-1)]
}

func dp8WrongKeys() []Mutant {
	const fast, full = "dp8/linux-sll2", "dp8/modifier-sha1"
	bend := func(x *shot) bool { return x.plain() && x.Seq > 10 && x.resign(dp8.Secret{1, 1, 1, 1, 1, 1, 1, 1}) }
	far := func(x *shot) bool {
		if !bend(x) {
			return false
		}
		x.d.Seq += 100
		return true
	}
	steal := func(x *shot) bool { return x.plain() && x.Seq > 10 && x.resign(x.other()) }
	return []Mutant{
		{Rule: "DP8-SIG-FAST", Name: "another secret", On: fast, Tamper: firstShot(bend)},
		{Rule: "DP8-SIG-FAST", Name: "the secret in all frames", Near: true, On: "dp8/fast-signed-lossy"},
		{Rule: "DP8-SIG-FAST-DIR", Name: "the other side's secret", On: fast, Tamper: firstShot(steal)},
		{Rule: "DP8-SIG-FAST-DIR", Name: "the other side's secret, full", On: full, Tamper: firstShot(steal)},
		{Rule: "DP8-SIG-FAST-DIR", Name: "each its own", Near: true, On: fast},
		{Rule: "DP8-SIG-FULL", Name: "changes the payload after signing", On: full,
			Tamper: firstShot(func(x *shot) bool {
				if !x.plain() || x.Seq < 10 {
					return false
				}
				x.with = x.encode()
				x.with[len(x.with)-1] ^= 1
				return true
			})},
		{Rule: "DP8-SIG-FULL", Name: "a number far away, another secret", On: full, Tamper: firstShot(far)},
		{Rule: "DP8-SIG-FAST", Name: "a number far away, another secret", On: fast, Tamper: firstShot(far)},
		{Rule: "DP8-SIG-FULL", Name: "changes a SACK after signing", On: full,
			Tamper: firstShot(func(x *shot) bool {
				if x.Type != dp8.TypeSACK || x.Side != 1 {
					return false
				}
				x.with = x.encode()
				x.with[3] ^= 1
				return true
			})},
		{Rule: "DP8-SIG-FULL", Name: "signs masks and retries", Near: true, On: "dp8/full-signed-rotation"},
		{Rule: "DP8-SIG-RESIGN", Name: "keeps the signature in a retry", On: "dp8/full-signed-rotation", Tamper: keptSignatures(),
			Also: []string{"DP8-SIG-FULL"}},
		{Rule: "DP8-SIG-RESIGN", Name: "signs retries afresh", Near: true, On: "dp8/full-signed-rotation"},
		{Rule: "DP8-SIG-SECRETLEAK", Name: "tells its secrets", On: fast},
	}
}

// resign signs with another secret.
func (x *shot) resign(key dp8.Secret) bool {
	x.key = key
	return true
}

// keptSignatures leaves the first signature in retries.
func keptSignatures() func() func(*sim.Datagram) []sim.Tampered {
	return eachShot(func() func(*shot) bool {
		first := map[[2]int64][8]byte{}
		return func(x *shot) bool {
			if !x.IsData() {
				return false
			}
			at := [2]int64{int64(x.Side), x.Seq}
			if !x.Retry {
				first[at] = x.d.Signature
				return false
			}
			x.d.Signature, x.kept = first[at], true
			return true
		}
	})
}

// nextKeys follows the first reliable payloads and so knows a side's next secret,
// as dp8peer.DeriveSHA1 makes it.
func nextKeys(change func(x *shot, next dp8.Secret) bool) func() func(*sim.Datagram) []sim.Tampered {
	return eachShot(func() func(*shot) bool {
		sources := map[[2]int64][]byte{}
		done := false
		return func(x *shot) bool {
			if !x.IsData() || done {
				return false
			}
			at := [2]int64{int64(x.Side), x.Seq >> 8}
			if sources[at] == nil && x.Reliable && !x.KeepAlive && x.Seq&255 < 192 && len(x.d.Payload) > 0 {
				sources[at] = slices.Clone(x.d.Payload)
			}
			if p := sources[at]; p != nil {
				done = change(x, x.key.Next(dp8peer.DeriveSHA1(p, dp8.Secret{})))
			}
			return done
		}
	})
}

func dp8EpochKeys() []Mutant {
	const on = "dp8/full-signed-rotation"
	return []Mutant{
		{Rule: "DP8-SIG-EPOCH", Name: "the old secret behind the wrap", On: on,
			Tamper: firstShot(func(x *shot) bool {
				return x.plain() && x.Seq == 259 && x.resign(x.Conn.History[x.Side][0])
			})},
		{Rule: "DP8-SIG-EPOCH", Name: "the old secret in the next epoch", On: on,
			Tamper: firstShot(func(x *shot) bool {
				return x.plain() && x.Seq > 300 && x.resign(x.Conn.History[x.Side][0])
			})},
		{Rule: "DP8-SIG-EPOCH", Name: "the secret of each epoch", Near: true, On: on},
		{Rule: "DP8-SIG-EARLY", Name: "the next secret before the wrap", On: on,
			Tamper: nextKeys(func(x *shot, next dp8.Secret) bool {
				return x.plain() && x.Seq >= 245 && x.Seq < 256 && x.resign(next)
			})},
		{Rule: "DP8-SIG-EARLY", Name: "the old secret up to 255", Near: true, On: on},
		{Rule: "DP8-SIG-RETRYKEY", Name: "the new secret in a retry of before the wrap", On: on, Tamper: lateRetries()},
		{Rule: "DP8-SIG-RETRYKEY", Name: "the old secret in a retry of before the wrap", Near: true, On: on, Tamper: lostShot(252)},
		{Rule: "DP8-SIG-MODIFIER", Name: "derives it from the first reliable payload", Near: true, On: "dp8/modifier-sha1"},
		{Rule: "DP8-SIG-SACKKEY", Name: "the old secret in a SACK behind the wrap", On: on,
			Tamper: firstShot(func(x *shot) bool {
				return x.Type == dp8.TypeSACK && x.Side == 0 && x.Seq > 270 && x.resign(x.Conn.History[0][x.KeyEpoch-1])
			})},
		{Rule: "DP8-SIG-SACKKEY", Name: "the secret of bNSeq", Near: true, On: on},
		{Rule: "DP8-SIG-HDISCKEY", Name: "the first secret in a late HARD_DISCONNECT", On: "dp8/hard-disconnect-signed",
			Tamper: firstShot(func(x *shot) bool {
				return x.Type == dp8.TypeHardDisconnect && x.resign(x.Conn.History[x.Side][0])
			})},
		{Rule: "DP8-SIG-HDISCKEY", Name: "the secret of bRspId", Near: true, On: "dp8/hard-disconnect-signed"},
	}
}

// lostShot loses the first transmission of a number, so that its retry comes after the
// wrap.
func lostShot(seq int64) func() func(*sim.Datagram) []sim.Tampered {
	return always(func(x *shot) bool {
		x.lost = x.IsData() && x.Side == 0 && x.Seq == seq && x.Conn.Peers[0].NextSend() < 257
		return false
	})
}

// lateRetries signs retries of the numbers before a wrap, after it, with the secret
// after it.
func lateRetries() func() func(*sim.Datagram) []sim.Tampered {
	return always(func(x *shot) bool {
		p := x.Conn.Peers[0]
		if !x.IsData() || x.Side != 0 || x.Seq != 252 {
			return false
		}
		if x.lost = p.NextSend() < 257; x.lost {
			return false
		}
		key, _ := p.LocalKey(256)
		return x.resign(key)
	})
}

// dp8SignedTalks are connections made by hand.
func dp8SignedTalks() []Mutant {
	latest := func(change func(d *dp8.DFrame)) retry { return retry{by: 0, back: 1, change: change} }
	naked := func(d *dp8.DFrame) { keepsAlive(talkID)(d); d.HasSignature = false }
	old := newTalk().minors(5, 6).signed(dp8.SigningFast).connect().answer().wrong().confirm().alive().turns(2)
	meet := func() *talk { return newTalk().signed(dp8.SigningFast).meet().turns(2) }
	return []Mutant{
		{Rule: "DP8-SIG-VER", Name: "agrees on signing with version 1.5", Steps: old.steps,
			Also: []string{"DP8-2.2.1.3-VER", "DP8-2.2.1.3-MINOR", "DP8-3.1.5.1.1-SIGN-VER"}},
		{Rule: "DP8-SIG-VER", Name: "agrees on signing with version 1.6", Near: true, Steps: meet().steps},
		{Rule: "DP8-SIG-ACTED", Name: "acknowledges a forged frame", Also: []string{"DP8-SIG-FAST"},
			Steps: meet().forged().wrong().sack(1).turns(40).steps},
		{Rule: "DP8-SIG-ACTED", Name: "acknowledges the genuine one", Near: true, Also: []string{"DP8-SIG-FAST"},
			Steps: meet().wrong().forged().wait(100 * time.Millisecond).again(latest(says("genuine"))).sack(1).turns(40).steps},
		{Rule: "DP8-SIG-UNSIGNED-ACTED", Name: "acknowledges a KeepAlive without signature", Also: []string{"DP8-2.2.2-SIG-PRESENT"},
			Steps: meet().send(0, naked).wrong().sack(1).turns(40).steps},
		{Rule: "DP8-SIG-UNSIGNED-ACTED", Name: "acknowledges the signed one", Near: true, Also: []string{"DP8-2.2.2-SIG-PRESENT"},
			Steps: meet().wrong().send(0, naked).wait(100 * time.Millisecond).again(latest(keepsAlive(talkID))).sack(1).turns(40).steps},
	}
}

// forged sends data with a signature of nobody's.
func (t *talk) forged() *talk {
	return t.oddBytes(func(b []byte) []byte {
		copy(b[4:12], []byte{6, 6, 6, 0, 0, 0, 0, 0})
		return b
	}).send(0, says("forged"))
}

// dp8Secrets are about secrets in captures and on the command line.
func dp8Secrets() []Mutant {
	given := func(m Mutant, secrets string) Mutant {
		m.Secrets = fmt.Sprintf("DP8 %08x %s", talkID, secrets)
		return m
	}
	leak := func() *talk { return newTalk().signed(dp8.SigningFull).connect().answer() }
	told := func() *talk { return leak().bad(func(*dp8.Frame) {}).confirm().alive().chat(4) }
	return []Mutant{
		leak().nearly("DP8-SIG-SECRETLEAK", "a listener tells no secret"),
		given(told().breaks("DP8-SECRET-CONTRADICTED", "chose other secrets"), "0101010101010101 0202020202020202"),
		given(told().nearly("DP8-SECRET-CONTRADICTED", "chose the secrets the user gave"), "8877665544332211 1122334455667788"),
	}
}
