package knet

import (
	"github.com/dpdissect/dpdissect/dissect"
)

// KNet describes the protocol to tables, filters and tests.
var KNet = &dissect.Protocol{
	Name:     "knet",
	Title:    "kNet over UDP",
	Texts:    []string{"kNet page: kNet Transport over UDP", "juj/kNet 715850d"},
	Dialects: []string{"spec", "reference"},
	Types:    []string{"DATAGRAM", "CONNECT"},
	Client:   "client",
	Ports:    []uint16{2345},
	Fields:   dissect.Refs(Fields[:]),
	Numbered: map[string]*dissect.Field{"DATAGRAM": &Fields[FPacketID]},
	Decode: func(t *dissect.Tree) (string, *dissect.Error) {
		var d Datagram
		err := d.recordAny(t.Data, t)
		return d.Type.String(), err
	},
	Reencode: func(payload []byte) ([]byte, bool) {
		var d Datagram
		if d.decodeAny(payload, nil) != nil {
			return nil, false
		}
		return d.Append(nil), true
	},
	Samples: Samples,
}
