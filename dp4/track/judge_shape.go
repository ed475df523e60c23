package track

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
)

// Sets of rules that a frame without fault passes at once, by its type.
const (
	setData = iota
	setACK
	setNACK
	setOrder  // a packet that continues what was captured before
	setRepeat // a sending of a packet that was captured before
	setHeard  // an acknowledgement that goes on from the one before
	setPlain  // a data frame as most are: setData and more
	setAnswer // an ACK as most are: setACK and more
	setFirst  // the first sending of a reliable message of one packet, well within the window
)

var ruleSets = [][]int{
	setData:   {r2Type, r2HdrShort, r221Term, r221Third, r221Minimal, r222Cmd, r222Noack, r222Cmdext, r222Big},
	setACK:    {r2Type, r2HdrShort, r221Term, r221Third, r221Minimal, r222Noack, r222Big, r224Len},
	setNACK:   {r2Type, r2HdrShort, r221Term, r221Third, r221Minimal, r222Noack, r222Big, r223Len, r222Extcmd, r222Extzero, r222Maskfit},
	setOrder:  {r222MsgidSeq, r222SeqInc, r222StaFirst, r222StaOnce, r222EomLast, r222RlyConst, r3152Contig},
	setRepeat: {r222SeqUnique, r222RetrySame, r222RlyConst},
	setHeard:  {r224Cum, r3154BytesMono, r313TickMono},
	setPlain:  {r2Type, r2HdrShort, r221Term, r221Third, r221Minimal, r222Cmd, r222Noack, r222Cmdext, r222Big, r2Ipfrag, r222Datalen},
	setAnswer: {r2Type, r2HdrShort, r221Term, r221Third, r221Minimal, r222Noack, r222Big, r224Len, r2Ipfrag, r223Strayflags},
	setFirst:  {r222SerialSingle, r222SerialStart, r222MsgidWindow},
}

// A fault is what is wrong with a frame by itself, as a bit set by rule.
type fault uint16

const (
	faultShort fault = 1 << iota
	faultTerm
	faultThird
	faultMinimal
	faultType
	faultNoack
	faultCmdext
	faultCmd
	faultBig
	faultExtcmd
	faultExtzero
	faultMaskfit
	faultLacks    // bytes of an ACK or NACK
	faultTrailing // bytes behind an ACK or NACK
)

// Frames with these faults are kept out of what rules remember: whether their
// receiver acts on them nobody knows.
const faultsShun = faultShort | faultTerm | faultThird | faultType | faultNoack | faultCmdext | faultCmd | faultBig |
	faultExtcmd | faultExtzero | faultMaskfit | faultLacks

// faults looks at the frame at hand by itself (MC-DPL4R 2, 2.2). Of a cut frame
// only what its flags say counts.
func (c packetJudge) faults(err *dissect.Error) (x fault) {
	f := c.f
	if err == nil && f.From.Width == 1 && f.To.Width == 1 && len(f.Trailing) == 0 {
		if t := f.Flags & (dp4.EXT | dp4.CMD | dp4.ACK | dp4.BIG); t == dp4.CMD || t == dp4.ACK {
			return 0
		}
	}
	if err != nil {
		if c.fr.Cut() {
			return 0
		}
		if x = shortness(f, c.fr, err); f.Type == dp4.TypeNone || x == faultShort {
			return x
		}
	}
	if int(f.From.Width) > f.From.MinWidth() || int(f.To.Width) > f.To.MinWidth() {
		x |= faultMinimal
	}
	if f.From.Value > dp4.MaxIndex || f.To.Value > dp4.MaxIndex {
		x = x&^faultMinimal | faultThird
	}
	if f.Flags&dp4.BIG != 0 {
		x |= faultBig
	}
	x |= classFault(f)
	switch {
	case x&(faultNoack|faultShort) != 0:
		x &^= faultLacks // its fields are not those of an acknowledgement
	case f.Type == dp4.TypeNACK && x&faultLacks == 0 && !c.fr.Cut():
		x = extFault(f, c.fr, x)
	}
	if len(f.Trailing) > 0 && x&(faultNoack|faultExtcmd|faultExtzero) == 0 {
		x |= faultTrailing
	}
	return x
}

// classFault judges the bits that tell the type (MC-DPL4R 2, 2.2.2). One wrong bit
// is one fault.
func classFault(f *dp4.Frame) fault {
	switch f.Flags & (dp4.EXT | dp4.CMD | dp4.ACK) {
	case dp4.EXT:
		return faultType
	case dp4.CMD | dp4.ACK, dp4.CMD | dp4.ACK | dp4.EXT:
		return faultNoack
	case dp4.CMD | dp4.EXT:
		return faultCmdext
	case 0:
		return faultCmd
	}
	return 0
}

// shortness says which rule a frame that ends too soon breaks.
func shortness(f *dp4.Frame, fr *dissect.Frame, err *dissect.Error) fault {
	b := fr.Payload
	if err.Field == &dp4.Fields[dp4.FIDFrom] || err.Field == &dp4.Fields[dp4.FIDTo] {
		if err.Offset < len(b) && b[err.Offset] >= 0x80 {
			return faultTerm
		}
		return faultShort
	}
	switch {
	case f.Type == dp4.TypeNone:
		return faultShort
	case f.Size(fr.Length) < shortest:
		return faultShort
	case f.Type == dp4.TypeData:
		return 0 // extended flags or their mask do not fit: a frame to be ignored
	case err.Field == &dp4.Fields[dp4.FNackMask]:
		return 0 // see extFault
	}
	return faultLacks
}

// shortest is what every frame has behind its indexes (MC-DPL4R 2.2.2-2.2.4).
const shortest = 4

// nackSize is what a NACK has behind its indexes besides the mask.
const nackSize = 12

// extFault judges the extended flags of a NACK: no reading of them may be clean
// (AMB-DP4-05). What the usual reading breaks is what is reported.
func extFault(f *dp4.Frame, fr *dissect.Frame, x fault) fault {
	rest := f.Size(fr.Length) - nackSize
	if dp4.MSBFirst.Clean(f.ExtFlags) && dp4.MSBFirst.MaskSize(f.ExtFlags) == rest {
		return x
	}
	if f.ExtFlags&0x1f != 0 {
		x |= faultExtcmd
	}
	if f.ExtFlags&0x80 != 0 {
		x |= faultExtzero
	}
	if x&(faultExtcmd|faultExtzero) == 0 && dp4.LSBFirst.MaskSize(f.ExtFlags) > rest {
		x |= faultMaskfit
	}
	return x
}

// judgeShape reports the faults of the frame at hand, which is no copy.
func (c packetJudge) judgeShape(x fault) {
	rules, f := &c.c.Rules, c.f
	tell := func(bit fault, rule int, format string, args ...any) {
		if x&bit != 0 {
			rules.Broken(rule, fmt.Sprintf(format, args...))
		}
	}
	if f.Type == dp4.TypeNone || x&faultShort != 0 {
		tell(faultShort, r2HdrShort, "%d bytes of payload: flags, messageid, sequence and serial do not fit", c.fr.Length)
		tell(faultTerm, r221Term, "the third byte of a player index says that another one follows")
	}
	tell(faultThird, r221Third, "player indexes %d and %d: at least one is above 65535", f.From.Value, f.To.Value)
	tell(faultMinimal, r221Minimal, "player indexes %d and %d take %d and %d bytes, more than needed", f.From.Value, f.To.Value, f.From.Width, f.To.Width)
	tell(faultType, r2Type, "flags 0x%02x: EXT is set without ACK, which is not a frame type", uint8(f.Flags))
	tell(faultNoack, r222Noack, "flags 0x%02x: CMD, which marks a data frame, and ACK are both set", uint8(f.Flags))
	tell(faultCmdext, r222Cmdext, "flags 0x%02x: CMD and EXT are both set, so the receiver must ignore the frame", uint8(f.Flags))
	tell(faultCmd, r222Cmd, "flags 0x%02x: a data frame without CMD", uint8(f.Flags))
	tell(faultBig, r222Big, "flags 0x%02x: BIG is set", uint8(f.Flags))
	tell(faultExtcmd, r222Extcmd, "extended flags are 0x%02x: COMMAND is %d, not 0", f.ExtFlags, f.ExtFlags&0x1f)
	tell(faultExtzero, r222Extzero, "extended flags are 0x%02x: their zero bit is set", f.ExtFlags)
	size := f.Size(c.fr.Length)
	tell(faultMaskfit, r222Maskfit, "extended flags are 0x%02x: they announce %d bytes of mask, but %d are left", f.ExtFlags, dp4.LSBFirst.MaskSize(f.ExtFlags), size-nackSize)
	if x&(faultLacks|faultTrailing) != 0 {
		c.judgeLength(size, x&faultTrailing != 0)
	}
}

// judgeLength reports an ACK or NACK that lacks bytes or has some too many; the
// latter does less harm.
func (c packetJudge) judgeLength(size int, more bool) {
	rules, want := &c.c.Rules, nackSize
	rule, name := r224Len, "an ACK"
	if c.f.Type == dp4.TypeNACK {
		rule, name = r223Len, "a NACK"
		want += int(c.f.MaskSize)
	}
	x := rules.Here(rule, fmt.Sprintf("%d bytes follow the indexes, but %s has %d", size, name, want))
	x.Milder = more
	rules.Judge(x)
}

// judgeWhole ends the frame-local rules of a frame that is no copy.
func (c packetJudge) judgeWhole(dir int, x fault) {
	rules, f := &c.c.Rules, c.f
	if c.wants.Profile.Windows {
		c.judgeProduct(dir)
	}
	if x&faultsShun != 0 || x == 0 && c.fr.Fragments <= 1 && c.isPlain() {
		return
	}
	if c.fr.Fragments > 1 {
		rules.Broken(r2Ipfrag, fmt.Sprintf("the frame of %d bytes came in %d IP fragments", c.fr.Length, c.fr.Fragments))
	} else {
		rules.Pass(r2Ipfrag)
	}
	if x == 0 {
		rules.PassSet(int(f.Type - dp4.TypeData))
	}
	switch f.Type {
	case dp4.TypeData:
		if len(f.Data) == 0 && !c.fr.Cut() {
			rules.Broken(r222Datalen, "a data frame without data")
		} else {
			rules.Pass(r222Datalen)
		}
		c.judgeEnvelope()
	case dp4.TypeNACK:
		if !rules.Check(r2NackNnack0, f.MaskSize > 0 || c.fr.Cut()) {
			rules.Broken(r2NackNnack0, "a NACK without a mask")
		}
		fallthrough
	case dp4.TypeACK:
		if !rules.Check(r223Strayflags, f.Flags&(dp4.STA|dp4.EOM|dp4.SAK|dp4.RLY) == 0) {
			rules.Broken(r223Strayflags, fmt.Sprintf("flags 0x%02x: an acknowledgement carries flags of data frames", uint8(f.Flags)))
		}
	}
}

// isPlain passes what the frame at hand passes if it is like most others.
func (c packetJudge) isPlain() bool {
	f := c.f
	switch {
	case f.Type == dp4.TypeData && len(f.Data) > 0 && (f.Data[0] != dp4.Signature[0] || !dp4.IsCore(f.Data)):
		c.c.Rules.PassSet(setPlain)
	case f.Type == dp4.TypeACK && f.Flags&(dp4.STA|dp4.EOM|dp4.SAK|dp4.RLY) == 0:
		c.c.Rules.PassSet(setAnswer)
	default:
		return false
	}
	return true
}

// judgeEnvelope: what finds and joins a session is sent bare (MC-DPL4R 1.3).
func (c packetJudge) judgeEnvelope() {
	if c.f.Flags&dp4.STA == 0 {
		return
	}
	command, _, ok := dp4.CoreCommand(c.f.Data)
	if !ok {
		return
	}
	switch name := dp4.CoreName(command); name {
	case "ENUMSESSIONS", "ENUMSESSIONSREPLY", "ADDFORWARDREQUEST":
		c.c.Rules.Broken(r13Envelope, name+", which belongs to joining a session, is wrapped in a data frame")
	case "":
	default:
		c.c.Rules.Pass(r13Envelope)
	}
}
