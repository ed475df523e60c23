package capture

import (
	"fmt"
	"net"
	"strings"

	"github.com/dpdissect/dpdissect/dissect/stable"
)

// Devices lists the network interfaces of this machine, as -i takes them: those
// that are up and have a carrier first, loopback after the others. It needs no
// right and lists interfaces also where this build can't capture; what only a
// capture could tell of them is left out then.
func Devices() ([]DeviceInfo, error) {
	list, err := systemDevices()
	if err != nil {
		return nil, err
	}
	stable.Sort(list, func(a, b DeviceInfo) int { return a.rank() - b.rank() })
	return list, nil
}

// DeviceNames lists them as Devices does, in the order of their names, and opens none for
// what only opening tells: link types may be missing.
func DeviceNames() ([]DeviceInfo, error) {
	list, err := knownDevices()
	stable.Sort(list, func(a, b DeviceInfo) int { return strings.Compare(a.Name, b.Name) })
	return list, err
}

// A NoDeviceError is the name of a network interface that there is not.
type NoDeviceError string

func (e NoDeviceError) Error() string {
	return fmt.Sprintf("there is no network interface %q; 'dpdissect interfaces' lists them", string(e))
}

// rank is less for interfaces that are more likely to be the wanted one.
func (d *DeviceInfo) rank() (n int) {
	if !d.Up {
		n += 4
	}
	if !d.Running {
		n += 2
	}
	if d.Loopback {
		n++
	}
	return n
}

// A netDevice is an interface as the net package knows it, with its index.
type netDevice struct {
	DeviceInfo
	index int
}

// netDevices lists the interfaces in the order of their indices. Their link types
// are not known.
func netDevices() ([]netDevice, error) {
	interfaces, err := net.Interfaces()
	if err != nil {
		return nil, err
	}
	list := make([]netDevice, len(interfaces))
	for i := range interfaces {
		in := &interfaces[i]
		list[i] = netDevice{index: in.Index, DeviceInfo: DeviceInfo{
			Name:      in.Name,
			Addresses: addressesOf(in),
			Up:        in.Flags&net.FlagUp != 0,
			Running:   in.Flags&net.FlagRunning != 0,
			Loopback:  in.Flags&net.FlagLoopback != 0,
		}}
	}
	stable.Sort(list, func(a, b netDevice) int { return a.index - b.index })
	return list, nil
}

// addressesOf gives none for an interface that is gone by now.
func addressesOf(in *net.Interface) (list []string) {
	addrs, err := in.Addrs()
	if err != nil {
		return nil
	}
	for _, a := range addrs {
		list = append(list, a.String())
	}
	return list
}

// setLink sets the link type and its name.
func (d *DeviceInfo) setLink(l LinkType) { d.Link, d.LinkName = l, l.String() }
