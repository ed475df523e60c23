//go:build linux && !libpcap

package capture

import (
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A waiter sleeps until one of several rings has something. The runtime's own poller
// does the sleeping: a thread that blocked in a system call would wake up others each
// time it returns, which costs more than the packets.
type waiter struct {
	epoll *os.File // of the sockets of all rings
	conn  syscall.RawConn
	rings []*ring
	ready []unix.EpollEvent
}

func newWaiter(devs []device) (*waiter, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("waiting for packets: %w", err)
	}
	unix.SetNonblock(fd, true) // makes os.NewFile hand it to the poller
	w := &waiter{epoll: os.NewFile(uintptr(fd), "epoll"), ready: make([]unix.EpollEvent, len(devs))}
	for i, d := range devs {
		r := d.(*ring)
		w.rings = append(w.rings, r)
		if err = unix.EpollCtl(fd, unix.EPOLL_CTL_ADD, r.fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(i)}); err != nil {
			break
		}
	}
	if err == nil {
		w.conn, err = w.epoll.SyscallConn()
	}
	if err == nil {
		err = w.epoll.SetReadDeadline(time.Time{}) // fails where the poller did not take it
	}
	if err != nil {
		w.close()
		return nil, fmt.Errorf("waiting for packets: %w", err)
	}
	return w, nil
}

// wait waits until one of the rings may have something, or failed.
func (w *waiter) wait(timeout time.Duration) {
	w.epoll.SetReadDeadline(time.Now().Add(timeout))
	woken := false
	w.conn.Read(func(uintptr) bool {
		before := woken
		woken = true
		return before || slices.ContainsFunc(w.rings, (*ring).waits)
	})
	if !slices.ContainsFunc(w.rings, (*ring).waits) {
		w.conn.Control(w.look)
	}
}

// look asks which sockets have an error.
func (w *waiter) look(fd uintptr) {
	n, _ := unix.EpollWait(int(fd), w.ready, 0)
	for _, e := range w.ready[:max(0, n)] {
		if e.Events&(unix.EPOLLERR|unix.EPOLLHUP) != 0 {
			w.rings[e.Fd].fail()
		}
	}
}

func (w *waiter) close() { w.epoll.Close() }
