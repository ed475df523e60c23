//go:build !linux && !(windows && (amd64 || 386))

package capture

// knownDevices lists the interfaces without their link types.
func knownDevices() ([]DeviceInfo, error) {
	found, err := netDevices()
	list := make([]DeviceInfo, len(found))
	for i, d := range found {
		list[i] = d.DeviceInfo
	}
	return list, err
}
