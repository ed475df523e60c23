package lab

import (
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/dp4"
)

// dp4Header break the rules of frame types and player indexes.
func dp4Header() []Mutant {
	const clean = "dp4/windows-clean"
	return slices.Concat([]Mutant{
		{Rule: "DP4-2-TYPE", Name: "sets EXT without ACK and CMD", On: clean,
			Tamper: dp4Nth(30, dp4Data, func(f *dp4.Frame) { f.Flags = f.Flags&^dp4.CMD | dp4.EXT })},
		{Rule: "DP4-2-HDR-SHORT", Name: "ends after the messageid", On: clean,
			Tamper: dp4Bytes(30, dp4Any, func(p []byte) []byte { return p[:4] })},
		{Rule: "DP4-2-HDR-SHORT", Name: "ends within the first index", On: "dp4/wide-indexes",
			Tamper: dp4Bytes(30, dp4Any, func(p []byte) []byte { return p[:1] })},
		{Rule: "DP4-2.2.1-TERM", Name: "sets the top bit of a third byte", On: clean,
			Tamper: dp4Bytes(30, dp4Any, func(p []byte) []byte { return append([]byte{0xfe, 0xff, 0x83}, p[1:]...) })},
		{Rule: "DP4-2.2.1-THIRD", Name: "sends an index above 65535", On: clean,
			Tamper: dp4Bytes(30, dp4Any, func(p []byte) []byte { return append([]byte{0x80, 0x80, 0x04}, p[1:]...) })},
		{Rule: "DP4-2.2.1-MINIMAL", Name: "takes two bytes for index 1", On: clean,
			Tamper: dp4Nth(30, dp4Data, func(f *dp4.Frame) { f.From.Width = 2 })},
		{Rule: "DP4-2.2.1-MINIMAL", Name: "takes three bytes for index 16384", Near: true, On: "dp4/wide-indexes"},
		{Rule: "DP4-2.2.1-THIRD", Name: "sends index 65534", Near: true, On: "dp4/wide-indexes"},
		{Rule: "DP4-2.2.1-TERM", Name: "clears the top bit of every third byte", Near: true, On: "dp4/wide-indexes"},
		{Rule: "DP4-2-HDR-SHORT", Name: "ends right behind the serial", Near: true, On: clean,
			Tamper: dp4Nth(30, dp4Single, func(f *dp4.Frame) { f.Data = nil })},
		{Rule: "DP4-2.2.1-PAIR", Name: "acknowledges for another player", Steps: dp4Exchange(func(t *dp4Talk) {
			t.say(0, 20*time.Millisecond, dp4Whole|dp4.RLY)
			f := t.answer(1)
			f.From.Value = 3
			t.reply(1, 25*time.Millisecond, f).Fault = true
		})},
		{Rule: "DP4-2-IPFRAG", Name: "sends what takes three fragments", Steps: dp4Exchange(dp4Fragmented)},
	}, dp4Keeps("dp4/nacks-lsb-first", "DP4-2-TYPE"), dp4Keeps("dp4/player-pairs", "DP4-2.2.1-PAIR", "DP4-2-IPFRAG"))
}
