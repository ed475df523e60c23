package dp8

import (
	"encoding/binary"
	"encoding/hex"
	"net/netip"

	"github.com/dpdissect/dpdissect/dissect"
)

// Commands of NAT traversal (MC-DPLNAT 2.2).
const (
	NATPathTest = 0x05
	NATQuery    = 0x06
	NATResponse = 0x07
)

// A NATFrame is one datagram of MC-DPLNAT; Command says which fields count.
//
//	0               1               2               3
//	+---------------+---------------+---------------+---------------+
//	|       0       |    command    |          wMessageID           |
//	+---------------+---------------+-------------------------------+
//	PATH_TEST              key (8)
//	NAT_RESOLVER_QUERY     dwSourceID (4), data
//	NAT_RESOLVER_RESPONSE  dwSourceID (4), masked address (4), masked port (2)
type NATFrame struct {
	Command   uint8
	MessageID uint16
	Key       [8]byte // PATH_TEST
	SourceID  uint32
	Data      []byte // NAT_RESOLVER_QUERY

	MaskedAddress [4]byte // NAT_RESOLVER_RESPONSE, in wire order
	MaskedPort    [2]byte
	Trailing      []byte
}

// Decode reads one UDP payload into f and, when tree is not nil, records it.
func (f *NATFrame) Decode(payload []byte, tree *dissect.Tree) *dissect.Error {
	r := dissect.NewReader(payload, tree)
	*f = NATFrame{}
	if lead := r.U8(&NATFields[natLead]); lead != 0 {
		r.FailAt(&NATFields[natLead], 0, "not zero")
	}
	f.Command = r.U8(&NATFields[natCommand])
	if r.OK() && (f.Command < NATPathTest || f.Command > NATResponse) {
		r.FailAt(&NATFields[natCommand], 1, "neither a path test nor a query or response of the resolver")
	}
	f.MessageID = r.U16(&NATFields[natMessageID])
	switch f.Command {
	case NATPathTest:
		copy(f.Key[:], r.Bytes(&NATFields[natKey], 8))
	case NATQuery:
		f.SourceID = r.U32(&NATFields[natSourceID])
		f.Data = r.Rest(&NATFields[natData])
	case NATResponse:
		f.SourceID = r.U32(&NATFields[natSourceID])
		copy(f.MaskedAddress[:], r.Bytes(&NATFields[natMaskedAddress], 4))
		copy(f.MaskedPort[:], r.Bytes(&NATFields[natMaskedPort], 2))
		if t := r.Tree(); t != nil && r.OK() {
			t.AddText(&NATFields[natAddress], r.Pos()-6, f.Address().String())
		}
	}
	f.Trailing = r.Rest(&NATFields[natTrailing])
	return r.Err()
}

// Address is the client's address as the resolver sees it. On the wire it is
// masked, byte by byte: some NATs rewrite addresses that they find in payloads.
func (f *NATFrame) Address() netip.AddrPort {
	var ip [4]byte
	binary.LittleEndian.PutUint32(ip[:], binary.LittleEndian.Uint32(f.MaskedAddress[:])^f.SourceID)
	port := binary.LittleEndian.Uint16(f.MaskedPort[:]) ^ f.MessageID
	return netip.AddrPortFrom(netip.AddrFrom4(ip), port<<8|port>>8)
}

// SetAddress masks an IPv4 address and a port.
func (f *NATFrame) SetAddress(a netip.AddrPort) {
	ip := a.Addr().As4()
	binary.LittleEndian.PutUint32(f.MaskedAddress[:], binary.LittleEndian.Uint32(ip[:])^f.SourceID)
	port := a.Port()<<8 | a.Port()>>8
	binary.LittleEndian.PutUint16(f.MaskedPort[:], port^f.MessageID)
}

// Append appends the encoded frame to b.
func (f *NATFrame) Append(b []byte) []byte {
	b = append(b, 0, f.Command)
	b = binary.LittleEndian.AppendUint16(b, f.MessageID)
	switch f.Command {
	case NATPathTest:
		b = append(b, f.Key[:]...)
	case NATQuery:
		b = binary.LittleEndian.AppendUint32(b, f.SourceID)
		b = append(b, f.Data...)
	case NATResponse:
		b = binary.LittleEndian.AppendUint32(b, f.SourceID)
		b = append(b, f.MaskedAddress[:]...)
		b = append(b, f.MaskedPort[:]...)
	}
	return append(b, f.Trailing...)
}

// AppendNATSummary appends one line for people.
//
//	PATH_TEST id=0xd0c1 key=b882dd929ce9aff9
//	NAT_RESOLVER_QUERY id=0xd5f1 source=0xba51163c
//	NAT_RESOLVER_RESPONSE id=0xd5f1 source=0xba51163c address=65.52.252.61:2302
func AppendNATSummary(dst, payload []byte) []byte {
	var f NATFrame
	if err := f.Decode(payload, nil); err != nil {
		return append(append(dst, "damaged: "...), err.Error()...)
	}
	dst = append(dst, NATFields[natCommand].ValueName(uint64(f.Command))...)
	dst = appendHex(append(dst, " id="...), uint32(f.MessageID), 4)
	if f.Command == NATPathTest {
		dst = hex.AppendEncode(append(dst, " key="...), f.Key[:])
		return appendTrailing(dst, len(f.Trailing))
	}
	dst = appendHex(append(dst, " source="...), f.SourceID, 8)
	if f.Command == NATResponse {
		dst = f.Address().AppendTo(append(dst, " address="...))
	} else if len(f.Data) > 0 {
		dst = dissect.AppendNumber(dst, " len=", len(f.Data))
	}
	return appendTrailing(dst, len(f.Trailing))
}
