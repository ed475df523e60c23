package dp8

import "github.com/dpdissect/dpdissect/dissect"

// Indexes into HPFields. A size stands after its offset.
const (
	hpLead = iota
	hpCommand
	hpEnumPayload
	hpQueryType
	hpReplyOffset
	hpReplySize
	hpDescSizeRow
	hpFlags
	hpMaxPlayers
	hpCurrentPlayers
	hpNameOffset
	hpNameSize
	hpPasswordOffset
	hpPasswordSize
	hpReservedOffset
	hpReservedSize
	hpAppReservedOffset
	hpAppReservedSize
	hpInstanceGUID
	hpInstance
	hpApplicationGUID
	hpApplication
	hpNameBytes
	hpName
	hpPasswordBytes
	hpReservedBytes
	hpAppReservedBytes
	hpReplyBytes
	hpGaps
	hpGapBytes
	hpPayload
	hpTrailing
	numHPFields
)

const hpText = "MC-DPLHP 2.2"

// HPFields is the table of host enumeration.
var HPFields = [numHPFields]dissect.Field{
	hpLead: {Name: "dplhp.lead", Label: "Lead byte", Kind: dissect.Uint, Base: dissect.Hex, Size: 1, Clause: hpText, Doc: "LeadByte: zero, which no frame of DirectPlay 8 Reliable begins with"},
	hpCommand: {Name: "dplhp.command", Label: "Command", Kind: dissect.Uint, Base: dissect.Hex, Size: 1, Clause: hpText, Doc: "CommandByte: query or response",
		Values: []dissect.Value{{Value: HPQuery, Name: "ENUM_QUERY"}, {Value: HPResponse, Name: "ENUM_RESPONSE"}}},
	hpEnumPayload: {Name: "dplhp.enum_payload", Label: "Enum payload", Kind: dissect.Uint, Base: dissect.Hex, Size: 2, Clause: hpText, Doc: "EnumPayload: chosen by the client, echoed by the host"},
	hpQueryType: {Name: "dplhp.query_type", Label: "Query type", Kind: dissect.Uint, Size: 1, Clause: hpText, Doc: "QueryType: whether the GUID of an application follows",
		Values: []dissect.Value{{Value: HPQueryApplication, Name: "application"}, {Value: HPQueryAny, Name: "any"}}},

	hpReplyOffset:       hpOffset("dplhp.reply_offset", "Reply offset", "ReplyOffset", "the application's reply"),
	hpReplySize:         hpSize("dplhp.reply_size", "Reply size", "ResponseSize", "the application's reply"),
	hpDescSizeRow:       {Name: "dplhp.desc_size", Label: "Description size", Kind: dissect.Uint, Size: 4, Unit: "bytes", Clause: hpText, Doc: "ApplicationDescSize: always 0x50"},
	hpFlags:             {Name: "dplhp.flags", Label: "Session flags", Kind: dissect.Uint, Base: dissect.Hex, Size: 4, Bits: hpFlagBits, Clause: hpText, Doc: "ApplicationDescFlags: kind of session; shows how its connections are signed"},
	hpMaxPlayers:        {Name: "dplhp.max_players", Label: "Maximum players", Kind: dissect.Uint, Size: 4, Clause: hpText, Doc: "MaxPlayers: 0 when there is no limit"},
	hpCurrentPlayers:    {Name: "dplhp.current_players", Label: "Players", Kind: dissect.Uint, Size: 4, Clause: hpText, Doc: "CurrentPlayers: players in the session"},
	hpNameOffset:        hpOffset("dplhp.session_name_offset", "Session name offset", "SessionNameOffset", "the session name"),
	hpNameSize:          hpSize("dplhp.session_name_size", "Session name size", "SessionNameSize", "the session name"),
	hpPasswordOffset:    hpOffset("dplhp.password_offset", "Password offset", "PasswordOffset", "the password"),
	hpPasswordSize:      hpSize("dplhp.password_size", "Password size", "PasswordSize", "the password"),
	hpReservedOffset:    hpOffset("dplhp.reserved_offset", "Reserved data offset", "ReservedDataOffset", "the reserved data"),
	hpReservedSize:      hpSize("dplhp.reserved_size", "Reserved data size", "ReservedDataSize", "the reserved data"),
	hpAppReservedOffset: hpOffset("dplhp.application_reserved_offset", "Application's reserved data offset", "ApplicationReservedDataOffset", "the application's reserved data"),
	hpAppReservedSize:   hpSize("dplhp.application_reserved_size", "Application's reserved data size", "ApplicationReservedDataSize", "the application's reserved data"),
	hpInstanceGUID:      {Name: "dplhp.instance_guid", Label: "Instance GUID", Kind: dissect.Bytes, Size: 16, Clause: hpText, Doc: "ApplicationInstanceGUID, in wire order: names the session"},
	hpInstance:          {Name: "dplhp.instance", Label: "Instance", Kind: dissect.Text, Clause: hpText, Doc: "ApplicationInstanceGUID in its usual form"},
	hpApplicationGUID:   {Name: "dplhp.application_guid", Label: "Application GUID", Kind: dissect.Bytes, Size: 16, Clause: hpText, Doc: "ApplicationGUID, in wire order: names the game"},
	hpApplication:       {Name: "dplhp.application", Label: "Application", Kind: dissect.Text, Clause: hpText, Doc: "ApplicationGUID in its usual form"},

	hpNameBytes:        {Name: "dplhp.session_name_bytes", Label: "Session name", Kind: dissect.Bytes, Privacy: dissect.Name, Clause: hpText, Doc: "SessionName: UTF-16, little-endian"},
	hpName:             {Name: "dplhp.session_name", Label: "Name", Kind: dissect.Text, Privacy: dissect.Name, Clause: hpText, Doc: "SessionName as text, up to its terminator"},
	hpPasswordBytes:    {Name: "dplhp.password", Label: "Password", Kind: dissect.Bytes, Privacy: dissect.Name, Clause: hpText, Doc: "Password"},
	hpReservedBytes:    {Name: "dplhp.reserved", Label: "Reserved data", Kind: dissect.Bytes, Privacy: dissect.Payload, Clause: hpText, Doc: "ReservedData"},
	hpAppReservedBytes: {Name: "dplhp.application_reserved", Label: "Application's reserved data", Kind: dissect.Bytes, Privacy: dissect.Payload, Clause: hpText, Doc: "ApplicationReservedData"},
	hpReplyBytes:       {Name: "dplhp.reply", Label: "Reply", Kind: dissect.Bytes, Privacy: dissect.Payload, Clause: hpText, Doc: "ApplicationData: what the application answers"},
	hpGaps:             {Name: "dplhp.gaps", Label: "Gap", Kind: dissect.Array, Clause: hpText, Doc: "bytes between the parts that no offset points to"},
	hpGapBytes:         {Name: "dplhp.gaps.data", Label: "Data", Kind: dissect.Bytes, Privacy: dissect.Payload, Clause: hpText, Doc: "the bytes of the gap"},
	hpPayload:          {Name: "dplhp.payload", Label: "Payload", Kind: dissect.Bytes, Privacy: dissect.Payload, Clause: hpText, Doc: "ApplicationPayload of a query"},
	hpTrailing:         {Name: "dplhp.trailing", Label: "Trailing bytes", Kind: dissect.Bytes, Privacy: dissect.Payload, Clause: hpText, Doc: "bytes after the last part"},
}

func hpOffset(name, label, spelling, what string) dissect.Field {
	return dissect.Field{Name: name, Label: label, Kind: dissect.Uint, Size: 4, Unit: "bytes", Clause: hpText, Doc: spelling + ": where " + what + " stands, from the ReplyOffset field"}
}

func hpSize(name, label, spelling, what string) dissect.Field {
	return dissect.Field{Name: name, Label: label, Kind: dissect.Uint, Size: 4, Unit: "bytes", Clause: hpText, Doc: spelling + ": size of " + what}
}

var hpFlagBits = []dissect.Bit{
	{Mask: HPClientServer, Name: "client_server", Label: "DPNSESSION_CLIENT_SERVER", Doc: "client/server session; else peer to peer"},
	{Mask: HPMigrateHost, Name: "migrate_host", Label: "DPNSESSION_MIGRATE_HOST", Doc: "another player becomes host when the host leaves"},
	{Mask: HPNoDPNSVR, Name: "nodpnsvr", Label: "DPNSESSION_NODPNSVR", Doc: "not announced on port 6073"},
	{Mask: HPPassword, Name: "require_password", Label: "DPNSESSION_REQUIREPASSWORD", Doc: "a password is required"},
	{Mask: HPNoEnums, Name: "noenums", Label: "DPNSESSION_NOENUMS", Doc: "queries are not answered"},
	{Mask: HPFastSigned, Name: "fast_signed", Label: "DPNSESSION_FAST_SIGNED", Doc: "connections use fast signing"},
	{Mask: HPFullSigned, Name: "full_signed", Label: "DPNSESSION_FULL_SIGNED", Doc: "connections use full signing"},
}

// Indexes into NATFields.
const (
	natLead = iota
	natCommand
	natMessageID
	natKey
	natSourceID
	natData
	natMaskedAddress
	natMaskedPort
	natAddress
	natTrailing
	numNATFields
)

const natText = "MC-DPLNAT 2.2"

// NATFields is the table of NAT path tests and of the NAT resolver.
var NATFields = [numNATFields]dissect.Field{
	natLead: {Name: "dplnat.lead", Label: "Lead byte", Kind: dissect.Uint, Base: dissect.Hex, Size: 1, Clause: natText, Doc: "zero, which no frame of DirectPlay 8 Reliable begins with"},
	natCommand: {Name: "dplnat.command", Label: "Command", Kind: dissect.Uint, Base: dissect.Hex, Size: 1, Clause: natText, Doc: "type of the datagram",
		Values: []dissect.Value{{Value: NATPathTest, Name: "PATH_TEST"}, {Value: NATQuery, Name: "NAT_RESOLVER_QUERY"}, {Value: NATResponse, Name: "NAT_RESOLVER_RESPONSE"}}},
	natMessageID:     {Name: "dplnat.message_id", Label: "Message ID", Kind: dissect.Uint, Base: dissect.Hex, Size: 2, Clause: natText, Doc: "wMessageID: counts tests; links a response to its query and masks its port"},
	natKey:           {Name: "dplnat.key", Label: "Key", Kind: dissect.Bytes, Privacy: dissect.Payload, Size: 8, Clause: natText, Doc: "first 8 bytes of SHA-1 over the two players, the application and its instance"},
	natSourceID:      {Name: "dplnat.source_id", Label: "Source ID", Kind: dissect.Uint, Base: dissect.Hex, Size: 4, Clause: natText, Doc: "dwSourceID: chosen by the client, echoed; masks the address of a response"},
	natData:          {Name: "dplnat.data", Label: "Data", Kind: dissect.Bytes, Privacy: dissect.Payload, Clause: natText, Doc: "data of the query for the resolver"},
	natMaskedAddress: {Name: "dplnat.masked_address", Label: "Masked address", Kind: dissect.Bytes, Privacy: dissect.Address, Size: 4, Clause: natText, Doc: "IPv4 address of the client as the resolver sees it, XORed with dwSourceID"},
	natMaskedPort:    {Name: "dplnat.masked_port", Label: "Masked port", Kind: dissect.Bytes, Privacy: dissect.Port, Size: 2, Clause: natText, Doc: "port of the client as the resolver sees it, XORed with wMessageID"},
	natAddress:       {Name: "dplnat.address", Label: "Public address", Kind: dissect.Text, Privacy: dissect.Address, Clause: natText, Doc: "address and port of the client as the resolver sees them"},
	natTrailing:      {Name: "dplnat.trailing", Label: "Trailing bytes", Kind: dissect.Bytes, Privacy: dissect.Payload, Clause: natText, Doc: "bytes after the last field"},
}
