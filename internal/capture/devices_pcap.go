//go:build libpcap && cgo && !windows && !linux

package capture

// systemDevices lists the interfaces with the link types that the library would
// give, as far as this user may ask for them.
func systemDevices() ([]DeviceInfo, error) {
	found, err := netDevices()
	if err != nil {
		return nil, err
	}
	list := make([]DeviceInfo, len(found))
	for i, d := range found {
		list[i] = d.DeviceInfo
		askLink(&list[i])
	}
	return list, nil
}
