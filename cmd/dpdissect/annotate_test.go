package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dpdissect/dpdissect/internal/annotate"
	"github.com/dpdissect/dpdissect/internal/testbed/ngtest"
)

// annotated is what annotate makes of captures.
func annotated(t testing.TB, args ...string) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "annotated.pcapng")
	if out := output(t, append([]string{"annotate", "-q", "-w", path}, args...)...); out != "" {
		t.Errorf("it prints %q", out)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func blocksOf(t testing.TB, file []byte) []ngtest.Block {
	t.Helper()
	blocks, err := ngtest.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return blocks
}

// TestAnnotateSaysWhatDecodeSays compares the comments on the packets of each capture with
// the records of decode, frame by frame, and the packets with those of the capture. One in
// four is written by three workers as well, or each where every form is tried.
func TestAnnotateSaysWhatDecodeSays(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for turn, path := range captures(t) {
		file := annotated(t, path)
		frames := recordsOf(t, path)
		all := packets(t, path)
		written := ngtest.Packets(blocksOf(t, file))
		if len(written) != len(all) {
			t.Fatalf("%s: %d packets of %d", path, len(written), len(all))
		}
		for i := range written {
			if string(written[i].Data) != string(all[i].Data) || written[i].Wire != all[i].WireLen {
				t.Fatalf("%s: the bytes of packet %d differ", path, i+1)
			}
			var got []string
			if comments := written[i].Comments(); len(comments) == len(all[i].Comments)+1 {
				got = machineLines(comments[len(comments)-1])
			}
			if want := wantedLines(frames[i+1]); !slices.Equal(got, want) {
				t.Errorf("%s: frame %d: %q, want %q", path, i+1, got, want)
			}
			for _, line := range got {
				for word := range strings.FieldsSeq(line) {
					name, _, _ := strings.Cut(word, "=")
					seen[name] = true
				}
			}
		}
		if turn%4 > 0 && os.Getenv(everyForm) != "all" {
			continue
		}
		if again := annotated(t, "--workers", "3", path); string(again) != string(file) {
			t.Errorf("%s: three workers write other bytes", path)
		}
	}
	for _, k := range annotate.Keys() {
		if !seen[k.Name] && k.Name != "frame" && k.Name != "length" { // see TestAnnotateChoice, TestLengthOfParts
			t.Errorf("no frame of any capture has %s: nothing is compared", k.Name)
		}
	}
}

// recordsOf are the records of decode by frame. A packet may have several.
func recordsOf(t *testing.T, args ...string) map[int][]map[string]any {
	t.Helper()
	all := map[int][]map[string]any{}
	d := json.NewDecoder(strings.NewReader(printed(t, append([]string{"decode", "--format", "ndjson"}, args...)...)))
	d.UseNumber()
	for d.More() {
		var r map[string]any
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		var n int
		fmt.Sscan(r["frame"].(json.Number).String(), &n)
		all[n] = append(all[n], r)
	}
	return all
}

// machineLines are the lines for machines of a comment.
func machineLines(comment string) (lines []string) {
	for line := range strings.SplitSeq(comment, "\n") {
		if strings.HasPrefix(line, annotate.Mark+" ") {
			lines = append(lines, line)
		}
	}
	return lines
}

// wantedLines are the lines for machines that records ask for.
func wantedLines(records []map[string]any) (lines []string) {
	for _, r := range records {
		if _, conn := r["connection"]; !conn && r["protocol"] == "udp" {
			continue
		}
		line := annotate.Mark
		for _, k := range annotate.Keys() {
			if v := valueAt(r, k.Record); v != "" && k.Name != "frame" && (k.Name != "length" || len(records) > 1) {
				line += " " + k.Name + "=" + v
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// valueAt is the value at a path of a record, as it stands in a line for machines.
func valueAt(r any, path string) string {
	name, rest, deeper := strings.Cut(path, ".")
	name, list := strings.CutSuffix(name, "[]")
	v := r.(map[string]any)[name]
	switch {
	case v == nil:
		return ""
	case list:
		var parts []string
		for _, x := range v.([]any) {
			parts = append(parts, valueAt(x, rest))
		}
		return strings.Join(parts, ",")
	case deeper:
		return valueAt(v, rest)
	}
	if all, ok := v.([]any); ok {
		var parts []string
		for _, x := range all {
			parts = append(parts, fmt.Sprint(x))
		}
		return strings.Join(parts, ",")
	}
	return strings.ReplaceAll(fmt.Sprint(v), " ", `\x20`)
}

// TestAnnotateWithTshark checks that tshark takes what annotate writes for the capture with
// comments on it.
func TestAnnotateWithTshark(t *testing.T) {
	t.Parallel()
	bin, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("tshark is not installed")
	}
	rows := func(path string, more ...string) []string {
		cmd := exec.Command(bin, append([]string{"-n", "-r", path, "-T", "fields", "-e", "frame.number", "-e", "frame.time_epoch",
			"-e", "frame.len", "-e", "frame.cap_len", "-e", "frame.encap_type", "-e", "udp.payload"}, more...)...)
		var errs strings.Builder
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil || strings.Contains(errs.String(), "tshark:") {
			t.Fatalf("%s: %v, %s", path, err, errs.String())
		}
		return strings.Split(string(out), "\n")
	}
	for _, names := range [][]string{
		{"dp8/pcapng.pcapng"},
		{"dp8/full-signed-lossy.pcap", "dp4/windows-lossy.pcap", "knet/lossy-reference.pcap", "hazel/copies.pcap"}, // together, as a start of tshark takes long
	} {
		var in []string
		for _, name := range names {
			in = append(in, filepath.Join("..", "..", "testdata", "pcaps", name))
		}
		dir := t.TempDir()
		plain, out := in[0], filepath.Join(dir, "out.pcapng")
		if len(in) > 1 {
			plain = filepath.Join(dir, "plain.pcapng")
			output(t, append([]string{"annotate", "-q", "--plain", "-w", plain}, in...)...)
		}
		output(t, append([]string{"annotate", "-q", "-w", out}, in...)...)
		want, got := rows(plain), rows(out, "-e", "frame.comment")
		if len(got) != len(want) {
			t.Fatalf("%q: %d packets, want %d", names, len(got), len(want))
		}
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range ngtest.Packets(blocksOf(t, b)) {
			comment := strings.ReplaceAll(strings.Join(p.Comments(), ","), "\n", `\n`)
			if got[i] != want[i]+"\t"+comment {
				t.Errorf("%q: tshark has %q, want %q", names, got[i], want[i]+"\t"+comment)
			}
		}
	}
}

// TestAnnotateChoice checks that the packets chosen are written alone, and that each says
// which it was.
func TestAnnotateChoice(t *testing.T) {
	path := capturePath(t, "two-clients.pcap")
	all := packets(t, path)
	chosen := recordsOf(t, "--connection", "1", path)
	written := ngtest.Packets(blocksOf(t, annotated(t, "--connection", "1", path)))
	if len(written) != len(chosen) || len(chosen) == 0 || len(chosen) == len(all) {
		t.Fatalf("%d packets, want %d", len(written), len(chosen))
	}
	links := 0
	for i, p := range written {
		var frame int
		if _, err := fmt.Sscanf(p.Comments()[0], "dpd1 frame=%d conn=1 ", &frame); err != nil {
			t.Fatalf("packet %d: %v in %q", i+1, err, p.Comments()[0])
		}
		for word := range strings.FieldsSeq(machineLines(p.Comments()[0])[0]) {
			if name, here, _ := strings.Cut(word, "="); name == "here.retry_of" || name == "here.acks" {
				links += checkHere(t, written, p.Comments()[0], strings.TrimPrefix(name, "here."), here)
			}
		}
		if chosen[frame] == nil || string(p.Data) != string(all[frame-1].Data) {
			t.Errorf("packet %d is not frame %d", i+1, frame)
		}
		chosen[frame] = nil
	}
	if links == 0 {
		t.Error("no link is by the numbers of the output: nothing is compared")
	}
	plain := blocksOf(t, annotated(t, "--connection", "1", "--plain", path))
	for i, p := range ngtest.Packets(plain) {
		if len(p.Options) > 0 || string(p.Data) != string(written[i].Data) || p.Stamp != written[i].Stamp {
			t.Fatalf("packet %d of --plain: %+v", i+1, p)
		}
	}
	span := ngtest.Packets(blocksOf(t, annotated(t, "--from", "0.5", "--to", "0.7", path)))
	first := all[0].Time
	var want []string
	for i := range all {
		if at := all[i].Time - first; at >= 5e8 && at < 7e8 {
			want = append(want, string(all[i].Data))
		}
	}
	if len(span) != len(want) || len(want) == 0 {
		t.Fatalf("%d packets of a span, want %d", len(span), len(want))
	}
	for i := range span {
		if string(span[i].Data) != want[i] {
			t.Errorf("packet %d of a span differs", i+1)
		}
	}
}

// checkHere checks that links by the numbers of the output lead to packets that were what the
// key without here. says, in the input. It gives how many there are.
func checkHere(t *testing.T, written []ngtest.Block, comment, key, here string) (n int) {
	t.Helper()
	_, all, _ := strings.Cut(comment, " "+key+"=")
	all, _, _ = strings.Cut(all, " ")
	all, _, _ = strings.Cut(all, "\n")
	for number := range strings.SplitSeq(here, ",") {
		var at, was int
		fmt.Sscan(number, &at)
		fmt.Sscanf(written[at-1].Comments()[0], "dpd1 frame=%d ", &was)
		if n++; !slices.Contains(strings.Split(all, ","), fmt.Sprint(was)) {
			t.Errorf("here.%s=%d was frame %d, not of %q", key, at, was, all)
		}
	}
	return n
}

// TestAnnotateKeepsOtherBlocks checks that blocks which are no packets stay whatever packets
// are left out, by the capture filter as well.
func TestAnnotateKeepsOtherBlocks(t *testing.T) {
	path := capturePath(t, "pcapng.pcapng")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	others := func(file []byte) (text string) {
		for _, b := range blocksOf(t, file) {
			if b.Type == ngtest.Section {
				text += fmt.Sprintf("section %v\n", b.Options)
			} else if !b.IsPacket() {
				text += fmt.Sprintf("%#x %q\n", b.Type, b.Body)
			}
		}
		return text
	}
	want := others(whole)
	for _, args := range [][]string{{"-f", "udp port 1"}, {"-Y", "frame.number == 7"}, {"--from", "900"}, {"--plain"}, nil} {
		if got := others(annotated(t, append(args, path)...)); got != want {
			t.Errorf("%q: the other blocks are\n%s, want\n%s", args, got, want)
		}
	}
	if n := len(ngtest.Packets(blocksOf(t, annotated(t, "-f", "udp port 1", path)))); n != 0 {
		t.Errorf("%d packets pass the capture filter", n)
	}
}

// TestAnnotateFragments checks that a datagram is written with all of its fragments, or with
// none.
func TestAnnotateFragments(t *testing.T) {
	path := capturePath(t, "fragmented.pcap")
	all := packets(t, path)
	if written := ngtest.Packets(blocksOf(t, annotated(t, "-Y", "udp", path))); len(written) != len(all) {
		t.Errorf("%d packets of %d", len(written), len(all))
	}
	several := 0
	for frame := range recordsOf(t, path) {
		written := ngtest.Packets(blocksOf(t, annotated(t, "-Y", fmt.Sprintf("frame.number == %d", frame), path)))
		for i, p := range written {
			if at := frame - len(written) + i; string(p.Data) != string(all[at].Data) {
				t.Errorf("frame %d: packet %d is not packet %d of the capture", frame, i+1, at+1)
			}
		}
		last := written[len(written)-1].Comments()
		if want := fmt.Sprintf("dpd1 frame=%d ", frame); len(last) != 1 || frame != len(written) && !strings.HasPrefix(last[0], want) {
			t.Errorf("frame %d: the comments are %q", frame, last)
		}
		if several += len(written) - 1; several > 5 {
			break
		}
	}
	if several == 0 {
		t.Error("no datagram came in fragments")
	}
}

// TestAnnotateJoins checks that several inputs become one section with the interfaces of all,
// with what decode says of them together.
func TestAnnotateJoins(t *testing.T) {
	path := capturePath(t, "unsigned-lossy.pcap")
	all := packets(t, path)
	halves := split(t, t.TempDir(), all, func(i, _ int) bool { return i%3 == 0 })
	frames := recordsOf(t, path)
	blocks := blocksOf(t, annotated(t, halves...))
	sections, interfaces := 0, 0
	for _, b := range blocks {
		switch b.Type {
		case ngtest.Section:
			sections++
		case ngtest.Interface:
			interfaces++
		}
	}
	if sections != 1 || interfaces != 2 {
		t.Errorf("%d sections, %d interfaces", sections, interfaces)
	}
	for i, p := range ngtest.Packets(blocks) {
		from := 0
		if i%3 == 0 {
			from = 1
		}
		if string(p.Data) != string(all[i].Data) || p.Stamp != uint64(all[i].Time) {
			t.Errorf("packet %d differs", i+1)
		}
		if got, want := machineLines(strings.Join(p.Comments(), "\n")), wantedLines(frames[i+1]); !slices.Equal(got, want) {
			t.Errorf("frame %d: %q, want %q", i+1, got, want)
		}
		if i > 0 && p.Interface != from && p.Interface != 1-from {
			t.Errorf("packet %d is of interface %d", i+1, p.Interface)
		}
	}
}

// TestAnnotateHostileText checks that no text of a packet stands in a comment as it came, or
// looks like a line for machines.
func TestAnnotateHostileText(t *testing.T) {
	path := filepath.Join("..", "..", "testdata", "pcaps", "hazel", "kicked-hostile.pcap")
	n := 0
	for _, p := range ngtest.Packets(blocksOf(t, annotated(t, path))) {
		for _, c := range p.Comments() {
			n++
			if strings.ContainsAny(c, "\x1b\x07\r\u202e\u2066") || !utf8.ValidString(c) || len(machineLines(c)) != 1 {
				t.Errorf("%q", c)
			}
		}
	}
	if n == 0 {
		t.Error("there are no comments")
	}
}

// TestAnnotatedFileIsRead checks that this program reads what it wrote as the capture it was.
func TestAnnotatedFileIsRead(t *testing.T) {
	path := capturePath(t, "pcapng.pcapng")
	out := filepath.Join(t.TempDir(), "out.pcapng")
	if err := os.WriteFile(out, annotated(t, path), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := output(t, "decode", "--format", "ndjson", out), printed(t, "decode", "--format", "ndjson", path); got != want {
		t.Errorf("the annotated capture is decoded differently at line %s", difference(got, want))
	}
	for i, r := range packets(t, out) {
		if n := len(r.Comments); n == 0 || !strings.HasPrefix(r.Comments[n-1], annotate.Mark+" ") {
			t.Errorf("packet %d has the comments %q", i+1, r.Comments)
		}
	}
}
