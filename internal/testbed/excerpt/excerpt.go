// Package excerpt makes small captures for tests: pieces of the committed traces, edited as
// networks, captures, clocks and other people would.
package excerpt

import (
	"bytes"
	"encoding/binary"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dpdissect/dpdissect/internal/capture"
)

// Packets is the number of packets of a trace that an excerpt has: enough for a
// handshake, some losses and a close, and few enough for a thousand runs a second.
const Packets = 24

// An Excerpt is some packets of a trace.
type Excerpt struct {
	Name    string
	Packets []Packet
}

// A Packet is a record of a capture that knows where its UDP payload begins.
type Packet struct {
	Link    capture.LinkType
	Time    uint64 // ns since 1970, modulo 1<<64
	Timed   bool
	Data    []byte
	Wire    int // bytes it had before it was cut
	Payload int // where the payload begins, len(Data) when there is none
}

// Of gives the packets of all traces of a protocol: of each its beginning,
// and its opening packets before its last ones.
func Of(t testing.TB, protocol string) (all []Excerpt) {
	t.Helper()
	for _, path := range Traces(t, protocol) {
		name, whole := filepath.Base(path), Read(t, path)
		all = append(all, Excerpt{name, whole[:min(len(whole), Packets)]})
		if len(whole) > Packets {
			last := slices.Concat(whole[:Packets/3], whole[len(whole)-Packets*2/3:])
			all = append(all, Excerpt{name + ", its end", last})
		}
	}
	if len(all) < 40 {
		t.Fatalf("only %d excerpts of traces of %s", len(all), protocol)
	}
	return all
}

// longPackets is the largest number of packets in an excerpt of a folder's capture.
const longPackets = 200

// InFolder gives the first packets of all captures in a folder, as far as they can be read.
func InFolder(t testing.TB, folder string) (all []Excerpt) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(d.Name(), ".pcap") {
			return err
		}
		if whole, _ := readable(t, path, longPackets); len(whole) > 0 {
			all = append(all, Excerpt{d.Name(), whole})
		}
		return nil
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("%s: %d captures, %v", folder, len(all), err)
	}
	return all
}

// Traces are the committed captures of a protocol.
func Traces(t testing.TB, protocol string) []string {
	t.Helper()
	folder := "../../testdata/pcaps" // from a package of the second level, or the third
	if _, err := os.Stat(folder); err != nil {
		folder = filepath.Join("..", folder)
	}
	all, err := filepath.Glob(filepath.Join(folder, protocol, "*.pcap*"))
	if err != nil || len(all) < 20 {
		t.Fatalf("%d traces of %s, %v", len(all), protocol, err)
	}
	return all
}

// OtherPackets are packets of the traces of protocols, to put into others.
func OtherPackets(t testing.TB, protocols []string) (all []Packet) {
	t.Helper()
	for _, protocol := range protocols {
		for i, path := range Traces(t, protocol) {
			if i%7 != 0 {
				continue
			}
			whole := Read(t, path)
			for k := 0; k < len(whole); k += 1 + len(whole)/12 {
				all = append(all, whole[k])
			}
		}
	}
	return all
}

// Read reads all packets of a trace.
func Read(t testing.TB, path string) []Packet {
	t.Helper()
	all, err := readable(t, path, math.MaxInt)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// readable reads packets of a capture, so many at most, up to where it is damaged.
func readable(t testing.TB, path string, most int) (all []Packet, err error) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := capture.NewReader(f)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var d capture.Decoder
	for len(all) < most {
		var rec capture.Record
		if err := r.Next(&rec); err == io.EOF {
			break
		} else if err != nil {
			return all, err
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
		all = append(all, Packet{rec.Link, uint64(rec.Time), rec.HasTime, rec.Data, rec.WireLen, start})
	}
	return all, nil
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

// AsFile writes packets as a pcapng file.
func AsFile(packets []Packet) []byte {
	le := binary.LittleEndian
	b := slices.Clone(fileHead())
	for i := range packets {
		p := &packets[i]
		pad := -len(p.Data) & 3
		if !p.Timed && p.Link == fileLinks[0] {
			size := uint32(16 + len(p.Data) + pad)
			b = le.AppendUint32(le.AppendUint32(le.AppendUint32(b, 3), size), uint32(len(p.Data)))
			b = append(append(b, p.Data...), "\x00\x00\x00"[:pad]...)
			b = le.AppendUint32(b, size)
			continue
		}
		size := uint32(32 + len(p.Data) + pad)
		b = le.AppendUint32(le.AppendUint32(b, 6), size)
		b = le.AppendUint32(b, uint32(max(slices.Index(fileLinks, p.Link), 0)))
		b = le.AppendUint32(le.AppendUint32(b, uint32(p.Time>>32)), uint32(p.Time))
		b = le.AppendUint32(le.AppendUint32(b, uint32(len(p.Data))), uint32(max(p.Wire, len(p.Data))))
		b = append(append(b, p.Data...), "\x00\x00\x00"[:pad]...)
		b = le.AppendUint32(b, size)
	}
	return b
}
