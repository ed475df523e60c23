package lab

import (
	"github.com/dpdissect/dpdissect/dp8"
)

// dp8Coalesce break the rules of coalesced payloads.
func dp8Coalesce() []Mutant {
	on := func() *talk { return newTalk().meet().chat(4) }
	sends := func(rule, name string, spoil func(d *dp8.DFrame), texts ...string) Mutant {
		return on().bad(func(f *dp8.Frame) { spoil(&f.DFrame) }).parts(0, texts...).chat(4).breaks(rule, name)
	}
	bytes := func(rule, name string, change func(b []byte) []byte, texts ...string) Mutant {
		return on().badBytes(change).parts(0, texts...).chat(4).breaks(rule, name)
	}
	fine := func(rule string) Mutant {
		return on().parts(0, "abc", "defgh", "i").parts(1, "abc", "de").chat(3).nearly(rule, "coalesces as it should")
	}
	middle := func(last dp8.Command) *talk {
		return on().odd(func(f *dp8.Frame) { f.DFrame.Command &^= dp8.EndMsg }).data(connector).bad(func(*dp8.Frame) {}).parts(0, "a", "b").
			odd(func(f *dp8.Frame) { f.DFrame.Command = dp8.Data | dp8.Reliable | dp8.Sequential | last }).data(connector).chat(3)
	}
	many := make([]string, 32)
	for i := range many {
		many[i] = "x"
	}
	return []Mutant{
		sends("DP8-2.2.3-FLAGS", "clears END", func(d *dp8.DFrame) { d.Command &^= dp8.EndMsg }, "abc", "de"),
		fine("DP8-2.2.3-FLAGS"),
		newTalk().minors(4, 6).meet().chat(4).bad(func(*dp8.Frame) {}).parts(0, "abc", "de").chat(3).breaks("DP8-2.2.3-VER", "coalesces with 1.4"),
		newTalk().minors(5, 6).meet().chat(4).parts(0, "abc", "de").chat(3).nearly("DP8-2.2.3-VER", "coalesces with 1.5"),
		bytes("DP8-2.2.3-COUNT", "33 headers", func(b []byte) []byte {
			head := append(b[:4:4], make([]byte, 66)...)
			for i := 5; i < len(head); i += 2 {
				head[i] = dp8.PartReliable
			}
			return append(append(head, 0, dp8.PartEnd), 0, 0)
		}, "a", "b"),
		on().parts(0, many...).chat(3).nearly("DP8-2.2.3-COUNT", "32 headers"),
		bytes("DP8-2.2.3-END", "no last header", func(b []byte) []byte {
			for i := 5; i < len(b); i += 2 {
				b[i] &^= dp8.PartEnd
			}
			return b
		}, "AA", "BB"),
		fine("DP8-2.2.3-END"),
		sends("DP8-2.2.3-HDRPAD", "header padding not zero", func(d *dp8.DFrame) { d.Coalesce.HeaderPad = [2]byte{0x41, 0x42} }, "abc", "de", "f"),
		bytes("DP8-2.2.3-HDRPAD", "no header padding", func(b []byte) []byte { return append(b[:10:10], b[12:]...) }, "abc", "de", "fghi"),
		fine("DP8-2.2.3-HDRPAD"),
		sends("DP8-2.2.3-PAYPAD", "padding not zero", func(d *dp8.DFrame) { d.Coalesce.Parts[0].Pad = [3]byte{0xff, 0xff, 0xff} }, "abcde", "de"),
		fine("DP8-2.2.3-PAYPAD"),
		sends("DP8-2.2.3-FIT", "larger than the frame", func(d *dp8.DFrame) { d.Coalesce.Parts[1].Command |= 0x08 }, "abc", "de"),
		fine("DP8-2.2.3-FIT"),
		sends("DP8-2.2.3-TRAIL", "stray bytes", func(d *dp8.DFrame) { d.Coalesce.Trailing = []byte{1, 2, 3} }, "abc", "de"),
		fine("DP8-2.2.3-TRAIL"),
		on().bad(func(*dp8.Frame) {}).parts(0, "abc", "").chat(3).breaks("DP8-2.2.3-ZERO", "an empty payload"),
		fine("DP8-2.2.3-ZERO"),
		on().bad(func(*dp8.Frame) {}).parts(0, string(make([]byte, 1200)), string(make([]byte, 1200))).chat(3).breaks("DP8-2.2.3-MTU", "in fragments"),
		fine("DP8-2.2.3-MTU"),
		sends("DP8-2.2.3-OUTER", "unreliable outside", func(d *dp8.DFrame) { d.Command &^= dp8.Reliable }, "abc", "de"),
		fine("DP8-2.2.3-OUTER"),
		on().bad(func(*dp8.Frame) {}).parts(0, "abc").chat(3).breaks("DP8-2.2.3-SOLO", "one payload"),
		fine("DP8-2.2.3-SOLO"),
		middle(dp8.EndMsg).breaks("DP8-3.1.5.2.6-COAL-MID", "between two parts"),
		on().odd(func(f *dp8.Frame) { f.DFrame.Command &^= dp8.EndMsg }).data(connector).odd(func(f *dp8.Frame) { f.DFrame.Command &^= dp8.NewMsg }).data(connector).
			parts(0, "a", "b").chat(3).nearly("DP8-3.1.5.2.6-COAL-MID", "behind the last part"),
	}
}
