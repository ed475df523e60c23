package hazel

import "github.com/dpdissect/dpdissect/dissect"

// Indexes into Fields.
const (
	fDataType = iota
	fControlType
	fOldType
	fID
	fVersion
	fRecent
	fAcked
	fMessageID
	fFragmentCount
	fFragmentIndex
	fSendOption
	fSize
	fPadding
	fMessages
	fLength
	fTag
	fName
	fGameID
	fTarget
	fInner
	fInnerLength
	fInnerTag
	fInnerName
	fNetID
	fCallID
	fSpawnID
	fClientID
	fInnerData
	fMessageData
	fReason
	fData
	fTrailing
	numPlainFields
)

// Fields is the table of Hazel, in the order of the reference page: the
// protocol's own rows, then those of DTLS records.
var Fields = makeFields()

func makeFields() (f [numPlainFields + numRecordFields]dissect.Field) {
	copy(f[:], plainFields[:])
	records := recordTable("hazel")
	copy(f[numPlainFields:], records[:])
	return f
}

var plainFields = [numPlainFields]dissect.Field{
	fDataType:    {Name: "hazel.type", Label: "Type", Kind: dissect.Uint, Base: dissect.Hex, Size: 1, Bits: dataBits, Values: dataTypes, Clause: "Hazel page, Header Data", Doc: "Type of a datagram with data: the send option of the message"},
	fControlType: {Name: "hazel.type", Label: "Type", Kind: dissect.Uint, Base: dissect.Hex, Size: 1, Bits: controlBits, Values: controlTypes, Clause: "Hazel page, Header Data", Doc: "Type of a control datagram: bit Control and a code"},
	fOldType:     {Name: "hazel.type", Label: "Type", Kind: dissect.Uint, Base: dissect.Hex, Size: 1, Values: oldTypes, Clause: "Hazel 544fedd SendOption.cs", Doc: "Type of a datagram in the dialects of 2016-05"},
	fID:          {Name: "hazel.id", Label: "ID", Kind: dissect.Uint, Size: 2, Clause: "Hazel page, Reliable Delivery", Doc: "ID: number of a reliable datagram, or the one acknowledged; Hello, Ping, Reliable and fragments of a side share one series"},
	fVersion:     {Name: "hazel.version", Label: "Version", Kind: dissect.Uint, Size: 1, Clause: "Hazel e001519 UdpConnection.cs", Doc: "version byte of a Hello, zero in every release"},
	fRecent:      {Name: "hazel.recent", Label: "Recent", Kind: dissect.Uint, Base: dissect.Hex, Size: 1, Clause: "Hazel 2ceee1f Reliable.cs", Doc: "bit i, from 0: ID-1-i is not missing at the sender of the acknowledgement"},
	fAcked:       {Name: "hazel.acked", Label: "Acknowledged", Kind: dissect.IDs, Clause: "Hazel page, Acknowledgement", Doc: "ids that an acknowledgement names: its own, then those of the set bits of recent, newest first"},

	fMessageID:     {Name: "hazel.message_id", Label: "Message ID", Kind: dissect.Uint, Size: 2, Clause: "Hazel v0.1.2 Fragmented.cs", Doc: "number of a fragmented message, from 1"},
	fFragmentCount: {Name: "hazel.fragment_count", Label: "Fragments", Kind: dissect.Uint, Clause: "Hazel v0.1.2 Fragmented.cs", Doc: "number of fragments of the message: 2 bytes, 1 in fork36"},
	fFragmentIndex: {Name: "hazel.fragment_index", Label: "Fragment index", Kind: dissect.Uint, Clause: "Hazel v0.1.2 Fragmented.cs", Doc: "place of a fragment: 2 bytes, from 1, the first fragment has none; 1 byte, from 0, in fork36"},
	fSendOption:    {Name: "hazel.send_option", Label: "Send option", Kind: dissect.Uint, Base: dissect.Hex, Size: 1, Clause: "Hazel pull request 36", Doc: "send option of the whole message, before the data of its first fragment"},
	fSize:          {Name: "hazel.size", Label: "Size", Kind: dissect.Uint, Size: 2, Unit: "bytes", Clause: "Hazel pull request 36", Doc: "size of the datagram that an MTU test tries"},
	fPadding:       {Name: "hazel.padding", Label: "Padding", Kind: dissect.Bytes, Privacy: dissect.Payload, Clause: "Hazel pull request 36", Doc: "bytes that fill an MTU test"},

	fMessages:    {Name: "hazel.messages", Label: "Message", Kind: dissect.Array, Clause: "Hazel be3f2d8 MessageWriter.cs", Doc: "one of the application's messages, where they fill a payload exactly"},
	fLength:      {Name: "hazel.messages.length", Label: "Length", Kind: dissect.Uint, Size: 2, Unit: "bytes", Clause: "Hazel be3f2d8 MessageWriter.cs", Doc: "bytes after the tag, little-endian"},
	fTag:         {Name: "hazel.messages.tag", Label: "Tag", Kind: dissect.Uint, Size: 1, Values: rootTags, Clause: "Hazel be3f2d8 MessageWriter.cs", Doc: "tag of the message; the names are those of Among Us"},
	fName:        {Name: "hazel.messages.name", Label: "Name", Kind: dissect.Text, Clause: "Among Us", Doc: "name of the tag, where Among Us has one"},
	fGameID:      {Name: "hazel.messages.game_id", Label: "Game", Kind: dissect.Uint, Base: dissect.Hex, Size: 4, Clause: "Among Us", Doc: "game that the data of GameData and GameDataTo are for, where its messages fill the rest"},
	fTarget:      {Name: "hazel.messages.target_id", Label: "Target", Kind: dissect.Uint, Clause: "Among Us", Doc: "client that GameDataTo is for, a packed number"},
	fInner:       {Name: "hazel.messages.messages", Label: "Game message", Kind: dissect.Array, Clause: "Among Us", Doc: "one of the messages that fill a GameData or GameDataTo"},
	fInnerLength: {Name: "hazel.messages.messages.length", Label: "Length", Kind: dissect.Uint, Size: 2, Unit: "bytes", Clause: "Hazel be3f2d8 MessageWriter.cs", Doc: "bytes after the tag, little-endian"},
	fInnerTag:    {Name: "hazel.messages.messages.tag", Label: "Tag", Kind: dissect.Uint, Size: 1, Values: gameTags, Clause: "Hazel be3f2d8 MessageWriter.cs", Doc: "tag of the message; the names are those of Among Us"},
	fInnerName:   {Name: "hazel.messages.messages.name", Label: "Name", Kind: dissect.Text, Clause: "Among Us", Doc: "name of the tag, where Among Us has one"},
	fNetID:       {Name: "hazel.messages.messages.net_id", Label: "Net ID", Kind: dissect.Uint, Clause: "Among Us", Doc: "object that Data, RPC and Despawn refer to, a packed number at the beginning of their data"},
	fCallID:      {Name: "hazel.messages.messages.call_id", Label: "Call", Kind: dissect.Uint, Clause: "Among Us", Doc: "procedure that RPC calls, a byte after its net ID; the numbers depend on the version of the game"},
	fSpawnID:     {Name: "hazel.messages.messages.spawn_id", Label: "Spawn ID", Kind: dissect.Uint, Clause: "Among Us", Doc: "what Spawn creates, a packed number at the beginning of its data"},
	fClientID:    {Name: "hazel.messages.messages.client_id", Label: "Client", Kind: dissect.Uint, Clause: "Among Us", Doc: "client that Spawn, SceneChange and Ready name, a packed number; 4294967294 (-2) stands for the game itself"},
	fInnerData:   {Name: "hazel.messages.messages.data", Label: "Data", Kind: dissect.Bytes, Privacy: dissect.Payload, Unit: "bytes", Clause: "Hazel be3f2d8 MessageWriter.cs", Doc: "content of the message, its ids included"},
	fMessageData: {Name: "hazel.messages.data", Label: "Data", Kind: dissect.Bytes, Privacy: dissect.Payload, Unit: "bytes", Clause: "Hazel be3f2d8 MessageWriter.cs", Doc: "content of the message, where it is not shown as messages"},
	fReason:      {Name: "hazel.reason", Label: "Reason", Kind: dissect.Uint, Size: 1, Values: reasons, Clause: "Among Us DisconnectReasons", Doc: "why a connection of Among Us was ended, from the data of the Disconnect"},
	fData:        {Name: "hazel.data", Label: "Data", Kind: dissect.Bytes, Privacy: dissect.Payload, Unit: "bytes", Clause: "Hazel page, Header Data", Doc: "Data: what follows the header, where it is not made of messages"},
	fTrailing:    {Name: "hazel.trailing", Label: "Trailing bytes", Kind: dissect.Bytes, Privacy: dissect.Payload, Clause: "Hazel 439af6e KeepAlive.cs", Doc: "bytes after a Ping, which has none"},
}

var dataBits = []dissect.Bit{
	{Mask: 0x01, Name: "reliable", Label: "Reliable", Doc: "sent again until acknowledged"},
	{Mask: 0x02, Name: "fragmented", Label: "Fragmented", Doc: "a part of a message; since v0.1.0 set alone, and reliable nevertheless"},
}

var controlBits = []dissect.Bit{
	{Mask: 0x08, Name: "control", Label: "Control", Doc: "the lower bits are a code"},
}

// The names of first bytes, each in its row.
var (
	dataTypes = []dissect.Value{
		{Value: 0x00, Name: "None"}, {Value: 0x01, Name: "Reliable"},
		{Value: 0x02, Name: "FragmentedReliable"}, {Value: 0x03, Name: "Fragmented, Reliable"},
	}
	controlTypes = []dissect.Value{
		{Value: 0x08, Name: "Hello"}, {Value: 0x09, Name: "Disconnect"}, {Value: 0x0A, Name: "Acknowledgement"},
		{Value: 0x0B, Name: "Fragment"}, {Value: 0x0C, Name: "Ping"}, {Value: 0x0D, Name: "MtuTest"},
	}
	oldTypes = []dissect.Value{
		{Value: 0x10, Name: "Reliable (2016-05-30)"}, {Value: 0x20, Name: "Fragmented (2016-05-30)"}, {Value: 0x30, Name: "FragmentedReliable (2016-05-30)"},
		{Value: 0x80, Name: "Hello (2016-05-30)"}, {Value: 0x81, Name: "Disconnect (2016-05-30)"}, {Value: 0x82, Name: "Acknowledgement (2016-05-30)"},
		{Value: 0xFD, Name: "Hello (2016-05-14)"}, {Value: 0xFE, Name: "Disconnect (2016-05-14)"}, {Value: 0xFF, Name: "Acknowledgement (2016-05-14)"},
	}
)

// rootTags are the tags of the outermost messages of Among Us, of 2020 to today.
var rootTags = []dissect.Value{
	{Value: 0, Name: "HostGame"}, {Value: 1, Name: "JoinGame"}, {Value: 2, Name: "StartGame"}, {Value: 3, Name: "RemoveGame"},
	{Value: 4, Name: "RemovePlayer"}, {Value: 5, Name: "GameData"}, {Value: 6, Name: "GameDataTo"}, {Value: 7, Name: "JoinedGame"},
	{Value: 8, Name: "EndGame"}, {Value: 9, Name: "GetGameList"}, {Value: 10, Name: "AlterGame"}, {Value: 11, Name: "KickPlayer"}, {Value: 12, Name: "WaitForHost"},
	{Value: 13, Name: "Redirect"}, {Value: 14, Name: "ReselectServer"}, {Value: 16, Name: "GetGameListV2"}, {Value: 17, Name: "ReportPlayer"},
	{Value: 18, Name: "QuickMatch"}, {Value: 19, Name: "QuickMatchHost"}, {Value: 20, Name: "SetGameSession"}, {Value: 21, Name: "SetActivePodType"},
	{Value: 22, Name: "QueryPlatformIds"}, {Value: 23, Name: "QueryLobbyInfo"},
}

// gameTags are the tags of the messages in GameData and GameDataTo.
var gameTags = []dissect.Value{
	{Value: tagData, Name: "Data"}, {Value: tagRPC, Name: "RPC"}, {Value: tagSpawn, Name: "Spawn"},
	{Value: tagDespawn, Name: "Despawn"}, {Value: tagSceneChange, Name: "SceneChange"}, {Value: tagReady, Name: "Ready"},
}

// reasons are those for which a server of Among Us or its client disconnects.
var reasons = []dissect.Value{
	{Value: 0, Name: "ExitGame"}, {Value: 1, Name: "GameFull"}, {Value: 2, Name: "GameStarted"}, {Value: 3, Name: "GameNotFound"},
	{Value: 5, Name: "IncorrectVersion"}, {Value: 6, Name: "Banned"}, {Value: 7, Name: "Kicked"}, {Value: 8, Name: "Custom"},
	{Value: 9, Name: "InvalidName"}, {Value: 10, Name: "Hacking"}, {Value: 11, Name: "NotAuthorized"}, {Value: 16, Name: "Destroy"},
	{Value: 17, Name: "Error"}, {Value: 18, Name: "IncorrectGame"}, {Value: 19, Name: "ServerRequest"}, {Value: 20, Name: "ServerFull"},
	{Value: 208, Name: "FocusLostBackground"}, {Value: 209, Name: "IntentionalLeaving"}, {Value: 210, Name: "FocusLost"}, {Value: 211, Name: "NewConnection"},
}
