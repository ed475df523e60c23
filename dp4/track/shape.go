package track

import (
	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/dp4"
)

// A Fault is what is wrong with a frame by itself, as a bit set: a bit for each kind.
type Fault uint16

const (
	FaultShort    Fault = 1 << iota // it ends within what every frame has
	FaultTerm                       // the third byte of a player index announces another one
	FaultThird                      // … is above what it may be
	FaultMinimal                    // a player index takes more bytes than it needs
	FaultType                       // EXT without ACK and CMD
	FaultNoack                      // CMD and ACK
	FaultCmdext                     // CMD and EXT
	FaultCmd                        // none of CMD, ACK and EXT
	FaultBig                        // BIG
	FaultExtcmd                     // extended flags of a NACK: COMMAND is not 0
	FaultExtzero                    // … their zero bit is set
	FaultMaskfit                    // … the mask that they announce does not fit
	FaultLacks                      // bytes of an ACK or NACK
	FaultTrailing                   // bytes after an ACK or NACK
)

// Doubtful reports that nobody knows whether a receiver acts on a frame with these faults:
// its numbers are compared with none.
func (x Fault) Doubtful() bool {
	return x&^(FaultMinimal|FaultTrailing) != 0
}

// faults looks at a frame by itself (MC-DPL4R 2, 2.2). Of a cut frame only what its
// flags say counts.
func faults(fr *dissect.Frame, f *dp4.Frame, err *dissect.Error) (x Fault) {
	if err == nil && f.From.Width == 1 && f.To.Width == 1 && len(f.Trailing) == 0 {
		if t := f.Flags & (dp4.EXT | dp4.CMD | dp4.ACK | dp4.BIG); t == dp4.CMD || t == dp4.ACK {
			return 0
		}
	}
	if err != nil {
		if fr.Cut() {
			return 0
		}
		if x = shortness(f, fr, err); f.Type == dp4.TypeNone || x == FaultShort {
			return x
		}
	}
	if int(f.From.Width) > f.From.MinWidth() || int(f.To.Width) > f.To.MinWidth() {
		x |= FaultMinimal
	}
	if f.From.Value > dp4.MaxIndex || f.To.Value > dp4.MaxIndex {
		x = x&^FaultMinimal | FaultThird
	}
	if f.Flags&dp4.BIG != 0 {
		x |= FaultBig
	}
	x |= classFault(f)
	switch {
	case x&(FaultNoack|FaultShort) != 0:
		x &^= FaultLacks // its fields are not those of an acknowledgement
	case f.Type == dp4.TypeNACK && x&FaultLacks == 0 && !fr.Cut():
		x = extFault(f, fr, x)
	}
	if len(f.Trailing) > 0 && x&(FaultNoack|FaultExtcmd|FaultExtzero) == 0 {
		x |= FaultTrailing
	}
	return x
}

// classFault judges the bits that tell the type (MC-DPL4R 2, 2.2.2). One wrong bit
// is one fault.
func classFault(f *dp4.Frame) Fault {
	switch f.Flags & (dp4.EXT | dp4.CMD | dp4.ACK) {
	case dp4.EXT:
		return FaultType
	case dp4.CMD | dp4.ACK, dp4.CMD | dp4.ACK | dp4.EXT:
		return FaultNoack
	case dp4.CMD | dp4.EXT:
		return FaultCmdext
	case 0:
		return FaultCmd
	}
	return 0
}

// shortness says which rule a frame that ends too soon breaks.
func shortness(f *dp4.Frame, fr *dissect.Frame, err *dissect.Error) Fault {
	b := fr.Payload
	if err.Field == &dp4.Fields[dp4.FIDFrom] || err.Field == &dp4.Fields[dp4.FIDTo] {
		if err.Offset < len(b) && b[err.Offset] >= 0x80 {
			return FaultTerm
		}
		return FaultShort
	}
	switch {
	case f.Type == dp4.TypeNone:
		return FaultShort
	case f.Size(fr.Length) < dp4.HeaderSize:
		return FaultShort
	case f.Type == dp4.TypeData:
		return 0 // extended flags or their mask do not fit: a frame to be ignored
	case err.Field == &dp4.Fields[dp4.FNackMask]:
		return 0 // see extFault
	}
	return FaultLacks
}

// extFault judges the extended flags of a NACK: no reading of them may be clean
// (AMB-DP4-05). What the usual reading breaks is what is reported.
func extFault(f *dp4.Frame, fr *dissect.Frame, x Fault) Fault {
	rest := f.Size(fr.Length) - dp4.AckSize
	if dp4.MSBFirst.Clean(f.ExtFlags) && dp4.MSBFirst.MaskSize(f.ExtFlags) == rest {
		return x
	}
	if f.ExtFlags&0x1f != 0 {
		x |= FaultExtcmd
	}
	if f.ExtFlags&0x80 != 0 {
		x |= FaultExtzero
	}
	if x&(FaultExtcmd|FaultExtzero) == 0 && dp4.LSBFirst.MaskSize(f.ExtFlags) > rest {
		x |= FaultMaskfit
	}
	return x
}
