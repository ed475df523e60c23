package lab

import (
	"slices"
	"time"

	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/session/conform"
)

// dp4DataMutants break the rules of data frames.
func dp4DataMutants() []Mutant {
	return slices.Concat(dp4FlagMutants(), dp4NumberMutants(), dp4PartMutants(), dp4AgainMutants(), dp4DataKeeps())
}

// dp4FlagMutants break the rules of flags, and of what they announce.
func dp4FlagMutants() []Mutant {
	const clean = "dp4/windows-clean"
	return []Mutant{
		{Rule: "DP4-2.2.2-CMD", Name: "clears CMD", On: clean,
			Tamper: dp4Nth(30, dp4Data, func(f *dp4.Frame) { f.Flags &^= dp4.CMD })},
		{Rule: "DP4-2.2.2-NOACK", Name: "sets ACK in a data frame", On: clean,
			Tamper: dp4Nth(30, dp4Data, func(f *dp4.Frame) { f.Flags |= dp4.ACK })},
		{Rule: "DP4-2.2.2-NOACK", Name: "sets CMD in an ACK", On: clean,
			Tamper: dp4Nth(20, dp4ACK, func(f *dp4.Frame) { f.Flags |= dp4.CMD })},
		{Rule: "DP4-2.2.2-CMDEXT", Name: "adds a mask to data", On: clean,
			Tamper: dp4Nth(30, dp4Data, func(f *dp4.Frame) { f.Flags |= dp4.EXT })},
		{Rule: "DP4-2.2.2-BIG", Name: "sets BIG in a data frame", On: clean,
			Tamper: dp4Nth(30, dp4Data, func(f *dp4.Frame) { f.Flags |= dp4.BIG })},
		{Rule: "DP4-2.2.2-BIG", Name: "sets BIG in an ACK", On: clean,
			Tamper: dp4Nth(20, dp4ACK, func(f *dp4.Frame) { f.Flags |= dp4.BIG })},
		{Rule: "DP4-2.2.2-EXTCMD", Name: "sets COMMAND bits", On: "dp4/nacks-lsb-first",
			Tamper: dp4Nth(2, dp4NACK, func(f *dp4.Frame) { f.ExtFlags |= 0x08 })},
		{Rule: "DP4-2.2.2-EXTZERO", Name: "sets the zero bit", On: "dp4/nacks-lsb-first",
			Tamper: dp4Nth(2, dp4NACK, func(f *dp4.Frame) { f.ExtFlags |= 0x80 })},
		{Rule: "DP4-2.2.2-MASKFIT", Name: "announces more mask than there is", On: "dp4/nacks-lsb-first",
			Tamper: dp4Nth(2, dp4NACK, func(f *dp4.Frame) { f.ExtFlags, f.MaskSize = 0x60, 1 })},
		{Rule: "DP4-2.2.2-MASKFIT", Name: "announces it in the mirrored bits", Near: true, On: "dp4/nacks-msb-first"},
		{Rule: "DP4-2.2.2-EXTCMD", Name: "announces it in the mirrored bits", Near: true, On: "dp4/nacks-msb-first"},
		{Rule: "DP4-2.2.2-EXTZERO", Name: "announces it in the mirrored bits", Near: true, On: "dp4/nacks-msb-first"},
		{Rule: "DP4-2.2.2-EXT-PRODUCT", Name: "reports what is missing as Windows", On: "dp4/nacks-lsb-first", Profile: conform.Profile{Windows: true}},
		{Rule: "DP4-2.2.2-EXT-PRODUCT", Name: "sets no EXT", Near: true, On: clean, Profile: conform.Profile{Windows: true}},
		dp4ActedNear(),
		dp4ActedMutant(),
	}
}

// dp4NumberMutants break the rules of messageids and sequences.
func dp4NumberMutants() []Mutant {
	const clean = "dp4/windows-clean"
	one := dp4By(1, dp4Single)
	return []Mutant{
		{Rule: "DP4-2.2.2-MSGID-FIRST", Name: "begins with messageid 0 under the strict text", On: "dp4/first-ids-0", Profile: conform.Profile{Strict: true}},
		{Rule: "DP4-2.2.2-MSGID-FIRST", Name: "begins with messageid 7", On: clean,
			Tamper: dp4From(0, 1000, dp4By(2, dp4Data), func(f *dp4.Frame) bool { f.MessageID += 6; return f.Sequence == 1 })},
		{Rule: "DP4-2.2.2-MSGID-FIRST", Name: "begins with messageid 0", Near: true, On: "dp4/first-ids-0"},
		{Rule: "DP4-2.2.2-MSGID-SEQ", Name: "skips messageids", On: clean,
			Tamper: dp4From(20, 1000, dp4By(1, dp4Data), dp4Jump(9))},
		{Rule: "DP4-2.2.2-MSGID-SEQ", Name: "goes back for good", On: clean,
			Tamper: dp4From(20, 1000, dp4By(1, dp4Data), dp4Jump(250))},
		{Rule: "DP4-2.2.2-MSGID-SEQ", Name: "goes back", On: clean,
			Tamper: dp4Nth(20, one, func(f *dp4.Frame) { f.MessageID -= 5 })},
		{Rule: "DP4-2.2.2-MSGID-SEQ", Name: "gives two messages the same id", On: clean,
			Tamper: dp4Nth(20, one, func(f *dp4.Frame) { f.MessageID-- })},
		{Rule: "DP4-2.2.2-SEQ-UNIQUE", Name: "uses a sequence for another message", On: clean,
			Tamper: dp4Also(20, one, 50*time.Millisecond, func(f *dp4.Frame) { f.MessageID++; f.Data = []byte("other") })},
		{Rule: "DP4-2.2.2-SEQ-UNIQUE", Name: "uses a sequence for other data", On: clean,
			Tamper: dp4Also(20, one, 50*time.Millisecond, func(f *dp4.Frame) { f.Data = []byte("other") })},
		{Rule: "DP4-2.2.2-SEQ-INC", Name: "skips sequences", On: clean,
			Tamper: dp4Nth(20, one, func(f *dp4.Frame) { f.Sequence += 20 })},
		{Rule: "DP4-2.2.2-SEQ-INC", Name: "runs ahead of itself", On: clean,
			Tamper: dp4Also(20, one, time.Millisecond, func(f *dp4.Frame) { f.Sequence += 20; f.MessageID += 20 })},
		{Rule: "DP4-2.2.2-SEQ-INC", Name: "gives a new packet a number below", On: clean,
			Tamper: dp4Also(20, one, 50*time.Millisecond, func(f *dp4.Frame) { f.Sequence--; f.MessageID += 20; f.Data = []byte("new") })},
		dp4WindowMutant(),
		dp4BurstsMutant("sends six times 60 messages to who answered little", 0, 8),
		dp4BurstsMutant("sends six times 60 messages, having answered little", 1, 8),
		dp4WindowNear(),
	}
}

// dp4PartMutants break the rules of messages of several frames.
func dp4PartMutants() []Mutant {
	const clean, parts, lossy = "dp4/windows-clean", "dp4/parts-lossy", "dp4/windows-lossy"
	one := dp4By(1, dp4Single)
	return []Mutant{
		{Rule: "DP4-2.2.2-STA-FIRST", Name: "begins a message without STA", On: clean,
			Tamper: dp4Nth(20, one, func(f *dp4.Frame) { f.Flags &^= dp4.STA })},
		{Rule: "DP4-2.2.2-STA-ONCE", Name: "sets STA in a later part", On: parts,
			Tamper: dp4Nth(5, dp4Middle, func(f *dp4.Frame) { f.Flags |= dp4.STA })},
		{Rule: "DP4-2.2.2-STA-ONCE", Name: "ends a message without EOM", On: clean,
			Tamper: dp4Nth(20, one, func(f *dp4.Frame) { f.Flags &^= dp4.EOM })},
		{Rule: "DP4-2.2.2-EOM-LAST", Name: "sends a part behind the last one", On: clean,
			Tamper: dp4Also(20, one, 0, func(f *dp4.Frame) { f.Sequence++; f.Flags &^= dp4Whole })},
		{Rule: "DP4-2.2.2-RLY-CONST", Name: "clears RLY in a part", On: parts,
			Tamper: dp4Nth(5, dp4Middle, func(f *dp4.Frame) { f.Flags ^= dp4.RLY })},
		{Rule: "DP4-2.2.2-RLY-CONST", Name: "clears RLY in a retry", On: lossy,
			Tamper: dp4Nth(3, dp4Retry, func(f *dp4.Frame) { f.Flags ^= dp4.RLY })},
	}
}

// dp4AgainMutants break the rules of serials, of what is sent again, and of empty
// frames.
func dp4AgainMutants() []Mutant {
	const clean = "dp4/windows-clean"
	one := dp4By(1, dp4Single)
	return []Mutant{
		{Rule: "DP4-2.2.2-SERIAL-SINGLE", Name: "sends again without counting", On: clean,
			Tamper: dp4Also(20, one, 400*time.Millisecond, func(*dp4.Frame) {})},
		{Rule: "DP4-2.2.2-SERIAL-SINGLE", Name: "soon sends again without counting", On: clean,
			Tamper: dp4Also(20, one, 65*time.Millisecond, func(*dp4.Frame) {})},
		{Rule: "DP4-2.2.2-SERIAL-MULTI", Name: "repeats a serial", On: clean,
			Tamper: dp4Nth(0, func(f *dp4.Frame) bool { return dp4Data(f) && f.Serial >= 2 }, func(f *dp4.Frame) { f.Serial-- })},
		{Rule: "DP4-2.2.2-RETRY-SAME", Name: "changes the data of a retry", On: clean,
			Tamper: dp4Also(20, one, 400*time.Millisecond, func(f *dp4.Frame) { f.Serial++; f.Data = append([]byte{^f.Data[0]}, f.Data[1:]...) })},
		{Rule: "DP4-2.2.2-UNREL-RETRY", Name: "sends again what is not reliable", On: clean,
			Tamper: dp4Also(3, func(f *dp4.Frame) bool { return one(f) && f.Flags&dp4.RLY == 0 }, 400*time.Millisecond, func(f *dp4.Frame) { f.Serial++ })},
		{Rule: "DP4-2.2.2-DATALEN", Name: "sends nothing", On: clean, Tamper: dp4Nth(20, one, func(f *dp4.Frame) { f.Data = nil })},
		{Rule: "DP4-2.2.2-SERIAL-SINGLE", Name: "counts a retry", Near: true, On: clean,
			Tamper: dp4Also(20, one, 400*time.Millisecond, func(f *dp4.Frame) { f.Serial++ })},
		{Rule: "DP4-2.2.2-SERIAL-START", Name: "begins with serial 1", Steps: dp4Exchange(dp4SerialStart)},
	}
}

// dp4DataKeeps are near misses of sessions that keep all rules.
func dp4DataKeeps() []Mutant {
	const parts, lossy = "dp4/parts-lossy", "dp4/windows-lossy"
	return slices.Concat(
		dp4Keeps(lossy, "DP4-2.2.2-SEQ-UNIQUE", "DP4-2.2.2-RETRY-SAME", "DP4-2.2.2-MSGID-SEQ", "DP4-2.2.2-SEQ-INC", "DP4-2.2.2-MSGID-WINDOW",
			"DP4-2.2.2-SERIAL-START", "DP4-2.2.2-CMD", "DP4-2.2.2-BIG", "DP4-2.2.2-CMDEXT", "DP4-2.2.2-DATALEN", "DP4-2.2.2-UNREL-RETRY"),
		dp4Keeps(parts, "DP4-2.2.2-STA-FIRST", "DP4-2.2.2-STA-ONCE", "DP4-2.2.2-EOM-LAST", "DP4-2.2.2-RLY-CONST", "DP4-2.2.2-SERIAL-MULTI"),
		dp4Keeps("dp4/nacks-lsb-first", "DP4-2.2.2-NOACK"),
	)
}

// dp4Jump moves messageids by so much from some packet on: only there is a fault.
func dp4Jump(by uint8) func(f *dp4.Frame) bool {
	first := -1
	return func(f *dp4.Frame) bool {
		if first < 0 {
			first = int(f.Sequence)
		}
		f.MessageID += by
		return int(f.Sequence) == first
	}
}
