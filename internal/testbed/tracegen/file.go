package tracegen

import (
	"io"
	"time"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// epoch is the date of simulated time zero.
var epoch = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC).UnixNano()

var linkTypes = map[sim.Link]capture.LinkType{sim.Ethernet: capture.LinkEthernet, sim.VLAN: capture.LinkEthernet,
	sim.Raw: capture.LinkRaw, sim.SLL2: capture.LinkSLL2}

func (s *Setup) format() string {
	if s.PcapNG {
		return "pcapng"
	}
	return "pcap"
}

// record writes what is captured to w, at microsecond resolution.
func (t *Trace) record(w io.Writer) (*capture.Writer, error) {
	out, err := capture.NewWriter(w, capture.WriterOptions{Format: t.format(),
		Interfaces: []capture.Interface{{Link: linkTypes[t.Tap.Link]}}})
	if err != nil {
		return nil, err
	}
	var rec capture.Record
	t.Net.Sink = func(p sim.Packet) {
		t.truthWatch.packet()
		rec = capture.Record{Data: p.Data, WireLen: len(p.Data), Time: epoch + int64(p.Time), HasTime: true}
		if err := out.Write(&rec); err != nil && t.failed == nil {
			t.failed = err
		}
	}
	return out, nil
}
