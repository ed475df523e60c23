//go:build libpcap && cgo && !windows && !linux

package capture

// systemDevices lists the interfaces with the link types that the library would
// give, as far as this user may ask for them.
func systemDevices() ([]DeviceInfo, error) {
	list, err := knownDevices()
	for i := range list {
		askLink(&list[i])
	}
	return list, err
}
