package tracegen

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const pcaps = "../../../testdata/pcaps"

func TestCommittedTracesAreTheGeneratedOnes(t *testing.T) {
	total := map[string]int{}
	for _, s := range Scenarios() {
		pcap, truth, err := s.Generate()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []struct {
			name string
			want []byte
		}{{s.File(), pcap}, {s.TruthFile(), truth.JSON()}} {
			got, err := os.ReadFile(filepath.Join(pcaps, f.name))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, f.want) {
				t.Errorf("%s differs from what tracegen makes; run it with -out testdata/pcaps", f.name)
			}
		}
		if len(pcap) > 150<<10 {
			t.Errorf("%s: %d bytes are too many to commit", s.Name, len(pcap))
		}
		total[s.Proto] += len(pcap)
	}
	for proto, n := range total {
		if n > 3<<19 {
			t.Errorf("%s: %d bytes of captures are too many to commit", proto, n)
		}
	}
}

func TestScenariosSayWhatTheyProve(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Scenarios() {
		if s.Clause == "" || s.Proves == "" || s.Expect == "" || seen[s.File()] {
			t.Errorf("%q: no clause, proof or outcome, or not unique", s.Name)
		}
		seen[s.File()] = true
	}
}

// outcomes are what the Expect lines say, in numbers, by protocol and name.
var outcomes = map[string]map[string]func(c *Connection) bool{
	"dp8": dp8Outcomes, "hazel": hazelOutcomes, "knet": knetOutcomes,
}

var dp8Outcomes = map[string]func(c *Connection) bool{
	"unsigned-clean": func(c *Connection) bool {
		a := c.Directions["a"]
		return c.State == "closed" && c.ClosedBy == "a" && a.Retries+a.Gaps+a.Lost.Before+a.Lost.After == 0
	},
	"unsigned-lossy": func(c *Connection) bool {
		a := c.Directions["a"]
		return a.Retries > 0 && a.Duplicates > 0 && a.OutOfOrder > 0 && a.Lost.Before > 0 && a.Lost.After > 0
	},
	"full-signed-rotation": func(c *Connection) bool { return c.Directions["a"].Epochs == 3 },
	"full-signed-lossy": func(c *Connection) bool {
		a := c.Directions["a"]
		return a.Epochs >= 1 && a.Signatures.Invalid == 1 && a.Coalesced > 0 && c.ClosedBy == "a"
	},
	"version-1.4":        func(c *Connection) bool { return c.Version == "1.4" && c.Directions["a"].Coalesced == 0 },
	"version-mixed":      func(c *Connection) bool { return c.Version == "1.4" && c.Directions["b"].Coalesced == 0 },
	"midstream-unsigned": func(c *Connection) bool { return !c.Complete },
	"midstream-full-signed": func(c *Connection) bool {
		return c.Secrets.Needed && c.Directions["a"].Signatures.Unverifiable+c.Directions["b"].Signatures.Unverifiable > 8
	},
	"early-stop":    func(c *Connection) bool { return c.State == "established" },
	"capture-loss":  func(c *Connection) bool { return c.Directions["a"].Lost.NotCaptured > 0 },
	"one-direction": func(c *Connection) bool { return c.Directions["b"].Frames == 0 && c.State == "" },
	"near-sender": func(c *Connection) bool {
		return c.Directions["a"].Lost.Before == 0 && c.Directions["b"].Lost.After == 0
	},
	"unanswered":             func(c *Connection) bool { return c.State == "timed-out" },
	"refused":                func(c *Connection) bool { return c.State == "refused" },
	"killed-peer":            func(c *Connection) bool { return c.State == "timed-out" },
	"stop-while-closing":     func(c *Connection) bool { return c.State == "closing" && c.ClosedBy == "a" },
	"killed-process":         func(c *Connection) bool { return c.State == "reset" },
	"two-clients":            func(c *Connection) bool { return c.State == "closed" },
	"hard-disconnect":        func(c *Connection) bool { return c.State == "reset" && c.ClosedBy == "a" },
	"hard-disconnect-signed": func(c *Connection) bool { return c.State == "reset" && c.ClosedBy == "b" },
	"crossing-close":         func(c *Connection) bool { return c.State == "closed" && c.ClosedBy == "both" },
	"confirmation-lost":      func(c *Connection) bool { return c.Directions["a"].Retries > 0 && c.State == "closed" },
	"confirmation-lost-signed": func(c *Connection) bool {
		return c.Directions["a"].Retries > 0 && c.State == "closed" && c.Directions["a"].Signatures.Unverifiable == 0
	},
	"large-message":    func(c *Connection) bool { return largest(c) == 358 },
	"unreliable":       func(c *Connection) bool { return c.Directions["a"].SendMasks > 0 && c.Directions["b"].SendMasks > 0 },
	"keepalives":       func(c *Connection) bool { return c.Directions["a"].KeepAlives+c.Directions["b"].KeepAlives > 5 },
	"modifier-unknown": func(c *Connection) bool { return c.Directions["a"].Signatures.Unverifiable > 8 },
	"modifier-reused":  func(c *Connection) bool { return c.Directions["a"].Signatures.Unverifiable == 0 },
}

func largest(c *Connection) (n int) {
	for _, m := range c.Directions["a"].Messages {
		n = max(n, m.Parts)
	}
	return n
}

func TestOutcomes(t *testing.T) {
	checked, want := 0, 0
	for _, of := range outcomes {
		want += len(of)
	}
	for _, s := range Scenarios() {
		_, truth, err := s.Generate()
		if err != nil {
			t.Fatal(err)
		}
		if ok := outcomes[s.Proto][s.Name]; ok != nil {
			checked++
			if !ok(&truth.Connections[0]) {
				t.Errorf("%s: not as expected: %s", s.File(), s.Expect)
			}
		}
		for _, c := range truth.Connections {
			for dir, d := range c.Directions {
				// Releases of Hazel lose reliable messages.
				if s.Proto != "hazel" && c.State == "closed" && d.Undelivered > 0 {
					t.Errorf("%s: %d reliable messages of %s were not delivered", s.File(), d.Undelivered, dir)
				}
			}
		}
	}
	if checked != want {
		t.Errorf("%d outcomes checked, want %d", checked, want)
	}
}

// TestTshark lets another program read the link, IP and UDP layers.
func TestTshark(t *testing.T) {
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("tshark is not installed")
	}
	for name, g := range tsharkGroups(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "group.pcap")
			if err := os.WriteFile(file, g.file, 0o600); err != nil {
				t.Fatal(err)
			}
			if n := tsharkReads(t, tshark, file); n != g.datagrams {
				t.Errorf("tshark finds %d datagrams, the truth has %d", n, g.datagrams)
			}
		})
	}
}

// A group is some captures in one file.
type group struct {
	file      []byte
	datagrams int
}

// tsharkGroups joins what can be joined, as tshark takes longer to start than to read:
// captures of one link type. Those with IP fragments stay alone, for identifications come again.
func tsharkGroups(t *testing.T) map[string]*group {
	all := map[string]*group{}
	for _, s := range Scenarios() {
		pcap, truth, err := s.Generate()
		if err != nil {
			t.Fatal(err)
		}
		const header = 24
		key := fmt.Sprintf("%x", pcap[20:header])
		if s.Setup.PcapNG || truth.IPFragments > 0 || truth.Packets == 0 {
			key = s.Proto + "/" + s.Name
		}
		if g := all[key]; g != nil {
			g.file = append(g.file, pcap[header:]...)
			g.datagrams += truth.Datagrams
		} else {
			all[key] = &group{pcap, truth.Datagrams}
		}
	}
	return all
}

// tsharkReads counts the UDP datagrams and fails for bad checksums and malformed
// IP and UDP.
func tsharkReads(t *testing.T, tshark, file string) int {
	t.Helper()
	cmd := exec.Command(tshark, "-r", file, "-o", "udp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE", "--disable-protocol", "dpnet",
		"--disable-protocol", "dplay", "--disable-protocol", "knet", "--disable-protocol", "dtls", "--disable-protocol", "dcerpc",
		"-Y", "udp && !icmp && !icmpv6 || _ws.malformed || ip.checksum.status == 0", "-T", "fields",
		"-e", "udp.checksum.status", "-e", "ip.checksum.status", "-e", "_ws.malformed", "-E", "separator=,")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(out))
	for _, l := range lines {
		if l != "1,1," && l != "1,," {
			t.Errorf("checksum of UDP / of IP / malformed: %s", l)
			break
		}
	}
	return len(lines)
}
