package pipeline_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dpdissect/dpdissect/internal/capture"
	"github.com/dpdissect/dpdissect/internal/protocols"
)

// excerptPackets is how many packets of a trace an excerpt has: enough for a
// handshake, some losses and a close, and few enough for a thousand runs a second.
const excerptPackets = 24

// An excerpt is some packets of a trace.
type excerpt struct {
	name    string
	packets []packet
}

// A packet is a record of a capture that knows where its UDP payload begins.
type packet struct {
	link    capture.LinkType
	time    uint64 // ns since 1970, modulo 1<<64
	timed   bool
	data    []byte
	wire    int // bytes it had before it was cut
	payload int // where the payload begins, len(data) when there is none
}

// excerpts gives the packets of all traces of a protocol: of each its beginning,
// and its opening packets before its last ones.
func excerpts(t testing.TB, protocol string) (all []excerpt) {
	t.Helper()
	for _, path := range traces(t, protocol) {
		name, whole := filepath.Base(path), readPackets(t, path)
		all = append(all, excerpt{name, whole[:min(len(whole), excerptPackets)]})
		if len(whole) > excerptPackets {
			last := slices.Concat(whole[:excerptPackets/3], whole[len(whole)-excerptPackets*2/3:])
			all = append(all, excerpt{name + ", its end", last})
		}
	}
	if len(all) < 40 {
		t.Fatalf("only %d excerpts of traces of %s", len(all), protocol)
	}
	return all
}

// traces are the committed captures of a protocol.
func traces(t testing.TB, protocol string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join("../../testdata/pcaps", protocol, "*.pcap*"))
	if err != nil || len(all) < 20 {
		t.Fatalf("%d traces of %s, %v", len(all), protocol, err)
	}
	return all
}

// readPackets reads all packets of a trace.
func readPackets(t testing.TB, path string) (all []packet) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := capture.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var d capture.Decoder
	for {
		var rec capture.Record
		if err := r.Next(&rec); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		rec.Data = bytes.Clone(rec.Data)
		var p capture.Packet
		d.Decode(&rec, &p)
		start := len(rec.Data)
		if p.Class == capture.UDP && len(p.Payload) > 0 {
			if at := bytes.LastIndex(rec.Data, p.Payload); at >= 0 {
				start = at
			}
		}
		all = append(all, packet{rec.Link, uint64(rec.Time), rec.HasTime, rec.Data, rec.WireLen, start})
	}
}

// fileLinks are the link types of the interfaces that written files declare: those
// this program knows, and one it does not.
var fileLinks = []capture.LinkType{capture.LinkEthernet, capture.LinkRaw, capture.LinkNull, capture.LinkLoop, capture.LinkPPP,
	capture.LinkSLL, capture.LinkSLL2, capture.LinkIEEE80211, capture.LinkRadiotap, capture.LinkIPv4, capture.LinkIPv6, capture.LinkPPPHDLC, 147}

// fileHead is the beginning of a pcapng file: its section, and an interface with
// times in nanoseconds for each of fileLinks.
var fileHead = sync.OnceValue(func() []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, 0x0a0d0d0a)
	b = le.AppendUint32(b, 28)
	b = le.AppendUint32(b, 0x1a2b3c4d)
	b = le.AppendUint32(b, 1)
	b = le.AppendUint64(b, 1<<64-1)
	b = le.AppendUint32(b, 28)
	for _, link := range fileLinks {
		b = le.AppendUint32(b, 1)
		b = le.AppendUint32(b, 32)
		b = le.AppendUint32(b, uint32(link))
		b = le.AppendUint32(b, 0)
		b = append(b, 9, 0, 1, 0, 9, 0, 0, 0) // if_tsresol
		b = append(b, 0, 0, 0, 0)
		b = le.AppendUint32(b, 32)
	}
	return b
})

// asFile writes packets as a pcapng file.
func asFile(packets []packet) []byte {
	le := binary.LittleEndian
	b := slices.Clone(fileHead())
	for i := range packets {
		p := &packets[i]
		pad := -len(p.data) & 3
		if !p.timed && p.link == fileLinks[0] {
			size := uint32(16 + len(p.data) + pad)
			b = le.AppendUint32(le.AppendUint32(le.AppendUint32(b, 3), size), uint32(len(p.data)))
			b = append(append(b, p.data...), "\x00\x00\x00"[:pad]...)
			b = le.AppendUint32(b, size)
			continue
		}
		size := uint32(32 + len(p.data) + pad)
		b = le.AppendUint32(le.AppendUint32(b, 6), size)
		b = le.AppendUint32(b, uint32(max(slices.Index(fileLinks, p.link), 0)))
		b = le.AppendUint32(le.AppendUint32(b, uint32(p.time>>32)), uint32(p.time))
		b = le.AppendUint32(le.AppendUint32(b, uint32(len(p.data))), uint32(max(p.wire, len(p.data))))
		b = append(append(b, p.data...), "\x00\x00\x00"[:pad]...)
		b = le.AppendUint32(b, size)
	}
	return b
}

// protocolFolders are those of testdata/pcaps: one a protocol.
var protocolFolders = func() (names []string) {
	for _, p := range protocols.All(protocols.Options{}) {
		names = append(names, p.Name)
	}
	return names
}()

// TestExcerpts checks that the file of an unedited trace says what the trace says.
func TestExcerpts(t *testing.T) {
	for _, protocol := range protocolFolders {
		for _, path := range traces(t, protocol) {
			if !strings.Contains(path, "clean") {
				continue
			}
			whole := readPackets(t, path)
			y := runEverything(t, asFile(whole), plan{workers: 1})
			if n := strings.Count(y.frames, "dpdissect/frame/1"); n*20 < len(whole)*19 {
				t.Errorf("%s: %d frames of %d packets", path, n, len(whole))
			}
			if len(y.conns) == 0 || y.conns[0].Protocol.Name != protocol || !strings.Contains(y.frames, "dpdissect/message/1") {
				t.Errorf("%s: connections %v", path, y.conns)
			}
		}
	}
}
