package capture

import (
	"encoding/binary"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// knownDevices are all that there is to know: none has to be opened.
func knownDevices() ([]DeviceInfo, error) { return systemDevices() }

// systemDevices lists the interfaces of the network namespace of this process and
// the one that stands for all of them.
func systemDevices() ([]DeviceInfo, error) {
	found, err := netDevices()
	if err != nil {
		return nil, err
	}
	kinds, err := hardwareKinds()
	if err != nil {
		return nil, err
	}
	list := make([]DeviceInfo, 0, len(found)+1)
	for _, d := range found {
		if k, ok := kinds[d.index]; ok {
			link, cooked := linkOf(k.arphrd)
			if cooked {
				link = anyLink
			}
			d.setLink(link)
			d.Description = k.alias
		}
		list = append(list, d.DeviceInfo)
	}
	every := DeviceInfo{Name: "any", Description: "all interfaces", Up: true, Running: true}
	every.setLink(anyLink)
	return append(list, every), nil
}

// A hardwareKind is what the system says of an interface beside what the net
// package tells.
type hardwareKind struct {
	arphrd int    // ARPHRD_ number of its hardware
	alias  string // text of whoever set the machine up, "" for none
}

// hardwareKinds asks the kernel by netlink: /sys/class/net may show the interfaces
// of another network namespace, and needs not be there.
func hardwareKinds() (map[int]hardwareKind, error) {
	rib, err := syscall.NetlinkRIB(syscall.RTM_GETLINK, syscall.AF_UNSPEC)
	if err != nil {
		return nil, err
	}
	messages, err := syscall.ParseNetlinkMessage(rib)
	if err != nil {
		return nil, err
	}
	kinds := map[int]hardwareKind{}
	for i := range messages {
		m := &messages[i]
		if m.Header.Type != syscall.RTM_NEWLINK || len(m.Data) < syscall.SizeofIfInfomsg {
			continue
		}
		// Family (1 byte), padding (1), type (2), index (4).
		index := int(int32(binary.NativeEndian.Uint32(m.Data[4:])))
		kinds[index] = hardwareKind{int(binary.NativeEndian.Uint16(m.Data[2:])), aliasOf(m)}
	}
	return kinds, nil
}

func aliasOf(m *syscall.NetlinkMessage) string {
	attributes, err := syscall.ParseNetlinkRouteAttr(m)
	if err != nil {
		return ""
	}
	for _, a := range attributes {
		if a.Attr.Type == unix.IFLA_IFALIAS {
			return strings.TrimRight(string(a.Value), "\x00")
		}
	}
	return ""
}

// linkOf tells what a packet socket gives of an interface of a hardware type, an
// ARPHRD_ number. Cooked says that the link layer of its packets is unknown or
// not the same for all: they are taken without it, below a header that the
// capture makes.
func linkOf(arphrd int) (link LinkType, cooked bool) {
	switch arphrd {
	case unix.ARPHRD_ETHER, unix.ARPHRD_LOOPBACK:
		return LinkEthernet, false
	case unix.ARPHRD_NONE, unix.ARPHRD_RAWIP, unix.ARPHRD_PPP, unix.ARPHRD_TUNNEL, unix.ARPHRD_TUNNEL6, unix.ARPHRD_SIT:
		return LinkRaw, false
	case unix.ARPHRD_IEEE80211:
		return LinkIEEE80211, false
	case unix.ARPHRD_IEEE80211_RADIOTAP:
		return LinkRadiotap, false
	}
	// GRE is here since its packets hold the outer header in one direction only.
	return LinkSLL2, true
}
