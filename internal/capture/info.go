package capture

import (
	"fmt"
	"strings"
)

// An Info says what is known of one input after reading it so far.
type Info struct {
	Path        string   // of a file, or the name of a network interface
	Live        bool     // it is a network interface
	Format      string   // "pcap", "pcapng" or "" when it is neither
	Compression string   // "gzip", "zstd", "lz4", "bzip2" or ""
	LinkTypes   []string // names of decoded link types in the order of first use; that of a pcap header counts as used
	Packets     uint64   // packets given
	Bytes       uint64   // captured bytes of these packets, without any header of the file
	HasTime     bool     // FirstTime and LastTime are known
	FirstTime   int64    // nanoseconds since 1970 UTC, of the first packet that has a time
	LastTime    int64    // of the last packet that has one
	Listened    Span     `state:"-"` // from when until when packets were captured, as the statistics of its interfaces say
	CutShort    bool     // the file ends inside a record
	Unopened    bool     // it could not even be opened: there is nothing to report of it
	Failed      bool     // it could not be read, is no capture, is empty, damaged or cut short: exit code 3
	Problem     string   // "" or what is wrong; also names link types that are not decoded, which is no failure
	Unfit       error    `state:"-"` // the capture filter has no meaning for its packets: what ended it, a usage error
	HasDropped  bool     // the file has statistics of its interfaces; live captures always have
	Dropped     uint64   // packets lost by the capture itself, as these statistics say
	Received    uint64   // live: packets that passed the filter, those lost included
}

// Totals counts the packets given, over all inputs.
type Totals struct {
	Packets      uint64
	UDPDatagrams uint64 // a reassembled one counts once
	NotUDP       uint64 // neither a datagram nor a part of one; notices of ICMP are among them
	IPFragments  uint64 // packets that are IP fragments, of UDP or not
	BadChecksums uint64 // datagrams whose checksum is wrong and not plausibly left to hardware
}

// Count adds one packet.
func (t *Totals) Count(p *Packet) {
	t.Packets++
	switch p.Class {
	case UDP:
		t.UDPDatagrams++
		if p.BadChecksum {
			t.BadChecksums++
		}
	case NotUDP, Unreachable:
		t.NotUDP++
	}
	if p.IsFragment {
		t.IPFragments++
	}
}

// linkUse remembers which link types a file used and how often those that are
// not decoded.
type linkUse struct {
	seen  []LinkType
	count []uint64
	last  int
}

func (u *linkUse) add(l LinkType) {
	if len(u.seen) > 0 && u.seen[u.last] == l {
		u.count[u.last]++
		return
	}
	for i, s := range u.seen {
		if s == l {
			u.last = i
			u.count[i]++
			return
		}
	}
	u.seen, u.count, u.last = append(u.seen, l), append(u.count, 1), len(u.seen)
}

// declare notes a link type before any packet.
func (u *linkUse) declare(l LinkType) {
	u.seen, u.count = []LinkType{l}, []uint64{0}
}

// names lists what is decoded, without repeats.
func (u *linkUse) names() []string {
	names := []string{}
next:
	for _, l := range u.seen {
		n := l.Name()
		for _, old := range names {
			if old == n {
				continue next
			}
		}
		if n != "" {
			names = append(names, n)
		}
	}
	return names
}

// problem names what is not decoded.
func (u *linkUse) problem() string {
	var parts []string
	for i, l := range u.seen {
		if l.Name() == "" {
			parts = append(parts, fmt.Sprintf("%v is not decoded: %s", l, plural(u.count[i], "packet")))
		}
	}
	return strings.Join(parts, "; ")
}
