//go:build !linux

package netns

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os/exec"
	"testing"
)

var errNone = errors.New("network namespaces are of Linux")

// Pair skips the test.
func Pair(t testing.TB, _ int) [2]*Namespace {
	t.Helper()
	t.Skip(errNone)
	return [2]*Namespace{}
}

// Do fails.
func (n *Namespace) Do(func() error) error { return errNone }

// Listen fails.
func (n *Namespace) Listen(netip.AddrPort) (*net.UDPConn, error) { return nil, errNone }

// Dial fails.
func (n *Namespace) Dial(_, _ netip.AddrPort) (*net.UDPConn, error) { return nil, errNone }

// Command gives a process that can't be started.
func (n *Namespace) Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Err = errNone
	return cmd
}
