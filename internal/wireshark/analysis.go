package wireshark

import (
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
)

const postName = "dpdissect"

// analysisFields are what the post-dissector registers: fields, then expert infos.
func analysisFields() []Field {
	var all []Field
	field := func(name, ft, base, label, doc string) {
		all = append(all, Field{Name: postName + "." + name, Type: ft, Base: base, Label: ascii(label), Protocol: postName, Doc: ascii(doc)})
	}
	field("frame", "FT_UINT32", "BASE_DEC", "Frame", "number of the packet in the input")
	field("connection", "FT_UINT32", "BASE_DEC", "Connection", "number of the connection")
	field("direction", "FT_STRING", "", "Direction", "sending side: a sent the first frame, b is the other")
	field("protocol", "FT_STRING", "", "Protocol", "protocol")
	field("type", "FT_STRING", "", "Type", "type of the frame")
	field("words", "FT_STRING", "", "Analysis", "word of the analysis")
	for i := range dissect.GeneratedFields {
		v := &dissect.GeneratedFields[i]
		switch kind := "ACK"; {
		case v.Time:
			field(v.Record(), "FT_DOUBLE", "", v.Label+" (ms)", v.In("milliseconds"))
		default:
			if v.Name == "retry_of" {
				kind = "RETRANS_PREV"
			}
			field(v.Name, "FT_FRAMENUM", kind, v.Label, v.Doc)
			field("input."+v.Name, "FT_UINT32", "BASE_DEC", v.Label+" (input)", v.Doc+", by the numbers of the input")
		}
	}
	field("rule", "FT_STRING", "", "Rule", "rule of a finding")
	field("severity", "FT_STRING", "", "Severity", "severity of a finding")
	field("message", "FT_STRING", "", "Message", "a line for people")
	field("error.field", "FT_STRING", "", "Error at", "field at which decoding stopped")
	field("error.offset", "FT_UINT32", "BASE_DEC", "Error at byte", "its byte in the payload")
	for i := range dissect.LayoutFields {
		f := &dissect.LayoutFields[i]
		field("layout."+f.Name, "FT_STRING", "", "Layout, "+f.Name, strings.ReplaceAll(f.Doc, "`", ""))
	}
	for _, e := range experts {
		all = append(all, Field{Name: postName + "." + strings.ReplaceAll(e.word, "-", "_"), Type: "FT_NONE", Label: e.label, Protocol: postName,
			Doc: strings.ToLower(e.severity) + ", " + strings.ToLower(e.group), expert: e.word})
	}
	return all
}

// An expert is an expert info: for a word of the analysis, or for findings of a severity.
type expert struct{ word, label, severity, group string }

// experts are those of the post-dissector, the gravest first. An acknowledgement has none: one
// packet in two is one.
var experts = []expert{
	{"finding.error", "Finding: error", "ERROR", "PROTOCOL"},
	{"finding.warn", "Finding: warning", "WARN", "PROTOCOL"},
	{"finding.note", "Finding: note", "NOTE", "PROTOCOL"},
	{"bad-signature", "Bad signature", "ERROR", "SECURITY"},
	{"malformed", "Malformed", "ERROR", "MALFORMED"},
	{"gap", "Gap: the numbers of its side jump forward here", "WARN", "SEQUENCE"},
	{"ack-of-uncaptured", "Acknowledgement of a number that was not captured", "WARN", "SEQUENCE"},
	{"window-full", "Window full", "WARN", "SEQUENCE"},
	{"retry", "Retry: its sender had sent it before", "NOTE", "SEQUENCE"},
	{"unneeded-retry", "Unneeded retry: its acknowledgement had been captured before", "NOTE", "SEQUENCE"},
	{"duplicate", "Duplicate: a copy made by the network or the capture", "NOTE", "SEQUENCE"},
	{"out-of-order", "Out of order: captured after a higher number of its side", "NOTE", "SEQUENCE"},
	{"duplicate-ack", "Duplicate acknowledgement", "NOTE", "SEQUENCE"},
	{"gap-filled", "Gap filled: its number was missing until here", "CHAT", "SEQUENCE"},
	{"keepalive", "KeepAlive", "CHAT", "SEQUENCE"},
	{"handshake", "Handshake: part of the opening of the connection", "CHAT", "SEQUENCE"},
	{"close", "Close: part of the end of the connection", "CHAT", "SEQUENCE"},
	{"new-connection", "New connection of the same two addresses", "CHAT", "SEQUENCE"},
	{"unverified-signature", "Signature not verified: not all secrets are known", "CHAT", "SEQUENCE"},
}
