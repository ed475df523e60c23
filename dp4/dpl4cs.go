package dp4

import (
	"encoding/binary"
	"strconv"

	"github.com/dpdissect/dpdissect/dissect"
)

// EnumerationPort is where hosts answer the search for sessions (MC-DPL4CS 2.1).
const EnumerationPort = 47624

// DPL4CS describes the messages of the DirectPlay 4 core that stand in UDP by
// themselves: above all the search for sessions.
var DPL4CS = &dissect.Protocol{
	Name:   "dpl4cs",
	Title:  "DirectPlay 4 Core and Service Providers",
	Texts:  []string{"MC-DPL4CS"},
	Types:  coreTypes(),
	Fields: dissect.Refs(CSFields[:]),
	Ports:  []uint16{EnumerationPort, 2300, 2350, 2400},
	Decode: func(t *dissect.Tree) (string, *dissect.Error) {
		var f CoreFrame
		err := f.Decode(t.Data, t)
		return f.Type(), err
	},
	Reencode: func(payload []byte) ([]byte, bool) {
		var f CoreFrame
		if f.Decode(payload, nil) != nil {
			return nil, false
		}
		return f.Append(nil), true
	},
	Samples: coreSamples,
}

// Indexes into CSFields.
const (
	csSizeToken = iota
	csSize
	csToken
	csFamily
	csPort
	csAddress
	csZero
	csSignature
	csCommand
	csVersion
	csBody
	numCSFields
)

const csText = "MC-DPL4CS 2.2.6"

// CSFields is the table of core messages.
var CSFields = [numCSFields]dissect.Field{
	csSizeToken: {Name: "dpl4cs.size_token", Label: "Size and token", Kind: dissect.Uint, Base: dissect.Hex, Size: 4, Clause: csText, Doc: "Size and Token: 20 and 12 bits"},
	csSize:      {Name: "dpl4cs.size", Label: "Size", Kind: dissect.Uint, Unit: "bytes", Clause: csText, Doc: "Size: bytes of the whole message"},
	csToken:     {Name: "dpl4cs.token", Label: "Token", Kind: dissect.Uint, Base: dissect.Hex, Values: tokenNames, Clause: csText, Doc: "Token: where the message comes from"},
	csFamily:    {Name: "dpl4cs.family", Label: "Address family", Kind: dissect.Uint, Size: 2, Clause: csText, Doc: "SockAddr, AddressFamily: 2 is IPv4"},
	csPort:      {Name: "dpl4cs.port", Label: "Port", Kind: dissect.Uint, Privacy: dissect.Port, Size: 2, Clause: csText, Doc: "SockAddr, Port: big-endian; where the sender wants the answer"},
	csAddress:   {Name: "dpl4cs.address", Label: "Address", Kind: dissect.Bytes, Privacy: dissect.Address, Size: 4, Clause: csText, Doc: "SockAddr, Address: IPv4 address in wire order, mostly zero"},
	csZero:      {Name: "dpl4cs.zero", Label: "Padding", Kind: dissect.Bytes, Size: 8, Clause: csText, Doc: "SockAddr, Padding: zero"},
	csSignature: {Name: "dpl4cs.signature", Label: "Signature", Kind: dissect.Bytes, Size: 4, Clause: csText, Doc: "Signature: the letters play"},
	csCommand:   {Name: "dpl4cs.command", Label: "Command", Kind: dissect.Uint, Base: dissect.Hex, Size: 2, Values: coreValues(), Clause: csText, Doc: "Command: type of the message; it stands before the version, whatever order the text lists"},
	csVersion:   {Name: "dpl4cs.version", Label: "Version", Kind: dissect.Uint, Size: 2, Clause: csText, Doc: "Version: of the DirectPlay 4 that sent the message"},
	csBody:      {Name: "dpl4cs.body", Label: "Body", Kind: dissect.Bytes, Privacy: dissect.Payload, Unit: "bytes", Clause: "MC-DPL4CS 2.2", Doc: "the contents of the message after its header"},
}

var csRows = [numSPFields]*dissect.Field{
	&CSFields[csSizeToken], &CSFields[csSize], &CSFields[csToken], &CSFields[csFamily], &CSFields[csPort], &CSFields[csAddress], &CSFields[csZero],
}

// otherMessage is the type of a message whose command has no name.
const otherMessage = "MESSAGE"

func coreTypes() []string {
	var types []string
	for _, name := range coreNames {
		if name != "" {
			types = append(types, name)
		}
	}
	return append(types, otherMessage)
}

func coreValues() []dissect.Value {
	var values []dissect.Value
	for i, name := range coreNames {
		if name != "" {
			values = append(values, dissect.Value{Value: uint64(i), Name: name})
		}
	}
	return values
}

// A CoreFrame is one datagram of the core (DPSP_MSG_HEADER, MC-DPL4CS 2.2.6).
// Body belongs to the payload.
type CoreFrame struct {
	SP      SPHeader
	Command uint16
	Version uint16
	Body    []byte
}

// Type is the name of the command, MESSAGE when it has none.
func (f *CoreFrame) Type() string {
	if s := CoreName(f.Command); s != "" {
		return s
	}
	return otherMessage
}

// Decode reads one UDP payload into f and, when tree is not nil, records it.
func (f *CoreFrame) Decode(payload []byte, tree *dissect.Tree) *dissect.Error {
	r := dissect.NewReader(payload, tree)
	*f = CoreFrame{}
	f.SP.decode(&r, &csRows)
	if b := r.Peek(4); b != nil && string(b) != Signature {
		r.Fail(&CSFields[csSignature], "not the letters play")
	}
	r.Bytes(&CSFields[csSignature], 4)
	f.Command = r.U16(&CSFields[csCommand])
	f.Version = r.U16(&CSFields[csVersion])
	f.Body = r.Rest(&CSFields[csBody])
	return r.Err()
}

// Append appends the encoded datagram to b.
func (f *CoreFrame) Append(b []byte) []byte {
	b = append(f.SP.Append(b), Signature...)
	b = binary.LittleEndian.AppendUint16(b, f.Command)
	b = binary.LittleEndian.AppendUint16(b, f.Version)
	return append(b, f.Body...)
}

// IsCoreDatagram reports whether a datagram is a message of the core by itself:
// a service provider's header and the signature, 80 bits together. Between
// enumeration ports the size need not fit.
func IsCoreDatagram(d *dissect.Datagram) bool {
	b := d.Payload
	if len(b) < coreSize || b[4] != SPFamily || b[5] != 0 || !IsCore(b[spSize:]) {
		return false
	}
	v := binary.LittleEndian.Uint32(b)
	fits := v&0xfffff == uint32(d.Length) || d.Src.Port == EnumerationPort || d.Dst.Port == EnumerationPort
	return fits && isToken(v>>20)
}

// AppendCoreSummary appends the one line people see of a core message.
//
//	ENUMSESSIONS version=11 remote port=2300 len=24
func AppendCoreSummary(dst, payload []byte) []byte {
	var f CoreFrame
	if err := f.Decode(payload, nil); err != nil {
		return append(append(dst, "damaged: "...), err.Error()...)
	}
	dst = append(dst, f.Type()...)
	if CoreName(f.Command) == "" {
		dst = dissect.AppendNumber(dst, " command=", f.Command)
	}
	dst = dissect.AppendNumber(dst, " version=", f.Version)
	dst = append(append(dst, ' '), CSFields[csToken].ValueName(uint64(f.SP.Token))...)
	dst = appendAddress(dst, &f.SP)
	return dissect.AppendNumber(dst, " len=", len(f.Body))
}

// appendAddress appends the port and, where it is given, the address of a
// service provider's header.
func appendAddress(dst []byte, s *SPHeader) []byte {
	if s.Address == [4]byte{} {
		return dissect.AppendNumber(dst, " port=", s.Port)
	}
	sep := " address="
	for _, b := range s.Address {
		dst = dissect.AppendNumber(dst, sep, b)
		sep = "."
	}
	return strconv.AppendUint(append(dst, ':'), uint64(s.Port), 10)
}

// coreSamples are one message of each command, one of an unknown command, and
// one with nothing after its header.
func coreSamples() [][]byte {
	var samples [][]byte
	for i, name := range coreNames {
		if name == "" && i != 0 {
			continue
		}
		f := CoreFrame{Command: uint16(i), Version: 14, SP: SPHeader{Token: TokenRemote, Family: SPFamily, Port: 2300}}
		if i != 0 {
			f.Body = []byte("body of a message")[:i%18]
		}
		f.SP.Size = uint32(coreSize + len(f.Body))
		samples = append(samples, f.Append(nil))
	}
	return samples
}
