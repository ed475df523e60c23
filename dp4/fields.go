package dp4

import "github.com/dpdissect/dpdissect/dissect"

// Indexes into Fields.
const (
	fSPSizeToken = iota
	fSPSize
	fSPToken
	fSPFamily
	fSPPort
	fSPAddress
	fSPZero
	FIDFrom
	FIDTo
	fFlags
	fMessageID
	fSeq
	fSerial
	fExtFlags
	fNNack
	fExtOrder
	FNackMask
	fMissing
	fBytesReceived
	fTick
	fData
	fCore
	fCoreVersion
	fTrailing
	numFields
)

// Fields is the table of DirectPlay 4 Reliable. The order is that of the
// reference page.
var Fields = [numFields]dissect.Field{
	fSPSizeToken: {Name: "dp4.sp_size_token", Label: "Size and token", Kind: dissect.Uint, Base: dissect.Hex, Size: 4, Clause: "MC-DPL4CS 2.2.6", Doc: "Size and Token of a service provider's header in front of the frame: 20 and 12 bits"},
	fSPSize:      {Name: "dp4.sp_size", Label: "Size", Kind: dissect.Uint, Unit: "bytes", Clause: "MC-DPL4CS 2.2.6", Doc: "Size: bytes of the whole datagram"},
	fSPToken:     {Name: "dp4.sp_token", Label: "Token", Kind: dissect.Uint, Base: dissect.Hex, Values: tokenNames, Clause: "MC-DPL4CS 2.2.6", Doc: "Token: where the datagram comes from"},
	fSPFamily:    {Name: "dp4.sp_family", Label: "Address family", Kind: dissect.Uint, Size: 2, Clause: "MC-DPL4CS 2.2.6", Doc: "SockAddr, AddressFamily: 2 is IPv4"},
	fSPPort:      {Name: "dp4.sp_port", Label: "Port", Kind: dissect.Uint, Privacy: dissect.Port, Size: 2, Clause: "MC-DPL4CS 2.2.6", Doc: "SockAddr, Port: big-endian; the port the sender listens on"},
	fSPAddress:   {Name: "dp4.sp_address", Label: "Address", Kind: dissect.Bytes, Privacy: dissect.Address, Size: 4, Clause: "MC-DPL4CS 2.2.6", Doc: "SockAddr, Address: IPv4 address in wire order, mostly zero"},
	fSPZero:      {Name: "dp4.sp_zero", Label: "Padding", Kind: dissect.Bytes, Size: 8, Clause: "MC-DPL4CS 2.2.6", Doc: "SockAddr, Padding: zero"},

	FIDFrom: {Name: "dp4.id_from", Label: "From player", Kind: dissect.Uint, Clause: "MC-DPL4R 2.2.1", Doc: "IdFrom: index of the sending player, in one to three bytes of seven bits"},
	FIDTo:   {Name: "dp4.id_to", Label: "To player", Kind: dissect.Uint, Clause: "MC-DPL4R 2.2.1", Doc: "IdTo: index of the receiving player"},

	fFlags:     {Name: "dp4.flags", Label: "Flags", Kind: dissect.Uint, Base: dissect.Hex, Size: 1, Bits: flagBits, Clause: "MC-DPL4R 2.2.2", Doc: "flags: type of the frame, its place in a message, how it is delivered"},
	fMessageID: {Name: "dp4.message_id", Label: "Message ID", Kind: dissect.Uint, Size: 1, Clause: "MC-DPL4R 2.2.2", Doc: "messageid: number of the message, modulo 256; in ACK and NACK that of the frame they name"},
	fSeq:       {Name: "dp4.seq", Label: "Sequence", Kind: dissect.Uint, Size: 1, Clause: "MC-DPL4R 2.2.2", Doc: "sequence: number of the packet, modulo 256; in an ACK the last one received, in a NACK the first one missing"},
	fSerial:    {Name: "dp4.serial", Label: "Serial", Kind: dissect.Uint, Size: 1, Clause: "MC-DPL4R 2.2.2", Doc: "serial: earlier transmissions of a message of one packet, or of any packet of a longer message; in an ACK that of the copy it answers"},

	fExtFlags: {Name: "dp4.ext_flags", Label: "Extended flags", Kind: dissect.Uint, Base: dissect.Hex, Size: 1, Clause: "MC-DPL4R 2.2.3", Doc: "extended flags: COMMAND (5 bits, zero), nNACK (2 bits), one zero bit"},
	fNNack:    {Name: "dp4.nnack", Label: "Mask size", Kind: dissect.Uint, Unit: "bytes", Clause: "MC-DPL4R 2.2.3", Doc: "nNACK: bytes of NACK mask, as the reading that fits has it"},
	fExtOrder: {Name: "dp4.ext_order", Label: "Bit order", Kind: dissect.Text, Clause: "MC-DPL4R 2.2.3", Doc: "how the extended flags were read, which the text leaves open: lsb-first (nNACK is 0x60) or, where that alone fits the length, msb-first (nNACK is 0x06)"},
	FNackMask: {Name: "dp4.nack_mask", Label: "NACK mask", Kind: dissect.Uint, Base: dissect.Hex, Clause: "MC-DPL4R 2.2.3", Doc: "NACK MASK: bit i says that sequence+1+i is missing as well; first byte first"},
	fMissing:  {Name: "dp4.missing", Label: "Missing", Kind: dissect.IDs, Clause: "MC-DPL4R 2.2.3", Doc: "sequences a NACK reports missing, its own first"},

	fBytesReceived: {Name: "dp4.bytes_received", Label: "Bytes received", Kind: dissect.Uint, Size: 4, Unit: "bytes", Clause: "MC-DPL4R 3.1.5.4", Doc: "bytes received: of all data frames that arrived, without player indexes, repeated frames included"},
	fTick:          {Name: "dp4.tick", Label: "Tick count", Kind: dissect.Uint, Size: 4, Unit: "ms", Clause: "MC-DPL4R 2.2.4", Doc: "local tick count: of the sender, when it sent this frame"},

	fData:        {Name: "dp4.data", Label: "Data", Kind: dissect.Bytes, Privacy: dissect.Payload, Unit: "bytes", Clause: "MC-DPL4R 2.2.2", Doc: "Data: a message or a part of one"},
	fCore:        {Name: "dp4.core_message", Label: "Core message", Kind: dissect.Text, Clause: "MC-DPL4CS 2.2", Doc: "name of the DirectPlay 4 core message that the data begins with"},
	fCoreVersion: {Name: "dp4.core_version", Label: "Core version", Kind: dissect.Uint, Clause: "MC-DPL4CS 2.2", Doc: "Version of that message"},
	fTrailing:    {Name: "dp4.trailing", Label: "Trailing bytes", Kind: dissect.Bytes, Privacy: dissect.Payload, Clause: "MC-DPL4R 2.2", Doc: "bytes after the last field of the frame"},
}

var flagBits = []dissect.Bit{
	{Mask: uint64(RLY), Name: "rly", Label: "RELIABLE", Doc: "the message is sent again until acknowledged"},
	{Mask: uint64(ACK), Name: "ack", Label: "ACKNOWLEDGE", Doc: "acknowledges; with EXT it reports missing packets"},
	{Mask: uint64(SAK), Name: "sak", Label: "SEND ACKNOWLEDGE", Doc: "acknowledge immediately"},
	{Mask: uint64(EOM), Name: "eom", Label: "END OF MESSAGE", Doc: "last frame of a message"},
	{Mask: uint64(STA), Name: "sta", Label: "START", Doc: "first frame of a message"},
	{Mask: uint64(CMD), Name: "cmd", Label: "COMMAND", Doc: "data frame; with EXT the receiver must ignore it"},
	{Mask: uint64(BIG), Name: "big", Label: "BIG", Doc: "never implemented, must be clear"},
	{Mask: uint64(EXT), Name: "ext", Label: "EXTENSION", Doc: "extended flags are present"},
}

var tokenNames = []dissect.Value{
	{Value: TokenRemote, Name: "remote"}, {Value: TokenForwarded, Name: "forwarded"}, {Value: TokenServer, Name: "server"},
}

// Rows of a service provider's header, in this table and in that of the core.
const (
	spSizeToken = iota
	spSizeOnly
	spTokenOnly
	spFamilyRow
	spPort
	spAddress
	spZero
	numSPFields
)

var spRows = [numSPFields]*dissect.Field{
	&Fields[fSPSizeToken], &Fields[fSPSize], &Fields[fSPToken], &Fields[fSPFamily], &Fields[fSPPort], &Fields[fSPAddress], &Fields[fSPZero],
}
