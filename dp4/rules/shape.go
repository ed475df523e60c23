package rules

import (
	"fmt"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
	"github.com/dpdissect/dpdissect/dp4/track"
)

// Sets of rules that a frame without fault passes at once, by its type.
const (
	setData = iota
	setACK
	setNACK
	setOrder  // a packet that continues what was captured before
	setRepeat // a transmission of a packet that was captured before
	setHeard  // an acknowledgement that goes on from the one before
	setPlain  // a data frame as most are: setData and more
	setAnswer // an ACK as most are: setACK and more
	setFirst  // the first transmission of a reliable message of one packet, well within the window
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

// judgeShape reports the faults of the frame at hand, which is no copy.
func (j *judge) judgeShape(x track.Fault) {
	rules, f := &j.c.Rules, j.Packet
	tell := func(bit track.Fault, rule int, format string, args ...any) {
		if x&bit != 0 {
			rules.Broken(rule, fmt.Sprintf(format, args...))
		}
	}
	if f.Type == dp4.TypeNone || x&track.FaultShort != 0 {
		tell(track.FaultShort, r2HdrShort, "%d bytes of payload: flags, messageid, sequence and serial do not fit", j.Frame.Length)
		tell(track.FaultTerm, r221Term, "the third byte of a player index says that another one follows")
	}
	tell(track.FaultThird, r221Third, "player indexes %d and %d: at least one is above 65535", f.From.Value, f.To.Value)
	tell(track.FaultMinimal, r221Minimal, "player indexes %d and %d take %d and %d bytes, more than needed", f.From.Value, f.To.Value, f.From.Width, f.To.Width)
	tell(track.FaultType, r2Type, "flags 0x%02x: EXT is set without ACK, which is not a frame type", uint8(f.Flags))
	tell(track.FaultNoack, r222Noack, "flags 0x%02x: CMD, which marks a data frame, and ACK are both set", uint8(f.Flags))
	tell(track.FaultCmdext, r222Cmdext, "flags 0x%02x: CMD and EXT are both set, so the receiver must ignore the frame", uint8(f.Flags))
	tell(track.FaultCmd, r222Cmd, "flags 0x%02x: a data frame without CMD", uint8(f.Flags))
	tell(track.FaultBig, r222Big, "flags 0x%02x: BIG is set", uint8(f.Flags))
	tell(track.FaultExtcmd, r222Extcmd, "extended flags are 0x%02x: COMMAND is %d, not 0", f.ExtFlags, f.ExtFlags&0x1f)
	tell(track.FaultExtzero, r222Extzero, "extended flags are 0x%02x: their zero bit is set", f.ExtFlags)
	size := f.Size(j.Frame.Length)
	tell(track.FaultMaskfit, r222Maskfit, "extended flags are 0x%02x: they announce %d bytes of mask, but %d are left", f.ExtFlags, dp4.LSBFirst.MaskSize(f.ExtFlags), size-dp4.AckSize)
	if x&(track.FaultLacks|track.FaultTrailing) != 0 {
		j.judgeLength(size, x&track.FaultTrailing != 0)
	}
}

// judgeLength reports an ACK or NACK that lacks bytes or has some too many; the
// latter does less harm.
func (j *judge) judgeLength(size int, more bool) {
	rules, want := &j.c.Rules, dp4.AckSize
	rule, name := r224Len, "an ACK"
	if j.Packet.Type == dp4.TypeNACK {
		rule, name = r223Len, "a NACK"
		want += int(j.Packet.MaskSize)
	}
	x := rules.Here(rule, fmt.Sprintf("%d bytes follow the indexes, but %s has %d", size, name, want))
	x.Milder = more
	rules.Judge(x)
}

// judgeWhole ends the frame-local rules of a frame that is no copy.
func (j *judge) judgeWhole(dir dissect.Dir, x track.Fault) {
	rules, f := &j.c.Rules, j.Packet
	if j.Profile().Windows {
		j.judgeProduct(dir)
	}
	if x.Doubtful() || x == 0 && j.Frame.Fragments <= 1 && j.isPlain() {
		return
	}
	if j.Frame.Fragments > 1 {
		rules.Broken(r2Ipfrag, fmt.Sprintf("the frame of %d bytes came in %d IP fragments", j.Frame.Length, j.Frame.Fragments))
	} else {
		rules.Pass(r2Ipfrag)
	}
	if x == 0 {
		rules.PassSet(int(f.Type - dp4.TypeData))
	}
	switch f.Type {
	case dp4.TypeData:
		if len(f.Data) == 0 && !j.Frame.Cut() {
			rules.Broken(r222Datalen, "a data frame without data")
		} else {
			rules.Pass(r222Datalen)
		}
		j.judgeEnvelope()
	case dp4.TypeNACK:
		if !rules.Check(r2NackNnack0, f.MaskSize > 0 || j.Frame.Cut()) {
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
func (j *judge) isPlain() bool {
	f := j.Packet
	switch {
	case f.Type == dp4.TypeData && len(f.Data) > 0 && (f.Data[0] != dp4.Signature[0] || !dp4.IsCore(f.Data)):
		j.c.Rules.PassSet(setPlain)
	case f.Type == dp4.TypeACK && f.Flags&(dp4.STA|dp4.EOM|dp4.SAK|dp4.RLY) == 0:
		j.c.Rules.PassSet(setAnswer)
	default:
		return false
	}
	return true
}

// judgeEnvelope: what finds and joins a session is sent bare (MC-DPL4R 1.3).
func (j *judge) judgeEnvelope() {
	if j.Packet.Flags&dp4.STA == 0 {
		return
	}
	command, _, ok := dp4.CoreCommand(j.Packet.Data)
	if !ok {
		return
	}
	switch name := dp4.CoreName(command); name {
	case "ENUMSESSIONS", "ENUMSESSIONSREPLY", "ADDFORWARDREQUEST":
		j.c.Rules.Broken(r13Envelope, name+", which belongs to joining a session, is wrapped in a data frame")
	case "":
	default:
		j.c.Rules.Pass(r13Envelope)
	}
}
