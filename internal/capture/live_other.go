//go:build !(linux && !libpcap) && !(windows && (amd64 || 386)) && !(libpcap && cgo && !windows)

package capture

import (
	"fmt"
	"runtime"
	"time"
)

// noLive says why this build can't capture and what to do about it.
func noLive() error {
	if runtime.GOOS == "js" {
		return fmt.Errorf("%w: not in the browser, whose pages can't see networks", ErrNoLive)
	}
	if runtime.GOOS == "windows" {
		return fmt.Errorf("%w on windows/%s: use the build for windows/amd64, which captures with Npcap", ErrNoLive, runtime.GOARCH)
	}
	return fmt.Errorf("%w on %s: build dpdissect with CGO_ENABLED=1 and -tags libpcap, which needs libpcap", ErrNoLive, runtime.GOOS)
}

func openDevice(string, *LiveOptions) (device, error) { return nil, noLive() }

// A waiter has nothing to wait for: there are no devices.
type waiter struct{}

func newWaiter([]device) (*waiter, error) { return nil, noLive() }
func (*waiter) wait(time.Duration)        {}
func (*waiter) close()                    {}
