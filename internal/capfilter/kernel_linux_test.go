package capfilter

import (
	"errors"
	"testing"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// attach puts a program on a socket.
func attach(t testing.TB, fd int, prog []bpf.Instruction) error {
	raw, err := bpf.Assemble(prog)
	if err != nil {
		t.Fatal(err)
	}
	filter := unix.SockFprog{Len: uint16(len(raw)), Filter: (*unix.SockFilter)(unsafe.Pointer(&raw[0]))}
	return unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &filter)
}

// wraps are expressions that load from before the start of a header: there the
// kernel, unlike tcpdump on files, computes places modulo 1<<32.
var wraps = map[string]bool{"ip[len - 20] = 0": true}

// TestKernel lets the kernel run the programs of the table: for datagrams between
// Unix sockets a filter sees the payload, which here is a packet. No rights are
// needed for that.
func TestKernel(t *testing.T) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Skip("no sockets: ", err)
	}
	defer unix.Close(pair[0])
	defer unix.Close(pair[1])
	all := packets(ethernet, 300)
	buf := make([]byte, 4096)
	for _, e := range expressionTable(t) {
		prog, err := Compile(e, ethernet)
		if err != nil || wraps[e] {
			continue
		}
		if err := attach(t, pair[1], prog); err != nil {
			t.Fatalf("%s: the kernel refuses the program: %v", e, err)
		}
		vm, err := NewVM(prog)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range all {
			if len(p.data) == 0 {
				continue
			}
			if _, err := unix.Write(pair[0], p.data); err != nil {
				t.Fatal(err)
			}
			_, err := unix.Read(pair[1], buf)
			if err != nil && !errors.Is(err, unix.EAGAIN) {
				t.Fatal(err)
			}
			if want := vm.Match(p.data, len(p.data)); (err == nil) != want {
				t.Fatalf("%s: the kernel says %v, we %v: %x", e, err == nil, want, p.data)
			}
		}
	}
}

// TestKernelTakes the longest programs.
func TestKernelTakes(t *testing.T) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		t.Skip("no sockets: ", err)
	}
	defer unix.Close(fd)
	exprs := append(expressionTable(t), "port (1"+ports(2, 300)+")")
	for _, e := range exprs {
		prog, err := Compile(e, ethernet)
		if err != nil {
			continue
		}
		if err := attach(t, fd, AcceptTagged(prog)); err != nil {
			t.Errorf("%s (%d instructions): %v", e, len(prog), err)
		}
	}
}
