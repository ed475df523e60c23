package capture

import (
	"net"
	"slices"
	"strings"
	"testing"
)

func TestDevices(t *testing.T) {
	list, err := Devices()
	if err != nil {
		t.Fatal(err)
	}
	interfaces, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	if len(interfaces) == 0 {
		t.Skip("this machine has no network interface")
	}
	if len(list) < len(interfaces) {
		t.Errorf("%d interfaces are listed, the machine has %d", len(list), len(interfaces))
	}
	if !slices.IsSortedFunc(list, func(a, b DeviceInfo) int { return a.rank() - b.rank() }) {
		t.Errorf("not in the order of their ranks: %+v", list)
	}
	for _, d := range list {
		if d.Name == "" {
			t.Errorf("an interface has no name: %+v", d)
		}
		if known := d.LinkName != ""; known && d.LinkName != d.Link.String() {
			t.Errorf("%s: link type %d is called %q", d.Name, d.Link, d.LinkName)
		}
	}
}

func TestDeviceRank(t *testing.T) {
	list := []DeviceInfo{
		{Name: "running", Up: true, Running: true},
		{Name: "lo", Up: true, Running: true, Loopback: true},
		{Name: "no carrier", Up: true},
		{Name: "lo without carrier", Up: true, Loopback: true},
		{Name: "down", Running: true},
		{Name: "off"},
		{Name: "lo off", Loopback: true},
	}
	for i := range list[1:] {
		if a, b := &list[i], &list[i+1]; a.rank() >= b.rank() {
			t.Errorf("%s does not come before %s", a.Name, b.Name)
		}
	}
}

func TestResolveName(t *testing.T) {
	list := []DeviceInfo{
		{Name: `\Device\NPF_{1}`, Description: "Wi-Fi (Intel(R) AX200)"},
		{Name: `\Device\NPF_{2}`, Description: "Ethernet (Realtek PCIe)"},
		{Name: `\Device\NPF_{3}`, Description: "Ethernet 2 (Realtek PCIe)"},
		{Name: `\Device\NPF_Loopback`, Description: "Adapter for loopback traffic capture"},
		{Name: "Wi-Fi 7"},
	}
	for _, c := range []struct{ name, want, fails string }{
		{`\Device\NPF_{2}`, `\Device\NPF_{2}`, ""},
		{`\device\npf_{2}`, `\Device\NPF_{2}`, ""},
		{"Wi-Fi", `\Device\NPF_{1}`, ""},
		{"wi-fi", `\Device\NPF_{1}`, ""},
		{"Intel(R) AX200", `\Device\NPF_{1}`, ""},
		{"Wi-Fi (Intel(R) AX200)", `\Device\NPF_{1}`, ""},
		{"Ethernet", `\Device\NPF_{2}`, ""},
		{"Ethernet 2", `\Device\NPF_{3}`, ""},
		{"adapter for loopback traffic capture", `\Device\NPF_Loopback`, ""},
		{"Realtek PCIe", "", `give one of \Device\NPF_{2}, \Device\NPF_{3}`},
		{"wi-fi 7", "Wi-Fi 7", ""},
		{"eth0", "eth0", ""}, // the system may know it
		{"", "", ""},
	} {
		got, err := resolveName(c.name, list)
		if got != c.want || (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("resolveName(%q) = %q, %v; want %q, %q", c.name, got, err, c.want, c.fails)
		}
	}
}

func TestLinkOfDLT(t *testing.T) {
	for _, c := range []struct {
		n      int
		system string
		want   LinkType
	}{
		{0, "darwin", LinkNull},
		{1, "linux", LinkEthernet},
		{12, "linux", LinkRaw},
		{12, "darwin", LinkRaw},
		{12, "openbsd", LinkLoop},
		{14, "openbsd", LinkRaw},
		{108, "freebsd", LinkLoop},
		{113, "linux", LinkSLL},
		{276, "linux", LinkSLL2},
	} {
		if got := linkOfDLT(c.n, c.system); got != c.want {
			t.Errorf("%d of %s is %v, want %v", c.n, c.system, got, c.want)
		}
	}
}
