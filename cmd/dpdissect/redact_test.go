package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/exit"
	"github.com/dpdissect/dpdissect/internal/pipeline"
	"github.com/dpdissect/dpdissect/internal/protocols"
	"github.com/dpdissect/dpdissect/internal/testbed/captured"
	"github.com/dpdissect/dpdissect/internal/testbed/excerpt"
	"github.com/dpdissect/dpdissect/internal/testbed/pcaps"
	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/seq"
)

// redacted is the document of redact.
type redacted struct {
	Packets, Cut, Dropped int
	Replaced              map[string]int
	Secrets               []string
	Verified              *struct {
		Addresses, Texts, Payloads int
		Analysis                   string
	}
}

// redactInto redacts a capture, and gives the file and the document.
func redactInto(t testing.TB, path string, args ...string) (out string, doc redacted) {
	t.Helper()
	out = filepath.Join(t.TempDir(), "public.pcapng")
	text, errs, code := call(t, append([]string{"redact", "-q", "--format", "json", path, "-w", out}, args...)...)
	if code != exit.OK {
		t.Fatalf("redact %s %q: exit code %d, %s", path, args, code, errs)
	}
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	return out, doc
}

// everyCapture are all captures of the project, and of the folder of DPDISSECT_PCAPS.
func everyCapture(t testing.TB) []string {
	t.Helper()
	all := slices.Concat(captures(t.(*testing.T)), pcaps.All(t))
	if folder := os.Getenv(pcaps.Variable); folder != "" {
		must(filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err == nil && regexp.MustCompile(`\.pcap(ng)?(\.gz)?$`).MatchString(path) && !slices.Contains(all, path) {
				all = append(all, path)
			}
			return err
		}))
	}
	return all
}

// TestRedactEveryCapture: of every capture the search for originals is empty and the analysis
// equal. What can't be read to its end is redacted as far as it can.
func TestRedactEveryCapture(t *testing.T) {
	t.Parallel()
	for _, path := range everyCapture(t) {
		_, _, want := call(t, "analyze", "-q", path)
		out := filepath.Join(t.TempDir(), "public.pcapng")
		text, errs, code := call(t, "redact", "-q", "--format", "json", path, "-w", out)
		if code != want {
			t.Errorf("%s: exit code %d, want %d: %s", path, code, want, errs)
			continue
		}
		var doc redacted
		if text == "" && want == exit.Input {
			continue // it is no capture
		}
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		if v := doc.Verified; v == nil || v.Addresses+v.Texts+v.Payloads > 0 || v.Analysis != "equal" {
			t.Errorf("%s: %+v", path, v)
		}
	}
}

// TestRedactHidesOriginals looks for addresses without the search of the program: in all bytes
// of the file. Numbers may be an IPv4 address by chance: of these, hosts are looked for as
// tshark does.
func TestRedactHidesOriginals(t *testing.T) {
	for _, path := range append(pcaps.Files(t, "directplay/*"), capturePath(t, "full-signed-lossy.pcap")) {
		out, _ := redactInto(t, path)
		file, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		hosts, now := hostsOf(t, path), hostsOf(t, out)
		if len(hosts.ips) == 0 || len(now.ips) != len(hosts.ips) || len(now.macs) != len(hosts.macs) {
			t.Fatalf("%s: %v becomes %v", path, hosts, now)
		}
		for m := range hosts.macs {
			if bytes.Contains(file, []byte(m)) {
				t.Errorf("%s: MAC % x is there still", path, m)
			}
		}
		for ip := range hosts.ips {
			if now.ips[ip] || bytes.Contains(file, []byte(ip.String())) {
				t.Errorf("%s: %v is there still", path, ip)
			}
		}
		for ip := range now.ips {
			if !netip.MustParsePrefix("10.0.0.0/8").Contains(ip) && !netip.MustParsePrefix("2001:db8::/32").Contains(ip) {
				t.Errorf("%s: %v is no replacement", path, ip)
			}
		}
		for m := range now.macs {
			if m[0] != 2 {
				t.Errorf("%s: % x is no replacement", path, m)
			}
		}
	}
}

// hosts are addresses that stand for one host.
type hosts struct {
	ips  map[netip.Addr]bool
	macs map[string]bool
}

func hostsOf(t testing.TB, path string) hosts {
	t.Helper()
	h := hosts{map[netip.Addr]bool{}, map[string]bool{}}
	src, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	for {
		p, ok := src.Next()
		if !ok {
			return h
		}
		if b := p.Record.Data; p.Record.Link == capture.LinkEthernet && len(b) >= 12 {
			for _, m := range [...]string{string(b[:6]), string(b[6:12])} {
				if m[0]&1 == 0 && m != "\x00\x00\x00\x00\x00\x00" {
					h.macs[m] = true
				}
			}
		}
		if p.Class == capture.UDP {
			for _, e := range [...]dissect.Endpoint{p.Src, p.Dst} {
				if a := e.Addr(); !a.IsLoopback() && !a.IsMulticast() && !a.IsUnspecified() && a != netip.MustParseAddr("255.255.255.255") {
					h.ips[a] = true
				}
			}
		}
	}
}

// TestRedactKeepsNumbers: packet count, order, times, lengths, IP ids, TTLs and all numbers of
// the protocols stay; fields that give something away do not.
func TestRedactKeepsNumbers(t *testing.T) {
	t.Parallel()
	changed := map[dissect.Privacy]int{}
	for _, path := range captures(t) {
		out, doc := redactInto(t, path, "--no-verify")
		was, is := framesOf(t, path), framesOf(t, out)
		if len(was) != len(is) || doc.Packets < len(was) {
			t.Fatalf("%s: %d frames become %d", path, len(was), len(is))
		}
		for i := range was {
			a, b := was[i], is[i]
			if a.header != b.header {
				t.Fatalf("%s: %s becomes %s", path, a.header, b.header)
			}
			if a.keeps != b.keeps {
				t.Fatalf("%s: %s: fields\n%s\nbecome\n%s", path, a.header, a.keeps, b.keeps)
			}
			for class, v := range a.values {
				if v != b.values[class] {
					changed[class]++
				}
			}
		}
	}
	for class := dissect.Name; class <= dissect.Signature; class++ {
		if changed[class] == 0 {
			t.Errorf("no field of class %v was replaced", class)
		}
	}
}

// A numbered frame: what stays of it, and what is replaced, by class.
type numbered struct {
	header, keeps string
	values        map[dissect.Privacy]string
}

// framesOf gives the frames of a capture in the order in which the tracker tells of them, which
// is the same for captures that differ in addresses only when these are in one table.
func framesOf(t testing.TB, path string) (all []numbered) {
	t.Helper()
	table := session.NewTable(session.Config{Protocols: protocols.All(protocols.Options{}), Trees: true, Sink: &numbers{all: &all}})
	for _, d := range captured.Datagrams(t, path) {
		table.Add(&d)
	}
	table.Close(0)
	return all
}

type numbers struct{ all *[]numbered }

func (s *numbers) Frame(fr *dissect.Frame, _ *session.Conn) {
	n := numbered{values: map[dissect.Privacy]string{}}
	n.header = fmt.Sprintf("frame %d at %d of %d bytes, id %d, TTL %d, bad sum %v, %s %s", fr.Frame, fr.Time, fr.Length, fr.IPID, fr.TTL, fr.BadChecksum, fr.Protocol, fr.Type)
	if fr.Protocol != "udp" {
		for i := range fr.Tree.Nodes {
			x := &fr.Tree.Nodes[i]
			name := fmt.Sprintf("%s %d %d", x.Field.Name, x.Off, x.Len)
			switch {
			case x.Field.Privacy != dissect.Keep && x.Field.Kind == dissect.Bytes && len(bytes.Trim(fr.Tree.Bytes(x), "\x00")) > 5:
				n.values[x.Field.Privacy] += string(fr.Tree.Bytes(x))
			case x.Field.Privacy != dissect.Keep:
			case x.Field.Kind == dissect.Text:
				name += fr.Tree.Text(x)
			case x.Field.Kind == dissect.IDs:
				name += fmt.Sprint(fr.Tree.IDs(x))
			case x.Field.Kind == dissect.Bytes:
				name += string(fr.Tree.Bytes(x))
			default:
				name += fmt.Sprint(x.Val)
			}
			n.keeps += name + "\n"
		}
	}
	*s.all = append(*s.all, n)
}
func (*numbers) Acked(seq.Position, uint64) {}
func (*numbers) Message(*session.Message)   {}
func (*numbers) Finding(*session.Finding)   {}

// TestRedactSignsAgain: DirectPlay 8 is valid with the secrets told, also where the handshake is
// left out, and what was not valid is not.
func TestRedactSignsAgain(t *testing.T) {
	for name, signing := range map[string]string{"full-signed-rotation": "full", "full-signed-forged": "full", "fast-signed-lossy": "fast", "hard-disconnect-signed": "full"} {
		path := capturePath(t, name+".pcap")
		secrets := filepath.Join(t.TempDir(), "secrets")
		out, doc := redactInto(t, path, "--secrets-out", secrets)
		file, err := os.ReadFile(secrets)
		if err != nil || string(file) != strings.Join(append(doc.Secrets, ""), "\n") || len(doc.Secrets) == 0 {
			t.Fatalf("%s: the file has %q, the document %q, %v", name, file, doc.Secrets, err)
		}
		if was := signaturesOf(t, path); signaturesOf(t, out) != was {
			t.Errorf("%s: signatures %v, were %v", name, signaturesOf(t, out), was)
		}
		old := filepath.Join(t.TempDir(), "old.pcapng")
		cut := filepath.Join(t.TempDir(), "cut.pcapng")
		output(t, "annotate", "-q", "--plain", "-Y", "not dp8.sender_secret", "-w", cut, out)
		output(t, "annotate", "-q", "--plain", "-Y", "not dp8.sender_secret", "-w", old, path)
		if with := signaturesOf(t, cut, "--secrets", secrets); with.unverifiable > 0 || with.valid < 50 || with.signing != signing {
			t.Errorf("%s: with the secrets told: %+v", name, with)
		}
		if with := signaturesOf(t, old, "--secrets", secrets); signing == "full" && with.valid > 0 {
			t.Errorf("%s: the fresh secrets fit the original: %+v", name, with)
		}
	}
}

// TestRedactSuppliedSecrets: where the handshake is not in the capture, the secrets that are
// given become fresh ones.
func TestRedactSuppliedSecrets(t *testing.T) {
	whole := capturePath(t, "full-signed-rotation.pcap")
	path := filepath.Join(t.TempDir(), "cut.pcapng")
	output(t, "annotate", "-q", "--plain", "-Y", "not dp8.sender_secret", "-w", path, whole)
	var hs struct{ id, connector, listener string }
	for line := range strings.Lines(output(t, "decode", "-Y", "dp8.sender_secret", "-e", "dp8.session_id", "-e", "dp8.sender_secret", "-e", "dp8.receiver_secret", whole)) {
		if f := strings.Fields(line); len(f) == 3 && strings.Trim(f[1], "0") != "" {
			hs.id, hs.connector, hs.listener = strings.TrimPrefix(f[0], "0x"), f[1], f[2]
		}
	}
	secrets := filepath.Join(t.TempDir(), "fresh")
	out, _ := redactInto(t, path, "--secret", hs.id+":"+hs.connector+":"+hs.listener+":full", "--secrets-out", secrets)
	if with := signaturesOf(t, out, "--secrets", secrets); with.valid < 100 || with.invalid+with.unverifiable > 0 {
		t.Errorf("with fresh secrets: %+v", with)
	}
	file, err := os.ReadFile(secrets)
	if err != nil || strings.Contains(string(file), hs.connector) || !strings.Contains(string(file), "full") {
		t.Errorf("the fresh secrets are %q, %v", file, err)
	}
}

// A signedBy is how many signatures of a capture are of which kind.
type signedBy struct {
	valid, invalid, unverifiable int
	signing                      string
}

func signaturesOf(t testing.TB, path string, args ...string) (n signedBy) {
	t.Helper()
	var doc struct {
		Connections []struct {
			Signing    string
			Directions map[string]struct {
				Signatures struct{ Valid, Invalid, Unverifiable int }
			}
		}
	}
	if err := json.Unmarshal([]byte(output(t, append([]string{"analyze", "-q", "--format", "json", path}, args...)...)), &doc); err != nil {
		t.Fatal(err)
	}
	for _, c := range doc.Connections {
		n.signing = c.Signing
		for _, d := range c.Directions {
			n.valid, n.invalid, n.unverifiable = n.valid+d.Signatures.Valid, n.invalid+d.Signatures.Invalid, n.unverifiable+d.Signatures.Unverifiable
		}
	}
	return n
}

// TestRedactChecksums: tshark finds the checksums of IP, UDP and ICMP as it found them before.
// Of packets that are cut only that of IP can be looked at. All captures are shown to it in one file: its
// start takes longer than reading them.
func TestRedactChecksums(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("tshark"); err != nil {
		t.Skip("tshark is not installed")
	}
	var before, after []excerpt.Packet
	var names []string // of the capture of each packet
	for _, path := range pcaps.Files(t, "foreign/*", "offload/*", "hazel/*", "knet/*", "directplay/*", "formats/l*", "formats/v*") {
		out, _ := redactInto(t, path, "--no-verify")
		was, is := excerpt.Read(t, path), excerpt.Read(t, out)
		if len(was) != len(is) {
			t.Fatalf("%s: %d packets become %d", path, len(was), len(is))
		}
		before, after = append(before, was...), append(after, is...)
		names = append(names, slices.Repeat([]string{path}, len(was))...)
	}
	was, is := sums(t, before), sums(t, after)
	if len(was) != len(before) || len(is) != len(before) {
		t.Fatalf("tshark shows %d and %d of %d packets", len(was), len(is), len(before))
	}
	good, cut := 0, 0
	for i := range was {
		a, b := strings.Split(was[i], "\t"), strings.Split(is[i], "\t")
		if a[0] != b[0] { // captured bytes
			cut++
			if strings.Contains(b[1]+b[2], "0") && !strings.Contains(a[1]+a[2], "0") {
				t.Errorf("%s: packet %d of all: checksums %q become %q", names[i], i+1, a, b)
			}
			continue
		}
		if good += strings.Count(was[i], "1"); was[i] != is[i] {
			t.Errorf("%s: packet %d of all: checksums %q become %q", names[i], i+1, a, b)
		}
	}
	if good < 1000 || cut < 100 {
		t.Errorf("%d checksums were good, %d packets cut", good, cut)
	}
}

// sums are the captured length of each packet and what tshark finds its checksums to be.
func sums(t testing.TB, packets []excerpt.Packet) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "all.pcapng")
	must(os.WriteFile(path, excerpt.AsFile(packets), 0o600))
	b, err := exec.Command("tshark", "-n", "-r", path, "-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE", "-T", "fields", "-e", "frame.cap_len",
		"-e", "ip.checksum.status", "-e", "udp.checksum.status", "-e", "icmp.checksum.status", "-e", "icmpv6.checksum.status").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimRight(string(b), "\n"), "\n")
}

// TestRedactVerifyFindsWhatIsPlanted: an address, a MAC, a name and a payload of the original
// are found wherever they stand in a capture that is said to be redacted.
func TestRedactVerifyFindsWhatIsPlanted(t *testing.T) {
	path := capturePath(t, "unsigned-clean.pcap")
	out, _ := redactInto(t, path)
	if text, errs, code := call(t, "redact", "-q", out, "--verify", path); code != exit.OK || !strings.Contains(text, "Found of the original: 0 addresses, 0 texts, 0 payloads. The analysis is equal.") {
		t.Fatalf("exit code %d, %s%s", code, text, errs)
	}
	clean, original := packets(t, out), packets(t, path)
	longest := 0
	for i := range original {
		if len(original[i].Data) > len(original[longest].Data) {
			longest = i
		}
	}
	data := original[longest].Data
	for what, plant := range map[string]func(r *capture.Record){
		"address": func(r *capture.Record) { copy(r.Data[26:], data[26:30]) },
		"MAC":     func(r *capture.Record) { copy(r.Data, data[:6]) },
		"payload": func(r *capture.Record) { copy(r.Data[42:], data[42:]) },
		"comment": func(r *capture.Record) {
			r.Comments = []string{"from " + netip.AddrFrom4([4]byte(data[26:30])).String()}
		},
		"UTF-16": func(r *capture.Record) {
			var wide []byte
			for _, c := range []byte(netip.AddrFrom4([4]byte(data[30:34])).String()) {
				wide = append(wide, c, 0)
			}
			r.Comments = []string{string(wide)}
		},
		"trailer": func(r *capture.Record) {
			r.Data = append(r.Data, data[26:30]...)
			r.WireLen += 4
		},
	} {
		list := slices.Clone(clean)
		list[longest].Data = bytes.Clone(list[longest].Data)
		plant(&list[longest])
		planted := filepath.Join(t.TempDir(), "planted.pcapng")
		writePackets(t, planted, list)
		text, errs, code := call(t, "redact", "-q", "--format", "json", planted, "--verify", path)
		var doc redacted
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatalf("%s: %s%s", what, text, errs)
		}
		place := fmt.Sprintf("packet %d: ", longest+1)
		if v := doc.Verified; code != exit.Fail || v.Addresses+v.Texts+v.Payloads == 0 || !strings.Contains(errs, place) {
			t.Errorf("%s: exit code %d, %+v, %s", what, code, v, errs)
		}
	}
}

func writePackets(t testing.TB, path string, list []capture.Record) {
	t.Helper()
	var b bytes.Buffer
	w, err := capture.NewWriter(&b, capture.WriterOptions{Format: "pcapng", Nanoseconds: true, Interfaces: []capture.Interface{{Link: list[0].Link}}})
	for i := range list {
		if err == nil {
			err = w.Write(&list[i])
		}
	}
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = os.WriteFile(path, b.Bytes(), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestRedactLeavesNothing: where something of the original is found, the places are listed
// and the file is not left. A MAC of the original is planted while the file is written.
func TestRedactLeavesNothing(t *testing.T) {
	path, dir := capturePath(t, "full-signed-rotation.pcap"), t.TempDir()
	original := packets(t, path)[0].Data
	runs := 0
	defer func() { tracked = func(*pipeline.Run) {} }()
	tracked = func(*pipeline.Run) {
		if runs++; runs != 2 {
			return
		}
		files, err := filepath.Glob(filepath.Join(dir, ".dpdissect-*"))
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		b, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		at := bytes.Index(b, original[12:24]) // after the addresses of the link
		f, err := os.OpenFile(files[0], os.O_WRONLY, 0)
		if err != nil || at < 12 {
			t.Fatal(at, err)
		}
		defer f.Close()
		if _, err := f.WriteAt(original[:6], int64(at-12)); err != nil {
			t.Fatal(err)
		}
	}
	_, errs, code := call(t, "redact", "-q", path, "-w", filepath.Join(dir, "public.pcapng"))
	left, err := os.ReadDir(dir)
	if err != nil || code != exit.Fail || len(left) > 0 || runs != 3 || !strings.Contains(errs, "packet 1: an address of the original") {
		t.Errorf("exit code %d after %d runs, %v is left, %s", code, runs, left, errs)
	}
}

// TestRedactOthers: packets of other protocols are cut after their last header, or left out.
func TestRedactOthers(t *testing.T) {
	path := filepath.Join(pcaps.Root(t), "formats", "v-vlan.pcap")
	was := packets(t, path)
	out, doc := redactInto(t, path)
	cut := 0
	for i, p := range packets(t, out) {
		if p.WireLen != was[i].WireLen || p.Time != was[i].Time || len(p.Data) > len(was[i].Data) {
			t.Fatalf("packet %d of %d bytes becomes one of %d", i+1, was[i].WireLen, p.WireLen)
		}
		if len(p.Data) < len(was[i].Data) {
			cut++
		}
	}
	if cut == 0 || cut != doc.Cut || doc.Packets != len(was) || doc.Dropped != 0 {
		t.Errorf("%d of %d packets are cut: %+v", cut, len(was), doc)
	}
	out, doc = redactInto(t, path, "--others", "drop")
	if n := len(packets(t, out)); n != doc.Packets || doc.Packets+doc.Dropped != len(was) || doc.Dropped == 0 {
		t.Errorf("%d of %d packets are left: %+v", n, len(was), doc)
	}
}

// TestRedactGuesses: of pairs that were not recognised explain tells what it told before.
func TestRedactGuesses(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "pcaps", "ends", "*"))
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		if !strings.HasSuffix(path, ".pcap") {
			continue
		}
		out, _ := redactInto(t, path, "--no-verify")
		tell := func(path string) string {
			text, _, _ := call(t, "explain", path)
			_, text, _ = strings.Cut(anyAddress.ReplaceAllString(text, "${1}ADDRESS"), "\n")
			return strings.Join(strings.Fields(shape(text)), " ")
		}
		if was, is := tell(path), tell(out); was != is {
			t.Errorf("%s: explain tells\n%s\nand told\n%s", path, is, was)
		}
	}
}

// TestRedactMapsPorts: ports become others from 1024 on, over all addresses, none of which is one
// of the input.
func TestRedactMapsPorts(t *testing.T) {
	path := capturePath(t, "full-signed-lossy.pcap")
	out, doc := redactInto(t, path, "--ports", "map", "-d", "udp.port==2302,dp8")
	was, is := portsOf(t, path), portsOf(t, out)
	if doc.Replaced["ports"] != len(was) || len(was) != len(is) {
		t.Errorf("ports %v become %v: %v", was, is, doc.Replaced)
	}
	for p := range is {
		if was[p] || p < 1024 {
			t.Errorf("port %d is no replacement", p)
		}
	}
	if out, doc = redactInto(t, path); !maps.Equal(portsOf(t, out), was) || doc.Replaced["ports"] != 0 {
		t.Errorf("ports are replaced though they stay by default")
	}
}

func portsOf(t testing.TB, path string) map[uint16]bool {
	t.Helper()
	all := map[uint16]bool{}
	for _, d := range captured.Datagrams(t, path) {
		all[d.Src.Port], all[d.Dst.Port] = true, true
	}
	return all
}

// TestRedactKeyFile: with a key file the same replacements come every time, and so the same
// bytes; without one each run differs. A file that others may read is no key.
func TestRedactKeyFile(t *testing.T) {
	path := capturePath(t, "full-signed-lossy.pcap")
	key := filepath.Join(t.TempDir(), "key")
	must(os.WriteFile(key, []byte(strings.Repeat("0123456789abcdef", 4)+"\n"), 0o600))
	file := func(args ...string) string {
		out, _ := redactInto(t, path, append(args, "--no-verify")...)
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if first, again := file("--key-file", key), file("--key-file", key, "--workers", "3"); first != again {
		t.Error("two runs with a key, one of three workers, differ")
	}
	if first, again := file(), file(); first == again {
		t.Error("two runs without a key are the same")
	}
	if runtime.GOOS == "windows" {
		return
	}
	must(os.Chmod(key, 0o644))
	if _, errs, code := call(t, "redact", path, "-w", filepath.Join(t.TempDir(), "x"), "--key-file", key); code != exit.Usage || !strings.Contains(errs, "others may read it") {
		t.Errorf("exit code %d, %s", code, errs)
	}
}

// TestRedactMap: the map says what stands for what, and is for its owner alone.
func TestRedactMap(t *testing.T) {
	path := capturePath(t, "unsigned-clean.pcap")
	file := filepath.Join(t.TempDir(), "map")
	out, doc := redactInto(t, path, "--map", file)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]map[string]string
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	if len(m["ips"]) != doc.Replaced["ipv4"]+doc.Replaced["ipv6"] || len(m["macs"]) != doc.Replaced["macs"] || len(m["ips"]) == 0 {
		t.Errorf("%v, but %v were replaced", m, doc.Replaced)
	}
	now := hostsOf(t, out)
	for from := range hostsOf(t, path).ips {
		if to, err := netip.ParseAddr(m["ips"][from.String()]); err != nil || !now.ips[to] {
			t.Errorf("%v becomes %v", from, m["ips"][from.String()])
		}
	}
	if st, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && st.Mode().Perm() != 0o600 {
		t.Errorf("the map has mode %v, %v", st.Mode(), err)
	}
}

// TestRedactLeavesOptionsOut: comments, names, hardware and unknown blocks are left out;
// resolution and drop counts stay.
func TestRedactLeavesOptionsOut(t *testing.T) {
	for _, path := range pcaps.Files(t, "formats/*") {
		out := filepath.Join(t.TempDir(), "public.pcapng")
		if _, _, code := call(t, "redact", "-q", path, "-w", out); code != exit.OK {
			continue
		}
		file, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if text := regexp.MustCompile(`[ -~]{8,}`).Find(bytes.ReplaceAll(file, []byte("UUUUUUUU"), nil)); regexp.MustCompile(`(?i)wireshark|linux|comment|hello|eth0|[a-z]{4} [a-z]{4}`).Match(text) {
			t.Errorf("%s: the result says %q", path, text)
		}
		a, b := packets(t, path), packets(t, out)
		for i := range a {
			if len(b[i].Comments) > 0 || a[i].Time != b[i].Time || a[i].HasTime != b[i].HasTime || a[i].Outbound != b[i].Outbound || a[i].Drops != b[i].Drops || a[i].HasDrops != b[i].HasDrops || a[i].Link != b[i].Link {
				t.Errorf("%s: packet %d becomes %+v", path, i+1, b[i])
			}
		}
	}
}
