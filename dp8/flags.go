package dp8

// Command is the first byte of every frame (bCommand, MC-DPL8R 2.2.1, 2.2.2).
type Command uint8

const (
	Data       Command = 0x01 // data frame
	Reliable   Command = 0x02
	Sequential Command = 0x04
	Poll       Command = 0x08 // acknowledge immediately
	NewMsg     Command = 0x10
	EndMsg     Command = 0x20
	User1      Command = 0x40
	User2      Command = 0x80
	CFrame     Command = 0x80 // command frame, when Data is clear
)

// Control is the second byte of a data frame (bControl, MC-DPL8R 2.2.2).
type Control uint8

const (
	CtlRetry     Control = 0x01
	CtlKeepAlive Control = 0x02 // from 1.5; before, a request for a dedicated acknowledgement
	CtlCoalesce  Control = 0x04
	CtlEndStream Control = 0x08
	CtlSACK1     Control = 0x10
	CtlSACK2     Control = 0x20
	CtlSend1     Control = 0x40
	CtlSend2     Control = 0x80
)

// Opcodes of command frames (bExtOpCode, MC-DPL8R 2.2.1).
const (
	OpConnect         = 0x01
	OpConnected       = 0x02
	OpConnectedSigned = 0x03
	OpHardDisconnect  = 0x04
	OpSACK            = 0x06
)

// Flags of a SACK (bFlags, MC-DPL8R 2.2.1.5).
const (
	SACKResponse = 0x01
	SACKMask1    = 0x02
	SACKMask2    = 0x04
	SACKSend1    = 0x08
	SACKSend2    = 0x10
)

// Flags of a coalesce header (bCommand, MC-DPL8R 2.2.3).
const (
	PartEnd        = 0x01
	PartReliable   = 0x02
	PartSequential = 0x04
	PartBig        = 0x38 // the three upper bits of the size
	PartUser1      = 0x40
	PartUser2      = 0x80
)

// Signing options (dwSigningOpts, MC-DPL8R 2.2.1.3).
const (
	SigningFast = 0x01
	SigningFull = 0x02
)

// Versions that add a format (dwCurrentProtocolVersion, MC-DPL8R 1.7).
const (
	Version15 = 0x00010005 // coalescence, KeepAlives with the session id
	Version16 = 0x00010006 // signing
)

// WindowSize is the number of data frames a side may have outstanding
// (MC-DPL8R 3.1.5.2.1).
const WindowSize = 64

// EnumerationPort is where hosts answer enumeration (MC-DPLHP 2.1).
const EnumerationPort = 6073

// Signing tells whether the frames of a connection carry signatures.
type Signing uint8

const (
	SigningUnknown Signing = iota
	Unsigned
	Signed
)

// Params is what a decoder must know and the wire of one frame does not tell.
type Params struct {
	Signing Signing
	Version uint32 // the lower of the two sides' versions; 0 when unknown
}

// keepAliveBit reports whether CtlKeepAlive means a KeepAlive; when the version
// is unknown it can only be guessed from the frame (AMB-DP8-05).
func (p Params) keepAliveBit() (means, known bool) { return p.Version >= Version15, p.Version != 0 }
