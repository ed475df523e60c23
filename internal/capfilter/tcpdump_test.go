package capfilter

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/bpf"
)

// tcpdump asks the tool for programs.
type tcpdump struct {
	path string
	dir  string
	mu   sync.Mutex
}

// newTcpdump skips the test where the tool is missing.
func newTcpdump(t testing.TB) *tcpdump {
	path, err := exec.LookPath("tcpdump")
	if err != nil {
		t.Skip("tcpdump is not installed")
	}
	return &tcpdump{path: path, dir: t.TempDir()}
}

// file gives an empty capture of a link type.
func (d *tcpdump) file(t testing.TB, link uint32) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	name := filepath.Join(d.dir, fmt.Sprint(link, ".pcap"))
	header := binary.LittleEndian.AppendUint32(nil, 0xa1b2c3d4)
	for _, v := range []uint32{4<<16 | 2, 0, 0, 262144, link} {
		header = binary.LittleEndian.AppendUint32(header, v)
	}
	if _, err := os.Stat(name); err != nil {
		if err := os.WriteFile(name, header, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return name
}

// ddd gives what tcpdump -ddd prints, or the message of its refusal. The plain
// program makes the tests as they are written; the other is rearranged, and is what
// tcpdump runs.
func (d *tcpdump) ddd(t testing.TB, expr string, link uint32, plain bool) (text, refusal string) {
	args := []string{"-ddd", "-y", "EN10MB"}
	if link != ethernet {
		args = []string{"-ddd", "-r", d.file(t, link)}
	}
	if plain {
		args = append(args, "-O")
	}
	args = append(args, "--", expr)
	cmd := exec.Command(d.path, args...)
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	if cmd.Run() != nil {
		lines := strings.Split(strings.TrimSpace(err.String()), "\n")
		return "", lines[len(lines)-1]
	}
	return out.String(), ""
}

// program gives the program of an expression, or the refusal. What can't be read,
// as it loops or loads from before the packet, counts as refused.
func (d *tcpdump) program(t testing.TB, expr string, link uint32, plain bool) (prog []bpf.Instruction, refusal string) {
	text, refusal := d.ddd(t, expr, link, plain)
	if refusal != "" {
		return nil, refusal
	}
	prog, err := ReadDDD("tcpdump", strings.NewReader(text))
	if err == nil {
		_, err = NewVM(prog)
	}
	if err != nil {
		return nil, err.Error()
	}
	return prog, ""
}
