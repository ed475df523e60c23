package wire

import (
	"net/netip"

	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
)

// How connections of a Load ended.
const (
	Closed    = "closed"    // gracefully, or, where a protocol knows no end, when all was said
	Vanished  = "vanished"  // the client fell silent without a word
	Abandoned = "abandoned" // the end did not come through, in 20 seconds
	Cut       = "cut"       // the run was over
)

// Totals is what is true of a load.
type Totals struct {
	Seed         uint64          `json:"seed"`
	Seconds      float64         `json:"seconds"`
	Peak         int             `json:"peak_live"`      // connections at a time
	Lag          float64         `json:"behind_seconds"` // the most the endpoints' clock lagged: this machine was too busy
	Still        float64         `json:"still_seconds"`  // for how long it stood still then
	LostBySystem int             `json:"lost_by_system"`
	Strays       int             `json:"strays"`
	All          Sum             `json:"all"`
	Kinds        map[string]*Sum `json:"kinds"`
}

// A Sum counts connections. What is counted of datagrams is what passed the wire;
// units and ways of counting are those of tracegen.Direction, of both directions.
type Sum struct {
	Server       netip.AddrPort `json:"server,omitzero"`
	Opened       int            `json:"opened"`
	Established  int            `json:"established"` // at both ends
	Seen         int            `json:"captured"`    // with a datagram on the wire
	Ends         map[string]int `json:"ends"`
	Sent         int            `json:"datagrams_sent"`
	Datagrams    int            `json:"datagrams"`
	Bytes        int            `json:"bytes"`
	DataFrames   int            `json:"data_frames"`
	Acks         int            `json:"acks"`
	Retries      int            `json:"retries"`
	Duplicates   int            `json:"duplicates"`
	KeepAlives   int            `json:"keepalives"`
	Messages     int            `json:"messages"`
	MessageBytes int            `json:"message_bytes"`
	LostBefore   int            `json:"lost_before_capture"`
	LostAfter    int            `json:"lost_after_capture"`
}

// count adds a connection that is over.
func (s *Sum) count(l *tracegen.Live) {
	if l.Established() == [2]bool{true, true} {
		s.Established++
	}
	for _, c := range l.Truth().Connections {
		s.Seen++
		for _, d := range c.Directions {
			s.direction(&d)
		}
	}
}

func (s *Sum) direction(d *tracegen.Direction) {
	s.Sent += d.Transmissions
	s.Datagrams += d.Frames
	s.Bytes += d.Bytes
	s.DataFrames += d.DataFrames
	s.Acks += d.Acks
	s.Retries += d.Retries
	s.Duplicates += d.Duplicates
	s.KeepAlives += d.KeepAlives
	s.Messages += d.NMessages
	s.MessageBytes += d.MessageBytes
	s.LostBefore += d.Lost.Before
	s.LostAfter += d.Lost.After
}

// add adds the sum of others.
func (s *Sum) add(o *Sum) {
	s.Opened += o.Opened
	s.Established += o.Established
	s.Seen += o.Seen
	for end, n := range o.Ends {
		s.Ends[end] += n
	}
	s.Sent += o.Sent
	s.Datagrams += o.Datagrams
	s.Bytes += o.Bytes
	s.DataFrames += o.DataFrames
	s.Acks += o.Acks
	s.Retries += o.Retries
	s.Duplicates += o.Duplicates
	s.KeepAlives += o.KeepAlives
	s.Messages += o.Messages
	s.MessageBytes += o.MessageBytes
	s.LostBefore += o.LostBefore
	s.LostAfter += o.LostAfter
}
