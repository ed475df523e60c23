package hazel

import (
	"bytes"
	"unicode/utf8"

	"github.com/dpdissect/dpdissect/dissect"
)

// LANPort is where Among Us announces games in the local network.
const LANPort = 47777

// LAN describes the announcement of a game in the local network.
//
//	04 02 | UTF-8 text, "name~Open~3~"
var LAN = &dissect.Protocol{
	Name:   "hazel-lan",
	Title:  "Hazel LAN announcement",
	Texts:  []string{"Hazel UdpBroadcaster.cs"},
	Types:  []string{"ANNOUNCEMENT"},
	Ports:  []uint16{LANPort},
	Fields: dissect.Refs(LANFields[:]),
	Decode: func(t *dissect.Tree) (string, *dissect.Error) { return "ANNOUNCEMENT", decodeLAN(t.Data, t) },
	Reencode: func(payload []byte) ([]byte, bool) {
		if decodeLAN(payload, nil) != nil {
			return nil, false
		}
		return AppendLAN(nil, payload[len(lanHead):]), true
	},
	Samples: func() [][]byte {
		return [][]byte{AppendLAN(nil, []byte("Red~Open~3~")), AppendLAN(nil, []byte("a"))}
	},
}

const (
	lanMagic = iota
	lanText
	numLANFields
)

// LANFields is the table of announcements.
var LANFields = [numLANFields]dissect.Field{
	lanMagic: {Name: "hazel-lan.magic", Label: "Magic", Kind: dissect.Uint, Base: dissect.Hex, Size: 2, Clause: "Hazel UdpBroadcaster.cs", Doc: "the bytes 04 02"},
	lanText:  {Name: "hazel-lan.text", Label: "Text", Kind: dissect.Bytes, Privacy: dissect.Name, Clause: "Hazel UdpBroadcaster.cs", Doc: "UTF-8; of Among Us the name, the state and the number of players of a game, each followed by ~"},
}

var lanHead = []byte{4, 2}

// AppendLAN appends the announcement of a text.
func AppendLAN(b, text []byte) []byte { return append(append(b, lanHead...), text...) }

func decodeLAN(payload []byte, tree *dissect.Tree) *dissect.Error {
	r := dissect.NewReader(payload, tree)
	if r.B16(&LANFields[lanMagic]) != 0x0402 && r.OK() {
		r.FailAt(&LANFields[lanMagic], 0, "not 04 02")
	}
	if text := r.Rest(&LANFields[lanText]); r.OK() && !utf8.Valid(text) {
		r.FailAt(&LANFields[lanText], len(lanHead), "not UTF-8")
	}
	return r.Err()
}

// announcement reports whether a datagram announces a game: by its two bytes and
// readable text, on the port of Among Us, or broadcast with parts that end in ~.
func announcement(d *dissect.Datagram) bool {
	b := d.Payload
	if len(b) < 3 || !bytes.HasPrefix(b, lanHead) || !readable(b[2:]) {
		return false
	}
	if d.Dst.Port == LANPort || d.Src.Port == LANPort {
		return true
	}
	return d.Dst.IP[15] == 255 && bytes.Count(b, []byte{'~'}) >= 2 && (d.Cut() || b[len(b)-1] == '~')
}

// readable reports UTF-8 without control characters; the last character may
// have been cut.
func readable(b []byte) bool {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r < 0x20 || r == 0x7f || r == utf8.RuneError && n == 1 && utf8.FullRune(b) {
			return false
		}
		b = b[n:]
	}
	return true
}

func appendLANSummary(dst, payload []byte) []byte {
	dst = append(dst, "ANNOUNCEMENT "...)
	return append(dst, payload[min(len(payload), len(lanHead)):]...)
}
