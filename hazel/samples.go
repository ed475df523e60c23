package hazel

// Samples are valid datagrams of every type and of every dialect, as a decoder
// that knows no dialect takes them.
func Samples() [][]byte {
	game := AppendMessage(nil, 5, []byte("\x20\x00\x00\x00\x03\x00\x02\x01\x02\x03"))
	spawn := AppendMessage(nil, tagSpawn, []byte("\x04\xfe\xff\xff\xff\x0f\x01"))
	inner := AppendMessage(AppendMessage(spawn, tagRPC, []byte("\x8a\x02\x0d\x01")), 99, nil)
	to := AppendMessage(nil, tagGameDataTo, append([]byte("\x20\x00\x00\x00\x85\x01"), inner...))
	kicked := append([]byte{1}, AppendMessage(nil, 0, append([]byte{8, 6}, "Kicked"...))...)
	frames := []Frame{
		{Type: None, Data: []byte("\xff\x00unreliable")},
		{Type: None},
		{Type: None, Data: game},
		{Type: Reliable, ID: 2, Data: []byte("data")},
		{Type: Reliable, ID: 3},
		{Type: Reliable, ID: 4, Data: to},
		{Type: Reliable, ID: 0xfffe, Data: AppendMessage(append([]byte(nil), game...), 200, nil)},
		{Type: Hello, ID: 1, HasVersion: true, Data: []byte("\x46\xd2\x02\x03\x04Gold")},
		{Type: Hello, ID: 0, HasVersion: true},
		{Type: Hello, ID: 7},
		{Type: Disconnect},
		{Type: Disconnect, Data: kicked},
		{Type: Disconnect, Data: []byte{1, 2}},
		{Type: Acknowledgement, ID: 1},
		{Type: Acknowledgement, ID: 7, HasRecent: true, Recent: 0xff},
		{Type: Acknowledgement, ID: 4, HasRecent: true, Recent: 0xfc},
		{Type: Acknowledgement, ID: 2, HasRecent: true},
		{Type: Ping, ID: 7},
		{Type: Ping, ID: 8, Data: []byte{0}},
		{Type: FragmentStart, Dialect: V01, MessageID: 1, Count: 3, ID: 2, Data: []byte("first")},
		{Type: Fragment, Dialect: V01, MessageID: 1, Index: 2, ID: 4, Data: []byte("last")},
		{Type: Fragment, Dialect: Fork36, ID: 5, MessageID: 1, Count: 2, HasOption: true, Option: 1, Data: []byte("first")},
		{Type: Fragment, Dialect: Fork36, ID: 6, MessageID: 1, Count: 2, Index: 1, Data: []byte("last")},
		{Type: MTUTest, Dialect: Fork36, ID: 3, Size: 9, Data: []byte{0, 0, 0, 0}},
		{Type: Fragment, Dialect: Spec, Code: 0x03, ID: 9, Data: []byte("the page's")},
		{Type: Hello, Dialect: May14, ID: 1},
		{Type: Acknowledgement, Dialect: May14, ID: 1},
		{Type: Disconnect, Dialect: May14},
		{Type: Hello, Dialect: May30, ID: 1},
		{Type: Reliable, Dialect: May30, ID: 2, Data: []byte("data")},
		{Type: Fragment, Dialect: May30, Code: 0x30, Data: []byte("whole")},
		{Type: Acknowledgement, Dialect: May30, ID: 2},
		{Type: Disconnect, Dialect: May30},
	}
	samples := make([][]byte, 0, len(frames)+8)
	for i := range frames {
		samples = append(samples, frames[i].Append(nil))
	}
	return append(samples, recordSamples()...)
}

// recordSamples are datagrams of DTLS records: a handshake with its cookie, an
// alert, encrypted messages.
func recordSamples() [][]byte {
	plain := func(content byte, seq uint64, body []byte) Record {
		return Record{Content: content, Version: HiddenVersion, Sequence: seq, Body: body}
	}
	sealedAs := func(seq uint64, size int) Record {
		return Record{Content: RecordApplicationData, Version: DTLS12, Epoch: 1, Sequence: seq, Body: make([]byte, size+Sealed)}
	}
	random := make([]byte, 32)
	hello := func(cookie string) []byte {
		b := append(append([]byte{0xfe, 0xfd}, random...), 1, 1) // the session version
		b = append(append(b, byte(len(cookie))), cookie...)
		return append(b, 0, 2, 0xc0, 0x2f, 1, 0, 0, 4, 0, 10, 0, 0)
	}
	answer := append(append([]byte{0xfe, 0xfd}, random...), 0, 0xc0, 0x2f, 0)
	flights := [][]Record{
		{plain(RecordHandshake, 0, AppendHandshake(nil, ClientHello, 0, hello("")))},
		{plain(RecordHandshake, 0, AppendHandshake(nil, HelloVerifyRequest, 0, []byte("\xfe\xfd\x04cake")))},
		{plain(RecordHandshake, 1, AppendHandshake(nil, ClientHello, 1, hello("cake")))},
		{plain(RecordHandshake, 1, AppendHandshake(nil, ServerHello, 1, answer)), plain(RecordHandshake, 2, AppendHandshake(nil, 14, 2, nil))},
		{plain(RecordChangeCipherSpec, 4, []byte{1}), {Content: RecordHandshake, Version: HiddenVersion, Epoch: 1, Body: make([]byte, 40)}},
		{plain(RecordAlert, 5, []byte{2, 40})},
		{sealedAs(1, SizePing)}, {sealedAs(2, SizeAck), sealedAs(3, 20)}, {sealedAs(4, SizeDisconnect)},
		{{Content: RecordApplicationData, Version: dtls10, Epoch: 1, Sequence: 1<<48 - 1}},
	}
	samples := make([][]byte, 0, len(flights))
	for _, flight := range flights {
		var b []byte
		for i := range flight {
			b = flight[i].Append(b)
		}
		samples = append(samples, b)
	}
	return samples
}

// AppendHandshake appends a whole handshake message.
func AppendHandshake(b []byte, typ byte, seq uint16, body []byte) []byte {
	n := len(body)
	size := []byte{byte(n >> 16), byte(n >> 8), byte(n)}
	b = append(append(b, typ), size...)
	b = append(b, byte(seq>>8), byte(seq), 0, 0, 0)
	return append(append(b, size...), body...)
}
