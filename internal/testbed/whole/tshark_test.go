package whole

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/dp8"
	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/testbed/captured"
)

// TestTsharkAgreesOnCommandFrames compares unsigned command frames, field for
// field, with the only other decoder of them at hand. It knows them on port 6073.
func TestTsharkAgreesOnCommandFrames(t *testing.T) {
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("tshark is not installed")
	}
	frames := commandFrames(t)
	file := filepath.Join(t.TempDir(), "frames.pcap")
	writeOnPort(t, file, frames, dp8.EnumerationPort)
	fields := []string{"msg_id", "rsp_id", "protocol", "session", "timestamp", "flags", "retry", "nseq", "nrcv", "sack.mask1", "sack.mask2", "send.mask1", "send.mask2"}
	args := []string{"-n", "-r", file, "-T", "fields"}
	for _, f := range fields {
		args = append(args, "-e", "dpnet.cframe."+f)
	}
	out, err := exec.Command(tshark, args...).Output()
	if err != nil {
		t.Fatalf("tshark: %v", err)
	}
	lines := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	if len(lines) != len(frames) {
		t.Fatalf("tshark shows %d frames, want %d", len(lines), len(frames))
	}
	for i, b := range frames {
		if got, want := numbers(t, lines[i]), ourNumbers(t, b); got != want {
			t.Errorf("frame %d, % x:\ntshark %v\nwe     %v", i+1, b, got, want)
		}
	}
}

// commandFrames collects the unsigned command frames of the committed traces.
func commandFrames(t *testing.T) (all [][]byte) {
	files, _ := filepath.Glob("../../../testdata/pcaps/dp8/un*.pcap")
	seen := map[string]bool{}
	for _, f := range files {
		for _, d := range captured.Datagrams(t, f) {
			if d.Payload[0]&1 == 0 && !seen[string(d.Payload)] {
				seen[string(d.Payload)] = true
				all = append(all, d.Payload)
			}
		}
	}
	if len(all) < 50 {
		t.Fatalf("only %d command frames in the traces", len(all))
	}
	return all
}

// tsharkFields are the fields that are compared; -1 stands for an absent one.
type tsharkFields [13]int64

// numbers reads a line of tshark's, whatever its notation.
func numbers(t *testing.T, line string) (f tsharkFields) {
	t.Helper()
	for i, col := range strings.Split(line, "\t") {
		f[i] = -1
		if col == "" {
			continue
		}
		n, err := strconv.ParseInt(col, 0, 64)
		if err != nil {
			t.Fatal(err)
		}
		f[i] = n
	}
	return f
}

// ourNumbers decodes a frame into the same fields.
func ourNumbers(t *testing.T, b []byte) (n tsharkFields) {
	t.Helper()
	var f dp8.Frame
	if err := f.Decode(b, dp8.Params{Signing: dp8.Unsigned}, nil); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		n[i] = -1
	}
	if f.Type != dp8.TypeSACK {
		h := &f.Handshake
		copy(n[:], []int64{int64(h.MsgID), int64(h.RspID), int64(h.Version), int64(h.SessionID), int64(h.Timestamp)})
		return n
	}
	s := &f.SACK
	copy(n[4:], []int64{int64(s.Timestamp), int64(s.Flags), int64(s.Retry), int64(s.NSeq), int64(s.NRcv)})
	for i, m := range []struct {
		flag uint8
		mask uint32
	}{{dp8.SACKMask1, uint32(s.SACKMask)}, {dp8.SACKMask2, uint32(s.SACKMask >> 32)}, {dp8.SACKSend1, uint32(s.SendMask)}, {dp8.SACKSend2, uint32(s.SendMask >> 32)}} {
		if s.Flags&m.flag != 0 {
			n[9+i] = int64(m.mask)
		}
	}
	return n
}

// writeOnPort writes payloads as datagrams of raw IPv4 to one port.
func writeOnPort(t *testing.T, path string, payloads [][]byte, port uint16) {
	t.Helper()
	var buf bytes.Buffer
	w, err := capture.NewWriter(&buf, capture.WriterOptions{Format: "pcap", Interfaces: []capture.Interface{{Link: capture.LinkRaw}}})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range payloads {
		b := make([]byte, 28, 28+len(p))
		b[0], b[8], b[9] = 0x45, 64, 17
		binary.BigEndian.PutUint16(b[2:], uint16(28+len(p)))
		copy(b[12:], []byte{192, 0, 2, 1, 192, 0, 2, 2})
		binary.BigEndian.PutUint16(b[20:], 40000)
		binary.BigEndian.PutUint16(b[22:], port)
		binary.BigEndian.PutUint16(b[24:], uint16(8+len(p)))
		b = append(b, p...)
		if err := w.Write(&capture.Record{Data: b, WireLen: len(b), Time: int64(i+1) * 1e9, HasTime: true}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, buf.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
