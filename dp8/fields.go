package dp8

import "github.com/dpdissect/dpdissect/dissect"

// Indexes into Fields.
const (
	fCFCommand = iota
	fOpcode
	fMsgID
	fRspID
	fVersion
	FSessionID
	fTimestamp
	fConnectSig
	fSenderSecret
	fReceiverSecret
	fSigningOpts
	fEchoTimestamp
	fFlags
	fRetry
	fNSeq
	fCommand
	fControl
	fSeq
	fNRcv
	fPadding
	FSACKMask
	fSacked
	FSendMask
	fDropped
	FSignature
	fPayload
	fCore
	fPayloads
	FPartSize
	fPartCommand
	FPartData
	FPartPad
	FHeaderPad
	fTrailing
	numFields
)

// Fields is the table of DirectPlay 8 Reliable. The order is that of the
// reference page.
var Fields = [numFields]dissect.Field{
	fCFCommand: {Name: "dp8.command", Label: "Command", Kind: dissect.Uint, Base: dissect.Hex, Size: 1, Bits: cframeBits, Clause: "MC-DPL8R 2.2.1", Doc: "bCommand of a command frame: 0x80, with 0x08 when an immediate answer is requested"},
	fOpcode: {Name: "dp8.opcode", Label: "Opcode", Kind: dissect.Uint, Base: dissect.Hex, Size: 1, Clause: "MC-DPL8R 2.2.1", Doc: "bExtOpCode: type of a command frame",
		Values: []dissect.Value{{Value: OpConnect, Name: "CONNECT"}, {Value: OpConnected, Name: "CONNECTED"}, {Value: OpConnectedSigned, Name: "CONNECTED_SIGNED"}, {Value: OpHardDisconnect, Name: "HARD_DISCONNECT"}, {Value: OpSACK, Name: "SACK"}}},
	fMsgID:     {Name: "dp8.msg_id", Label: "Message ID", Kind: dissect.Uint, Size: 1, Clause: "MC-DPL8R 2.2.1.1", Doc: "bMsgID: counts the side's command frames other than SACK"},
	fRspID:     {Name: "dp8.rsp_id", Label: "Response ID", Kind: dissect.Uint, Size: 1, Clause: "MC-DPL8R 2.2.1.2", Doc: "bRspId: the bMsgID that is answered; in a HARD_DISCONNECT of a fully signed connection the next data sequence"},
	fVersion:   {Name: "dp8.version", Label: "Protocol version", Kind: dissect.Uint, Base: dissect.Version, Size: 4, Clause: "MC-DPL8R 2.2.1.1", Doc: "dwCurrentProtocolVersion: major in the upper, minor in the lower 16 bits; 1.5 adds coalescence, 1.6 signing"},
	FSessionID: {Name: "dp8.session_id", Label: "Session ID", Kind: dissect.Uint, Base: dissect.ID32, Size: 4, Clause: "MC-DPL8R 2.2.1.1", Doc: "dwSessID: chosen by the connector, names the connection; also the content of a KeepAlive"},
	fTimestamp: {Name: "dp8.timestamp", Label: "Timestamp", Kind: dissect.Uint, Size: 4, Unit: "ms", Clause: "MC-DPL8R 2.2.1.1", Doc: "tTimestamp: tick count of the sender"},

	fConnectSig:     {Name: "dp8.connect_sig", Label: "Connect signature", Kind: dissect.Bytes, Privacy: dissect.Secret, Size: 8, Clause: "MC-DPL8R 2.2.1.3", Doc: "ullConnectSig: cookie of the listener, echoed by the connector"},
	fSenderSecret:   {Name: "dp8.sender_secret", Label: "Sender secret", Kind: dissect.Bytes, Privacy: dissect.Secret, Size: 8, Clause: "MC-DPL8R 2.2.1.3", Doc: "ullSenderSecret, in wire order: first secret of what the connector signs; zero from the listener"},
	fReceiverSecret: {Name: "dp8.receiver_secret", Label: "Receiver secret", Kind: dissect.Bytes, Privacy: dissect.Secret, Size: 8, Clause: "MC-DPL8R 2.2.1.3", Doc: "ullReceiverSecret, in wire order: first secret of what the listener signs; zero from the listener"},
	fSigningOpts:    {Name: "dp8.signing_opts", Label: "Signing options", Kind: dissect.Uint, Base: dissect.Hex, Size: 4, Bits: signingBits, Clause: "MC-DPL8R 2.2.1.3", Doc: "dwSigningOpts: fast or full"},
	fEchoTimestamp:  {Name: "dp8.echo_timestamp", Label: "Echoed timestamp", Kind: dissect.Uint, Size: 4, Unit: "ms", Clause: "MC-DPL8R 2.2.1.3", Doc: "dwEchoTimestamp: tTimestamp of the CONNECTED_SIGNED that is answered"},

	fFlags: {Name: "dp8.flags", Label: "SACK flags", Kind: dissect.Uint, Base: dissect.Hex, Size: 1, Bits: sackBits, Clause: "MC-DPL8R 2.2.1.5", Doc: "bFlags: which fields of the SACK are valid"},
	fRetry: {Name: "dp8.retry", Label: "Last received was a retry", Kind: dissect.Uint, Size: 1, Clause: "MC-DPL8R 2.2.1.5", Doc: "bRetry: not zero when the last data frame received was a retry"},
	fNSeq:  {Name: "dp8.nseq", Label: "Next send", Kind: dissect.Uint, Size: 1, Clause: "MC-DPL8R 2.2.1.5", Doc: "bNSeq: sequence of the next data frame the sender of the SACK will send"},

	fCommand: {Name: "dp8.command", Label: "Command", Kind: dissect.Uint, Base: dissect.Hex, Size: 1, Bits: dframeBits, Clause: "MC-DPL8R 2.2.2", Doc: "bCommand of a data frame"},
	fControl: {Name: "dp8.control", Label: "Control", Kind: dissect.Uint, Base: dissect.Hex, Size: 1, Bits: controlBits, Clause: "MC-DPL8R 2.2.2", Doc: "bControl: retry, KeepAlive, coalesced, end of stream, masks present"},
	fSeq:     {Name: "dp8.seq", Label: "Sequence", Kind: dissect.Uint, Size: 1, Clause: "MC-DPL8R 2.2.2", Doc: "bSeq: number of the data frame, modulo 256"},
	fNRcv:    {Name: "dp8.nrcv", Label: "Next receive", Kind: dissect.Uint, Size: 1, Clause: "MC-DPL8R 2.2.2", Doc: "bNRcv: the next sequence expected; all before it are acknowledged"},
	fPadding: {Name: "dp8.padding", Label: "Padding", Kind: dissect.Uint, Base: dissect.Hex, Size: 2, Clause: "MC-DPL8R 2.2.1.5", Doc: "wPadding: zero"},

	FSACKMask:  {Name: "dp8.sack_mask", Label: "SACK mask", Kind: dissect.Uint, Base: dissect.Mask64, Clause: "MC-DPL8R 2.2.2", Doc: "dwSACKMask1 and dwSACKMask2 as one mask: bit i acknowledges sequence bNRcv+1+i"},
	fSacked:    {Name: "dp8.sacked", Label: "Selectively acknowledged", Kind: dissect.IDs, Clause: "MC-DPL8R 3.1.5.2.3", Doc: "sequences the SACK mask names"},
	FSendMask:  {Name: "dp8.send_mask", Label: "Send mask", Kind: dissect.Uint, Base: dissect.Mask64, Clause: "MC-DPL8R 2.2.2", Doc: "dwSendMask1 and dwSendMask2 as one mask: bit i gives up sequence bSeq-1-i (SACK: bNSeq-1-i)"},
	fDropped:   {Name: "dp8.dropped", Label: "Given up", Kind: dissect.IDs, Clause: "MC-DPL8R 3.1.5.2.4", Doc: "sequences the send mask names: not reliable, never sent again"},
	FSignature: {Name: "dp8.signature", Label: "Signature", Kind: dissect.Bytes, Privacy: dissect.Signature, Size: 8, Clause: "MC-DPL8R 3.1.5.2.7", Doc: "ullSignature, in wire order: the secret (fast) or the first 8 bytes of a SHA-1 digest (full)"},

	fPayload:     {Name: "dp8.payload", Label: "Payload", Kind: dissect.Bytes, Privacy: dissect.Payload, Unit: "bytes", Clause: "MC-DPL8R 2.2.2", Doc: "payload: application data of a frame that is not coalesced"},
	fCore:        {Name: "dp8.core_message", Label: "Core message", Kind: dissect.Text, Clause: "MC-DPL8CS 2.2.1", Doc: "name of the DirectPlay core message that a payload with USER_1 holds (dwPacketType)"},
	fPayloads:    {Name: "dp8.payloads", Label: "Coalesced payload", Kind: dissect.Array, Clause: "MC-DPL8R 2.2.3", Doc: "one of several payloads in one frame"},
	FPartSize:    {Name: "dp8.payloads.size", Label: "Size", Kind: dissect.Uint, Unit: "bytes", Clause: "MC-DPL8R 2.2.3", Doc: "bSize and the COALESCE_BIG bits of bCommand: 11 bits, padding not counted"},
	fPartCommand: {Name: "dp8.payloads.command", Label: "Command", Kind: dissect.Uint, Base: dissect.Hex, Size: 1, Bits: coalesceBits, Clause: "MC-DPL8R 2.2.3", Doc: "bCommand of a coalesce header"},
	FPartData:    {Name: "dp8.payloads.data", Label: "Data", Kind: dissect.Bytes, Privacy: dissect.Payload, Unit: "bytes", Clause: "MC-DPL8R 2.2.3", Doc: "the coalesced payload, without padding"},
	FPartPad:     {Name: "dp8.payloads.padding", Label: "Padding", Kind: dissect.Bytes, Privacy: dissect.Payload, Clause: "MC-DPL8R 2.2.3", Doc: "zero bytes up to the next 32-bit boundary"},
	FHeaderPad:   {Name: "dp8.header_padding", Label: "Header padding", Kind: dissect.Bytes, Privacy: dissect.Payload, Clause: "MC-DPL8R 2.2.3", Doc: "two zero bytes after an odd number of coalesce headers"},
	fTrailing:    {Name: "dp8.trailing", Label: "Trailing bytes", Kind: dissect.Bytes, Privacy: dissect.Payload, Clause: "MC-DPL8R 2.2", Doc: "bytes after the last field of the frame"},
}

var cframeBits = []dissect.Bit{
	{Mask: uint64(Poll), Name: "poll", Label: "PACKET_COMMAND_POLL", Doc: "acknowledge immediately"},
	{Mask: uint64(CFrame), Name: "cframe", Label: "PACKET_COMMAND_CFRAME", Doc: "command frame"},
}

var dframeBits = []dissect.Bit{
	{Mask: uint64(Data), Name: "data", Label: "PACKET_COMMAND_DATA", Doc: "data frame"},
	{Mask: uint64(Reliable), Name: "reliable", Label: "PACKET_COMMAND_RELIABLE", Doc: "sent again until acknowledged"},
	{Mask: uint64(Sequential), Name: "sequential", Label: "PACKET_COMMAND_SEQUENTIAL", Doc: "delivered in order"},
	{Mask: uint64(Poll), Name: "poll", Label: "PACKET_COMMAND_POLL", Doc: "acknowledge immediately"},
	{Mask: uint64(NewMsg), Name: "new_msg", Label: "PACKET_COMMAND_NEW_MSG", Doc: "first frame of a message"},
	{Mask: uint64(EndMsg), Name: "end_msg", Label: "PACKET_COMMAND_END_MSG", Doc: "last frame of a message"},
	{Mask: uint64(User1), Name: "user_1", Label: "PACKET_COMMAND_USER_1", Doc: "consumer's flag; DirectPlay core sets it on its own messages"},
	{Mask: uint64(User2), Name: "user_2", Label: "PACKET_COMMAND_USER_2", Doc: "consumer's flag; DirectPlay core sets it on voice"},
}

var controlBits = []dissect.Bit{
	{Mask: uint64(CtlRetry), Name: "retry", Label: "PACKET_CONTROL_RETRY", Doc: "sent before under this sequence"},
	{Mask: uint64(CtlKeepAlive), Name: "keepalive", Label: "PACKET_CONTROL_KEEPALIVE_OR_CORRELATE", Doc: "from 1.5 a KeepAlive; before, a request for a dedicated acknowledgement"},
	{Mask: uint64(CtlCoalesce), Name: "coalesce", Label: "PACKET_CONTROL_COALESCE", Doc: "several payloads (from 1.5)"},
	{Mask: uint64(CtlEndStream), Name: "end_stream", Label: "PACKET_CONTROL_END_STREAM", Doc: "last frame of this side"},
	{Mask: uint64(CtlSACK1), Name: "sack1", Label: "PACKET_CONTROL_SACK1", Doc: "low half of the SACK mask is present"},
	{Mask: uint64(CtlSACK2), Name: "sack2", Label: "PACKET_CONTROL_SACK2", Doc: "high half of the SACK mask is present"},
	{Mask: uint64(CtlSend1), Name: "send1", Label: "PACKET_CONTROL_SEND1", Doc: "low half of the send mask is present"},
	{Mask: uint64(CtlSend2), Name: "send2", Label: "PACKET_CONTROL_SEND2", Doc: "high half of the send mask is present"},
}

var sackBits = []dissect.Bit{
	{Mask: SACKResponse, Name: "response", Label: "SACK_FLAGS_RESPONSE", Doc: "bRetry is valid"},
	{Mask: SACKMask1, Name: "sack_mask1", Label: "SACK_FLAGS_SACK_MASK1", Doc: "low half of the SACK mask is present"},
	{Mask: SACKMask2, Name: "sack_mask2", Label: "SACK_FLAGS_SACK_MASK2", Doc: "high half of the SACK mask is present"},
	{Mask: SACKSend1, Name: "send_mask1", Label: "SACK_FLAGS_SEND_MASK1", Doc: "low half of the send mask is present"},
	{Mask: SACKSend2, Name: "send_mask2", Label: "SACK_FLAGS_SEND_MASK2", Doc: "high half of the send mask is present"},
}

var coalesceBits = []dissect.Bit{
	{Mask: PartEnd, Name: "end_coalesce", Label: "PACKET_COMMAND_END_COALESCE", Doc: "last coalesced payload"},
	{Mask: PartReliable, Name: "reliable", Label: "PACKET_COMMAND_RELIABLE", Doc: "sent again until acknowledged"},
	{Mask: PartSequential, Name: "sequential", Label: "PACKET_COMMAND_SEQUENTIAL", Doc: "delivered in order"},
	{Mask: 0x08, Name: "coalesce_big_1", Label: "PACKET_COMMAND_COALESCE_BIG_1", Doc: "256 more bytes"},
	{Mask: 0x10, Name: "coalesce_big_2", Label: "PACKET_COMMAND_COALESCE_BIG_2", Doc: "512 more bytes"},
	{Mask: 0x20, Name: "coalesce_big_3", Label: "PACKET_COMMAND_COALESCE_BIG_3", Doc: "1024 more bytes"},
	{Mask: PartUser1, Name: "user_1", Label: "PACKET_COMMAND_USER_1", Doc: "consumer's flag"},
	{Mask: PartUser2, Name: "user_2", Label: "PACKET_COMMAND_USER_2", Doc: "consumer's flag"},
}

var signingBits = []dissect.Bit{
	{Mask: SigningFast, Name: "fast", Label: "PACKET_SIGNING_FAST", Doc: "the signature is the secret"},
	{Mask: SigningFull, Name: "full", Label: "PACKET_SIGNING_FULL", Doc: "the signature is a digest of the frame"},
}
