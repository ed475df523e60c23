//go:build !linux && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd

package capture

import "runtime"

// MayCapture is nil when this build can capture here. Whether the user may is
// only known when an interface is opened.
func MayCapture() error { return noLive() }

// noRight is the error of who may not open an interface.
func noRight(name string) error {
	hint := "run as root"
	if runtime.GOOS == "windows" {
		hint = "Npcap allows only administrators to capture; run as administrator, or install Npcap without that restriction"
	}
	return &NoRight{Interface: name, Hint: hint}
}
