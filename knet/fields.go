package knet

import "github.com/dpdissect/dpdissect/dissect"

// Indexes into Fields.
const (
	FPacketID = iota
	fInOrder
	fReliable
	FBase
	FDependencyCount
	fDependencies
	FDependencyDelta
	fDependencyPacket
	FDependencyMessage
	fDependsOn
	fMessages
	FLength
	fFragmentStart
	fFragment
	fCode
	fMessageInOrder
	fMessageReliable
	fUnusedBit
	FIndex
	FIndexCount
	FIndexes
	fMessageDependsOn
	fMessageDependsOnMessages
	FDelta
	fNumber
	FFragmentCount
	FTransferID
	FFragmentNumber
	FID
	fName
	fPingID
	fRate
	FAckPacketID
	fAckBits
	fAcked
	fData
	fConnectData
	numFields
)

// Where the field table has its rows from.
const (
	datagramFormat = "kNet page, Datagram Byte Format"
	messageFormat  = "kNet page, Message Block Format"
	contentFormat  = "kNet page, Content Block Format"
	reserved       = "kNet page, Reserved Messages"
	inOrder        = "kNet page, InOrder Datagrams and Messages"
	fragments      = "kNet page, Fragmented Transfers"
	libraryRead    = "kNet 715850d, UDPMessageConnection.cpp 748-847"
)

// Fields is the table of kNet over UDP. The order is that of the reference page.
var Fields = [numFields]dissect.Field{
	FPacketID: {Name: "knet.packet_id", Label: "PacketID", Kind: dissect.Uint, Size: 3, Clause: datagramFormat, Doc: "PacketID: 22 bits, grows by one with each datagram of a side; the two flags share its bytes"},
	fInOrder:  {Name: "knet.in_order", Label: "InOrder", Kind: dissect.Bool, Clause: datagramFormat, Doc: "InOrder flag: holds in-order messages; with spec two arrays follow"},
	fReliable: {Name: "knet.reliable", Label: "Reliable", Kind: dissect.Bool, Clause: datagramFormat, Doc: "Reliable flag: the receiver acknowledges the datagram; with reference a reliable message number follows"},
	FBase:     {Name: "knet.reliable_base", Label: "Smallest reliable message number", Kind: dissect.Uint, Clause: libraryRead, Doc: "ReliableBase of reference: smallest reliable message number in the datagram, VLE-1.15/16"},

	FDependencyCount:   {Name: "knet.in_order_delta_count", Label: "InOrder delta count", Kind: dissect.Uint, Size: 1, Clause: datagramFormat, Doc: "InOrderDeltaCount of spec: datagrams that messages of this one depend on"},
	fDependencies:      {Name: "knet.dependencies", Label: "Dependency", Kind: dissect.Array, Clause: datagramFormat, Doc: "one message that messages of this datagram may depend on (spec)"},
	FDependencyDelta:   {Name: "knet.dependencies.delta", Label: "InOrder delta", Kind: dissect.Uint, Clause: datagramFormat, Doc: "InOrderDeltaArray: PacketID of the datagram less this and one is the PacketID depended on, VLE-1.7/8"},
	fDependencyPacket:  {Name: "knet.dependencies.packet_id", Label: "Depends on PacketID", Kind: dissect.Uint, Clause: inOrder, Doc: "DependedPacketID: the datagram depended on"},
	FDependencyMessage: {Name: "knet.dependencies.message_index", Label: "Message index", Kind: dissect.Uint, Clause: datagramFormat, Doc: "InOrderDatagramIndexArray: which message of that datagram, from 0, VLE-1.7/8"},
	fDependsOn:         {Name: "knet.depends_on", Label: "Depends on", Kind: dissect.IDs, Clause: inOrder, Doc: "DependedPacketID: PacketIDs that messages of this datagram depend on (spec)"},

	fMessages:      {Name: "knet.messages", Label: "Message", Kind: dissect.Array, Clause: messageFormat, Doc: "one message of the datagram"},
	FLength:        {Name: "knet.messages.length", Label: "Length", Kind: dissect.Uint, Size: 2, Unit: "bytes", Clause: messageFormat, Doc: "ContentLength: bytes of MessageID and payload, 11 bits; the flags of the message share its bytes"},
	fFragmentStart: {Name: "knet.messages.fragment_start", Label: "FragmentStart", Kind: dissect.Bool, Clause: messageFormat, Doc: "FragmentStart flag: first fragment of a transfer"},
	fFragment:      {Name: "knet.messages.fragment", Label: "Fragment", Kind: dissect.Bool, Clause: messageFormat, Doc: "Fragment flag: fragment of a transfer"},
	fCode: {Name: "knet.messages.in_order_code", Label: "InOrder code", Kind: dissect.Uint, Clause: inOrder, Doc: "InOrder code of spec: 0 depends on nothing, 1–5 on one of the first five dependencies, 6 on the one of an index, 7 on several",
		Values: []dissect.Value{{Value: 0, Name: "none"}, {Value: 6, Name: "single index"}, {Value: 7, Name: "multiple indexes"}}},
	fMessageInOrder:           {Name: "knet.messages.in_order", Label: "In-order", Kind: dissect.Bool, Clause: libraryRead, Doc: "InOrder flag of a message of reference (bit 13); without meaning on control messages"},
	fMessageReliable:          {Name: "knet.messages.reliable", Label: "Reliable", Kind: dissect.Bool, Clause: libraryRead, Doc: "Reliable flag of a message of reference (bit 12): it has a number and is sent until acknowledged"},
	fUnusedBit:                {Name: "knet.messages.unused_bit", Label: "Unused bit", Kind: dissect.Bool, Clause: libraryRead, Doc: "bit 11 of a message header of reference; shown when set"},
	FIndex:                    {Name: "knet.messages.in_order_index", Label: "InOrder index", Kind: dissect.Uint, Size: 1, Clause: messageFormat, Doc: "SingleInOrderIndex: the dependency of a message with code 6"},
	FIndexCount:               {Name: "knet.messages.in_order_index_count", Label: "InOrder index count", Kind: dissect.Uint, Size: 1, Clause: messageFormat, Doc: "MultiInOrderIndexCount: dependencies of a message with code 7"},
	FIndexes:                  {Name: "knet.messages.in_order_indexes", Label: "InOrder indexes", Kind: dissect.Bytes, Clause: messageFormat, Doc: "MultiInOrderIndexArray: a byte for each dependency"},
	fMessageDependsOn:         {Name: "knet.messages.depends_on", Label: "Depends on PacketIDs", Kind: dissect.IDs, Clause: inOrder, Doc: "PacketIDs the message depends on (spec); indexes without a dependency are left out"},
	fMessageDependsOnMessages: {Name: "knet.messages.depends_on_messages", Label: "Depends on messages", Kind: dissect.IDs, Clause: inOrder, Doc: "which message of each of those datagrams, from 0 (AMB-KN-19)"},
	FDelta:                    {Name: "knet.messages.reliable_delta", Label: "Reliable delta", Kind: dissect.Uint, Clause: libraryRead, Doc: "ReliableDelta of reference: the message's number minus the datagram's ReliableBase, VLE-1.7/8"},
	fNumber:                   {Name: "knet.messages.reliable_number", Label: "Reliable number", Kind: dissect.Uint, Clause: libraryRead, Doc: "reliable message number of reference: counts the reliable messages of a side; kept when a message is sent again"},

	FFragmentCount:  {Name: "knet.messages.fragment_count", Label: "Fragment count", Kind: dissect.Uint, Clause: fragments, Doc: "FragmentCount: fragments of the transfer, VLE-1.7/1.7/16"},
	FTransferID:     {Name: "knet.messages.transfer_id", Label: "Transfer ID", Kind: dissect.Uint, Size: 1, Clause: fragments, Doc: "TransferID: which transfer a fragment belongs to; reused once all fragments are acknowledged"},
	FFragmentNumber: {Name: "knet.messages.fragment_number", Label: "Fragment number", Kind: dissect.Uint, Clause: fragments, Doc: "FragmentNumber: from 1; the first fragment, with number 0, has none, VLE-1.7/1.7/16"},
	FID:             {Name: "knet.messages.id", Label: "Message ID", Kind: dissect.Uint, Clause: contentFormat, Doc: "MessageID: what the message is; absent in later fragments, VLE-1.7/1.7/16"},
	fName:           {Name: "knet.messages.name", Label: "Name", Kind: dissect.Text, Clause: reserved, Doc: "name of a reserved message"},
	fPingID:         {Name: "knet.messages.ping_id", Label: "Ping ID", Kind: dissect.Uint, Size: 1, Clause: reserved, Doc: "pingID: counts the requests of a side; a reply repeats it"},
	fRate:           {Name: "knet.messages.rate", Label: "Datagram rate", Kind: dissect.Uint, Size: 2, Unit: "datagrams/s", Clause: reserved, Doc: "newDatagramReceiveRate: datagrams a second that the sender accepts at most"},
	FAckPacketID:    {Name: "knet.messages.ack_packet_id", Label: "Acknowledged PacketID", Kind: dissect.Uint, Size: 3, Clause: reserved, Doc: "PacketID of a PacketAck; with spec the two upper bits are the first sequence bits"},
	fAckBits:        {Name: "knet.messages.ack_bits", Label: "Sequence bits", Kind: dissect.Uint, Base: dissect.Mask64, Clause: reserved, Doc: "PacketID sequence bits: bit i acknowledges PacketID+1+i; 34 with spec, 32 with reference (AMB-KN-06)"},
	fAcked:          {Name: "knet.messages.acked", Label: "Acknowledges", Kind: dissect.IDs, Clause: reserved, Doc: "PacketIDs a PacketAck acknowledges"},
	fData:           {Name: "knet.messages.data", Label: "Data", Kind: dissect.Bytes, Privacy: dissect.Payload, Unit: "bytes", Clause: contentFormat, Doc: "Payload: what follows the MessageID"},
	fConnectData:    {Name: "knet.connect_data", Label: "Connect data", Kind: dissect.Bytes, Privacy: dissect.Payload, Unit: "bytes", Clause: "kNet 715850d, Network.cpp 776-799", Doc: "content of the connect datagram of reference: eight zero bytes, or chosen by the application"},
}
