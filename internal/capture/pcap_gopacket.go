//go:build libpcap && cgo && !windows

package capture

import (
	"cmp"
	"errors"
	"math"
	"runtime"
	"time"

	"github.com/google/gopacket/pcap"
	"golang.org/x/net/bpf"
)

// A libpcapHandle is a pcapHandle by gopacket's binding of libpcap.
type libpcapHandle struct{ *pcap.Handle }

// What gopacket says when an interface can't be activated: its type has no name.
const (
	saysNoPromisc = "Cannot set as promisc"
	saysDenied    = "Permission Denied"
	saysNoDevice  = "No Such Device"
	saysDown      = "Interface Not Up"
	// PCAP_ERROR_PROMISC_PERM_DENIED, which gopacket has no words for.
	saysPromiscDenied = "unknown activated error: -11"
)

func openHandle(name string, o *LiveOptions, snaplen int, promiscuous bool) (pcapHandle, error) {
	inactive, err := pcap.NewInactiveHandle(name)
	if err != nil {
		return nil, err
	}
	defer inactive.CleanUp()
	err = errors.Join(
		inactive.SetSnapLen(snaplen),
		inactive.SetPromisc(promiscuous),
		inactive.SetTimeout(min(max(cmp.Or(o.Delay, DefaultDelay), time.Millisecond), maxDelay)),
		inactive.SetBufferSize(min(cmp.Or(o.Buffer, DefaultBuffer), math.MaxInt32)),
	)
	if err != nil {
		return nil, err
	}
	handle, err := inactive.Activate()
	if err != nil {
		return nil, activationError(err)
	}
	return libpcapHandle{handle}, nil
}

// activationError is why an interface can't be activated, by gopacket's words.
func activationError(err error) error {
	switch err.Error() {
	case saysNoPromisc:
		return errNoPromisc
	case saysDenied, saysPromiscDenied:
		return errDenied
	case saysNoDevice:
		return errNoDevice
	case saysDown:
		return errDown
	}
	return err
}

func (h libpcapHandle) next() (data []byte, wire int, at int64, err error) {
	data, ci, err := h.ZeroCopyReadPacketData()
	switch err {
	case nil:
		return data, ci.Length, ci.Timestamp.UnixNano(), nil
	case pcap.NextErrorTimeoutExpired:
		err = errQuiet
	case pcap.NextErrorReadError:
		err = h.Error()
	}
	return nil, 0, 0, err
}

func (h libpcapHandle) dropped() (uint32, error) {
	s, err := h.Stats()
	if err != nil {
		return 0, err
	}
	return uint32(s.PacketsDropped), nil
}

// link is the link type of the packets. gopacket keeps a byte of its number, so the
// names of those that the interface has tell the rest.
func (h libpcapHandle) link() (LinkType, error) {
	said := uint8(h.LinkType())
	links, err := h.ListDataLinks()
	if err != nil {
		return 0, err
	}
	for _, l := range links {
		if n := pcap.DatalinkNameToVal(l.Name); n >= 0 && uint8(n) == said {
			return linkOfDLT(n, runtime.GOOS), nil
		}
	}
	return linkOfDLT(int(said), runtime.GOOS), nil
}

func (h libpcapHandle) setFilter(program []bpf.RawInstruction) error {
	instructions := make([]pcap.BPFInstruction, len(program))
	for i, r := range program {
		instructions[i] = pcap.BPFInstruction{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	return h.SetBPFInstructionFilter(instructions)
}

func (h libpcapHandle) close() { h.Close() }
