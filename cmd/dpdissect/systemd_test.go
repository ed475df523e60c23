package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	ring := regexp.MustCompile(`"DPDISSECT_RING=([^"]*)"`).FindStringSubmatch(settings["Service.Environment"][0])[1]
	cmd, rest, err := newRoot().Find(args[1:])
	if err == nil {
		err = cmd.ParseFlags(strings.Fields(strings.NewReplacer("${DPDISSECT_FILTER}", "udp", "$DPDISSECT_RING", ring, "$DPDISSECT_OPTIONS", "").Replace(strings.Join(rest, " "))))
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

// TestRecommendedFiltersKeepICMP: wherever the documentation, the help and the service
// record with a filter, ICMP is in it: it proves that a port was closed.
func TestRecommendedFiltersKeepICMP(t *testing.T) {
	texts := map[string]string{}
	text, _ := readUnit(t)
	texts[unitFile] = text
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatal(pages, err)
	}
	for _, path := range append(pages, "../../README.md") {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[path] = string(b)
	}
	for _, c := range newRoot().Commands() {
		texts["help of "+c.Name()] = c.Long + "\n" + c.Example
	}
	filters := regexp.MustCompile(`(?m)(?:tcpdump|tshark|dumpcap)\b[^\n]* -w [^\n]*|dpdissect [^\n]* -f '[^\n]*|"DPDISSECT_FILTER=[^"]*"`)
	seen := 0
	for name, text := range texts {
		for _, line := range filters.FindAllString(text, -1) {
			if !strings.Contains(line, "udp") {
				continue
			}
			seen++
			if !strings.Contains(line, "icmp") {
				t.Errorf("%s: %s", name, line)
			}
		}
	}
	if seen < 8 {
		t.Errorf("only %d recordings with a filter are found", seen)
	}
}
