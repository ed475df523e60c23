package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/excerpt"
	"github.com/dpdissect/dpdissect/internal/testbed/ngtest"
	"github.com/dpdissect/dpdissect/internal/wireshark"
)

// A sharkRun runs tshark with the plugin, in a folder of its own.
type sharkRun struct {
	bin, lua, home string
}

func newShark(t testing.TB) *sharkRun {
	t.Helper()
	bin, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("tshark is not installed")
	}
	s := &sharkRun{bin: bin, home: t.TempDir()}
	s.lua = filepath.Join(s.home, "dpdissect.lua")
	if err := os.WriteFile(s.lua, wireshark.Plugin("test"), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// out is what tshark prints; what it complains about ends the test.
func (s *sharkRun) out(t testing.TB, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(s.bin, append([]string{"-n", "-X", "lua_script:" + s.lua}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+s.home, "XDG_CONFIG_HOME="+filepath.Join(s.home, "config"), "WIRESHARK_CONFIG_DIR="+filepath.Join(s.home, "config"))
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil || strings.Contains(errs.String(), "tshark:") || strings.Contains(errs.String(), "Lua") {
		t.Fatalf("tshark %q: %v\n%s", args, err, errs.String())
	}
	return out
}

// together annotates captures into one file, each a section of its own: starting tshark takes longer than
// showing one. It gives of each packet of the file the capture, and its number there.
func (s *sharkRun) together(t testing.TB, captures ...string) (file string, from []numberedIn) {
	t.Helper()
	var all []byte
	for _, path := range captures {
		b := annotated(t, path)
		all = append(all, b...)
		for i := range ngtest.Packets(blocksOf(t, b)) {
			from = append(from, numberedIn{path, i + 1})
		}
	}
	file = filepath.Join(s.home, "together.pcapng")
	if err := os.WriteFile(file, all, 0o600); err != nil {
		t.Fatal(err)
	}
	return file, from
}

// A numberedIn is a packet of a capture.
type numberedIn struct {
	path  string
	frame int
}

// ourFilters are the names that protocols have in Wireshark, by their own.
var ourFilters = func() map[string]string {
	all := map[string]string{}
	for _, p := range wireshark.Protocols() {
		all[p.Name] = p.Name
	}
	all["knet"] = "knet-udp"
	return all
}()

// A pdmlField is a field, or a protocol, of tshark's XML.
type pdmlField struct {
	Name   string      `xml:"name,attr"`
	Show   string      `xml:"show,attr"`
	Size   int         `xml:"size,attr"`
	Fields []pdmlField `xml:"field"`
}

type pdmlPacket struct {
	Protos []pdmlField `xml:"proto"`
}

// shown is what tshark shows of packets: for each of our protocols' trees, "name value" in order.
func (s *sharkRun) shown(t testing.TB, args ...string) (all [][]string) {
	t.Helper()
	ours := strings.Join(slices.Collect(maps.Values(ourFilters)), " ") + " fake-field-wrapper"
	d := xml.NewDecoder(bytes.NewReader(s.out(t, append([]string{"-T", "pdml", "-J", ours}, args...)...)))
	d.Strict = false
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		if e, ok := tok.(xml.StartElement); ok && e.Name.Local == "packet" {
			var p pdmlPacket
			if err := d.DecodeElement(&p, &e); err != nil {
				t.Fatal(err)
			}
			all = append(all, treesOf(&p))
		}
	}
}

func treesOf(p *pdmlPacket) (trees []string) {
	for _, x := range p.Protos {
		for name, filter := range ourFilters {
			if x.Name == filter {
				trees = append(trees, name+strings.Join(flatPDML(nil, x.Fields), ""))
			}
		}
		if x.Name == "fake-field-wrapper" {
			trees = append(trees, treesOf(&pdmlPacket{x.Fields})...)
		}
	}
	return trees
}

func flatPDML(dst []string, fields []pdmlField) []string {
	for _, f := range fields {
		if f.Name != "" && !strings.HasPrefix(f.Name, "_ws.") {
			dst = append(dst, "\n"+f.Name[strings.LastIndexByte(f.Name, '.')+1:]+" "+plainValue(f.Show))
		}
		dst = flatPDML(dst, f.Fields)
	}
	return dst
}

// plainValue spells a value of tshark or of a record as the other does: numbers in decimal,
// flags as 0 and 1, bytes without colons.
func plainValue(s string) string {
	switch s {
	case "True", "true":
		return "1"
	case "False", "false":
		return "0"
	}
	if strings.HasPrefix(s, "0x") {
		if n, err := strconv.ParseUint(s, 0, 64); err == nil {
			return strconv.FormatUint(n, 10)
		}
	}
	if len(s) > 2 && len(s)%3 == 2 && strings.Count(s, ":") == len(s)/3 && s[2] == ':' {
		return strings.ReplaceAll(s, ":", "")
	}
	return s
}

// flatJSON appends what an object of a record holds, nested ones in their order.
func flatJSON(t testing.TB, dst []string, d *json.Decoder, key string) []string {
	tok, err := d.Token()
	if err != nil {
		t.Fatal(err)
	}
	switch v := tok.(type) {
	case json.Delim:
		for d.More() {
			inner := key
			if v == '{' {
				k, err := d.Token()
				if err != nil {
					t.Fatal(err)
				}
				inner = k.(string)
			}
			dst = flatJSON(t, dst, d, inner)
		}
		if _, err := d.Token(); err != nil {
			t.Fatal(err)
		}
		return dst
	default:
		if key == "undecoded" {
			return dst
		}
		return append(dst, "\n"+key+" "+plainValue(fmt.Sprint(v)))
	}
}

// wantedTrees are the trees that records ask for, by frame.
func wantedTrees(t testing.TB, path string) map[int][]string {
	t.Helper()
	all := map[int][]string{}
	d := json.NewDecoder(strings.NewReader(printed(t, "decode", "--format", "ndjson", path)))
	for d.More() {
		var r struct {
			Frame    int
			Protocol string
			Fields   json.RawMessage
		}
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		if _, ok := ourFilters[r.Protocol]; ok && string(r.Fields) != "{}" { // tshark shows nothing of an empty datagram
			f := json.NewDecoder(bytes.NewReader(r.Fields))
			f.UseNumber()
			all[r.Frame] = append(all[r.Frame], r.Protocol+strings.Join(flatJSON(t, nil, f, ""), ""))
		}
	}
	return all
}

// sample are the captures that are tried: one in nine, or all where every form is.
func sample(t *testing.T) (some []string) {
	for i, path := range captures(t) {
		if hasTurn(i+5, 9) {
			some = append(some, path)
		}
	}
	return some
}

// TestWiresharkShowsWhatDecodeSays compares the fields that tshark shows of annotated captures
// with the records of decode: the same values in the same order, in one pass and in two.
func TestWiresharkShowsWhatDecodeSays(t *testing.T) {
	t.Parallel()
	s := newShark(t)
	seen := map[string]int{}
	some := sample(t)
	file, from := s.together(t, some...)
	want := map[string]map[int][]string{}
	for _, path := range some {
		want[path] = wantedTrees(t, path)
	}
	for _, more := range [][]string{nil, {"-2"}} {
		got := s.shown(t, append([]string{"-r", file}, more...)...)
		if len(got) != len(from) {
			t.Fatalf("%q: %d packets, want %d", more, len(got), len(from))
		}
		for i, at := range from {
			trees := want[at.path][at.frame]
			for _, tree := range trees {
				name, _, _ := strings.Cut(tree, "\n")
				seen[name]++
			}
			if !slices.Equal(got[i], trees) && len(trees) > 0 {
				t.Fatalf("%s, %q: frame %d is shown as\n%s\nwant\n%s", at.path, more, at.frame, strings.Join(got[i], "\n--\n"), strings.Join(trees, "\n--\n"))
			}
		}
	}
	if errs := s.out(t, "-r", file, "-Y", "_ws.lua.error"); len(errs) > 0 {
		t.Errorf("%s", errs)
	}
	for _, name := range []string{"dp8", "dp4", "knet", "hazel"} {
		if seen[name] == 0 {
			t.Errorf("no frame of %s was compared", name)
		}
	}
}

// TestWiresharkFields checks that tshark has the fields that print --fields lists, and no
// others of our protocols.
func TestWiresharkFields(t *testing.T) {
	t.Parallel()
	s := newShark(t)
	dir := filepath.Join(s.home, ".local", "lib", "wireshark", "plugins")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "dpdissect.lua"), wireshark.Plugin("test"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(s.bin, "-G", "fields")
	cmd.Env = append(os.Environ(), "HOME="+s.home, "XDG_CONFIG_HOME=", "WIRESHARK_CONFIG_DIR=", "WIRESHARK_PLUGIN_DIR="+dir)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	ours := map[string]bool{"dpdissect": true}
	for _, name := range ourFilters {
		ours[name] = true
	}
	var got []string
	for line := range strings.Lines(string(out)) {
		p := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if p[0] == "F" && ours[p[4]] {
			base := p[5]
			if p[3] == "FT_BOOLEAN" && base == "0" {
				base = ""
			}
			got = append(got, p[2]+"\t"+p[3]+"\t"+base+"\t"+p[1])
		}
	}
	var want []string
	for line := range strings.Lines(output(t, "wireshark", "print", "--fields")) {
		p := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if p[1] == "FT_FRAMENUM" {
			p[2] = "" // the kind of a link is not listed
		}
		want = append(want, strings.Join(p, "\t"))
	}
	slices.Sort(got)
	slices.Sort(want)
	if len(want) < 200 || !slices.Equal(got, want) {
		t.Errorf("tshark has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestWiresharkPlainCaptures checks captures without comments, of ports that are said to be of a
// protocol, by -d and by preferences.
func TestWiresharkPlainCaptures(t *testing.T) {
	t.Parallel()
	s := newShark(t)
	dir := filepath.Join("..", "..", "testdata", "pcaps")
	for _, c := range []struct { // captures that can be shown together, and what says of which protocol they are
		paths, args []string
	}{
		{[]string{"dp8/unsigned-lossy.pcap", "dp4/windows-lossy.pcap", "knet/lossy-reference.pcap", "hazel/copies.pcap"},
			[]string{"-d", "udp.port==2302,dp8", "-o", "dp8.signing:none", "-o", "dp8.version:1.6", "-d", "udp.port==2350,dp4",
				"-d", "udp.port==2345,knet-udp", "-o", "knet-udp.dialect:reference", "-o", "knet-udp.ids:1", "-d", "udp.port==22023,hazel"}},
		{[]string{"dp8/full-signed-lossy.pcap"}, []string{"-o", "dp8.ports:2300-2400", "-o", "dp8.signing:full", "-o", "dp8.version:1.6"}},
	} {
		var all []excerpt.Packet
		var want [][]string
		var from []numberedIn
		for _, name := range c.paths {
			path := filepath.Join(dir, name)
			trees := wantedTrees(t, path)
			for i, p := range excerpt.Read(t, path) {
				all, want, from = append(all, p), append(want, trees[i+1]), append(from, numberedIn{path, i + 1})
			}
		}
		file := filepath.Join(s.home, "plain.pcapng")
		if err := os.WriteFile(file, excerpt.AsFile(all), 0o600); err != nil {
			t.Fatal(err)
		}
		if trees := s.shown(t, "-r", file); len(trees) != len(all) || len(slices.Concat(trees...)) > 0 {
			t.Errorf("%q: something of ours is shown without being asked for: %q", c.paths, trees)
		}
		compared := map[string]int{}
		for i, got := range s.shown(t, append([]string{"-r", file}, c.args...)...) {
			if len(want[i]) == 0 {
				continue
			}
			if compared[from[i].path]++; !slices.Equal(got, want[i]) {
				t.Fatalf("%s: frame %d is shown as\n%s\nwant\n%s", from[i].path, from[i].frame, strings.Join(got, "\n--\n"), strings.Join(want[i], "\n--\n"))
			}
		}
		if len(compared) != len(c.paths) {
			t.Errorf("of %q something was compared in %v", c.paths, compared)
		}
	}
}

// TestWiresharkHostileComments checks that no comment makes the plugin fail, whatever became of
// its text, and that a failure would be seen.
func TestWiresharkHostileComments(t *testing.T) {
	t.Parallel()
	s := newShark(t)
	file := filepath.Join(s.home, "hostile.pcapng")
	random := rand.New(rand.NewPCG(1, 2))
	const letters = "dpd1 =,.x\\0123456789abcdefknetlayout"
	var all []byte
	for _, name := range []string{"dp8/unsigned-lossy.pcap", "dp4/windows-lossy.pcap", "knet/lossy-reference.pcap", "hazel/copies.pcap"} {
		b := annotated(t, filepath.Join("..", "..", "testdata", "pcaps", name))
		for at := 0; ; at++ {
			next := bytes.Index(b[at:], []byte("dpd1 "))
			if next < 0 {
				break
			}
			at += next
			for range 1 + random.IntN(3) { // a line has 20 bytes at least
				b[at+4+random.IntN(16)] = letters[random.IntN(len(letters))]
			}
		}
		all = append(all, b...)
	}
	if err := os.WriteFile(file, all, 0o600); err != nil {
		t.Fatal(err)
	}
	if errs := s.out(t, "-r", file, "-V", "-Y", "_ws.lua.error"); len(errs) > 0 {
		t.Errorf("%s", errs)
	}
	broken := bytes.Replace(wireshark.Plugin("test"), []byte("decoders.dp8 = function(r, L)"), []byte("decoders.dp8 = function(r, L) error('planted')"), 1)
	if err := os.WriteFile(s.lua, broken, 0o600); err != nil {
		t.Fatal(err)
	}
	if errs := s.out(t, "-r", file, "-Y", "_ws.lua.error"); len(errs) == 0 {
		t.Error("an error of the plugin is not seen: nothing is tested")
	}
}
