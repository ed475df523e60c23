package hazel

import (
	"strconv"
	"strings"

	"github.com/dpdissect/dpdissect/dissect"
)

// ReasonOf gives the reason a Disconnect of Among Us holds: 01, then one message
// whose first byte it is.
func ReasonOf(data []byte) (reason byte, ok bool) {
	if len(data) < 1+messageHeader+1 || data[0] != 1 {
		return 0, false
	}
	_, n, fits := nextMessage(data[1:])
	return data[1+messageHeader], fits && n >= 1 && n == len(data)-1-messageHeader
}

// maxReasonText is how long a text a Disconnect may carry that is taken for one, in bytes.
const maxReasonText = 1024

// ReasonText gives the name of the reason a Disconnect of Among Us holds and the text for
// players after it, each empty where there is none. The text has its length before it, in
// groups of 7 bits, the lowest first.
func ReasonText(data []byte) (name, text string) {
	reason, ok := ReasonOf(data)
	if !ok {
		return "", ""
	}
	if name = Fields[fReason].ValueName(uint64(reason)); name == "" {
		name = strconv.Itoa(int(reason))
	}
	rest := data[1+messageHeader+1:]
	size := 0
	for shift := 0; len(rest) > 0 && shift < 21; shift += 7 {
		b := rest[0]
		rest = rest[1:]
		size |= int(b&0x7f) << shift
		if b&0x80 == 0 {
			break
		}
	}
	if size == 0 || size > len(rest) || size > maxReasonText {
		return name, ""
	}
	return name, strings.ToValidUTF8(string(rest[:size]), "\uFFFD")
}

// addReason records the reason of a Disconnect after its data.
func addReason(t *dissect.Tree, data []byte) {
	if reason, ok := ReasonOf(data); ok {
		t.Add(&Fields[fReason], 1+1+messageHeader, 0, uint64(reason))
	}
}

// appendReason appends ` Custom "you were kicked"`.
func appendReason(b, data []byte) []byte {
	name, text := ReasonText(data)
	switch {
	case name == "":
		return b
	case name[0] <= '9':
		b = append(b, " reason="...)
	default:
		b = append(b, ' ')
	}
	if b = append(b, name...); text != "" {
		b = strconv.AppendQuote(append(b, ' '), text)
	}
	return b
}
