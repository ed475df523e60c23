//go:build (windows && (amd64 || 386)) || (libpcap && cgo && !windows)

package capture

import (
	"errors"

	"golang.org/x/net/bpf"
)

// A pcapHandle is an interface that was opened by libpcap, or by Npcap on Windows:
// openPcap opens it. Its functions are called one at a time.
type pcapHandle interface {
	// next waits for a packet, no longer than the delay of the capture; errQuiet says
	// that none came. The data is valid until the call after it.
	next() (data []byte, wire int, time int64, err error)
	// dropped counts the packets that the library says were lost; the count wraps.
	dropped() (uint32, error)
	link() (LinkType, error)
	setFilter(program []bpf.RawInstruction) error
	close()
}

// errQuiet says that no packet came in time.
var errQuiet = errors.New("no packet")

// Why an interface can't be opened, where more can be said than the library does.
var (
	errDenied    = errors.New("permission denied")
	errNoDevice  = errors.New("no such device")
	errDown      = errors.New("the interface is down")
	errNoPromisc = errors.New("the interface can't be promiscuous")
)
