package hazel

import "github.com/dpdissect/dpdissect/dissect"

// NeighbourLead are the first bytes that datagrams of neighbours may have.
func NeighbourLead() []byte {
	return []byte{lanHead[0], RecordChangeCipherSpec, RecordAlert, RecordHandshake, RecordApplicationData}
}

// Neighbour tells which neighbour a datagram is of, nil for none. DTLS is one where it
// was not recognised as Hazel's, after probes have seen its records.
func Neighbour(d *dissect.Datagram, unrecognised bool) *dissect.Protocol {
	switch {
	case len(d.Payload) == 0:
	case d.Payload[0] == lanHead[0]:
		if announcement(d) {
			return LAN
		}
	case unrecognised && foreignDTLS(d):
		return DTLS
	}
	return nil
}

// AppendNeighbourSummary appends one line for people of a neighbour's datagram.
func AppendNeighbourSummary(dst, payload []byte) []byte {
	if len(payload) > 0 && payload[0] == lanHead[0] {
		return appendLANSummary(dst, payload)
	}
	return appendDTLSSummary(dst, payload)
}
