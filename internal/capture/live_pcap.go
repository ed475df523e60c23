//go:build (windows && (amd64 || 386)) || (libpcap && cgo && !windows)

package capture

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/google/gopacket/pcap"
	"golang.org/x/net/bpf"
)

// A pcapDevice captures from an interface by libpcap, or by Npcap on Windows.
type pcapDevice struct {
	handle  *pcap.Handle
	iface   Interface
	read    uint64
	dropped uint64
	last    uint32 // what the library said was dropped: its count wraps
	closed  bool
}

// openDevice opens an interface. Read waits up to the delay for a packet.
func openDevice(name string, o *LiveOptions) (device, error) {
	if err := noLive(); err != nil {
		return nil, err
	}
	known, err := pcapName(name)
	if err != nil {
		return nil, err
	}
	snaplen := o.Snaplen
	if snaplen <= 0 || snaplen > MaxPacket {
		snaplen = MaxPacket
	}
	handle, err := activate(known, o, snaplen, o.Promiscuous)
	if err != nil {
		return nil, explainActivation(name, err)
	}
	d := &pcapDevice{handle: handle, iface: Interface{Name: name, Snaplen: uint32(snaplen)}}
	if d.iface.Link, err = linkOfHandle(handle); err == nil {
		err = d.setFilter(o.Filter)
	}
	if err != nil {
		handle.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return d, nil
}

// What gopacket says when an interface can't be activated: its type has no name.
const (
	saysNoPromisc = "Cannot set as promisc"
	saysDenied    = "Permission Denied"
	saysNoDevice  = "No Such Device"
	saysDown      = "Interface Not Up"
	// PCAP_ERROR_PROMISC_PERM_DENIED, which gopacket has no words for.
	saysPromiscDenied = "unknown activated error: -11"
)

// activate opens an interface. One that can't be promiscuous is opened without:
// the device for all interfaces is none of its own.
func activate(name string, o *LiveOptions, snaplen int, promiscuous bool) (*pcap.Handle, error) {
	inactive, err := pcap.NewInactiveHandle(name)
	if err != nil {
		return nil, err
	}
	defer inactive.CleanUp()
	err = errors.Join(
		inactive.SetSnapLen(snaplen),
		inactive.SetPromisc(promiscuous),
		inactive.SetTimeout(max(cmp.Or(o.Delay, DefaultDelay), time.Millisecond)),
		inactive.SetBufferSize(min(cmp.Or(o.Buffer, DefaultBuffer), math.MaxInt32)),
	)
	if err != nil {
		return nil, err
	}
	handle, err := inactive.Activate()
	if err != nil && err.Error() == saysNoPromisc && promiscuous {
		return activate(name, o, snaplen, false)
	}
	return handle, err
}

// explainActivation says what can be done about an interface that can't be opened.
func explainActivation(name string, err error) error {
	switch err.Error() {
	case saysDenied, saysPromiscDenied:
		return noRight(name)
	case saysNoDevice:
		return fmt.Errorf("%s: there is no such interface; 'dpdissect interfaces' lists them", name)
	case saysDown:
		return fmt.Errorf("%s: the interface is down", name)
	}
	return fmt.Errorf("%s: can't be opened: %w", name, err)
}

// linkOfHandle is the link type of the packets of a handle. gopacket keeps a byte
// of its number, so the names of those that the interface has tell the rest.
func linkOfHandle(handle *pcap.Handle) (LinkType, error) {
	said := uint8(handle.LinkType())
	links, err := handle.ListDataLinks()
	if err != nil {
		return 0, fmt.Errorf("its link type can't be asked for: %w", err)
	}
	for _, l := range links {
		if n := pcap.DatalinkNameToVal(l.Name); n >= 0 && uint8(n) == said {
			return linkOfDLT(n, runtime.GOOS), nil
		}
	}
	return linkOfDLT(int(said), runtime.GOOS), nil
}

// setFilter makes the system keep the packets of a program. Those that came
// before are thrown away.
func (d *pcapDevice) setFilter(filter *Filter) error {
	if filter == nil {
		return nil
	}
	program, err := filter.program(d.iface.Link)
	if err != nil {
		return err
	}
	raw, err := bpf.Assemble(program)
	if err != nil {
		return err
	}
	instructions := make([]pcap.BPFInstruction, len(raw))
	for i, r := range raw {
		instructions[i] = pcap.BPFInstruction{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	if err := d.handle.SetBPFInstructionFilter(instructions); err != nil {
		return fmt.Errorf("the capture filter is refused: %w", err)
	}
	return nil
}

func (d *pcapDevice) Read(rec *Record) (bool, error) {
	data, ci, err := d.handle.ZeroCopyReadPacketData()
	if err != nil {
		return false, d.explainRead(err)
	}
	d.read++
	*rec = Record{Data: data, WireLen: ci.Length, Time: ci.Timestamp.UnixNano(), HasTime: true, Link: d.iface.Link}
	return true, nil
}

func (d *pcapDevice) explainRead(err error) error {
	switch err {
	case pcap.NextErrorTimeoutExpired:
		return nil
	case pcap.NextErrorReadError:
		return fmt.Errorf("%s: %w", d.iface.Name, d.handle.Error())
	}
	return fmt.Errorf("%s: %w", d.iface.Name, err)
}

func (d *pcapDevice) Describe() Interface { return d.iface }

// Counts counts what was read itself: what the library says was received is,
// with the system, before or after the filter, and on Linux twice for loopback.
func (d *pcapDevice) Counts() DeviceCounts {
	if !d.closed {
		if s, err := d.handle.Stats(); err == nil {
			now := uint32(s.PacketsDropped)
			d.dropped += uint64(now - d.last)
			d.last = now
		}
	}
	return DeviceCounts{Received: d.read + d.dropped, Dropped: d.dropped}
}

// Close keeps the counts.
func (d *pcapDevice) Close() error {
	if !d.closed {
		d.Counts()
		d.closed = true
		d.handle.Close()
	}
	return nil
}

// waitDevices has nothing to do: Read waits.
func waitDevices([]device, time.Duration) {}
