package capture

import (
	"errors"
	"time"
)

// A device captures from one network interface, or from all of them where the
// system has that. Each platform has one kind: openDevice makes it.
type device interface {
	// Read gives the next packet that waits and matches the filter, false when
	// none does now. What rec refers to is valid until the next Read.
	Read(rec *Record) (ok bool, err error)
	// Describe says what the packets of the device look like. Devices that see
	// several interfaces may learn of further ones later.
	Describe() Interface
	// Counts says how many packets passed the filter so far, those lost included,
	// and how many of them were lost.
	Counts() DeviceCounts
	// Close ends the capture.
	Close() error
}

// DeviceCounts are what the system says of a capture. Received includes Dropped.
type DeviceCounts struct {
	Received uint64 // packets that passed the filter
	Dropped  uint64 // lost because this program was too slow, or its buffer too small
}

// A DeviceInfo describes a network interface of this machine.
type DeviceInfo struct {
	Name        string   // what -i takes
	Description string   // for people, "" for none
	Addresses   []string // with the length of their prefix, as 10.0.0.1/24
	Link        LinkType // of its packets
	LinkName    string   // "ethernet"; for what is not decoded a name all the same
	Up          bool
	Running     bool // has a carrier
	Loopback    bool
}

// LiveOptions says what is captured and how.
type LiveOptions struct {
	Snaplen     int           // bytes kept of a packet, 0 for MaxPacket
	Buffer      int           // bytes the system keeps until they are read, 0 for DefaultBuffer
	Promiscuous bool          // also what is not for this machine
	Delay       time.Duration // packets may wait so long for others, 0 for DefaultDelay
	Filter      *Filter       // gives only packets that pass, nil for all
}

// What LiveOptions leave open.
const (
	DefaultBuffer = 8 << 20
	DefaultDelay  = 20 * time.Millisecond
)

// A NoRight is the error of a user who may not capture.
type NoRight struct {
	Interface string
	Hint      string // what is missing and how to grant it
}

func (e *NoRight) Error() string {
	if e.Interface == "" {
		return "this user may not capture: " + e.Hint
	}
	return e.Interface + ": this user may not capture: " + e.Hint
}

// ErrNoLive says that this build can't capture.
var ErrNoLive = errors.New("this build can't capture live")
