//go:build (windows && (amd64 || 386)) || (libpcap && cgo && !windows && !linux)

package capture

import "time"

// askLink opens an interface for its link type, which stays unknown when that
// fails. No packet is waited for.
func askLink(d *DeviceInfo) {
	o := &LiveOptions{Buffer: 1 << 16, Delay: time.Millisecond}
	handle, err := activate(d.Name, o, 64, false)
	if err != nil {
		return
	}
	defer handle.close()
	if l, err := linkOfHandle(handle); err == nil {
		d.setLink(l)
	}
}
