package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// unitFile is the one that comes with the program.
const unitFile = "../../contrib/systemd/dpdissect@.service"

// readUnit gives the settings of a unit file, by section and name.
func readUnit(t *testing.T) (text string, settings map[string][]string) {
	t.Helper()
	b, err := os.ReadFile(unitFile)
	if err != nil {
		t.Fatal(err)
	}
	settings = map[string][]string{}
	section := ""
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if name, ok := strings.CutPrefix(line, "["); ok {
			section = strings.TrimSuffix(name, "]")
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok || section == "" {
			t.Fatalf("no setting: %q", line)
		}
		settings[section+"."+name] = append(settings[section+"."+name], value)
	}
	return string(b), settings
}

// TestUnitFile: the service has the right to capture and no other, and its command
// line is one.
func TestUnitFile(t *testing.T) {
	_, settings := readUnit(t)
	for name, want := range map[string]string{
		"Service.AmbientCapabilities": "CAP_NET_RAW", "Service.CapabilityBoundingSet": "CAP_NET_RAW", "Service.NoNewPrivileges": "yes",
		"Service.DynamicUser": "yes", "Service.ProtectSystem": "strict", "Service.ProtectHome": "yes", "Service.PrivateDevices": "yes",
		"Service.RestrictAddressFamilies": "AF_PACKET AF_NETLINK", "Service.MemoryDenyWriteExecute": "yes", "Service.UMask": "0077",
		"Service.StateDirectory": "dpdissect", "Service.KillSignal": "SIGINT", "Service.Type": "exec", "Install.WantedBy": "multi-user.target",
	} {
		if got := strings.Join(settings[name], "; "); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	args := strings.Fields(settings["Service.ExecStart"][0])
	if args[0] != "/usr/local/bin/dpdissect" || args[1] != "capture" {
		t.Fatalf("it starts %q", args)
	}
	cmd, rest, err := newRoot().Find(args[1:])
	if err == nil {
		err = cmd.ParseFlags(strings.Fields(strings.NewReplacer("${DPDISSECT_FILTER}", "udp", "$DPDISSECT_OPTIONS", "").Replace(strings.Join(rest, " "))))
	}
	if err != nil || cmd.Name() != "capture" || cmd.Flags().NArg() != 0 {
		t.Errorf("%q: %v, %q is left", args, err, cmd.Flags().Args())
	}
}

// TestUnitFileVerified lets systemd read it.
func TestUnitFileVerified(t *testing.T) {
	tool, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not installed")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, _ := readUnit(t)
	unit := filepath.Join(t.TempDir(), "dpdissect@.service")
	if err := os.WriteFile(unit, []byte(strings.Replace(text, "/usr/local/bin/dpdissect", program, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(tool, "verify", strings.Replace(unit, "@.", "@lo.", 1)).CombinedOutput()
	if err != nil || strings.Contains(string(out), "dpdissect@") {
		t.Errorf("systemd-analyze: %v\n%s", err, out)
	}
}
