package dp8

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"

	"github.com/dpdissect/dpdissect/dissect"
)

// DPLHP describes host enumeration, which shares the ports of DirectPlay 8.
var DPLHP = &dissect.Protocol{
	Name:   "dplhp",
	Title:  "DirectPlay 8 Host and Port Enumeration",
	Texts:  []string{"MC-DPLHP"},
	Types:  []string{"ENUM_QUERY", "ENUM_RESPONSE"},
	Fields: dissect.Refs(HPFields[:]),
	Ports:  []uint16{6073, 2302},
	Decode: func(t *dissect.Tree) (string, *dissect.Error) {
		var f HPFrame
		err := f.Decode(t.Data, t)
		return HPFields[hpCommand].ValueName(uint64(f.Command)), err
	},
	Reencode: func(payload []byte) ([]byte, bool) {
		var f HPFrame
		if f.Decode(payload, nil) != nil {
			return nil, false
		}
		return f.Append(nil), true
	},
	Samples: hpSamples,
}

// DPLNAT describes NAT path tests and the NAT resolver, which share the ports of
// DirectPlay 8.
var DPLNAT = &dissect.Protocol{
	Name:   "dplnat",
	Title:  "DirectPlay 8 NAT Locator",
	Texts:  []string{"MC-DPLNAT"},
	Types:  []string{"PATH_TEST", "NAT_RESOLVER_QUERY", "NAT_RESOLVER_RESPONSE"},
	Fields: dissect.Refs(NATFields[:]),
	Ports:  []uint16{2302},
	Decode: func(t *dissect.Tree) (string, *dissect.Error) {
		var f NATFrame
		err := f.Decode(t.Data, t)
		return NATFields[natCommand].ValueName(uint64(f.Command)), err
	},
	Reencode: func(payload []byte) ([]byte, bool) {
		var f NATFrame
		if f.Decode(payload, nil) != nil {
			return nil, false
		}
		return f.Append(nil), true
	},
	Samples: natSamples,
}

// Neighbour says whether a datagram between the two ports belongs to a protocol
// that shares the ports of DirectPlay 8, or gives nil. It is strong when the
// structure of the datagram proves it: the description of an EnumResponse with
// its size and offsets, or a resolver's response that unmasks to one of the two
// ports. The others are a few bytes that anything may begin with: those count
// only on the usual ports, and never against a port below 1024, where DNS, TFTP
// and NTP live, whose identifiers and opcodes begin the same.
func Neighbour(payload []byte, ports [2]uint16) (proto *dissect.Protocol, strong bool) {
	if len(payload) < 5 || payload[0] != 0 {
		return nil, false
	}
	usual := usualPorts(ports)
	switch payload[1] {
	case HPQuery:
		if usual && plausibleQuery(payload) {
			return DPLHP, false
		}
	case HPResponse:
		if describes(payload) {
			var f HPFrame
			if strong = f.Decode(payload, nil) == nil; strong || usual {
				return DPLHP, strong
			}
		}
	case NATPathTest, NATQuery:
		if usual && plausibleNAT(payload) {
			return DPLNAT, false
		}
	case NATResponse:
		if len(payload) == 14 {
			if strong = unmasks(payload, ports); strong || usual {
				return DPLNAT, strong
			}
		}
	}
	return nil, false
}

// AppendNeighbourSummary appends the one line of a datagram that Neighbour
// recognised.
func AppendNeighbourSummary(dst, payload []byte) []byte {
	if len(payload) > 1 && payload[1] >= NATPathTest {
		return AppendNATSummary(dst, payload)
	}
	return AppendHPSummary(dst, payload)
}

func usualPorts(ports [2]uint16) bool {
	usual := false
	for _, p := range ports {
		if p < 1024 {
			return false
		}
		usual = usual || p == 6073 || p >= 2302 && p <= 2400
	}
	return usual
}

func plausibleQuery(p []byte) bool {
	return p[4] == HPQueryAny || p[4] == HPQueryApplication && len(p) >= 5+16
}

// describes checks the size of the description, whatever the capture cut off.
func describes(p []byte) bool {
	return len(p) >= 16 && binary.LittleEndian.Uint32(p[12:]) == hpDescSize
}

// unmasks checks that a resolver's response names one of the datagram's own
// ports and an address that a client can have.
func unmasks(payload []byte, ports [2]uint16) bool {
	var f NATFrame
	if f.Decode(payload, nil) != nil {
		return false
	}
	a := f.Address()
	return (a.Port() == ports[0] || a.Port() == ports[1]) && a.Port() != 0 &&
		a.Addr().IsGlobalUnicast() && a.Addr().As4()[0] != 0 && a.Addr().As4()[0] < 240
}

// plausibleNAT checks the size of a path test or query, that the bytes of the
// digest or the source are not mostly zero, as counts and small numbers of other
// protocols are, and that TFTP's ERROR and OACK don't explain them.
func plausibleNAT(p []byte) bool {
	random := p[4:min(8, len(p))]
	if p[1] == NATPathTest {
		if len(p) != 12 {
			return false
		}
		random = p[4:]
	}
	return len(p) >= 8 && bytes.Count(random, []byte{0}) < len(random)/2 && !tftpText(p)
}

// tftpText reports the strings of a TFTP ERROR (after a code) or OACK: printable
// and terminated.
func tftpText(p []byte) bool {
	text := p[2:]
	if p[1] == NATPathTest {
		if p[2] != 0 {
			return false
		}
		text = p[4:]
	}
	for _, c := range text {
		if c != 0 && (c < 0x20 || c > 0x7e) {
			return false
		}
	}
	return p[len(p)-1] == 0
}

// hpSamples are queries of both types and responses with all parts, with none,
// and with a gap between its parts.
func hpSamples() [][]byte {
	game := GUID{0xa0, 0x7b, 0xfe, 0xeb, 0x8d, 0x62, 0xd2, 0x11, 0xae, 0x0f, 0x00, 0x60, 0x97, 0xb0, 0x14, 0x11}
	any1 := HPFrame{Command: HPQuery, EnumPayload: 0x1234, Query: EnumQuery{Type: HPQueryAny}}
	mine := HPFrame{Command: HPQuery, EnumPayload: 0x1235, Query: EnumQuery{Type: HPQueryApplication, Application: game, Payload: []byte("ping")}}
	bare := HPFrame{Command: HPResponse, EnumPayload: 0x1234, Response: EnumResponse{Flags: HPClientServer | HPFullSigned, MaxPlayers: 8, CurrentPlayers: 1, Instance: GUID{1, 2, 3}, Application: game}}
	full := bare
	full.Response.SetParts([]byte("T\x00e\x00s\x00t\x00\x00\x00"), []byte("p\x00w\x00\x00\x00"), []byte{1, 2, 3}, []byte{4, 5}, []byte("pong"))
	gap := full
	gap.Response.Tail = append(append([]byte{}, full.Response.Tail...), "end"...)
	gap.Response.Password = HPPart{}
	var samples [][]byte
	for _, f := range []*HPFrame{&any1, &mine, &bare, &full, &gap} {
		samples = append(samples, f.Append(nil))
	}
	return samples
}

// natSamples are the datagrams printed in MC-DPLNAT 4, and a query with data.
func natSamples() [][]byte {
	var samples [][]byte
	for _, s := range []string{"0006f1d53c1651ba", "0007f1d53c1651ba7d22ad87f92b", "0005c1d0b882dd929ce9aff9", "0006f2d53c1651ba68690000"} {
		if b, err := hex.DecodeString(s); err == nil {
			samples = append(samples, b)
		}
	}
	return samples
}
