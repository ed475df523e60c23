package dp4

// Flags is the first byte after the player indexes (flags, MC-DPL4R 2.2.2).
type Flags uint8

const (
	RLY Flags = 0x01 // the message is sent again until acknowledged
	ACK Flags = 0x02 // the frame acknowledges
	SAK Flags = 0x04 // acknowledge immediately
	EOM Flags = 0x08 // last frame of a message
	STA Flags = 0x10 // first frame of a message
	CMD Flags = 0x20 // data frame
	BIG Flags = 0x40 // never implemented, must be clear
	EXT Flags = 0x80 // extended flags are present
)

// WholeMessage marks a message of one frame.
const WholeMessage = STA | EOM

// MessageWindow is the number of messages that a side may have outstanding (MC-DPL4R
// 2.2.2).
const MessageWindow = 24

// MaxIndex is the largest index of a player (MC-DPL4R 2.2.1).
const MaxIndex = 0xffff
