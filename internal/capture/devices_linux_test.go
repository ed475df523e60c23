package capture

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestLinkOf(t *testing.T) {
	for _, c := range []struct {
		arphrd int
		link   LinkType
		cooked bool
	}{
		{unix.ARPHRD_ETHER, LinkEthernet, false},
		{unix.ARPHRD_LOOPBACK, LinkEthernet, false},
		{unix.ARPHRD_NONE, LinkRaw, false},
		{unix.ARPHRD_RAWIP, LinkRaw, false},
		{unix.ARPHRD_PPP, LinkRaw, false},
		{unix.ARPHRD_TUNNEL, LinkRaw, false},
		{unix.ARPHRD_TUNNEL6, LinkRaw, false},
		{unix.ARPHRD_SIT, LinkRaw, false},
		{unix.ARPHRD_IEEE80211, LinkIEEE80211, false},
		{unix.ARPHRD_IEEE80211_RADIOTAP, LinkRadiotap, false},
		{unix.ARPHRD_IPGRE, LinkSLL2, true},
		{unix.ARPHRD_INFINIBAND, LinkSLL2, true},
		{unix.ARPHRD_CAN, LinkSLL2, true},
		{unix.ARPHRD_NETLINK, LinkSLL2, true},
		{unix.ARPHRD_VOID, LinkSLL2, true},
		{-1, LinkSLL2, true},
	} {
		if link, cooked := linkOf(c.arphrd); link != c.link || cooked != c.cooked {
			t.Errorf("hardware type %d: %v, cooked %t; want %v, %t", c.arphrd, link, cooked, c.link, c.cooked)
		}
	}
}

// listed are the devices in their order and by their names.
func listed(t *testing.T) (names []string, found map[string]DeviceInfo) {
	t.Helper()
	list, err := Devices()
	if err != nil {
		t.Fatal(err)
	}
	found = map[string]DeviceInfo{}
	for _, d := range list {
		names = append(names, d.Name)
		found[d.Name] = d
	}
	return names, found
}

// TestDevicesOfNamespace makes interfaces and looks at what is listed of them.
// /sys/class/net shows those of another namespace here.
func TestDevicesOfNamespace(t *testing.T) {
	ownNetwork(t)
	ipTool(t, "tuntap", "add", "tun7", "mode", "tun")
	ipTool(t, "tuntap", "add", "tap7", "mode", "tap")
	ipTool(t, "link", "add", "left", "type", "veth", "peer", "name", "right")
	ipTool(t, "link", "set", "left", "up", "alias", "to the \x1b[31mright")
	ipTool(t, "link", "set", "right", "up")
	ipTool(t, "addr", "add", "10.7.0.1/24", "dev", "left")
	ipTool(t, "addr", "add", "fd07::1/64", "dev", "left", "nodad")
	names, found := listed(t)
	for end := time.Now().Add(2 * time.Minute); !found["left"].Running || !found["right"].Running; names, found = listed(t) {
		if time.Now().After(end) { // a carrier comes some time after an interface is up
			t.Fatalf("left and right have no carrier: %+v", found)
		}
		time.Sleep(10 * time.Millisecond)
	}
	up := []string{"right", "left", "any", "lo"}
	if len(names) != 6 || !slices.Contains(up[:2], names[0]) || !slices.Equal(names[2:4], up[2:]) {
		t.Errorf("in this order: %q", names)
	}
	d := found["left"]
	if !d.Up || !d.Running || d.Loopback || d.Link != LinkEthernet || d.Description != "to the \x1b[31mright" {
		t.Errorf("left: %+v", d)
	}
	if len(d.Addresses) < 2 || d.Addresses[0] != "10.7.0.1/24" || !slices.Contains(d.Addresses, "fd07::1/64") {
		t.Errorf("left has the addresses %q", d.Addresses)
	}
	for name, want := range map[string]string{
		"tun7": "raw down", "tap7": "ethernet down", "right": "ethernet up",
		"lo": "ethernet up", "any": anyLink.String() + " up",
	} {
		state := map[bool]string{false: "down", true: "up"}[found[name].Up]
		if got := fmt.Sprint(found[name].LinkName, " ", state); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if !found["lo"].Loopback || found["any"].Loopback {
		t.Error("lo alone is loopback")
	}
}
