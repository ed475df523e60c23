//go:build amd64 || 386

package capture

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

// noLive says that Npcap is missing. The program starts without it: files can be
// read all the same.
func noLive() error {
	if _, err := loadNpcap(); err != nil {
		return fmt.Errorf("%w: Npcap is missing (%w); install it from https://npcap.com", ErrNoLive, err)
	}
	return nil
}

// pcapName is Npcap's name, \Device\NPF_{…}, of what people may call otherwise.
func pcapName(name string) (string, error) {
	list, err := namedDevices()
	if err != nil {
		return "", err
	}
	return resolveName(name, list)
}

// What Npcap says of an interface.
const (
	pcapLoopback = 1 << iota
	pcapUp
	pcapRunning
)

// systemDevices lists the interfaces by Npcap's names, with what Windows and
// Npcap call them as description. Without Npcap they have the names of Windows,
// which -i takes too once it is there.
func systemDevices() ([]DeviceInfo, error) {
	list, err := knownDevices()
	for i := range list {
		if noLive() == nil {
			askLink(&list[i])
		}
	}
	return list, err
}

// knownDevices lists the same without their link types.
func knownDevices() ([]DeviceInfo, error) {
	if noLive() == nil {
		return namedDevices()
	}
	known, err := netDevices()
	list := make([]DeviceInfo, len(known))
	for i := range known {
		list[i] = known[i].DeviceInfo
	}
	return list, err
}

// namedDevices lists the interfaces of Npcap without their link types, for which
// each would have to be opened.
func namedDevices() ([]DeviceInfo, error) {
	known, err := netDevices()
	if err != nil {
		return nil, err
	}
	found, err := listPcap()
	if err != nil {
		return nil, fmt.Errorf("Npcap: %w", err)
	}
	adapters, err := adapterIndices()
	if err != nil {
		return nil, err
	}
	list := make([]DeviceInfo, len(found))
	for i := range found {
		list[i] = describePcap(&found[i], known, adapters)
	}
	return list, nil
}

// describePcap tells of an interface what Npcap knows and, where it is one that
// Windows knows too, what that says.
func describePcap(in *pcapInterface, known []netDevice, adapters map[string]int) DeviceInfo {
	d := DeviceInfo{
		Name: in.name, Description: in.description,
		Up: in.flags&pcapUp != 0, Running: in.flags&pcapRunning != 0, Loopback: in.flags&pcapLoopback != 0,
	}
	_, guid, _ := strings.Cut(in.name, "NPF_")
	index, ok := adapters[strings.ToUpper(guid)]
	for i := range known {
		if k := &known[i]; ok && k.index == index {
			d.Addresses, d.Up, d.Running, d.Loopback = k.Addresses, k.Up, k.Running, k.Loopback
			d.Description = k.Name + " (" + in.description + ")"
		}
	}
	return d
}

// adapterIndices gives the indices of interfaces by their {GUID}, in capitals.
func adapterIndices() (map[string]int, error) {
	size := uint32(16 << 10)
	for {
		buf := make([]byte, size)
		first := (*windows.IpAdapterAddresses)(unsafe.Pointer(&buf[0]))
		err := windows.GetAdaptersAddresses(windows.AF_UNSPEC, windows.GAA_FLAG_INCLUDE_PREFIX, 0, first, &size)
		switch {
		case errors.Is(err, windows.ERROR_NO_DATA):
			return nil, nil
		case err == nil:
			indices := map[string]int{}
			for a := first; a != nil; a = a.Next {
				index := a.IfIndex
				if index == 0 {
					index = a.Ipv6IfIndex
				}
				indices[strings.ToUpper(windows.BytePtrToString(a.AdapterName))] = int(index)
			}
			return indices, nil
		case !errors.Is(err, windows.ERROR_BUFFER_OVERFLOW) || int(size) <= len(buf):
			return nil, fmt.Errorf("the interfaces can't be listed: %w", err)
		}
	}
}
