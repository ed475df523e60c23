//go:build libpcap && cgo && !windows

package capture

// anyLink is the link type of the device that stands for all interfaces, where
// the system has one, and of those whose packets are taken without their link
// layer. The library has a newer one, which gopacket has no number for.
const anyLink = LinkSLL

// noLive is nil: the program does not start without the library.
func noLive() error { return nil }

// pcapName is the library's name of an interface: the one people use.
func pcapName(name string) (string, error) { return name, nil }
