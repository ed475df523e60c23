package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dissect"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/testbed/captured"
	"github.com/dpdissect/dpdissect/internal/testbed/ngtest"
	"github.com/dpdissect/dpdissect/internal/wireshark"
)

// writeNoted writes packets with comments to a file in the folder of a run.
func (s *sharkRun) writeNoted(t *testing.T, packets []noted) (path string) {
	t.Helper()
	var b bytes.Buffer
	w, err := capture.NewWriter(&b, capture.WriterOptions{Format: "pcapng", Interfaces: []capture.Interface{{Link: capture.LinkEthernet}}})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range packets {
		if err := w.Write(&capture.Record{Time: int64(i) * 1e6, HasTime: true, Link: capture.LinkEthernet, Data: p.data, WireLen: len(p.data), Comments: []string{string(p.comment)}}); err != nil {
			t.Fatal(err)
		}
	}
	path = filepath.Join(s.home, "noted.pcapng")
	if err = w.Flush(); err == nil {
		err = os.WriteFile(path, b.Bytes(), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// rows are what tshark prints of fields: for each packet the values, several of one joined by |.
func (s *sharkRun) rows(t *testing.T, path string, fields ...string) (all [][]string) {
	t.Helper()
	args := []string{"-r", path, "-T", "fields", "-E", "separator=/t", "-E", "aggregator=|"}
	for _, f := range fields {
		args = append(args, "-e", f)
	}
	for line := range strings.Lines(string(s.out(t, args...))) {
		all = append(all, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return all
}

// expertInfos are the expert infos of the contract: what is in the comment, the filter, severity
// and group as tshark numbers them, and the text.
var expertInfos = []struct{ keys, filter, severity, group, text string }{
	{"note.rule=DP8-X note.severity=error", "finding.error", "8388608", "150994944", "DP8-X: what is wrong"},
	{"note.rule=DP8-X note.severity=warn", "finding.warn", "6291456", "150994944", "DP8-X: what is wrong"},
	{"note.rule=DP8-X note.severity=note", "finding.note", "4194304", "150994944", "DP8-X: what is wrong"},
	{"analysis=bad-signature", "bad_signature", "8388608", "167772160", "Bad signature"},
	{"analysis=malformed error.field=seq error.offset=2", "malformed", "8388608", "117440512", "seq at byte 2"},
	{"analysis=gap", "gap", "6291456", "33554432", "Gap: the numbers of its side jump forward here"},
	{"analysis=ack-of-uncaptured", "ack_of_uncaptured", "6291456", "33554432", "Acknowledgement of a number that was not captured"},
	{"analysis=window-full", "window_full", "6291456", "33554432", "Window full"},
	{"analysis=retry", "retry", "4194304", "33554432", "Retry: its sender had sent it before"},
	{"analysis=unneeded-retry", "unneeded_retry", "4194304", "33554432", "Unneeded retry: its acknowledgement had been captured before"},
	{"analysis=duplicate", "duplicate", "4194304", "33554432", "Duplicate: a copy made by the network or the capture"},
	{"analysis=out-of-order", "out_of_order", "4194304", "33554432", "Out of order: captured after a higher number of its side"},
	{"analysis=duplicate-ack", "duplicate_ack", "4194304", "33554432", "Duplicate acknowledgement"},
	{"analysis=gap-filled", "gap_filled", "2097152", "33554432", "Gap filled: its number was missing until here"},
	{"analysis=keepalive", "keepalive", "2097152", "33554432", "KeepAlive"},
	{"analysis=handshake", "handshake", "2097152", "33554432", "Handshake: part of the opening of the connection"},
	{"analysis=close", "close", "2097152", "33554432", "Close: part of the end of the connection"},
	{"analysis=new-connection", "new_connection", "2097152", "33554432", "New connection of the same two addresses"},
	{"analysis=unverified-signature", "unverified_signature", "2097152", "33554432", "Signature not verified: not all secrets are known"},
	{"analysis=ack", "", "", "", ""},
	{"analysis=no-such-word", "", "", "", ""},
}

// TestWiresharkExpertInfos: each word and each severity has its expert info, a filter of its own,
// and no other; an acknowledgement has none.
func TestWiresharkExpertInfos(t *testing.T) {
	s := newShark(t)
	data := packets(t, capturePath(t, "unsigned-lossy.pcap"))[0].Data
	fields := []string{"_ws.expert.severity", "_ws.expert.group", "_ws.expert.message"}
	var all []noted
	words := map[string]bool{}
	for _, x := range expertInfos {
		all = append(all, noted{data: data, comment: []byte("dpd1 conn=0 dir=a protocol=dp8 type=CONNECT " + x.keys + "\nError: what is wrong (DP8-X)")})
		if x.filter != "" {
			fields = append(fields, "dpdissect."+x.filter)
		}
		if word, ok := strings.CutPrefix(x.keys, "analysis="); ok {
			word, _, _ = strings.Cut(word, " ")
			words[word] = true
		}
	}
	for _, word := range dissect.WordNames {
		if !words[word] {
			t.Errorf("%s is not tried", word)
		}
	}
	for i, row := range s.rows(t, s.writeNoted(t, all), fields...) {
		x := expertInfos[i]
		// The comment is an expert info of Wireshark's own, and comes first.
		got := make([]string, 3)
		for k := range got {
			_, got[k], _ = strings.Cut(row[k], "|")
		}
		if want := []string{x.severity, x.group, x.text}; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", x.keys, got, want)
		}
		for k, name := range fields[3:] {
			if (row[3+k] != "") != (name == "dpdissect."+x.filter) {
				t.Errorf("%s: %s is %q", x.keys, name, row[3+k])
			}
		}
	}
}

// decodedLine is a line of decode: the number of the frame, and its summary.
var decodedLine = regexp.MustCompile(`(?m)^ *(\d+) +\S+ +\S+ → \S+ +\S+ +\d+ (.*)$`)

// leadingMarks are the marks in front of a summary of decode.
var leadingMarks = regexp.MustCompile(`^(?:\[[^\]]*\] )*`)

// wantedInfo is what the Info column is to show of a frame: marks, type, and the numbers of the
// first level that are shown in decimal.
func wantedInfo(t *testing.T, marks string, record []byte, decimal map[string]bool) string {
	t.Helper()
	var r struct {
		Protocol, Type string
		Fields         json.RawMessage
	}
	if err := json.Unmarshal(record, &r); err != nil {
		t.Fatal(err)
	}
	parts := []string{marks + r.Type}
	d := json.NewDecoder(bytes.NewReader(r.Fields))
	d.UseNumber()
	depth := 0
	for {
		tok, err := d.Token()
		if err != nil {
			return strings.Join(parts, " ")
		}
		switch v := tok.(type) {
		case json.Delim:
			depth += map[json.Delim]int{'{': 1, '[': 1, '}': -1, ']': -1}[v]
		case string:
			if depth != 1 {
				continue
			}
			value, err := d.Token()
			if err != nil {
				t.Fatal(err)
			}
			switch n := value.(type) {
			case json.Delim:
				depth++
			case json.Number:
				if decimal[r.Protocol+"."+v] {
					parts = append(parts, v+"="+n.String())
				}
			}
		}
	}
}

// TestWiresharkInfoColumn: the Info column has the marks of decode, then the type and the
// numbers.
func TestWiresharkInfoColumn(t *testing.T) {
	t.Parallel()
	s := newShark(t)
	decimal := map[string]bool{}
	for _, f := range wireshark.Fields() {
		decimal[f.Name] = strings.HasPrefix(f.Type, "FT_UINT") && f.Base == "BASE_DEC"
	}
	var paths []string
	type frames struct{ records, marks map[int]string }
	want := map[string]frames{}
	for _, name := range []string{"dp8/unsigned-lossy.pcap", "dp8/full-signed-forged.pcap", "dp4/windows-lossy.pcap", "knet/lossy-reference.pcap", "knet/malformed-page.pcap", "hazel/copies.pcap"} {
		path := filepath.Join("..", "..", "testdata", "pcaps", name)
		of := frames{map[int]string{}, map[int]string{}}
		for line := range strings.Lines(printed(t, "decode", "--format", "ndjson", path)) {
			var r struct {
				Frame    int
				Protocol string
			}
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatal(err)
			}
			if ourFilters[r.Protocol] != "" {
				of.records[r.Frame] = line
			}
		}
		for _, m := range decodedLine.FindAllStringSubmatch(printed(t, "decode", path), -1) {
			frame, _ := strconv.Atoi(m[1])
			of.marks[frame] = leadingMarks.FindString(m[2])
		}
		paths, want[path] = append(paths, path), of
	}
	marked := map[string]int{}
	file, from := s.together(t, paths...)
	rows := s.rows(t, file, "_ws.col.Info")
	if len(rows) != len(from) {
		t.Fatalf("%d packets, want %d", len(rows), len(from))
	}
	for i, at := range from {
		record, marks := want[at.path].records[at.frame], want[at.path].marks[at.frame]
		if record == "" || strings.Contains(record, `"fields":{}`) {
			continue
		}
		for m := range strings.SplitSeq(strings.TrimSpace(marks), "] ") {
			marked[strings.Trim(m, "[]")]++
		}
		got, _, _ := strings.Cut(rows[i][0], " [Malformed: ")
		if want := wantedInfo(t, marks, []byte(record), decimal); got != want {
			t.Fatalf("%s: frame %d: %q, want %q", at.path, at.frame, got, want)
		}
	}
	for _, m := range []string{"Retry", "Unneeded Retry", "Duplicate", "Gap", "Bad Signature", "DP8-SIG-FULL"} {
		if marked[m] == 0 {
			t.Errorf("no frame has the mark %s: %v", m, marked)
		}
	}
}

// TestWiresharkSeveralDatagrams: of a packet that stands for several datagrams each is shown, in
// order, by their lengths; without a length the first alone.
func TestWiresharkSeveralDatagrams(t *testing.T) {
	t.Parallel()
	s := newShark(t)
	path := capturePath(t, "unsigned-lossy.pcap")
	all, want := captured.Datagrams(t, path), wantedTrees(t, path)
	comments := ngtest.Packets(blocksOf(t, annotated(t, path)))
	m := &mutator{}
	head := packets(t, path)[0].Data[:headers]
	var with, without noted
	var trees, infos []string
	for i := 20; i < 25; i++ {
		line := machineLines(comments[i].Comments()[0])[0]
		with.data = append(with.data, all[i].Payload...)
		with.comment = fmt.Appendf(with.comment, "\n%s length=%d\ntext below", line, len(all[i].Payload))
		without.comment = fmt.Appendf(without.comment, "\n%s", line)
		trees = append(trees, want[i+1]...)
	}
	size := len(with.data)
	with.data = m.resize(append(bytes.Clone(head), with.data...), size)
	with.comment, without = with.comment[1:], noted{data: with.data, comment: without.comment[1:]}
	file := s.writeNoted(t, []noted{with, without})
	got := s.shown(t, "-r", file)
	if !slices.Equal(got[0], trees) || len(trees) != 5 {
		t.Errorf("shown as\n%s\nwant\n%s", strings.Join(got[0], "\n--\n"), strings.Join(trees, "\n--\n"))
	}
	if len(got[1]) != 1 {
		t.Errorf("without lengths %d datagrams are shown", len(got[1]))
	}
	infos = strings.Split(s.rows(t, file, "_ws.col.Info")[0][0], "; ")
	if len(infos) != 5 {
		t.Errorf("Info is %q", infos)
	}
	if frames := s.rows(t, file, "dpdissect.connection")[0][0]; frames != "0|0|0|0|0" {
		t.Errorf("connections %q", frames)
	}
}

// TestWiresharkLoadedTwice: a second load of the same file is silent and changes nothing.
func TestWiresharkLoadedTwice(t *testing.T) {
	t.Parallel()
	s := newShark(t)
	file := filepath.Join(s.home, "annotated.pcapng")
	if err := os.WriteFile(file, annotated(t, capturePath(t, "unsigned-lossy.pcap")), 0o600); err != nil {
		t.Fatal(err)
	}
	once := s.out(t, "-r", file, "-O", "dp8,dpdissect", "-c", "50")
	again := filepath.Join(s.home, "again.lua")
	if err := os.WriteFile(again, wireshark.Plugin("test"), 0o600); err != nil {
		t.Fatal(err)
	}
	if twice := s.out(t, "-X", "lua_script:"+again, "-r", file, "-O", "dp8,dpdissect", "-c", "50"); !bytes.Equal(once, twice) || !bytes.Contains(once, []byte("dpdissect analysis")) {
		t.Errorf("%s\nwant\n%s", twice, once)
	}
}

// TestWiresharkNamesTaken: where other plugins have the names of our protocols or fields, the
// rest works, and loading does not fail.
func TestWiresharkNamesTaken(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "testdata", "pcaps")
	for _, c := range []struct {
		other, capture, filter string
		more                   []string
	}{
		{`Proto("dp8", "another dp8")`, "knet/lossy-reference.pcap", "knet-udp and dpdissect.connection == 0", nil},
		{`Proto("dp8", "another dp8")`, "dp8/unsigned-lossy.pcap", "dpdissect.retry", nil},
		{`local p = Proto("other", "other") p.fields = { ProtoField.string("dp8.seq", "another seq"), ProtoField.bytes("dpdissect.connection", "another") }`,
			"dp8/unsigned-lossy.pcap", "dp8.nrcv and dpdissect.retry", nil},
		{`Proto("dpdissect", "another dpdissect")`, "dp8/unsigned-lossy.pcap", "dp8.seq == 3", []string{"-d", "udp.port==2302,dp8"}},
	} {
		s := newShark(t)
		file := filepath.Join(s.home, "annotated.pcapng")
		if err := os.WriteFile(file, annotated(t, filepath.Join(path, c.capture)), 0o600); err != nil {
			t.Fatal(err)
		}
		ours := s.lua
		s.lua = filepath.Join(s.home, "other.lua") // is loaded first
		if err := os.WriteFile(s.lua, []byte(c.other+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		args := append([]string{"-X", "lua_script:" + ours, "-r", file}, c.more...)
		out := string(s.out(t, append(args, "-V", "-Y", "("+c.filter+") or _ws.lua.error")...))
		if len(out) == 0 {
			t.Errorf("%s: nothing matches %q", c.other, c.filter)
		}
		if at := strings.Index(out, "Lua Error"); at >= 0 {
			t.Errorf("%s: %.200s", c.other, out[at:])
		}
	}
}
