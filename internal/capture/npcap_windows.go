//go:build amd64 || 386

package capture

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/windows"
)

// npcap are the functions of wpcap.dll that are called, by their names without
// "pcap_". The library is loaded when one is needed for the first time: whoever reads
// files needs none, or an old one.
type npcap struct {
	create, setSnaplen, setPromisc, setTimeout, setBufferSize, activate, close,
	geterr, nextEx, stats, datalink, setfilter, findalldevs, freealldevs *windows.Proc
}

// loadNpcap loads the library of Npcap, or of WinPcap, once.
var loadNpcap = sync.OnceValues(func() (*npcap, error) {
	system, err := windows.GetSystemDirectory()
	if err != nil {
		return nil, err
	}
	// By full paths: nothing else may be loaded in its place.
	dll, err := loadDLL(filepath.Join(system, "Npcap", "wpcap.dll"))
	if err != nil {
		if dll, err = loadDLL(filepath.Join(system, "wpcap.dll")); err != nil {
			return nil, errors.New("wpcap.dll can't be loaded")
		}
	}
	lib := new(npcap)
	for _, f := range []struct {
		name string
		proc **windows.Proc
	}{
		{"create", &lib.create}, {"set_snaplen", &lib.setSnaplen}, {"set_promisc", &lib.setPromisc}, {"set_timeout", &lib.setTimeout},
		{"set_buffer_size", &lib.setBufferSize}, {"activate", &lib.activate}, {"close", &lib.close}, {"geterr", &lib.geterr},
		{"next_ex", &lib.nextEx}, {"stats", &lib.stats}, {"datalink", &lib.datalink}, {"setfilter", &lib.setfilter},
		{"findalldevs", &lib.findalldevs}, {"freealldevs", &lib.freealldevs},
	} {
		if *f.proc, err = dll.FindProc("pcap_" + f.name); err != nil {
			return nil, fmt.Errorf("wpcap.dll is too old: it has no pcap_%s", f.name)
		}
	}
	return lib, nil
})

func loadDLL(path string) (*windows.DLL, error) {
	h, err := windows.LoadLibraryEx(path, 0, windows.LOAD_WITH_ALTERED_SEARCH_PATH)
	if err != nil {
		return nil, err
	}
	return &windows.DLL{Name: path, Handle: h}, nil
}

// errorText is the size of what functions write errors to (PCAP_ERRBUF_SIZE).
const errorText = 256

// Results of pcap_activate that are told apart.
const (
	pcapNoDevice      = -5
	pcapDenied        = -8
	pcapDown          = -9
	pcapPromiscDenied = -11
	pcapNoPromisc     = 2 // a warning
)

// An npcapHandle is a pcapHandle by Npcap.
type npcapHandle struct {
	lib *npcap
	p   uintptr // pcap_t
}

func openHandle(name string, o *LiveOptions, snaplen int, promiscuous bool) (pcapHandle, error) {
	lib, err := loadNpcap()
	if err != nil {
		return nil, err
	}
	device, err := windows.BytePtrFromString(name)
	if err != nil {
		return nil, err
	}
	var text [errorText]byte
	p, _, _ := lib.create.Call(uintptr(unsafe.Pointer(device)), uintptr(unsafe.Pointer(&text)))
	if p == 0 {
		return nil, errors.New(windows.ByteSliceToString(text[:]))
	}
	h := npcapHandle{lib, p}
	delay := min(max(cmp.Or(o.Delay, DefaultDelay), time.Millisecond), maxDelay)
	lib.setSnaplen.Call(p, uintptr(snaplen))
	lib.setTimeout.Call(p, uintptr(delay.Milliseconds()))
	lib.setBufferSize.Call(p, uintptr(min(cmp.Or(o.Buffer, DefaultBuffer), math.MaxInt32)))
	if promiscuous {
		lib.setPromisc.Call(p, 1)
	}
	status, _, _ := lib.activate.Call(p)
	switch code := int32(status); {
	case code == pcapNoPromisc && promiscuous:
		err = errNoPromisc
	case code >= 0:
		return h, nil
	case code == pcapDenied, code == pcapPromiscDenied:
		err = errDenied
	case code == pcapNoDevice:
		err = errNoDevice
	case code == pcapDown:
		err = errDown
	default:
		err = h.err()
	}
	h.close()
	return nil, err
}

// err is the latest error of the library.
func (h npcapHandle) err() error {
	text, _, _ := h.lib.geterr.Call(h.p)
	return errors.New(windows.BytePtrToString(bytePtr(text)))
}

// bytePtr is a pointer to what the library owns.
func bytePtr(p uintptr) *byte { return *(**byte)(unsafe.Pointer(&p)) }

// packetHeader is pcap_pkthdr.
type packetHeader struct {
	sec, usec    int32
	caplen, wire uint32
}

func (h npcapHandle) next() (data []byte, wire int, at int64, err error) {
	var head *packetHeader
	var bytes *byte
	n, _, _ := h.lib.nextEx.Call(h.p, uintptr(unsafe.Pointer(&head)), uintptr(unsafe.Pointer(&bytes)))
	switch int32(n) {
	case 1:
		return unsafe.Slice(bytes, head.caplen), int(head.wire), int64(head.sec)*second + int64(head.usec)*1000, nil
	case 0:
		return nil, 0, 0, errQuiet
	}
	return nil, 0, 0, h.err()
}

func (h npcapHandle) dropped() (uint32, error) {
	var s [16]uint32 // pcap_stat: received, dropped, dropped by the interface, and more
	if n, _, _ := h.lib.stats.Call(h.p, uintptr(unsafe.Pointer(&s))); int32(n) < 0 {
		return 0, h.err()
	}
	return s[1], nil
}

func (h npcapHandle) link() (LinkType, error) {
	n, _, _ := h.lib.datalink.Call(h.p)
	if int32(n) < 0 {
		return 0, h.err()
	}
	return linkOfDLT(int(int32(n)), runtime.GOOS), nil
}

func (h npcapHandle) setFilter(program []bpf.RawInstruction) error {
	code := make([]struct { // bpf_insn
		op     uint16
		jt, jf uint8
		k      uint32
	}, len(program))
	for i, r := range program {
		code[i].op, code[i].jt, code[i].jf, code[i].k = r.Op, r.Jt, r.Jf, r.K
	}
	prog := struct { // bpf_program
		n    uint32
		code unsafe.Pointer
	}{uint32(len(code)), unsafe.Pointer(unsafe.SliceData(code))}
	n, _, _ := h.lib.setfilter.Call(h.p, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(code)
	if int32(n) < 0 {
		return h.err()
	}
	return nil
}

func (h npcapHandle) close() { h.lib.close.Call(h.p) }

// A pcapInterface is what Npcap knows of one.
type pcapInterface struct {
	name, description string
	flags             uint32
}

// listPcap lists the interfaces of Npcap.
func listPcap() ([]pcapInterface, error) {
	lib, err := loadNpcap()
	if err != nil {
		return nil, err
	}
	type device struct { // pcap_if
		next              *device
		name, description *byte
		addresses         uintptr
		flags             uint32
	}
	var first *device
	var text [errorText]byte
	if n, _, _ := lib.findalldevs.Call(uintptr(unsafe.Pointer(&first)), uintptr(unsafe.Pointer(&text))); int32(n) < 0 {
		return nil, errors.New(windows.ByteSliceToString(text[:]))
	}
	defer lib.freealldevs.Call(uintptr(unsafe.Pointer(first)))
	var list []pcapInterface
	for d := first; d != nil; d = d.next {
		list = append(list, pcapInterface{windows.BytePtrToString(d.name), windows.BytePtrToString(d.description), d.flags})
	}
	return list, nil
}
