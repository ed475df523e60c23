package render

import (
	"strconv"

	"github.com/dpdissect/dpdissect/dissect"
)

// A packetField is a column that is not of a protocol's table.
type packetField struct {
	field  dissect.Field
	append func(dst []byte, fr *dissect.Frame, c *Clock) []byte
	free   bool                             // text that holds what packets say
	note   func(n *dissect.Note) string     // a value for each finding
	all    func(fr *dissect.Frame) []uint64 // several values
}

// Packet lists the fields every datagram has, whatever its protocol, for the
// reference page and for -e. They are not in any tree.
var Packet = func() *dissect.Protocol {
	p := &dissect.Protocol{Name: "frame", Title: "Frame, IP, UDP and analysis"}
	for i := range packetFields {
		p.Fields = append(p.Fields, &packetFields[i].field)
	}
	return p
}()

func uintField(name, label, doc string, get func(*dissect.Frame) uint64) packetField {
	return packetField{field: dissect.Field{Name: name, Label: label, Doc: doc, Kind: dissect.Uint},
		append: func(dst []byte, fr *dissect.Frame, _ *Clock) []byte { return strconv.AppendUint(dst, get(fr), 10) }}
}

func linkField(name, label, doc string, get func(*dissect.Frame) uint64) packetField {
	return packetField{field: dissect.Field{Name: name, Label: label, Doc: doc, Kind: dissect.Uint},
		append: func(dst []byte, fr *dissect.Frame, _ *Clock) []byte {
			if get(fr) == 0 {
				return dst
			}
			return strconv.AppendUint(dst, get(fr), 10)
		}}
}

func textField(name, label, doc string, app func([]byte, *dissect.Frame, *Clock) []byte) packetField {
	return packetField{field: dissect.Field{Name: name, Label: label, Doc: doc, Kind: dissect.Text}, append: app}
}

// freeField is a textField that holds what packets say.
func freeField(name, label, doc string, app func([]byte, *dissect.Frame, *Clock) []byte) packetField {
	f := textField(name, label, doc, app)
	f.free = true
	return f
}

// noteField has a value for each finding about the frame. Messages may hold what packets
// say.
func noteField(name, label, doc string, get func(n *dissect.Note) string) packetField {
	f := freeField(name, label, doc, nil)
	f.note = get
	return f
}

// tells sets which privacy class the field has: what it gives away of people.
func (f packetField) tells(p dissect.Privacy) packetField {
	f.field.Privacy = p
	return f
}

// generatedFields are what the analysis gives a frame.
func generatedFields() (fields []packetField) {
	for i := range dissect.GeneratedFields {
		switch v := &dissect.GeneratedFields[i]; {
		case v.All != nil:
			f := textField(v.Name, v.Label, v.Doc+", each one a value", nil)
			f.all = v.All
			fields = append(fields, f)
		case v.Time:
			fields = append(fields, textField(v.Name, v.Label, v.In("seconds"), func(dst []byte, fr *dissect.Frame, _ *Clock) []byte {
				if ns := v.Of(fr); ns != 0 {
					return appendSeconds(dst, int64(ns), 9)
				}
				return dst
			}))
		default:
			fields = append(fields, linkField(v.Name, v.Label, v.Doc, v.Of))
		}
	}
	return fields
}

func timeField(name, label, doc string, app func([]byte, *dissect.Frame, *Clock) []byte) packetField {
	return textField(name, label, doc, func(dst []byte, fr *dissect.Frame, c *Clock) []byte {
		if !fr.HasTime {
			return dst
		}
		return app(dst, fr, c)
	})
}

// packetFields are what every datagram has; errors stand last.
var packetFields = append(append([]packetField{
	uintField("frame.number", "Frame number", "number of the packet in the capture, from 1, across files", func(fr *dissect.Frame) uint64 { return fr.Frame }),
	uintField("frame.file", "File", "number of the input file, from 1", func(fr *dissect.Frame) uint64 { return uint64(fr.File) + 1 }),
	timeField("frame.time", "Time", "RFC 3339 with nanoseconds, UTC", func(dst []byte, fr *dissect.Frame, c *Clock) []byte { return c.dates.appendRFC3339(dst, fr.Time) }),
	timeField("frame.time_epoch", "Epoch time", "seconds since 1970", func(dst []byte, fr *dissect.Frame, _ *Clock) []byte { return appendSeconds(dst, fr.Time, 9) }),
	timeField("frame.time_relative", "Time since first packet", "seconds", func(dst []byte, fr *dissect.Frame, c *Clock) []byte {
		return appendSeconds(dst, c.sinceFirst(fr.Datagram), 9)
	}),
	timeField("frame.time_delta", "Time since previous packet", "seconds since the previous captured packet", func(dst []byte, fr *dissect.Frame, c *Clock) []byte {
		return appendSeconds(dst, c.sinceCaptured(fr.Datagram), 9)
	}),
	timeField("frame.time_delta_displayed", "Time since previous displayed packet", "seconds", func(dst []byte, fr *dissect.Frame, c *Clock) []byte {
		return appendSeconds(dst, c.sinceShown(fr.Datagram), 9)
	}),
	uintField("frame.len", "Frame length", "bytes of the packet on the wire", func(fr *dissect.Frame) uint64 { return uint64(fr.WireLen) }),
	uintField("frame.cap_len", "Captured length", "captured bytes of the packet", func(fr *dissect.Frame) uint64 { return uint64(fr.CapLen) }),
	textField("ip.src", "Source address", "IPv4 or IPv6", func(dst []byte, fr *dissect.Frame, _ *Clock) []byte { return fr.Src.Addr().AppendTo(dst) }).tells(dissect.Address),
	textField("ip.dst", "Destination address", "IPv4 or IPv6", func(dst []byte, fr *dissect.Frame, _ *Clock) []byte { return fr.Dst.Addr().AppendTo(dst) }).tells(dissect.Address),
	uintField("ip.ttl", "Time to live", "or hop limit of IPv6", func(fr *dissect.Frame) uint64 { return uint64(fr.TTL) }),
	linkField("ip.id", "Identification", "of IPv4; absent on IPv6", func(fr *dissect.Frame) uint64 { return uint64(fr.IPID) }),
	uintField("udp.srcport", "Source port", "", func(fr *dissect.Frame) uint64 { return uint64(fr.Src.Port) }).tells(dissect.Port),
	uintField("udp.dstport", "Destination port", "", func(fr *dissect.Frame) uint64 { return uint64(fr.Dst.Port) }).tells(dissect.Port),
	uintField("udp.length", "Length", "of the UDP datagram with its header of 8 bytes, by the header", func(fr *dissect.Frame) uint64 { return uint64(fr.Length) + 8 }),
	{field: dissect.Field{Name: "udp.payload", Label: "Payload", Doc: "captured bytes", Kind: dissect.Bytes, Privacy: dissect.Payload},
		append: func(dst []byte, fr *dissect.Frame, _ *Clock) []byte { return appendHex(dst, fr.Payload) }},
	textField("protocol", "Protocol", "", func(dst []byte, fr *dissect.Frame, _ *Clock) []byte { return append(dst, fr.Protocol...) }),
	{field: dissect.Field{Name: "connection", Label: "Connection", Doc: "id of the connection, from 0", Kind: dissect.Uint},
		append: func(dst []byte, fr *dissect.Frame, _ *Clock) []byte {
			if fr.Connection < 0 {
				return dst
			}
			return strconv.AppendInt(dst, int64(fr.Connection), 10)
		}},
	textField("direction", "Direction", "sending side, a or b", func(dst []byte, fr *dissect.Frame, _ *Clock) []byte {
		if fr.Direction == 0 {
			return dst
		}
		return append(dst, fr.Direction)
	}),
	textField("type", "Type", "of the frame", func(dst []byte, fr *dissect.Frame, _ *Clock) []byte { return append(dst, fr.Type...) }),
	freeField("summary", "Summary", "one line for people", func(dst []byte, fr *dissect.Frame, _ *Clock) []byte { return AppendEscaped(dst, fr.Summary) }).tells(dissect.Payload),
	textField("analysis", "Analysis", "words of the analysis, each one a value", nil), // values of its own, see appendWord
	noteField("note.rule", "Rule", "of a finding, each one a value", func(n *dissect.Note) string { return n.Rule }),
	noteField("note.severity", "Severity", "of a finding: error, warn or note; each one a value", func(n *dissect.Note) string { return n.Severity }),
	noteField("note.message", "Message", "of a finding, each one a value", func(n *dissect.Note) string { return n.Message }),
}, generatedFields()...), freeField("error", "Error", "where and why decoding stopped", func(dst []byte, fr *dissect.Frame, _ *Clock) []byte {
	if fr.Err == nil {
		return dst
	}
	return appendError(dst, fr.Err)
}))
