package pairs

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net/netip"
	"os"
	"slices"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen"
	"github.com/dpdissect/dpdissect/internal/testbed/tracegen/sim"
)

// Live makes a log of two captures that others took of real sessions, at the clients and at the
// server, which miss nothing and whose clocks are one. Datagrams are paired by identification
// and bytes. Of IPv4 without fragments, on Ethernet.
func Live(client, server string, address netip.AddrPort) (*tracegen.WireLog, error) {
	log := &tracegen.WireLog{Players: 1, Hosts: [2]netip.AddrPort{{}, address}}
	waiting := map[string][]int{}
	for place, name := range []string{client, server} {
		all, err := packetsOf(name)
		if err != nil {
			return nil, err
		}
		for _, s := range all {
			d, key := sentOf(s.IP, address)
			s.At = sim.Place(place)
			if list := waiting[key]; place == 1 && len(list) > 0 {
				s.Datagram, waiting[key] = list[0], list[1:]
			} else {
				s.Datagram = len(log.Sent)
				log.Sent = append(log.Sent, d)
				if place == 0 {
					waiting[key] = append(waiting[key], s.Datagram)
				}
			}
			log.Seen = append(log.Seen, s)
		}
	}
	slices.SortStableFunc(log.Seen, func(a, b tracegen.Sighting) int { return int(a.Time - b.Time) })
	return log, nil
}

// packetsOf reads the IP packets of a capture.
func packetsOf(name string) (all []tracegen.Sighting, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rd, err := capture.NewReader(f)
	if err != nil {
		return nil, err
	}
	for {
		var rec capture.Record
		if err := rd.Next(&rec); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		ip := rec.Data[14:]
		if rec.Link != capture.LinkEthernet || ip[0] != 0x45 || binary.BigEndian.Uint16(ip[6:])&0x3fff != 0 {
			return nil, fmt.Errorf("%s: want IPv4 without options and fragments, on Ethernet", name)
		}
		ip = bytes.Clone(ip[:binary.BigEndian.Uint16(ip[2:])])
		all = append(all, tracegen.Sighting{Time: rec.Time, IP: ip})
	}
}

// sentOf is what a packet holds, and what it is known by.
func sentOf(ip packet, server netip.AddrPort) (tracegen.SentDatagram, string) {
	at := func(i, port int) netip.AddrPort {
		a, _ := netip.AddrFromSlice(ip[i : i+4])
		return netip.AddrPortFrom(a, binary.BigEndian.Uint16(ip[port:]))
	}
	d := tracegen.SentDatagram{UDP: ip[9] == sim.ProtoUDP, Parts: 1, Number: -1, Payload: ip[28:], From: at(12, 20), To: at(16, 22)}
	if !d.UDP { // the ports are those of what it quotes
		d.To, d.From = at(40, 48), at(44, 50)
	}
	if d.From.Addr() == server.Addr() {
		d.Side = 1
	}
	return d, fmt.Sprint(d.Side, ip[9], ip.id(), string(d.Payload))
}
