package hazel

import "github.com/dpdissect/dpdissect/dissect"

// Rows of DTLS records within a table made by recordTable.
const (
	rRecords = iota
	rContent
	rVersion
	rEpoch
	rSequence
	rLength
	rHandshake
	rHandshakeLength
	rMessageSeq
	rFragmentOffset
	rFragmentLength
	rClientVersion
	rServerVersion
	rRandom
	rSessionLength
	rSession
	rSessionVersion
	rCookieLength
	rCookie
	rSuitesLength
	rSuites
	rSuite
	rCompressionLength
	rCompression
	rExtensions
	rAlertLevel
	rAlert
	rCarries
	rData
	numRecordFields
)

// recordTable is the table of DTLS records below a protocol's name.
func recordTable(protocol string) [numRecordFields]dissect.Field {
	t := recordFields
	for i := range t {
		t[i].Name = protocol + "." + t[i].Name
	}
	return t
}

var recordFields = [numRecordFields]dissect.Field{
	rRecords:  {Name: "records", Label: "Record", Kind: dissect.Array, Clause: "RFC 6347 4.1", Doc: "DTLSPlaintext, DTLSCiphertext: one record of DTLS"},
	rContent:  {Name: "records.content_type", Label: "Content type", Kind: dissect.Uint, Size: 1, Values: contentTypes, Clause: "RFC 6347 4.1", Doc: "type: what the record holds"},
	rVersion:  {Name: "records.version", Label: "Version", Kind: dissect.Uint, Base: dissect.Hex, Size: 2, Values: recordVersions, Clause: "RFC 6347 4.1", Doc: "version: fefd or feff; zero where Hazel hides that it is DTLS"},
	rEpoch:    {Name: "records.epoch", Label: "Epoch", Kind: dissect.Uint, Size: 2, Clause: "RFC 6347 4.1", Doc: "epoch: counts changes of the cipher; 0 is not encrypted"},
	rSequence: {Name: "records.sequence", Label: "Sequence", Kind: dissect.Uint, Size: 6, Clause: "RFC 6347 4.1", Doc: "sequence_number: number of the record within its epoch"},
	rLength:   {Name: "records.length", Label: "Length", Kind: dissect.Uint, Size: 2, Unit: "bytes", Clause: "RFC 6347 4.1", Doc: "length: bytes after the header of the record"},

	rHandshake:       {Name: "records.handshake_type", Label: "Handshake type", Kind: dissect.Uint, Size: 1, Values: handshakeTypes, Clause: "RFC 6347 4.2.2", Doc: "msg_type: type of a handshake message"},
	rHandshakeLength: {Name: "records.handshake_length", Label: "Handshake length", Kind: dissect.Uint, Size: 3, Unit: "bytes", Clause: "RFC 6347 4.2.2", Doc: "length: bytes of the whole handshake message"},
	rMessageSeq:      {Name: "records.message_seq", Label: "Message sequence", Kind: dissect.Uint, Size: 2, Clause: "RFC 6347 4.2.2", Doc: "message_seq: number of the handshake message; kept when it is sent again"},
	rFragmentOffset:  {Name: "records.fragment_offset", Label: "Fragment offset", Kind: dissect.Uint, Size: 3, Unit: "bytes", Clause: "RFC 6347 4.2.2", Doc: "fragment_offset: place of the fragment within the message"},
	rFragmentLength:  {Name: "records.fragment_length", Label: "Fragment length", Kind: dissect.Uint, Size: 3, Unit: "bytes", Clause: "RFC 6347 4.2.2", Doc: "fragment_length: bytes of the message in this record"},

	rClientVersion:     {Name: "records.client_version", Label: "Client version", Kind: dissect.Uint, Base: dissect.Hex, Size: 2, Values: recordVersions, Clause: "RFC 6347 4.3.2", Doc: "client_version: highest version the client offers"},
	rServerVersion:     {Name: "records.server_version", Label: "Server version", Kind: dissect.Uint, Base: dissect.Hex, Size: 2, Values: recordVersions, Clause: "RFC 6347 4.3.2", Doc: "server_version: version the server chose"},
	rRandom:            {Name: "records.random", Label: "Random", Kind: dissect.Bytes, Privacy: dissect.Payload, Size: 32, Clause: "RFC 5246 7.4.1.2", Doc: "random: fresh bytes of the sender"},
	rSessionLength:     {Name: "records.session_id_length", Label: "Session ID length", Kind: dissect.Uint, Size: 1, Unit: "bytes", Clause: "RFC 5246 7.4.1.2", Doc: "length of session_id"},
	rSession:           {Name: "records.session_id", Label: "Session ID", Kind: dissect.Bytes, Privacy: dissect.Payload, Clause: "RFC 5246 7.4.1.2", Doc: "session_id: a session to be resumed"},
	rSessionVersion:    {Name: "records.session_version", Label: "Session version", Kind: dissect.Uint, Size: 1, Clause: "Hazel f164f55 Handshake.cs", Doc: "session_id of one byte: version of Hazel's session protocol"},
	rCookieLength:      {Name: "records.cookie_length", Label: "Cookie length", Kind: dissect.Uint, Size: 1, Unit: "bytes", Clause: "RFC 6347 4.3.2", Doc: "length of cookie"},
	rCookie:            {Name: "records.cookie", Label: "Cookie", Kind: dissect.Bytes, Privacy: dissect.Payload, Clause: "RFC 6347 4.2.1", Doc: "cookie: given by the server, echoed by the client to prove its address"},
	rSuitesLength:      {Name: "records.cipher_suites_length", Label: "Cipher suites length", Kind: dissect.Uint, Size: 2, Unit: "bytes", Clause: "RFC 5246 7.4.1.2", Doc: "length of cipher_suites"},
	rSuites:            {Name: "records.cipher_suites", Label: "Cipher suites", Kind: dissect.Bytes, Clause: "RFC 5246 7.4.1.2", Doc: "cipher_suites: those the client offers, 2 bytes each; Hazel offers only c02f"},
	rSuite:             {Name: "records.cipher_suite", Label: "Cipher suite", Kind: dissect.Uint, Base: dissect.Hex, Size: 2, Clause: "RFC 5246 7.4.1.3", Doc: "cipher_suite: the one the server chose"},
	rCompressionLength: {Name: "records.compression_methods_length", Label: "Compression methods length", Kind: dissect.Uint, Size: 1, Unit: "bytes", Clause: "RFC 5246 7.4.1.2", Doc: "length of compression_methods"},
	rCompression:       {Name: "records.compression_methods", Label: "Compression methods", Kind: dissect.Bytes, Clause: "RFC 5246 7.4.1.2", Doc: "compression_methods of the client, or the one the server chose"},
	rExtensions:        {Name: "records.extensions", Label: "Extensions", Kind: dissect.Bytes, Privacy: dissect.Payload, Clause: "RFC 5246 7.4.1.4", Doc: "extensions with their length"},
	rAlertLevel:        {Name: "records.alert_level", Label: "Alert level", Kind: dissect.Uint, Size: 1, Values: []dissect.Value{{Value: 1, Name: "warning"}, {Value: 2, Name: "fatal"}}, Clause: "RFC 5246 7.2", Doc: "level of an alert that is not encrypted"},
	rAlert:             {Name: "records.alert_description", Label: "Alert", Kind: dissect.Uint, Size: 1, Values: alerts, Clause: "RFC 5246 7.2", Doc: "description of an alert that is not encrypted"},
	rCarries:           {Name: "records.carries", Label: "Carries", Kind: dissect.Text, Clause: "Hazel AesGcmRecordProtection.cs", Doc: "type of the encrypted message, where its size gives it away"},
	rData:              {Name: "records.data", Label: "Data", Kind: dissect.Bytes, Privacy: dissect.Payload, Unit: "bytes", Clause: "RFC 6347 4.1", Doc: "fragment: the content of the record, mostly encrypted"},
}

var contentTypes = []dissect.Value{
	{Value: RecordChangeCipherSpec, Name: "ChangeCipherSpec"}, {Value: RecordAlert, Name: "Alert"},
	{Value: RecordHandshake, Name: "Handshake"}, {Value: RecordApplicationData, Name: "ApplicationData"},
}

var recordVersions = []dissect.Value{{Value: dtls10, Name: "DTLS 1.0"}, {Value: DTLS12, Name: "DTLS 1.2"}, {Value: HiddenVersion, Name: "hidden"}}

var handshakeTypes = []dissect.Value{
	{Value: 0, Name: "HelloRequest"}, {Value: ClientHello, Name: "ClientHello"}, {Value: ServerHello, Name: "ServerHello"}, {Value: HelloVerifyRequest, Name: "HelloVerifyRequest"},
	{Value: 4, Name: "NewSessionTicket"}, {Value: 11, Name: "Certificate"}, {Value: 12, Name: "ServerKeyExchange"}, {Value: 13, Name: "CertificateRequest"},
	{Value: 14, Name: "ServerHelloDone"}, {Value: 15, Name: "CertificateVerify"}, {Value: 16, Name: "ClientKeyExchange"}, {Value: 20, Name: "Finished"},
}

var alerts = []dissect.Value{
	{Value: 0, Name: "close_notify"}, {Value: 10, Name: "unexpected_message"}, {Value: 20, Name: "bad_record_mac"}, {Value: 40, Name: "handshake_failure"},
	{Value: 42, Name: "bad_certificate"}, {Value: 46, Name: "certificate_unknown"}, {Value: 47, Name: "illegal_parameter"}, {Value: 48, Name: "unknown_ca"},
	{Value: 50, Name: "decode_error"}, {Value: 51, Name: "decrypt_error"}, {Value: 70, Name: "protocol_version"}, {Value: 71, Name: "insufficient_security"},
	{Value: 80, Name: "internal_error"}, {Value: 90, Name: "user_canceled"}, {Value: 100, Name: "no_renegotiation"}, {Value: 110, Name: "unsupported_extension"},
}
