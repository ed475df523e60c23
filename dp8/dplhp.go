package dp8

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dpdissect/dpdissect/dissect"
)

// Commands of host enumeration (CommandByte, MC-DPLHP 2.2).
const (
	HPQuery    = 0x02
	HPResponse = 0x03
)

// Types of an EnumQuery (QueryType, MC-DPLHP 2.2).
const (
	HPQueryApplication = 0x01 // the application's GUID follows
	HPQueryAny         = 0x02 // hosts of any application answer
)

// Flags of a session (ApplicationDescFlags, MC-DPLHP 2.2).
const (
	HPClientServer = 0x001
	HPMigrateHost  = 0x004
	HPNoDPNSVR     = 0x040
	HPPassword     = 0x080
	HPNoEnums      = 0x100
	HPFastSigned   = 0x200
	HPFullSigned   = 0x400
)

// Sizes of an EnumResponse: its offsets count from the ReplyOffset field, the
// description has a fixed size, and so has all before the parts they point to.
const (
	hpBase     = 4
	hpDescSize = 0x50
	hpFixed    = hpBase + 8 + hpDescSize
)

// A GUID is a globally unique identifier in wire order: its first three parts
// are little-endian.
type GUID [16]byte

// AppendTo appends "{ebfe7ba0-628d-11d2-ae0f-006097b01411}".
func (g GUID) AppendTo(b []byte) []byte {
	const digits = "0123456789abcdef"
	b = append(b, '{')
	for i, at := range [16]uint8{3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15} {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			b = append(b, '-')
		}
		b = append(b, digits[g[at]>>4], digits[g[at]&15])
	}
	return append(b, '}')
}

func (g GUID) String() string { return string(g.AppendTo(nil)) }

// An HPFrame is one datagram of host enumeration. Command says which of the two
// is filled.
//
//	0               1               2               3
//	+---------------+---------------+---------------+---------------+
//	|  LeadByte 0   |  CommandByte  |          EnumPayload          |
//	+---------------+---------------+-------------------------------+
//	EnumQuery goes on with QueryType (1), an application GUID (16) when that
//	is 1, and data of the application. EnumResponse goes on with
//	|          ReplyOffset          |         ResponseSize          |  4 + 4
//	|      ApplicationDescSize      |     ApplicationDescFlags      |  4 + 4
//	|          MaxPlayers           |        CurrentPlayers         |  4 + 4
//	|       SessionNameOffset       |        SessionNameSize        |  4 + 4
//	|        PasswordOffset         |         PasswordSize          |  4 + 4
//	|      ReservedDataOffset       |       ReservedDataSize        |  4 + 4
//	| ApplicationReservedDataOffset |  ApplicationReservedDataSize  |  4 + 4
//	|   ApplicationInstanceGUID     |        ApplicationGUID        |  16 + 16
//	and the parts that the offsets point to.
type HPFrame struct {
	Command     uint8
	EnumPayload uint16 // chosen by the client, echoed by the host
	Query       EnumQuery
	Response    EnumResponse
}

// An EnumQuery asks for hosts (MC-DPLHP 2.2).
type EnumQuery struct {
	Type        uint8
	Application GUID // with HPQueryApplication
	Payload     []byte
}

// An EnumResponse describes a session (MC-DPLHP 2.2).
type EnumResponse struct {
	Flags          uint32
	MaxPlayers     uint32 // 0 when there is no limit
	CurrentPlayers uint32
	Reply          HPPart // data of the application
	Name           HPPart // UTF-16LE
	Password       HPPart
	Reserved       HPPart
	AppReserved    HPPart
	Instance       GUID
	Application    GUID
	Tail           []byte // all after the fixed part; the parts lie in it
}

// An HPPart says where a part of an EnumResponse stands: bytes from the
// ReplyOffset field, and its size in bytes.
type HPPart struct{ Offset, Size uint32 }

// Part gives the bytes of a part, or nil when it is empty or not there.
func (e *EnumResponse) Part(p HPPart) []byte {
	start := int64(p.Offset) + hpBase - hpFixed
	end := start + int64(p.Size)
	if p.Size == 0 || start < 0 || end > int64(len(e.Tail)) {
		return nil
	}
	return e.Tail[start:end:end]
}

// SetParts lays out the parts one after the other, as the fixed part announces
// them, the reply last. An empty one gets offset 0.
func (e *EnumResponse) SetParts(name, password, reserved, appReserved, reply []byte) {
	e.Tail = nil
	for _, part := range []struct {
		p    *HPPart
		data []byte
	}{{&e.Name, name}, {&e.Password, password}, {&e.Reserved, reserved}, {&e.AppReserved, appReserved}, {&e.Reply, reply}} {
		*part.p = HPPart{}
		if len(part.data) > 0 {
			*part.p = HPPart{uint32(hpFixed - hpBase + len(e.Tail)), uint32(len(part.data))}
			e.Tail = append(e.Tail, part.data...)
		}
	}
}

// Decode reads one UDP payload into f and, when tree is not nil, records it.
func (f *HPFrame) Decode(payload []byte, tree *dissect.Tree) *dissect.Error {
	r := dissect.NewReader(payload, tree)
	*f = HPFrame{}
	if lead := r.U8(&HPFields[hpLead]); lead != 0 {
		r.FailAt(&HPFields[hpLead], 0, "not zero")
	}
	f.Command = r.U8(&HPFields[hpCommand])
	switch {
	case !r.OK():
	case f.Command == HPQuery:
		f.EnumPayload = r.U16(&HPFields[hpEnumPayload])
		f.Query.decode(&r)
	case f.Command == HPResponse:
		f.EnumPayload = r.U16(&HPFields[hpEnumPayload])
		f.Response.decode(&r)
	default:
		r.FailAt(&HPFields[hpCommand], 1, "neither a query nor a response")
	}
	return r.Err()
}

func (q *EnumQuery) decode(r *dissect.Reader) {
	q.Type = r.U8(&HPFields[hpQueryType])
	switch {
	case !r.OK():
	case q.Type == HPQueryApplication:
		q.Application = readGUID(r, hpApplicationGUID, hpApplication)
	case q.Type != HPQueryAny:
		r.FailAt(&HPFields[hpQueryType], r.Pos()-1, "neither 1 nor 2")
	}
	q.Payload = r.Rest(&HPFields[hpPayload])
}

func readGUID(r *dissect.Reader, row, text int) (g GUID) {
	copy(g[:], r.Bytes(&HPFields[row], len(g)))
	if t := r.Tree(); t != nil && r.OK() {
		t.AddText(&HPFields[text], r.Pos()-len(g), g.String())
	}
	return g
}

func (e *EnumResponse) decode(r *dissect.Reader) {
	e.Reply = readPart(r, hpReplyOffset)
	if size := r.U32(&HPFields[hpDescSizeRow]); r.OK() && size != hpDescSize {
		r.FailAt(&HPFields[hpDescSizeRow], r.Pos()-4, "not 0x50")
	}
	e.Flags = r.U32(&HPFields[hpFlags])
	e.MaxPlayers = r.U32(&HPFields[hpMaxPlayers])
	e.CurrentPlayers = r.U32(&HPFields[hpCurrentPlayers])
	e.Name = readPart(r, hpNameOffset)
	e.Password = readPart(r, hpPasswordOffset)
	e.Reserved = readPart(r, hpReservedOffset)
	e.AppReserved = readPart(r, hpAppReservedOffset)
	e.Instance = readGUID(r, hpInstanceGUID, hpInstance)
	e.Application = readGUID(r, hpApplicationGUID, hpApplication)
	e.Tail = r.Peek(r.Len())
	e.readTail(r)
}

// readPart reads an offset and a size, whose rows stand next to each other.
func readPart(r *dissect.Reader, row int) HPPart {
	return HPPart{r.U32(&HPFields[row]), r.U32(&HPFields[row+1])}
}

// A tailPart is a part of an EnumResponse and the row of its bytes.
type tailPart struct {
	HPPart
	row int
}

// readTail reads the parts in the order in which they stand in the datagram,
// and the bytes between them that no offset points to.
func (e *EnumResponse) readTail(r *dissect.Reader) {
	parts := [5]tailPart{{e.Name, hpNameBytes}, {e.Password, hpPasswordBytes}, {e.Reserved, hpReservedBytes},
		{e.AppReserved, hpAppReservedBytes}, {e.Reply, hpReplyBytes}}
	slices.SortStableFunc(parts[:], func(a, b tailPart) int { return cmp.Compare(a.Offset, b.Offset) })
	for _, p := range parts {
		if p.Size == 0 || !r.OK() {
			continue
		}
		row := &HPFields[p.row]
		gap := int64(p.Offset) + hpBase - int64(r.Pos())
		switch {
		case gap < 0:
			r.Fail(row, fmt.Sprintf("offset %d points before this byte", p.Offset))
		case gap > int64(r.Len()):
			r.Fail(row, fmt.Sprintf("offset %d points past the datagram", p.Offset))
		case gap > 0:
			r.Tree().Open(&HPFields[hpGaps], r.Pos(), int(gap))
			r.Bytes(&HPFields[hpGapBytes], int(gap))
			r.Tree().Close()
		}
		data := r.Bytes(row, int(p.Size))
		if t := r.Tree(); t != nil && p.row == hpNameBytes && r.OK() {
			t.AddText(&HPFields[hpName], r.Pos()-len(data), string(appendUTF16(nil, data)))
		}
	}
	r.Rest(&HPFields[hpTrailing])
}

// appendUTF16 appends UTF-16LE as UTF-8, up to its terminator.
func appendUTF16(dst, s []byte) []byte {
	for ; len(s) >= 2; s = s[2:] {
		c := rune(binary.LittleEndian.Uint16(s))
		if c == 0 {
			break
		}
		if utf16.IsSurrogate(c) && len(s) >= 4 {
			if full := utf16.DecodeRune(c, rune(binary.LittleEndian.Uint16(s[2:]))); full != utf8.RuneError {
				c, s = full, s[2:]
			}
		}
		dst = utf8.AppendRune(dst, c)
	}
	return dst
}

// Append appends the encoded frame to b.
func (f *HPFrame) Append(b []byte) []byte {
	b = append(b, 0, f.Command)
	b = binary.LittleEndian.AppendUint16(b, f.EnumPayload)
	if f.Command == HPQuery {
		b = append(b, f.Query.Type)
		if f.Query.Type == HPQueryApplication {
			b = append(b, f.Query.Application[:]...)
		}
		return append(b, f.Query.Payload...)
	}
	e := &f.Response
	for _, v := range [...]uint32{e.Reply.Offset, e.Reply.Size, hpDescSize, e.Flags, e.MaxPlayers, e.CurrentPlayers,
		e.Name.Offset, e.Name.Size, e.Password.Offset, e.Password.Size, e.Reserved.Offset, e.Reserved.Size, e.AppReserved.Offset, e.AppReserved.Size} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	b = append(b, e.Instance[:]...)
	b = append(b, e.Application[:]...)
	return append(b, e.Tail...)
}

// AppendHPSummary appends one line for people. Names are as captured: they are
// still to be escaped.
//
//	ENUM_QUERY id=0x1234 application={ebfe7ba0-628d-11d2-ae0f-006097b01411} len=4
//	ENUM_RESPONSE id=0x1234 players=1/8 "My game" client_server require_password full_signed
func AppendHPSummary(dst, payload []byte) []byte {
	var f HPFrame
	err := f.Decode(payload, nil)
	switch {
	case err != nil:
		return append(append(dst, "damaged: "...), err.Error()...)
	case f.Command == HPQuery:
		return f.Query.appendSummary(appendHex(append(dst, "ENUM_QUERY id="...), uint32(f.EnumPayload), 4))
	}
	return f.Response.appendSummary(appendHex(append(dst, "ENUM_RESPONSE id="...), uint32(f.EnumPayload), 4))
}

func (q *EnumQuery) appendSummary(b []byte) []byte {
	if q.Type == HPQueryApplication {
		b = q.Application.AppendTo(append(b, " application="...))
	}
	if len(q.Payload) > 0 {
		b = dissect.AppendNumber(b, " len=", len(q.Payload))
	}
	return b
}

func (e *EnumResponse) appendSummary(b []byte) []byte {
	b = dissect.AppendNumber(b, " players=", e.CurrentPlayers)
	if e.MaxPlayers != 0 {
		b = dissect.AppendNumber(b, "/", e.MaxPlayers)
	}
	if name := e.Part(e.Name); len(name) > 0 {
		b = append(appendUTF16(append(b, ` "`...), name), '"')
	}
	for _, bit := range hpFlagBits {
		if uint64(e.Flags)&bit.Mask != 0 {
			b = append(append(b, ' '), bit.Name...)
		}
	}
	return b
}
