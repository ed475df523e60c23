//go:build (windows && (amd64 || 386)) || (libpcap && cgo && !windows)

package capture

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"golang.org/x/net/bpf"
)

// A pcapDevice captures from an interface by libpcap, or by Npcap on Windows.
type pcapDevice struct {
	*pump
	iface Interface
}

// openDevice opens an interface.
func openDevice(name string, o *LiveOptions) (device, error) {
	if err := noLive(); err != nil {
		return nil, err
	}
	known, err := pcapName(name)
	if err != nil {
		return nil, err
	}
	snaplen := o.Snaplen
	if snaplen <= 0 || snaplen > MaxPacket {
		snaplen = MaxPacket
	}
	handle, err := activate(known, o, snaplen, o.Promiscuous)
	if err != nil {
		return nil, explainActivation(name, err)
	}
	link, err := linkOfHandle(handle)
	if err == nil && o.Filter != nil {
		err = setFilter(handle, link, o.Filter)
	}
	if err != nil {
		handle.close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &pcapDevice{newPump(handle, link), Interface{Name: name, Link: link, Snaplen: uint32(snaplen)}}, nil
}

// maxDelay bounds how long the library waits for a packet: so long it can't be
// asked for anything else, nor be closed.
const maxDelay = 250 * time.Millisecond

// activate opens an interface. One that can't be promiscuous is opened without:
// the device for all interfaces is none of its own.
func activate(name string, o *LiveOptions, snaplen int, promiscuous bool) (pcapHandle, error) {
	handle, err := openHandle(name, o, snaplen, promiscuous)
	if errors.Is(err, errNoPromisc) && promiscuous {
		return openHandle(name, o, snaplen, false)
	}
	return handle, err
}

// explainActivation says what can be done about an interface that can't be opened.
func explainActivation(name string, err error) error {
	switch err {
	case errDenied:
		return noRight(name)
	case errNoDevice:
		return NoDeviceError(name)
	case errDown:
		return fmt.Errorf("%s is down", name)
	}
	return fmt.Errorf("%s: can't be opened: %w", name, err)
}

// linkOfHandle is the link type of the packets of a handle.
func linkOfHandle(handle pcapHandle) (LinkType, error) {
	link, err := handle.link()
	if err != nil {
		return 0, fmt.Errorf("its link type can't be asked for: %w", err)
	}
	return link, nil
}

// setFilter makes the system keep the packets of a program. Those that came
// before are thrown away.
func setFilter(handle pcapHandle, link LinkType, filter *Filter) error {
	program, err := filter.program(link)
	if err != nil {
		return err
	}
	raw, err := bpf.Assemble(program)
	if err != nil {
		return fmt.Errorf("the capture filter: %w", err)
	}
	if err := handle.setFilter(raw); err != nil {
		return fmt.Errorf("the capture filter is refused: %w", err)
	}
	return nil
}

// Describe implements device.
func (d *pcapDevice) Describe() Interface { return d.iface }

// A waiter sleeps until one of several devices has something.
type waiter struct{ ready []reflect.SelectCase }

func newWaiter(devs []device) (*waiter, error) {
	w := &waiter{ready: make([]reflect.SelectCase, 1, 1+len(devs))}
	for _, d := range devs {
		w.ready = append(w.ready, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(d.(*pcapDevice).ready)})
	}
	return w, nil
}

// wait waits until one of the devices has something, or failed.
func (w *waiter) wait(timeout time.Duration) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	w.ready[0] = reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(timer.C)}
	reflect.Select(w.ready)
}

func (w *waiter) close() {}
