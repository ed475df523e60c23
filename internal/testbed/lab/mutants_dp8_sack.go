package lab

import (
	"time"

	"github.com/dpdissect/dpdissect/dp8"
)

// dp8Sack break the rules of SACK.
func dp8Sack() []Mutant {
	on := func() *talk { return newTalk().meet().chat(8) }
	full := func() *talk { return newTalk().signed(dp8.SigningFull).meet().chat(8) }
	says := func(t *talk, rule, name string, spoil func(k *dp8.SACK), also ...string) Mutant {
		return t.wait(50*time.Millisecond).bad(func(f *dp8.Frame) { spoil(&f.SACK) }).sack(connector).wait(70*time.Millisecond).data(listener).data(connector).chat(4).breaks(rule, name, also...)
	}
	fine := func(rule string) Mutant { return on().nearly(rule, "acknowledges as it should") }
	retries := func(n int) *talk {
		t := on()
		for range n {
			t.data(connector).data(listener).bad(func(f *dp8.Frame) { f.SACK.Retry = 1 }).sack(connector)
		}
		return t
	}
	gap := func(spoil func(k *dp8.SACK)) *talk {
		return on().data(listener).data(listener).odd(func(f *dp8.Frame) {
			k := &f.SACK
			k.NRcv -= 2
			k.Flags |= dp8.SACKMask1
			k.SACKMask = 1
			spoil(k)
		}).sack(connector).chat(2)
	}
	return []Mutant{
		on().badBytes(first(0x84)).sack(connector).chat(3).breaks("DP8-2.2.1.5-CMD", "sets another flag"),
		fine("DP8-2.2.1.5-CMD"),
		says(on(), "DP8-2.2.1.5-POLL", "sets POLL", func(k *dp8.SACK) { k.Command |= dp8.Poll }),
		fine("DP8-2.2.1.5-POLL"),
		says(on(), "DP8-2.2.1.5-FLAGS", "sets an unknown flag", func(k *dp8.SACK) { k.Flags |= 0x20 }),
		fine("DP8-2.2.1.5-FLAGS"),
		says(on(), "DP8-2.2.1.5-RESPONSE", "clears RESPONSE", func(k *dp8.SACK) { k.Flags = 0 }),
		fine("DP8-2.2.1.5-RESPONSE"),
		retries(45).breaks("DP8-2.2.1.5-RETRY", "always reports a retry"),
		fine("DP8-2.2.1.5-RETRY"),
		says(on(), "DP8-2.2.1.5-PADDING", "fills the padding", func(k *dp8.SACK) { k.Padding = 0xabcd }),
		fine("DP8-2.2.1.5-PADDING"),
		on().badBytes(func(b []byte) []byte { b[2] |= dp8.SACKMask1; return b }).sack(connector).chat(3).breaks("DP8-2.2.1.5-LEN", "announces a mask"),
		says(on(), "DP8-2.2.1.5-LEN", "three bytes more", func(k *dp8.SACK) { k.Trailing = []byte{1, 2, 3} }),
		fine("DP8-2.2.1.5-LEN"),
		says(on(), "DP8-2.2.1.5-MASKZERO", "a mask of zero", func(k *dp8.SACK) { k.Flags |= dp8.SACKMask1 }),
		gap(func(*dp8.SACK) {}).nearly("DP8-2.2.1.5-MASKZERO", "a mask"),
		says(on(), "DP8-2.2.1.5-NSEQ", "a number sent before", func(k *dp8.SACK) { k.NSeq -= 4 }),
		says(on(), "DP8-2.2.1.5-NSEQ", "a number not reached", func(k *dp8.SACK) { k.NSeq += 5 }),
		fine("DP8-2.2.1.5-NSEQ"),
		says(full(), "DP8-2.2.1.5-SIG-PRESENT", "no signature", func(k *dp8.SACK) { k.HasSignature = false }),
		full().nearly("DP8-2.2.1.5-SIG-PRESENT", "signs"),
		says(on(), "DP8-2.2.1.5-SIG-ABSENT", "a signature", func(k *dp8.SACK) { k.HasSignature = true }),
		fine("DP8-2.2.1.5-SIG-ABSENT"),
		newTalk().connect().answer().bad(func(*dp8.Frame) {}).sack(listener).wait(100*time.Millisecond).confirm().alive().chat(4).breaks("DP8-3.1.5.1.5-UNEST", "acknowledges before it is confirmed"),
		newTalk().connect().answer().confirm().alive().chat(3).sack(listener).nearly("DP8-3.1.5.1.5-UNEST", "acknowledges behind the confirmation"),
	}
}
