package record

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpdissect/dpdissect/internal/testbed/ngtest"
)

// simples is a file whose first interface captures so many bytes, with a Simple Packet Block
// for each of several packets, all bytes of which stand in it, whatever was to be captured.
func simples(order byteOrder, snaplen int, packets ...string) []byte {
	n := newNG(order)
	n.section("")
	n.block(blockInterface, n.numbers(uint16(1), uint16(0), snaplen))
	for _, p := range packets {
		n.block(blockSimple, n.numbers(len(p), p))
	}
	return n.b
}

// TestCopyCutsSimplePackets: a Simple Packet Block says only how long its packet was; what was
// captured of it is no more than the snapshot length of the first interface. Where several
// inputs are joined and it becomes an Enhanced Packet Block, the bytes beyond, which may look
// like options, are left out.
func TestCopyCutsSimplePackets(t *testing.T) {
	packets := []string{
		"0123456789abcdef" + "\x01\x00\xff\xff not an option",       // longer than its block
		"0123456789abcdef" + "\x01\x00\x04\x00fake\x00\x00\x00\x00", // one that would be read
		"0123456789abcdefg", "0123456789abcde", "0123456789abcdef", "short", "",
	}
	for _, order := range []byteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, snaplen := range []int{16, 15, 13, 1, 0, 1000} {
			out, err := copyOf(t, CopyOptions{Join: true, Application: "test"}, numbered, simples(binary.LittleEndian, 96, "first of all"), simples(order, snaplen, packets...))
			must(t, err)
			blocks, err := ngtest.Read(out)
			if err != nil {
				t.Fatalf("snapshot length %d: %v", snaplen, err)
			}
			all := ngtest.Packets(blocks)
			all = slices.DeleteFunc(all, func(b ngtest.Block) bool { return b.Type == blockSimple })
			if len(all) != len(packets) {
				t.Fatalf("snapshot length %d: %d packets of %d", snaplen, len(all), len(packets))
			}
			for i, b := range all {
				want := packets[i]
				if snaplen > 0 {
					want = want[:min(snaplen, len(want))]
				}
				if string(b.Data) != want || b.Wire != len(packets[i]) || b.Interface != 1 {
					t.Errorf("snapshot length %d, packet %d: %d of %d bytes of interface %d, want %q", snaplen, i, len(b.Data), b.Wire, b.Interface, want)
				}
				if c := b.Comments(); len(c) != 1 || !strings.HasPrefix(c[0], "comment ") {
					t.Errorf("snapshot length %d, packet %d: comments %q", snaplen, i, c)
				}
			}
			if snaplen == 16 {
				path := filepath.Join(t.TempDir(), "joined.pcapng")
				must(t, os.WriteFile(path, out, 0o600))
				rows := strings.Fields(tool(t, "tshark", "-r", path, "-T", "fields", "-E", "separator=|", "-e", "frame.cap_len", "-e", "frame.len", "-e", "frame.interface_id"))
				if want := "[12|12|0 16|34|1 16|28|1 16|17|1 15|15|1 16|16|1 5|5|1 0|0|1]"; fmt.Sprint(rows) != want {
					t.Errorf("tshark reads %v, want %v", rows, want)
				}
			}
		}
	}
}
